#pragma once
#include "learn/training_task.hpp"
#include "maps/job.hpp"
#include "maps/trainer.hpp"

namespace macmi {

/// Trains every model of a job (one, or one per fold). Of each model several initialisations start; after a few epochs
/// the half with the higher validation likelihood goes on, until one is left (successive halving, Jamieson & Talwalkar
/// 2016), which is trained to the end. A training that diverges starts again with a third of the learning rate; one
/// that ends no better than the constant prediction starts again with a quarter of the weight decay, once.
/// States are files of the folder: a job that finds its own from before goes on from there, to the same bits.
void run_tournament(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context);

/// One training of the tournament alone, from the files it needs to the files it gives.
void run_training(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context,
                  const TrainingTask& task);

}  // namespace macmi
