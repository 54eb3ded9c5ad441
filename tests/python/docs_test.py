"""The code blocks of docs/python.md run, and docs/coming_from.md speaks of calls that are there."""
import os
import re

import numpy as np
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

import macmi
from package import SOURCE, PackageTest, main


def page(name):
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as file:
        return file.read()


class Docs(PackageTest):
    def test_quickstart(self):
        code = "\n".join(re.findall(r"```python\n(.*?)```", page("python.md"), re.S))
        self.assertGreater(code.count("\n"), 30)
        with open(self.path("quickstart.py"), "w", encoding="utf-8") as file:
            file.write(code)
        done = self.python("exec(open('quickstart.py').read())")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("['x0' 'x1']", done.stdout)
        self.assertIn("x3 is not selected", done.stdout)
        self.assertIn("(300, 1, 6)", done.stdout)
        self.assertTrue(os.path.exists(self.path("report.html")))

    def test_equivalents_of_scikit_learn(self):
        draw = np.random.default_rng(0)
        X = draw.normal(size=(1000, 2))
        y = X[:, 0] + X[:, 1] + draw.normal(size=1000)
        classes = (y > 0).astype(int)
        # The same estimator up to scikit-learn's noise of 1e-10 and its scaling; Ross 2014 for classes.
        self.assertAlmostEqual(macmi.mutual_info(X[:, 0], y, k=3), mutual_info_regression(X, y, random_state=0)[0], places=3)
        self.assertAlmostEqual(macmi.mutual_info(X[:, 0], classes.astype(str), k=3),
                               mutual_info_classif(X, classes, random_state=0)[0], places=3)

    def test_our_calls_exist(self):
        text = page("coming_from.md")
        draw = np.random.default_rng(0)
        data = draw.normal(size=(60, 3))
        x, y, z = data.T
        names = {"macmi": macmi, "np": np, "data": data, "x": x, "y": y, "z": z, "X": data[:, :2], "classes": (y > 0).astype(int)}
        calls = set(re.findall(r"`(macmi\.(?:ci_test|cmi|mutual_info|MarkovBlanketSelector)\(.*?)`[ :,|.]", text))
        self.assertGreater(len(calls), 8)
        for call in calls:
            eval(call, names)


main()
