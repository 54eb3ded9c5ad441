#pragma once
#include <memory>

#include "cluster/launch.hpp"
#include "cluster/ranks.hpp"

namespace macmi {

/// Joins the other ranks over MPI. Throws InputError where macmi was built without it, or for another MPI than the one
/// that started the ranks.
std::unique_ptr<Ranks> join_mpi(const Launch& launch);

}  // namespace macmi
