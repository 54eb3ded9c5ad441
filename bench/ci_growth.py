"""How one conditional independence test grows with the samples, what memory it takes, what `--k auto` costs, and AVX2 alone.

Usage: ci_growth.py PATH/TO/ci_test_time OUT.md. CPU time of one thread. Exits 1 when a target is missed. MACMI_COMMIT names
the commit on the page.
"""
import math
import os
import subprocess
import sys

PROGRAM, OUT = sys.argv[1], sys.argv[2]
SIZES, COLUMNS_OF_Z = (1000, 7000, 50000, 200000), (0, 1, 3, 9)
PERMUTATIONS = 64
EXPONENT, MEGABYTES, AUTO, NARROWER = 1.6, 4096, 1.8, 3
DEFAULT_EXPONENT, DEFAULT_MEGABYTES = 1, 1024


def measure(n, dz, k, permutations, **environment):
    """CPU seconds and peak megabytes of a process of its own."""
    process = subprocess.Popen([PROGRAM, str(n), "1", str(dz), k, str(permutations), "1"], stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, **environment))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{PROGRAM} failed")
    return float(output.split()[0]), usage.ru_maxrss / 1024


def growth(lines, k, permutations, exponent, most, **environment):
    """A row for every number of columns of z; how many miss what is wanted."""
    lines += ["| columns of z | " + " | ".join(f"n = {n:,}" for n in SIZES) + " | exponent | memory |",
              "|---" * (len(SIZES) + 3) + "|"]
    missed = 0
    for dz in COLUMNS_OF_Z:
        seconds, megabytes = zip(*(measure(n, dz, k, permutations, **environment) for n in SIZES))
        found = math.log(seconds[-1] / seconds[0]) / math.log(SIZES[-1] / SIZES[0])
        missed += found > exponent or megabytes[-1] > most
        lines.append(f"| {dz} | " + " | ".join(f"{s:.2f} s" for s in seconds) + f" | {found:.2f} | {megabytes[-1]:.0f} MB |")
        print(lines[-1], flush=True)
    return missed


def main():
    lines = ["# Growth of the conditional independence test", "",
             f"Written by bench/ci_growth.py at commit {os.environ.get('MACMI_COMMIT', 'unknown')}: CPU seconds of one test on one "
             "thread, x and y 1-D and independent given z. The exponent is that between the smallest and the largest n, the memory "
             f"that at n = {SIZES[-1]:,}.", "", "## As users run it", "",
             f"Default options, which look at neighbourhoods around at most 8,000 centres (`--centres`), and {PERMUTATIONS} permutations: "
             "a test that is clear after the first look. One whose p is close to alpha draws 1,000, and takes about ten times as "
             f"long. Wanted: exponent at most {DEFAULT_EXPONENT}, under {DEFAULT_MEGABYTES} MB.", ""]
    missed = growth(lines, "default", PERMUTATIONS, DEFAULT_EXPONENT, DEFAULT_MEGABYTES)
    lines += ["", "## The statistic at all samples", "",
              f"`--centres 0`, k = 100, {PERMUTATIONS} permutations, no early stopping. Wanted: exponent at most {EXPONENT}, under "
              f"{MEGABYTES} MB.", ""]
    missed += growth(lines, "100", PERMUTATIONS, EXPONENT, MEGABYTES, MACMI_CENTRES="0")
    lines += ["", "## All looks", "", f"`--k auto` beside its largest k alone, n = 2,000, 1,000 permutations. Wanted: at most {AUTO} times.", "",
              "| columns of z | largest k | auto | times |", "|---|---|---|---|"]
    for dz in COLUMNS_OF_Z:
        largest, auto = measure(2000, dz, "100", 1000)[0], measure(2000, dz, "auto", 1000)[0]
        missed += auto > AUTO * largest
        lines.append(f"| {dz} | {largest:.2f} s | {auto:.2f} s | {auto / largest:.2f} |")
        print(lines[-1], flush=True)
    if "avx512bw" in open("/proc/cpuinfo", encoding="utf-8").read():
        lines += ["", "## Vectors", "", f"AVX2 instructions alone (`MACMI_SIMD=AVX2`) beside AVX-512, n = 6,000, k = 100, 1,000 permutations. Wanted: at most {NARROWER} times.",
                  "", "| columns of z | AVX-512 | AVX2 | times |", "|---|---|---|---|"]
        for dz in COLUMNS_OF_Z:
            wide, narrow = (measure(6000, dz, "100", 1000, MACMI_SIMD=name)[0] for name in ("AVX3", "AVX2"))
            missed += narrow > NARROWER * wide
            lines.append(f"| {dz} | {wide:.2f} s | {narrow:.2f} s | {narrow / wide:.2f} |")
            print(lines[-1], flush=True)
    else:
        print("skipped: this CPU has no AVX-512 to compare AVX2 with")
    with open(OUT, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return 1 if missed else 0


sys.exit(main())
