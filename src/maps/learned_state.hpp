#pragma once
#include "macmi/maps.hpp"
#include "maps/coding.hpp"
#include "maps/map_model.hpp"
#include "maps/training/recipe.hpp"
#include "maps/training/splits.hpp"
#include "maps/training/tournament.hpp"

namespace macmi::maps {

/// One trained model of a job.
struct TrainedModel {
  std::vector<float> parameters, marginal, maps;  ///< maps: [apply rows][map columns]
  std::vector<double> divergence;                 ///< per feature in network order
  double validation_gain = 0, validation_error = 0, training_gain = 0, training_error = 0;
  TrainingCurve curve;
};

}  // namespace macmi::maps

namespace macmi {

/// All that is known after training.
struct LearnedMaps::State {
  MapsOptions options;
  DataSchema schema;
  maps::Coding coding;
  maps::Architecture architecture;
  maps::Recipe recipe;
  maps::CodedFeatures features;
  std::vector<float> target;
  std::vector<std::int32_t> folds;
  std::vector<maps::ModelRows> rows;
  std::vector<maps::TrainedModel> models;
  std::vector<MapSummary> summaries;
  std::vector<std::string> notes;
  double validation_gain = 0, training_gain = 0, gap_error = 0;
  Dataset mapped;
};

}  // namespace macmi

namespace macmi::maps {

/// Everything that is trained: the networks, the recipe and views of the state's samples.
TrainingJob job_of(const LearnedMaps::State& state);
/// Takes what the tournament gave, and sees the samples through it.
void take_results(LearnedMaps::State& state, const Dataset& data, std::vector<TrainedNetwork> trained);
/// True if tests on the training samples would be misled: the maps fit their own training samples clearly better than
/// others.
bool overfits(const LearnedMaps::State& state);

}  // namespace macmi::maps
