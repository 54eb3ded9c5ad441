"""tigramite's PCMCI with its own CMIknn and with macmi's: the same graph, and the time of each.

Three series: x drives y one step later through its square, which correlation does not see, and y drives z. Run by
`make bench` in the virtual environment of bench/peers. Exits 1 when the graphs differ or macmi is not faster.
"""
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
import numpy as np  # noqa: E402
from tigramite.data_processing import DataFrame  # noqa: E402
from tigramite.independence_tests.cmiknn import CMIknn  # noqa: E402
from tigramite.pcmci import PCMCI  # noqa: E402

import macmi.tigramite  # noqa: E402

NAMES = ["x", "y", "z"]
SETTINGS = dict(knn=0.1, sig_samples=200, shuffle_neighbors=5, transform="ranks", significance="shuffle_test", seed=1)


def series(steps=250):
    draw = np.random.default_rng(7)
    data = np.zeros((steps, 3))
    for t in range(1, steps):
        x, y, _ = data[t - 1]
        data[t] = [0, x ** 2, 1.5 * y] + draw.normal(size=3) * [1, 0.5, 0.5]
    return data


def run(test):
    # The seconds before the first test are those of numba, which tigramite compiles with.
    test.run_test_raw(*np.random.default_rng(0).normal(size=(3, 50, 1)))
    start = time.process_time()
    pcmci = PCMCI(dataframe=DataFrame(series(), var_names=NAMES), cond_ind_test=test, verbosity=0)
    result = pcmci.run_pcmci(tau_min=1, tau_max=1, pc_alpha=0.05, alpha_level=0.01)
    return result, time.process_time() - start


def links(result):
    return sorted((NAMES[i], NAMES[j], int(lag)) for i, j, lag in zip(*np.nonzero(result["graph"] == "-->")))


def main():
    # sig_blocklength: where there is no condition both permute single steps. (tigramite 5.2.10 would shuffle blocks, whose
    # length it cannot find with NumPy 2.4.)
    ours, our_time = run(macmi.tigramite.CMIknn(**SETTINGS, threads=1))
    theirs, their_time = run(CMIknn(**SETTINGS, workers=1, sig_blocklength=1))
    difference = np.nanmax(np.abs(ours["val_matrix"] - theirs["val_matrix"]))
    print("links found with tigramite's CMIknn:", links(theirs))
    print("links found with macmi's CMIknn:    ", links(ours))
    print(f"largest difference of a statistic: {difference:.1e} nats")
    print(f"CPU seconds: tigramite {their_time:.2f}, macmi {our_time:.2f}, {their_time / our_time:.0f} times faster")
    # tigramite adds noise of a millionth to break ties, so a neighbour may change here and there.
    same = difference < 1e-3 and links(ours) == links(theirs) == [("x", "y", 1), ("y", "z", 1)]
    return 0 if same and our_time < their_time else 1


sys.exit(main())
