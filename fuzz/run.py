#!/usr/bin/env python3
"""Runs every fuzz target at once, from the corpus beside this file; inputs they find stay in the build.

    fuzz/run.py BUILD_DIRECTORY            a fixed number of inputs from a fixed seed, as the tests do: the same verdict everywhere
    fuzz/run.py BUILD_DIRECTORY SECONDS    search on from what earlier searches found, with new random numbers
"""
import os
import shutil
import subprocess
import sys

INPUTS = {"arrays": 60_000, "options": 2_500, "model": 30_000}  # about a quarter of a minute each: `make test` has to be quick
build, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
here = os.path.dirname(os.path.abspath(__file__))
names = [name for name in INPUTS if os.path.exists(os.path.join(build, f"{name}_fuzz"))]
if not names:
    print("skipped: no clang with libFuzzer (apt-get install clang libclang-rt-14-dev), so the fuzz targets were not built")
    sys.exit(77)

running = {}
for name in names:
    found = os.path.join(build, f"{name}_found" if seconds else f"{name}_fixed")
    if not seconds:
        shutil.rmtree(found, ignore_errors=True)
    os.makedirs(found, exist_ok=True)
    effort = [f"-max_total_time={seconds}"] if seconds else ["-seed=1", f"-runs={INPUTS[name]}", "-reload=0"]
    command = ["nice", "-n", "19", os.path.join(build, f"{name}_fuzz"), found, os.path.join(here, "corpus", name), *effort,
               "-timeout=60", "-rss_limit_mb=2048", "-max_len=4096", "-close_fd_mask=1", "-print_final_stats=1",
               f"-artifact_prefix={build}/{name}_crash_"]
    running[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

failed = False
for name, process in running.items():
    log = process.communicate()[1]
    runs = next((line.split()[-1] for line in log.splitlines() if "number_of_executed_units" in line), "?")
    print(f"{name}: {runs} inputs, {'failed' if process.returncode else 'nothing found'}")
    if process.returncode:
        print("\n".join(log.splitlines()[-60:]))
        failed = True
sys.exit(failed)
