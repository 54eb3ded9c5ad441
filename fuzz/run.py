#!/usr/bin/env python3
"""Runs every fuzz target at once for some seconds, from the corpus beside this file; inputs they find stay in the build.

    fuzz/run.py BUILD_DIRECTORY SECONDS
"""
import os
import subprocess
import sys

build, seconds = sys.argv[1], int(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
names = [name for name in ("arrays", "options") if os.path.exists(os.path.join(build, f"{name}_fuzz"))]
if not names:
    print("skipped: no clang with libFuzzer (apt-get install clang libclang-rt-14-dev), so the fuzz targets were not built")
    sys.exit(77)

running = {}
for name in names:
    found = os.path.join(build, f"{name}_found")
    os.makedirs(found, exist_ok=True)
    command = ["nice", "-n", "19", os.path.join(build, f"{name}_fuzz"), found, os.path.join(here, "corpus", name), f"-max_total_time={seconds}",
               "-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-close_fd_mask=1", "-print_final_stats=1",
               f"-artifact_prefix={build}/{name}_crash_"]
    running[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

failed = False
for name, process in running.items():
    log = process.communicate()[1]
    runs = next((line.split()[-1] for line in log.splitlines() if "number_of_executed_units" in line), "?")
    print(f"{name}: {runs} inputs in {seconds} s, {'failed' if process.returncode else 'nothing found'}")
    if process.returncode:
        print("\n".join(log.splitlines()[-60:]))
        failed = True
sys.exit(failed)
