#pragma once
#include <memory>
#include <string>

#include "cluster/coordinator.hpp"
#include "cluster/worker.hpp"
#include "learn/training_team.hpp"

namespace macmi {

/// Rank 0: trainings on all ranks of a team. The coordinator must outlive it.
std::unique_ptr<TrainingTeam> make_training_team(Coordinator& coordinator);

/// Any other rank: makes one training, in a folder of its own, from the files that came with it.
std::string train_on_rank(const RankWork& work);

}  // namespace macmi
