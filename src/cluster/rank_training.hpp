#pragma once
#include <memory>
#include <string>

#include "cluster/coordinator.hpp"
#include "cluster/worker.hpp"
#include "maps/training/rounds/training_team.hpp"

namespace macmi::cluster {

/// Rank 0: trainings on all ranks of a team. The coordinator must outlive it.
std::unique_ptr<TrainingTeam> make_training_team(Coordinator& coordinator);

/// Any other rank: makes one training, from the state that came with it to the state that goes back.
std::string train_on_rank(const RankWork& work);

}  // namespace macmi::cluster
