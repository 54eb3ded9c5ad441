"""Speed of `macmi::cmi`, as ratios in one run: against scipy's cKDTree doing the same, growth with n, and threads.

Usage: estimate.py PATH/TO/estimate_time OUT.md. Needs numpy and scipy. Exits 1 when a threshold is missed.
"""
import math
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import scipy  # noqa: E402
from scipy.spatial import cKDTree  # noqa: E402
from scipy.special import digamma  # noqa: E402

PROGRAM, OUT = sys.argv[1], sys.argv[2]


def gaussian(n, z_dimensions, seed=0):
    """z standard normal, x and y linear in its mean plus noise and in each other; columns x, y, z…"""
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, z_dimensions))
    shared = z.mean(axis=1) if z_dimensions else np.zeros(n)
    x = shared + random.normal(size=n)
    y = shared + 0.8 * x + random.normal(size=n)
    return np.column_stack([x, y, z])


def macmi(data, k, threads=1, repeats=7):
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, data)
        file.flush()
        words = subprocess.check_output([PROGRAM, file.name, str(k), str(threads), str(repeats)], text=True).split()
    wall, cpu, value = map(float, words)
    return {"wall": wall, "cpu": cpu, "value": value}


def ckdtree(data, k):
    """Frenzel-Pompe by k-d trees: the k-th distance in the joint space, then three counts."""
    x, y, z = data[:, :1], data[:, 1:2], data[:, 2:]
    start = time.process_time()
    distance = cKDTree(data).query(data, k=[k + 1], p=np.inf)[0][:, 0]
    radius = np.nextafter(distance, 0)
    counts = [cKDTree(part).query_ball_point(part, radius, p=np.inf, return_length=True)
              for part in (np.hstack([x, z]), np.hstack([y, z]), z)]
    value = digamma(k) + np.mean(digamma(counts[2]) - digamma(counts[0]) - digamma(counts[1]))
    return {"cpu": time.process_time() - start, "value": value}


def main():
    rows, failures = [], []

    def check(what, measured, threshold, passed):
        rows.append(f"| {what} | {measured} | {threshold} | {'yes' if passed else '**no**'} |")
        print(f"{what}: {measured} (wanted {threshold})")
        if not passed:
            failures.append(what)

    # Interleaved, so that a change of the machine's speed hits both; the median of the pairwise ratios.
    data = gaussian(6000, 3)
    ratios = []
    for _ in range(5):
        peer, ours = ckdtree(data, 100), macmi(data, 100)
        assert abs(peer["value"] - ours["value"]) < 1e-9, (peer, ours)
        ratios.append(peer["cpu"] / ours["cpu"])
    ratio = sorted(ratios)[len(ratios) // 2]
    check("n = 6000, k = 100, x 1-D, y 1-D, z 3-D: times faster than cKDTree, CPU time, one thread",
          f"{ratio:.1f} (ours {ours['cpu'] * 1e3:.0f} ms)", "at least 20", ratio >= 20)

    large = macmi(gaussian(100_000, 1), 10, repeats=3)
    check("n = 100,000, k = 10, all 1-D: seconds, one thread", f"{large['cpu']:.2f}", "under 3", large["cpu"] < 3)

    for z_dimensions in (0, 1, 3):
        sizes = (2_000, 100_000)
        seconds = [macmi(gaussian(n, z_dimensions), 10, repeats=15 if n < 10_000 else 3)["cpu"] for n in sizes]
        exponent = math.log(seconds[1] / seconds[0]) / math.log(sizes[1] / sizes[0])
        check(f"growth exponent from n = 2,000 to 100,000, k = 10, z {z_dimensions}-D", f"{exponent:.2f}",
              "at most 1.35", exponent <= 1.35)

    data = gaussian(100_000, 1)
    one, two = (min(macmi(data, 10, threads, 5)["wall"] for _ in range(2)) for threads in (1, 2))
    check("n = 100,000, k = 10, all 1-D: times faster with 2 threads", f"{one / two:.2f}", "at least 1.7", one / two >= 1.7)

    with open(OUT, "w", encoding="utf-8") as file:
        file.write("# Speed of the estimator\n\nWritten by `make bench` "
                   f"(numpy {np.__version__}, scipy {scipy.__version__}, {os.cpu_count()} cores, {cpu_name()}).\n"
                   "Every line is measured in the same run; the values of the two programs agree to 1e-9.\n\n"
                   "| what | measured | wanted | reached |\n|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return 1 if failures else 0


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        info = file.read()
    model = next(line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name"))
    return f"{model}, {'AVX-512' if 'avx512f' in info else 'AVX2' if 'avx2' in info else 'no AVX2'}"


sys.exit(main())
