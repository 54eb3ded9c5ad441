#pragma once
#include <memory>

#include "base/files/opened_library.hpp"
#include "cluster/launch.hpp"
#include "cluster/ranks.hpp"

namespace macmi::cluster {

/// Joins the other ranks over MPI. Throws InputError where macmi was built without it, or for another MPI than the one
/// that started the ranks.
std::unique_ptr<Ranks> join_mpi(const Launch& launch);

/// Opens the plugin, and so the MPI library, without starting anything.
base::LibraryState mpi_state();

}  // namespace macmi::cluster
