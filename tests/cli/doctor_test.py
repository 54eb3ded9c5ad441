"""macmi doctor tells what is there, and of what is missing how to get it."""
import json
import os
import re
import subprocess
import sys
import unittest

SOURCE, MACMI = sys.argv[1], os.path.abspath(sys.argv[2])


def doctor(*words, **environment):
    done = subprocess.run([MACMI, "doctor", *words], capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return done.stdout


class Doctor(unittest.TestCase):
    def test_versions_are_those_of_the_tree(self):
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(macmi VERSION ([0-9.]+)", file.read()).group(1)
        told = json.loads(doctor("--json"))
        self.assertEqual(told["version"], version)
        self.assertEqual(subprocess.run([MACMI, "--version"], capture_output=True, text=True, check=True).stdout, f"macmi {version}\n")
        with open(os.path.join(SOURCE, "CITATION.cff"), encoding="utf-8") as file:
            self.assertIn(f"\nversion: {version}\n", file.read())
        self.assertRegex(told["compiler"], r"^(GCC|Clang) \d+\.")
        self.assertRegex(told["commit"], r"^([0-9a-f]{10}(-dirty)?)?$")

    def test_libraries_that_are_there_are_files(self):
        for library in json.loads(doctor("--json"))["libraries"]:
            if library["found"]:
                self.assertTrue(os.path.isfile(library["path"]), library)

    def test_missing_libraries_come_with_advice(self):
        missing = {"MACMI_DUCKDB": "/nonexistent/libduckdb.so", "MACMI_XGBOOST": "/nonexistent/libxgboost.so"}
        told = {library["name"]: library for library in json.loads(doctor("--json", **missing))["libraries"]}
        for name, way in (("DuckDB", "pip install 'duckdb"), ("XGBoost", "pip install xgboost")):
            self.assertFalse(told[name]["found"])
            self.assertIn(way, told[name]["advice"])
            self.assertIn(told[name]["advice"], doctor(**missing))

    def test_vector_instructions_follow_the_limit(self):
        told = json.loads(doctor("--json", MACMI_SIMD=""))
        self.assertEqual(told["simd_chosen"], told["simd"][0])
        for name in told["simd"]:
            self.assertEqual(json.loads(doctor("--json", MACMI_SIMD=name))["simd_chosen"], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
