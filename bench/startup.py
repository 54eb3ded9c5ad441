"""`macmi --help` answers in under 20 ms (median of 21 calls, wall time). Exits 1 otherwise."""
import subprocess
import sys
import time

times = []
for _ in range(21):
    start = time.perf_counter()
    subprocess.run([sys.argv[1], "--help"], check=True, stdout=subprocess.DEVNULL)
    times.append(time.perf_counter() - start)
median = sorted(times)[len(times) // 2]
print(f"macmi --help: {median * 1e3:.1f} ms (wanted under 20)")
sys.exit(0 if median < 0.020 else 1)
