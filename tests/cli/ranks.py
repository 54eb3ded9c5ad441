"""How the tests start the program on several ranks."""
import os
import shutil

from program import MACMI

MPIRUN = shutil.which("mpirun")
PLUGIN = os.path.join(os.path.dirname(MACMI), "libmacmi-mpi.so")
# Ranks of one machine copy through shared memory: containers often forbid the other way, with a page of warnings.
ENVIRONMENT = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_rmaps_base_oversubscribe="1")


def why_not():
    """Why no ranks can be started here; nothing where they can."""
    if MPIRUN is None:
        return "mpirun is not installed"
    return None if os.path.exists(PLUGIN) else "macmi was built without MPI"


def launcher(ranks):
    return [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
