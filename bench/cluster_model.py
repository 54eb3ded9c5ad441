"""Time against ranks for 1,000 features and 100,000 samples, from measured tests: cluster_model.py MACMI [TABLE.md]

Measures the processor time of one test for growing samples and conditioning sets, extends it to 100,000 samples by the
power that it grew with, and adds up the levels of a search (docs/cluster.md, "What to expect").
"""
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

SAMPLES, WANTED, FEATURES = (2000, 4000, 8000), 100_000, 1000
PERMUTATIONS = 256  # about what a clear dependence takes with --stop fast; without a fixed number tests cannot be compared
COORDINATION = 1e-3  # seconds a test: the bound that bench/mpi_time.py asserts
NETWORK = 1e9  # bytes a second to each node: a tenth of what clusters have
# Features left when a level begins, and those that it removes: a target with 10 neighbours among 30 that depend on it.
LEVELS = ((1, 30, 15), (2, 15, 5), (3, 10, 0))


def test_seconds(macmi, data, given):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["--z", ",".join(f"z{i}" for i in range(given))] if given else []
    subprocess.run([macmi, "test", "--data", data, "--x", "x", "--y", "y", "--threads", "1", "--json",
                    "--stop", "never", "--permutations", str(PERMUTATIONS), *words],
                   stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_data(path, n):
    draw = random.Random(n)
    with open(path, "w", encoding="utf-8") as file:
        file.write("x,y,z0,z1,z2\n")
        for _ in range(n):
            z = [draw.gauss(0, 1) for _ in range(3)]
            row = [z[0] + draw.gauss(0, 1), z[0] + z[1] / 2 + draw.gauss(0, 1), *z]
            file.write(",".join(map(repr, row)) + "\n")


def search_seconds(each, ranks):
    """Rounds of tests on all ranks; of those begun ahead a removal wastes up to 2 per rank."""
    workers = ranks if ranks <= 32 else ranks - 1  # see docs/cluster.md
    rounds = [(FEATURES, each[0])]
    for given, begin, removed in LEVELS:
        stay = begin - removed
        needed = stay * math.comb(begin - 1, given) + removed * math.comb(begin - 1, given) / 8
        most = begin * math.comb(begin - 1, given)
        rounds.append((min(most, needed + (removed * 2 * workers if workers > 1 else 0)), each[given]))
    rounds.append((FEATURES - 10, each[3]))  # co-parents
    rounds.append((10, each[3]))  # shrink
    tests = sum(count for count, _ in rounds)
    return sum(math.ceil(count / workers) * seconds for count, seconds in rounds) + tests * COORDINATION


def main():
    macmi, table = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    rows, each = [], []
    with tempfile.TemporaryDirectory() as folder:
        for n in SAMPLES:
            write_data(os.path.join(folder, f"{n}.csv"), n)
        for given in range(4):
            measured = [test_seconds(macmi, os.path.join(folder, f"{n}.csv"), given) for n in SAMPLES]
            power = math.log(measured[-1] / measured[0]) / math.log(SAMPLES[-1] / SAMPLES[0])
            each.append(measured[-1] * (WANTED / SAMPLES[-1]) ** power)
            rows.append(f"| {given} | " + " | ".join(f"{s:.2f} s" for s in measured) + f" | {power:.2f} | {each[-1]:.0f} s |")
    size = FEATURES * WANTED * 8
    alone = search_seconds(each, 1)
    times = []
    for ranks in (1, 16, 64, 1024):
        nodes = max(1, ranks // 32)
        sharing = size / NETWORK * math.ceil(math.log2(nodes)) if nodes > 1 else 0
        seconds = search_seconds(each, ranks) + sharing
        times.append(f"| {ranks} | {seconds / 3600:.1f} h | {alone / seconds:.0f} | {alone / seconds / ranks:.0%} | {sharing:.0f} s |")
    text = ("# Time against ranks, predicted\n\nWritten by `bench/cluster_model.py`; the model is in docs/cluster.md. Processor "
            f"time of one k-NN test, {PERMUTATIONS} permutations, otherwise default options, and its extension to {WANTED:,} samples:\n\n"
            "| given | " + " | ".join(f"{n:,} samples" for n in SAMPLES) + f" | power | {WANTED:,} samples |\n"
            "|---|" + "---|" * len(SAMPLES) + "---|---|\n" + "\n".join(rows) +
            f"\n\n{FEATURES:,} features of {WANTED:,} samples ({size / 1e6:.0f} MB), 32 ranks a node; predicted, not measured:\n\n"
            "| ranks | search | times one | efficiency | sharing the samples |\n|---|---|---|---|---|\n" + "\n".join(times) + "\n")
    print(text)
    if table:
        with open(table, "w", encoding="utf-8") as file:
            file.write(text)


main()
