#pragma once
#include <functional>
#include <string>
#include <vector>

#include "macmi/maps.hpp"
#include "maps/training/rounds/training_team.hpp"
#include "maps/training/trainer.hpp"

namespace macmi::maps {

/// Where and how the trainings of a job are made.
struct TrainingPlace {
  std::size_t threads = 0;                               ///< 0 = every core
  std::string folder;                                    ///< for checkpoints; empty: none
  TrainingTeam* team = nullptr;                          ///< other processes that train
  std::function<bool(const MapsProgress&)> on_progress;  ///< false stops with Cancelled; called by the caller's thread
  std::function<void(const std::string&)> on_note;
};

/// A model at the end of its training.
struct TrainedNetwork {
  std::vector<float> parameters, marginal;
  Likelihood validation, training;
  TrainingCurve curve;
};

/// Trains every model of a job (one, or one per fold). Of each model several initialisations start; after a few epochs
/// the half with the higher validation likelihood goes on, until one is left (successive halving, Jamieson & Talwalkar
/// 2016), which is trained to the end. A training that diverges starts again with a third of the learning rate; one
/// that ends no better than the constant prediction starts again with a quarter of the weight decay, once. Trainings
/// run side by side on threads, or on a team's processes, with the same bits.
std::vector<TrainedNetwork> run_tournament(const TrainingJob& job, const TrainingPlace& place);

}  // namespace macmi::maps
