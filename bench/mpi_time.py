"""What coordination over MPI costs, and what a second rank gives: mpi_time.py MACMI [TABLE.md]

Fails when handing out one test costs 1 ms or more of a rank's time, or when two working ranks are less than 1.7 times as
fast as one on a search of 2,000 tests. Keep the machine quiet meanwhile; it needs two cores. What bounds the gain is
printed beside it: processor time that one process does not need, ranks without a test, and what other programs took.
Where that was more than a twentieth, it fails too: such a ratio says nothing.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TESTS = 2000
ENVIRONMENT = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none")


def twenty_views(path, n):
    """20 noisy copies of the target, none of which makes another superfluous: more than 2,000 tests."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(f"view{f}" for f in range(20)) + ",t\n")
        for _ in range(n):
            t = draw.gauss(0, 1)
            file.write(",".join(repr(t + draw.gauss(0, 1)) for _ in range(20)) + f",{t!r}\n")


class CoreWatch(threading.Thread):
    """How long threads that make tests were ready to run while other programs had the cores."""

    def __init__(self, macmi):
        super().__init__(daemon=True)
        self.program, self.threads, self.ended = os.path.realpath(macmi), {}, threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{process}/exe") != self.program:
                        continue
                    for thread in os.listdir(f"/proc/{process}/task"):
                        with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
                            self.threads[thread] = [int(number) / 1e9 for number in file.read().split()[:2]]
                except (OSError, ValueError):  # it ended meanwhile
                    pass

    def waited(self):
        self.ended.set()
        self.join()
        busiest = max((ran for ran, _ in self.threads.values()), default=0)
        return sum(waited for ran, waited in self.threads.values() if ran > busiest / 4)


def select(macmi, ranks, data, *words):
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    line = [*launcher, macmi, "select", "--data", data, "--target", "t", "--alpha", "0.99",
            "--max-tests", str(TESTS), "--threads", "1", "--run", "none", "--json", "--quiet", *words]
    watch, before, start = CoreWatch(macmi), os.times(), time.monotonic()
    watch.start()
    out = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
    whole, after = time.monotonic() - start, os.times()
    result = json.loads(out)
    timing = result.pop("timing")
    timing["around"] = whole - timing["seconds"]
    timing["processor"] = after.children_user + after.children_system - before.children_user - before.children_system
    timing["waited"] = watch.waited() / ranks
    return result, timing


def bounds(one, two):
    """What keeps two ranks from twice the speed, as rows of the table."""
    own = (one["seconds"] - one["waited"]) / (two["seconds"] - two["waited"])
    return [f"| tests made by each rank | {' + '.join(map(str, two['tests_of_rank']))} | {two['tests_made'] - one['tests_made']} of "
            "them not made by one process: guessed ahead in vain |",
            f"| around the search, not shared among ranks | | {one['around']:.2f} s with one process, {two['around']:.2f} s with "
            "2 ranks: start, MPI, reading, the result |",
            f"| processor time of all processes | | {one['processor']:.2f} s with one process, {two['processor']:.2f} s with 2 "
            f"ranks: {2 * one['processor'] / two['processor']:.2f} times is what it allows at most |",
            f"| ranks without a test | | {1 - two['efficiency']:.1%} of their time |",
            f"| waiting while other programs had the cores | | {one['waited']:.2f} s with one process, {two['waited']:.2f} s per rank "
            f"with 2; {own:.2f} times without it |"]


def main():
    macmi, table = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    if shutil.which("mpirun") is None or not os.path.exists(os.path.join(os.path.dirname(macmi), "libmacmi-mpi.so")):
        print("skipped: mpirun is not installed, or macmi was built without MPI")
        return 0
    load = os.getloadavg()[0]
    rows, passed = [], True
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "views.csv")
        twenty_views(data, 300)
        # Partial correlations take microseconds: all the rest of a rank's time is coordination, and waiting for it.
        for ranks in (2, 3):
            _, timing = select(macmi, ranks, data, "--method", "fisherz")
            lost = timing["seconds"] * timing["ranks"] * (1 - timing["efficiency"]) / timing["tests_made"]
            rows.append(f"| coordination, {ranks} ranks | {timing['tests_made']} tests made | {1e3 * lost:.3f} ms of a rank's time a test |")
            passed = passed and (ranks > 2 or lost < 1e-3)
        alone, one = select(macmi, 1, data)
        together, two = select(macmi, 2, data)
        speedup = one["seconds"] / two["seconds"]
        rows.append(f"| k-NN tests, one process, one thread | {one['tests_made']} tests made | {one['seconds']:.2f} s |")
        rows.append(f"| the same, 2 ranks | {two['tests_made']} tests made | {two['seconds']:.2f} s: {speedup:.2f} times, "
                    f"efficiency {two['efficiency']:.0%} |")
        rows += bounds(one, two)
        alone_on_the_machine = all(run["waited"] < 0.05 * run["seconds"] for run in (one, two))
        passed = passed and speedup >= 1.7 and alone == together and alone_on_the_machine
    text = ("# What MPI costs\n\nWritten by `bench/mpi_time.py` (part of `make bench`): 20 noisy copies of the "
            f"target, {TESTS:,} tests, 300 samples.\nWall-clock time, all ranks on one machine with "
            f"{os.cpu_count()} cores and a load of {load:.1f} when it began, {time.strftime('%Y-%m-%d')}. The bench fails at 1 ms "
            "a test on 2 ranks, below 1.7 times, or\nwhere the results differ by a bit.\n\n| what | tests | measured |\n|---|---|---|\n" +
            "\n".join(rows) + "\n")
    print(text + ("" if passed else f"FAILED (the load was {load:.1f} at the start)\n"))
    if not alone_on_the_machine:
        print("other programs had the cores for more than a twentieth of the time: the ratio says nothing; run it again")
    if table and passed:
        with open(table, "w", encoding="utf-8") as file:
            file.write(text)
    return 0 if passed else 1


sys.exit(main())
