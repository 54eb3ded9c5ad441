#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "maps/network/architecture.hpp"
#include "maps/network/batch.hpp"
#include "maps/training/recipe.hpp"
#include "maps/training/splits.hpp"

namespace macmi::maps {

/// All that the trainings of a data set depend on: the networks, the recipe, the samples, and which of them each model
/// (one, or one per fold) is trained on. Samples are views of memory that outlives the job.
struct TrainingJob {
  Architecture architecture;
  Recipe recipe;
  NetworkSamples samples;
  std::vector<ModelRows> rows;
};

/// The job as bytes, for other processes.
std::string bytes_of(const TrainingJob& job);
/// A job whose samples are views of these bytes.
TrainingJob parse_training_job(std::string_view bytes);

/// Names a job by its content: what was trained for a job of the same name can be used.
std::string fingerprint_of(std::string_view job_bytes);

}  // namespace macmi::maps
