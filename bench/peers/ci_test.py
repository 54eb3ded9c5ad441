"""One conditional independence test: macmi against tigramite's CMIknn and causal-learn's KCI, CPU time on one pinned core.

Usage: ci_test.py PATH/TO/ci_test_time OUT.md, beside which a figure OUT.svg is written. tigramite's time for 1,000 permutations is extrapolated from a few: its
permutations take equally long, and what comes before them is measured once. Exits 1 when a target is missed.
"""
import os
import subprocess
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
import numpy as np  # noqa: E402
from causallearn.utils.cit import CIT  # noqa: E402
from tigramite.independence_tests.cmiknn import CMIknn  # noqa: E402

PROGRAM, OUT = sys.argv[1], sys.argv[2]
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
PERMUTATIONS, DEFAULT_PERMUTATIONS = 1000, 500  # tigramite's own default is 500

# n, columns of x, columns of z, permutations measured of tigramite, times faster wanted
CASES = [(1000, 1, 1, 40, 500), (6000, 1, 1, 6, 300), (6000, 1, 3, 4, 1000), (6000, 3, 9, 2, 3000)]
# At the defaults of both: n, columns of x, columns of z, permutations measured of tigramite
DEFAULT_CASES = [(1000, 1, 1, 40), (6000, 1, 1, 6), (6000, 1, 3, 4)]
# What y takes of x, and times faster wanted: a test that finds nothing ends early, one that finds a dependence with the
# last permutation.
LINKS = ((0, 200), (0.5, 100))


def sample(n, dx, dz):
    random = np.random.default_rng(0)
    z = random.normal(size=(n, dz))
    x = z.mean(axis=1, keepdims=True) + random.normal(size=(n, dx))
    return x, z.mean(axis=1, keepdims=True) + random.normal(size=(n, 1)), z


def macmi(n, dx, dz, k="100"):
    environment = dict(os.environ, MACMI_PERMUTE="auto" if dx > 1 else "x")
    done = subprocess.check_output([PROGRAM, str(n), str(dx), str(dz), k, str(PERMUTATIONS), "3" if n > 2000 else "15"], text=True, env=environment)
    return float(done.split()[0])


def macmi_as_users_run_it(n, dx, dz, link):
    done = subprocess.check_output([PROGRAM, str(n), str(dx), str(dz), "default", "1000", "5"], text=True,
                                   env=dict(os.environ, MACMI_LINK=str(link)))
    return float(done.split()[0])


def tigramite(n, dx, dz, permutations, asked=PERMUTATIONS, **options):
    x, y, z = sample(n, dx, dz)
    array = np.hstack([x, y, z]).T
    roles = np.array([0] * dx + [1] + [2] * dz)
    options = options or {"knn": 100, "shuffle_neighbors": 5, "transform": "standardize"}
    test = CMIknn(sig_samples=permutations, workers=1, seed=1, **options)
    start = time.process_time()
    value = test.get_dependence_measure(array, roles)
    before = time.process_time() - start
    start = time.process_time()
    test.get_shuffle_significance(array, roles, value)
    return before + (time.process_time() - start) / permutations * asked


def kci(n):
    x, y, z = sample(n, 1, 1)
    start = time.process_time()
    CIT(np.hstack([x, y, z]), "kci")(0, 1, [2])
    return time.process_time() - start


def at_defaults():
    """Rows of the table, and how many miss what is wanted."""
    rows, missed = [], 0
    for n, dx, dz, few in DEFAULT_CASES:
        theirs = tigramite(n, dx, dz, few, DEFAULT_PERMUTATIONS, knn=0.2)  # the default, which must be named to be no other
        row = f"| {n} | {dx} | {dz} | {theirs:.0f} s |"
        for link, wanted in LINKS:
            ours = macmi_as_users_run_it(n, dx, dz, link)
            missed += theirs / ours < wanted
            row += f" {ours:.3f} s | {theirs / ours:.0f} |"
        rows.append(row)
        print(rows[-1], flush=True)
    return rows, missed


