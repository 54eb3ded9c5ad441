"""What everyday tables cost: categories beside numbers, many rows, a column of labels that hardly repeat.

Usage: ordinary_tables.py PATH/TO/macmi OUT.md. CPU seconds (user and system) and peak memory of each command, on two
threads; single tests on one. Exits 1 when a target is missed. MACMI_COMMIT names the commit on the page, MACMI_DATA the
folder with networks/lucas.csv, TABLES_TIME the program of bench/tables_time.cpp; what is not there is left out, and said so.
"""
import os
import random
import subprocess
import sys
import tempfile

PROGRAM, OUT = sys.argv[1], sys.argv[2]
TIMES, SELECT_MEMORY, LABELS_MEMORY, LABELS_SECONDS, LUCAS_SECONDS, TABLES_MILLISECONDS, TEST_SECONDS = 3, 1024, 500, 10, 3, 5, 10
SELECTIONS = (("housing", 20640, "value", 60), ("census", 48842, "income", 200))


def run(*arguments):
    """CPU seconds and peak megabytes."""
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{PROGRAM} {' '.join(map(str, arguments))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median_seconds(*arguments):
    return sorted(run(*arguments)[0] for _ in range(3))[1]


def write_mixed(path, n, labels):
    """Numbers x, y that follow z, categories c and d of so many labels (c follows z, too), v that follows x and z."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        file.write("x,y,z,v,c,d\n")
        for _ in range(n):
            z = draw.gauss(0, 1)
            x = 0.5 * z + draw.gauss(0, 1)
            place = min(labels - 1, max(0, int((0.6 * z + draw.gauss(0, 1)) * labels / 6 + labels / 2)))
            file.write(f"{x:.6g},{0.5 * z + draw.gauss(0, 1):.6g},{z:.6g},{0.3 * x + z + draw.gauss(0, 1):.6g},"
                       f"c{place},d{draw.randrange(labels)}\n")


def categories(folder, lines):
    path = os.path.join(folder, "mixed.csv")
    write_mixed(path, 2000, 16)
    start = median_seconds("test", "--data", path, "--x", "x", "--y", "y", "--permutations", 1, "--no-correlation", "--k", 5)
    lines += ["## Categories among numbers", "",
              "One test at n = 2,000 with 256 permutations, no early stopping, median of three, less what reading the file takes "
              f"({start:.2f} s). Wanted: a category of 16 labels in the place of a number takes at most {TIMES} times as long.",
              "", "| x | y | given | CPU seconds | times |", "|---|---|---|---|---|"]
    missed, numbers = 0, None
    for x, y, z in (("x", "y", "z"), ("c", "y", "z"), ("x", "d", "z"), ("x", "y", "c"), ("x", "y", "z,c"), ("c", "y", "z,d")):
        cpu = median_seconds("test", "--data", path, "--x", x, "--y", y, "--z", z, "--stop", "never", "--permutations", 256,
                             "--threads", 1) - start
        numbers = numbers or cpu
        missed += cpu > TIMES * numbers
        lines.append(f"| {x} | {y} | {z} | {cpu:.2f} | {cpu / numbers:.2f} |")
        print(lines[-1], flush=True)
    lines += ["", "x, y, z are numbers, c and d categories of 16 labels.", ""]
    return missed


def selections(folder, lines):
    lines += ["## Whole selections", "", f"`macmi simulate`, then `macmi select` with its defaults, two threads. Wanted: under {SELECT_MEMORY} MB; "
              "housing under a minute and census under two by the clock on two cores: at most 60 and 200 CPU seconds.", "",
              "| table | rows | CPU seconds | memory |", "|---|---|---|---|"]
    missed = 0
    for model, n, target, limit in SELECTIONS:
        path = os.path.join(folder, model + ".csv")
        run("simulate", model, "--n", n, "--out", path)
        cpu, megabytes = run("select", "--data", path, "--target", target, "--run", "none", "--threads", 2)
        missed += cpu > limit or megabytes > SELECT_MEMORY
        lines.append(f"| {model} | {n:,} | {cpu:.1f} | {megabytes:.0f} MB |")
        print(lines[-1], flush=True)
    lines.append("")
    return missed


def all_categories(lines):
    lines += ["## Categories alone", ""]
    missed = 0
    path = os.path.join(os.environ.get("MACMI_DATA", ""), "networks", "lucas.csv")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            names = [name.strip() for name in file.readline().split(",")]
        start = run("inspect", "--data", path)[0]
        cpu = sum(median_seconds("select", "--data", path, "--target", name, "--run", "none", "--threads", 1)
                  for name in names)
        missed += cpu > LUCAS_SECONDS
        lines += [f"LUCAS (2,000 rows, 12 columns of two values), all 12 targets: {cpu:.2f} CPU seconds (medians of three), of which the program's "
                  f"start and reading take about {12 * start:.2f}. Wanted: under {LUCAS_SECONDS}.", ""]
        print(lines[-2], flush=True)
    else:
        print("skipped: no networks/lucas.csv in MACMI_DATA", flush=True)
    program = os.environ.get("TABLES_TIME")
    if program:
        lines += ["1,000 tables drawn, milliseconds of one thread (bench/tables_time.cpp). Wanted: "
                  f"under {TABLES_MILLISECONDS} for 3 x 3 x 9 cells.", ""]
        table = subprocess.run([program, "15"], check=True, capture_output=True, text=True).stdout.strip().splitlines()
        missed += float(table[2].split("|")[3]) > TABLES_MILLISECONDS
        lines += table + [""]
        print("\n".join(table), flush=True)
    else:
        print("skipped: no program TABLES_TIME", flush=True)
    return missed


def many_rows(folder, lines):
    lines += ["## Many rows", "", "One `macmi test` of three columns with its defaults, two threads. Wanted at 1,000,000 rows: under "
              f"{TEST_SECONDS} CPU seconds.", "",
              "| test | rows | CPU seconds | memory |", "|---|---|---|---|"]
    missed = 0
    path = os.path.join(folder, "rows.csv")
    for n in (50000, 1000000):
        write_mixed(path, n, 16)
        for x, y in (("x", "y"), ("v", "x")):
            cpu, megabytes = run("test", "--data", path, "--x", x, "--y", y, "--z", "z", "--threads", 2)
            missed += n == 1000000 and cpu > TEST_SECONDS
            lines.append(f"| {x}, {y} given z | {n:,} | {cpu:.1f} | {megabytes:.0f} MB |")
            print(lines[-1], flush=True)
    write_mixed(path, 20000, 10000)
    lines += ["", "## Labels that hardly repeat", "", f"20,000 rows, c and d of 10,000 labels. Wanted: under {LABELS_SECONDS} CPU seconds a "
              f"test and under {LABELS_MEMORY} MB.", "",
              "| command | CPU seconds | memory |", "|---|---|---|"]
    commands = [("test", "--x", x, "--y", y, "--z", z) for x, y, z in (("d", "y", "z"), ("c", "y", "z"), ("x", "y", "d"))]
    for command in commands + [("select", "--target", "y", "--run", "none")]:
        cpu, megabytes = run(command[0], "--data", path, *command[1:], "--threads", 2)
        missed += megabytes > LABELS_MEMORY or (command[0] == "test" and cpu > LABELS_SECONDS)
        lines.append(f"| `{' '.join(command)}` | {cpu:.1f} | {megabytes:.0f} MB |")
        print(lines[-1], flush=True)
    return missed


def main():
    lines = ["# Everyday tables", "",
             f"Written by bench/ordinary_tables.py at commit {os.environ.get('MACMI_COMMIT', 'unknown')}: CPU seconds (user and "
             "system) and peak memory.", ""]
    with tempfile.TemporaryDirectory() as folder:
        missed = all_categories(lines) + categories(folder, lines) + selections(folder, lines) + many_rows(folder, lines)
    with open(OUT, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
