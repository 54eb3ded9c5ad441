"""What the tests of the Python package share: where things are, and data with a known truth."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOURCE, MACMI = sys.argv[1], os.path.abspath(sys.argv[2])
BUILD = os.path.dirname(MACMI)


def network(n=400, seed=1):
    """a → t ← b, t → c ← d, a → e: the blanket of t is {a, b, c, d}; a alone makes e redundant."""
    draw = np.random.default_rng(seed)
    a, b, d, noise = draw.normal(size=(4, n))
    t = a + b + 0.6 * draw.normal(size=n)
    c = t + d + 0.6 * draw.normal(size=n)
    e = a + 0.5 * draw.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "noise": noise}, t


BLANKET = ["a", "b", "c", "d"]


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *arguments):
        """The JSON that the macmi program prints."""
        done = subprocess.run([MACMI, *arguments, "--json", "--quiet"], cwd=self.folder, capture_output=True,
                              text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def python(self, code, **environment):
        """Runs Python code in a process of its own."""
        return subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True,
                              timeout=240, check=False, env={**os.environ, **environment})


def main():
    unittest.main(argv=[sys.argv[0]], verbosity=1)