def figure(bars):
    """Seconds on a logarithmic scale, a pair of bars for every case."""
    low, high, left, width, step = 0.01, 1e5, 190, 430, 44
    place = lambda seconds: left + width * np.log10(seconds / low) / np.log10(high / low)  # noqa: E731
    height = step * len(bars) + 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="720" height="{height}" fill="white"/>',
             '<text x="10" y="18" font-weight="bold">CPU seconds of one test: peer (grey) and macmi (black), logarithmic</text>']
    for power in range(-2, 6):
        x = place(10.0**power)
        parts.append(f'<path d="M{x:.0f} 28V{height - 24}" stroke="#ddd"/><text x="{x:.0f}" y="{height - 8}" text-anchor="middle">'
                     f'{10.0**power:g}</text>')
    for row, (label, theirs, ours) in enumerate(bars):
        y = 32 + step * row
        parts.append(f'<text x="{left - 8}" y="{y + 20}" text-anchor="end">{label}</text>')
        for offset, seconds, fill in ((0, theirs, "#999"), (15, ours, "#000")):
            parts.append(f'<rect x="{left}" y="{y + offset}" width="{place(seconds) - left:.0f}" height="13" fill="{fill}"/>'
                         f'<text x="{place(seconds) + 5:.0f}" y="{y + offset + 11}">{seconds:.3g} s</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    tigramite(200, 1, 1, 2)  # compiles its numba parts
    rows, bars, missed = [], [], 0
    for n, dx, dz, few, wanted in CASES:
        theirs, ours = tigramite(n, dx, dz, few), macmi(n, dx, dz)
        ratio = theirs / ours
        missed += ratio < wanted
        bars.append((f"CMIknn, n = {n}, z {dz}-D", theirs, ours))
        rows.append(f"| tigramite CMIknn | {n} | {dx} | {dz} | {theirs:.0f} s | {ours:.2f} s | {ratio:.0f} | {wanted} |")
        print(rows[-1], flush=True)
    theirs, ours = kci(2000), macmi(2000, 1, 1)
    bars.append(("KCI, n = 2000, z 1-D", theirs, ours))
    rows.append(f"| causal-learn KCI | 2000 | 1 | 1 | {theirs:.1f} s | {ours:.2f} s | {theirs / ours:.0f} | |")
    print(rows[-1])
    default_rows, also_missed = at_defaults()
    missed += also_missed
    picture = os.path.splitext(OUT)[0] + ".svg"
    with open(picture, "w", encoding="utf-8") as file:
        file.write(figure(bars))
    with open(OUT, "w", encoding="utf-8") as file:
        file.write("# The conditional independence test against its peers\n\n"
                   f"Written by bench/peers/ci_test.py at commit {os.environ.get('MACMI_COMMIT', 'unknown')} "
                   "(tigramite 5.2.10.1, causal-learn 0.1.4.8): CPU seconds of one test on one pinned core, k = 100, 1,000 local permutations, no early "
                   "stopping, y 1-D, x exchanged as tigramite does (`--no-adjustment`).\ntigramite's seconds are extrapolated from 2 to 40 permutations; KCI has none. Where x has "
                   "three columns macmi permutes y (`--permute auto`).\n\n"
                   f"![seconds]({os.path.basename(picture)})\n\n"
                   "| peer | n | x | z | peer | macmi | times faster | wanted |\n|---|---|---|---|---|---|---|---|\n"
                   + "\n".join(rows) + "\n\n## At default settings\n\n"
                   "tigramite's `CMIknn()` takes a fifth of the samples as neighbours, ranks, and 500 permutations, whatever they say. "
                   "`macmi test` looks at three neighbourhoods and a correlation, splits off what z explains, and ends its 1,000 "
                   "permutations when the decision cannot change: early where x and y are independent, and with the last ones "
                   f"where they depend on each other (here y takes {LINKS[1][0]} of x). Wanted: at least {LINKS[0][1]} times as fast, and "
                   f"{LINKS[1][1]} times.\n\n"
                   "| n | x | z | tigramite | macmi, independent | times faster | macmi, dependent | times faster |\n"
                   "|---|---|---|---|---|---|---|---|\n"
                   + "\n".join(default_rows) + "\n")
    return 1 if missed else 0


sys.exit(main())
