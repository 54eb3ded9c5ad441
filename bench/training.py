"""CPU time of learning feature maps, of this build and, where given, of another one in the same run.

    python3 bench/training.py build/macmi [--against OTHER/macmi --called "what it is"] [--page docs/benchmarks/training.md]

Vectors: the 3-D bullseye (n = 6000) as `macmi train` learns it by default, four restarts. Series: one epoch of the
drive-sized GRU (36 series of 90 steps, 10,000 drives, the paper's setting), the difference between trainings of three epochs and of one
halved, so that reading and evaluating cancel. Programs take turns; medians of three (vectors) and single runs (series).
"""
import argparse
import os
import statistics
import subprocess
import tempfile


def cpu_seconds(command):
    """CPU seconds and peak megabytes of a command and its children."""
    before = os.times()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    after = os.times()
    children = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return max(children, usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def train(program, data, folder, *options):
    return [program, "train", "--data", data, "--out", os.path.join(folder, "model.maps"), "--quiet", *options]


def vectors(programs, folder):
    data = os.path.join(folder, "spheres.csv")
    subprocess.run([programs[0], "simulate", "bullseye3d", "--n", "6000", "--quiet", "--out", data], check=True)
    taken = {program: [] for program in programs}
    for _ in range(3):
        for program in programs:
            taken[program].append(cpu_seconds(train(program, data, folder, "--target", "y", "--group", r"^(x\d+)_")))
    return {program: tuple(statistics.median(column) for column in zip(*runs)) for program, runs in taken.items()}


def series(programs, folder, drives):
    data = os.path.join(folder, "fleet.parquet")
    subprocess.run([programs[0], "simulate", "hdd", "--n", str(drives), "--quiet", "--out", data], check=True)
    options = ["--target", "failure", "--id", "serial_number", "--time", "date", "--preset", "paper-hdd", "--restarts", "1",
               "--threads", "1"]
    result = {}
    for program in programs:
        one, three = (cpu_seconds(train(program, data, folder, *options, "--epochs", n)) for n in ("1", "3"))
        result[program] = ((three[0] - one[0]) / 2, three[1])
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--called", default="the other build")
    parser.add_argument("--page")
    parser.add_argument("--drives", type=int, default=10000)
    options = parser.parse_args()
    programs = [options.program] + ([options.against] if options.against else [])
    with tempfile.TemporaryDirectory() as folder:
        rows = [("3-D bullseye, n = 6000, four restarts", vectors(programs, folder), 0.4),
                (f"one epoch of 36 GRUs, 90 steps, {options.drives} drives", series(programs, folder, options.drives), 1.0)]
    lines = ["| training | this build, CPU s | peak MB |" + (f" {options.called}, CPU s | ratio | wanted |" if options.against else ""),
             "|---|---|---|" + ("---|---|---|" if options.against else "")]
    fine = True
    for name, taken, wanted in rows:
        own, memory = taken[options.program]
        line = f"| {name} | {own:.2f} | {memory:.0f} |"
        if options.against:
            other = taken[options.against][0]
            line += f" {other:.2f} | {own / other:.2f} | {wanted} |"
            fine = fine and own <= wanted * other
        lines.append(line)
    print("\n".join(lines))
    if options.page and options.against:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        with open(options.page, "w") as page:
            page.write("# Learning feature maps\n\nWritten by `bench/training.py` at commit " + commit +
                       ". CPU seconds of `macmi train` on one machine, both programs in one run.\n\n" + "\n".join(lines) + "\n")
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
