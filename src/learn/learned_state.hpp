#pragma once
#include "learn/coding.hpp"
#include "learn/map_model.hpp"
#include "learn/recipe.hpp"
#include "learn/splits.hpp"
#include "macmi/maps.hpp"

namespace macmi {

/// One trained model of a job.
struct TrainedModel {
  std::vector<float> parameters, marginal, maps;  ///< maps: [apply rows][map columns]
  std::vector<double> divergence;                 ///< per feature in network order
  double validation_gain = 0, validation_error = 0, training_gain = 0, training_error = 0;
  TrainingCurve curve;
};

/// All that is known after training.
struct LearnedMaps::State {
  MapsOptions options;
  DataSchema schema;
  Coding coding;
  Architecture architecture;
  Recipe recipe;
  CodedFeatures features;
  std::vector<float> target;
  std::vector<std::int32_t> folds;
  std::vector<ModelRows> rows;
  std::vector<TrainedModel> models;
  std::vector<MapSummary> summaries;
  std::vector<std::string> notes;
  double validation_gain = 0, training_gain = 0, gap_error = 0;
  Dataset mapped;
};

/// Networks and samples of a job.
void put_samples(ArrayFileWriter& job, const LearnedMaps::State& state);
/// The samples of each training of a job, as the worker reads them.
void put_rows(ArrayFileWriter& job, const std::vector<ModelRows>& rows);
void read_results(LearnedMaps::State& state, const Dataset& data, const std::string& folder);
/// Whether same-row tests would be misled: the maps fit their own training samples clearly better than others.
bool overfits(const LearnedMaps::State& state);

}  // namespace macmi
