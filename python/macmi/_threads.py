"""How many threads a call takes where several run at once."""

from __future__ import annotations

import os
import sys
from typing import Any


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def every_core() -> int:
    """0, the C++ side's word for all cores; in a worker of joblib as many threads as joblib leaves it, so that workers
    do not take the cores from each other. joblib tells processes in OMP_NUM_THREADS; a worker that is a thread gets 1.
    """
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or not parallel.get_active_backend()[0].nesting_level:
        return 0
    told = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(told) if told.isdigit() and int(told) > 0 else 1


def threads_of(threads: Any) -> Any:
    """The option `threads`."""
    return every_core() if threads == 0 else threads


def threads_of_jobs(n_jobs: Any) -> int:
    """scikit-learn's n_jobs: None one thread, -1 every core, -2 all but one."""
    if n_jobs is None:
        return 1
    try:
        jobs = int(n_jobs)
    except (TypeError, ValueError):
        jobs = 0
    if jobs == 0:
        raise ValueError(f"n_jobs does not accept {n_jobs!r}: give a number of threads, -1 for every core, or None")
    if jobs > 0:
        return jobs
    return every_core() if jobs == -1 else every_core() or max(cores() + 1 + jobs, 1)
