"""The wheel, in a virtual environment with NumPy alone: packed from what the build has, installed, used."""
import glob
import os
import subprocess
import sys
import zipfile

from package import BUILD, SOURCE, PackageTest, main

CLEAN = os.path.join(BUILD, "numpy-venv", "bin", "python")
USE = r"""
import sys
import macmi, numpy
assert "site-packages" in macmi.__file__, macmi.__file__
assert not {"sklearn", "pandas", "scipy", "torch", "tqdm"} & set(sys.modules)
draw = numpy.random.default_rng(0)
X = draw.normal(size=(200, 4))
y = X[:, 0] - X[:, 2] ** 2 + 0.3 * draw.normal(size=200)
assert macmi.ci_test(X[:, 0], y, X[:, 2]).dependent
assert not macmi.ci_test(X[:, 1], y).dependent
s = macmi.MarkovBlanketSelector(random_state=1)
assert s.fit_transform(X, y).shape == (200, 2)
assert list(s.get_feature_names_out()) == ["x0", "x2"] and list(s.get_support(indices=True)) == [0, 2]
assert s.get_params()["random_state"] == 1 and "random_state=1" in repr(s)
assert "x1 is not selected" in s.explain("x1") and s.report("r.html").stat().st_size > 100000
try:
    macmi.MarkovBlanketSelector().transform(X)
except ValueError as error:
    assert "not fitted" in str(error)
maps = macmi.MarkovBlanketSelector(groups="aabb", epochs=3, restarts=1).fit(X, y).result_.to_dict()["maps"]
assert [m["encoder"] for m in maps["features"]] == ["mlp", "mlp"]
libraries = open("/proc/self/maps").read()
assert "libduckdb" not in libraries and "torch" not in libraries
"""


class Wheel(PackageTest):
    def pip(self, python, *arguments):
        done = subprocess.run([python, "-m", "pip", "--disable-pip-version-check", *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=240, check=False, env={n: v for n, v in os.environ.items() if n != "PYTHONPATH"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_installs_and_runs_beside_numpy_alone(self):
        self.pip(sys.executable, "wheel", SOURCE, "-w", self.folder, "--no-build-isolation", "--no-deps",
                 f"--config-settings=build-dir={self.path('build')}",
                 f"--config-settings=cmake.define.MACMI_PYTHON_PREBUILT={BUILD}/python/macmi")
        (wheel,) = glob.glob(self.path("*.whl"))
        with zipfile.ZipFile(wheel) as packed:
            names = packed.namelist()
        written = [f"macmi/{os.path.basename(path)}" for kind in ("*.py", "*.pyi", "py.typed")
                   for path in glob.glob(os.path.join(SOURCE, "python", "macmi", kind))]
        compiled = [f"macmi/{os.path.basename(path)}" for path in glob.glob(os.path.join(BUILD, "python", "macmi", "_native.*.so"))]
        self.assertEqual(len(compiled), 1)
        self.assertEqual(sorted(name for name in names if ".dist-info/" not in name), sorted(written + compiled))
        self.addCleanup(self.pip, CLEAN, "uninstall", "-y", "macmi")
        self.pip(CLEAN, "install", "--no-index", "--force-reinstall", "--no-deps", wheel)
        installed = {line.split("==")[0] for line in self.pip(CLEAN, "list", "--format=freeze").split()}
        self.assertEqual(installed - {"pip", "setuptools"}, {"macmi", "numpy"})
        self.pip(CLEAN, "check")
        environment = {n: v for n, v in os.environ.items() if n not in ("PYTHONPATH", "MACMI_DUCKDB")}
        done = subprocess.run([CLEAN, "-c", USE], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


main()
