"""causal-learn's PC with its own kernel test (KCI) and with macmi's: the same graph, and the time of each.

a causes c, b causes it through its square, which correlation does not see; c causes d. Run by `make bench` in the virtual environment of bench/peers.
Exits 1 when the graphs differ or macmi is not faster.
"""
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy as np  # noqa: E402
from causallearn.search.ConstraintBased.PC import pc  # noqa: E402

import macmi.causallearn  # noqa: E402,F401  registers "macmi"

ALPHA = 0.05
NAMES = ["a", "b", "c", "d"]


def sample(n=1200):
    draw = np.random.default_rng(3)
    a, b = draw.uniform(-2, 2, size=(2, n))
    c = a + b ** 2 + 0.5 * draw.normal(size=n)
    d = c + 1.5 * draw.normal(size=n)
    return np.column_stack([a, b, c, d])


def run(test, **options):
    start = time.process_time()
    graph = pc(sample(), ALPHA, test, show_progress=False, **options).G.graph
    return graph, time.process_time() - start


def edges(graph):
    """In causal-learn's matrix, graph[i, j] = -1 and graph[j, i] = 1 is i → j."""
    directed = [f"{NAMES[i]} → {NAMES[j]}" for i in range(4) for j in range(4) if graph[i, j] == -1 and graph[j, i] == 1]
    return directed + [f"{NAMES[i]} — {NAMES[j]}" for i in range(4) for j in range(i) if graph[i, j] == graph[j, i] == -1]


def main():
    ours, our_time = run("macmi", k=10, stop="fast", level=ALPHA, threads=1)
    theirs, their_time = run("kci")
    print("edges found with KCI:  ", edges(theirs))
    print("edges found with macmi:", edges(ours))
    print(f"CPU seconds: causal-learn {their_time:.2f}, macmi {our_time:.2f}, {their_time / our_time:.0f} times faster")
    same = edges(ours) == edges(theirs) == ["a → c", "b → c", "c → d"]
    return 0 if same and our_time < their_time else 1


sys.exit(main())
