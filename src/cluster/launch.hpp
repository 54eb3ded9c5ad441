#pragma once

namespace macmi::cluster {

/// The place of this process among those that mpirun or srun started.
struct Launch {
  int rank = 0;
  int size = 1;  ///< 1: started alone
};

/// From the environment alone, so that a program that was started alone never looks for MPI. Open MPI, MPICH and its
/// relatives, Slurm with PMI or PMIx. MACMI_MPI=off: always alone, for scripts that use ranks for something else.
Launch launched_as();

}  // namespace macmi::cluster
