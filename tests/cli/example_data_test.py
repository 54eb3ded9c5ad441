"""examples/uea_to_csv.py on a genuine recording of the UEA archive; the averages are computed from the source file."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, MACMI = sys.argv[1], sys.argv[2]


@unittest.skipUnless(os.environ.get("MACMI_DATA"), "skipped: MACMI_DATA not set")
class BasicMotions(unittest.TestCase):
    def test_recordings_become_series(self):
        recordings = os.path.join(os.environ["MACMI_DATA"], "timeseries", "BasicMotions_TRAIN.ts.gz")
        with tempfile.TemporaryDirectory() as directory:
            table = os.path.join(directory, "motions.csv")
            subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "uea_to_csv.py"), recordings, table], check=True)
            words = ["inspect", "--data", table, "--id", "recording", "--time", "step", "--target", "label", "--json"]
            seen = json.loads(subprocess.run([MACMI, *words], check=True, capture_output=True, text=True).stdout)
        self.assertEqual(seen["samples"], 40)
        self.assertEqual([(f["name"], f["steps"], f["channels"]) for f in seen["features"]], [(f"channel{c}", 100, 1) for c in range(6)])
        self.assertEqual(seen["health"]["classes"], [{"name": name, "count": 10} for name in ("Badminton", "Running", "Standing", "Walking")])
        with gzip.open(recordings, "rt") as file:
            lines = [line.strip() for line in file if line[:1] not in "#@" and line.strip()]
        for c, feature in enumerate(seen["features"]):
            values = [float(v) for line in lines for v in line.split(":")[c].split(",")]
            self.assertAlmostEqual(feature["columns"][0]["center"], sum(values) / len(values), places=9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
