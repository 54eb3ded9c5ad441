"""Samples that belong together: groups and time, with the bits of the program."""
import numpy as np
import pandas as pd

import macmi
from package import PackageTest, main


def visits(units=30, rows=8, seed=2):
    draw = np.random.default_rng(seed)
    patient = np.repeat(np.arange(units), rows)
    effect = lambda: draw.normal(size=units)[patient] + draw.normal(size=units * rows)
    dose, mood = effect(), effect()
    return pd.DataFrame({"dose": dose, "mood": mood, "patient": patient, "y": dose + effect()}).sample(frac=1, random_state=1)


class Units(PackageTest):
    def test_the_bits_of_the_program(self):
        table = visits()
        table.to_csv(self.path("t.csv"), index=False)
        X, y, groups = table[["dose", "mood"]], table["y"], table["patient"]
        theirs = self.program("select", "--data", "t.csv", "--target", "y", "--unit", "patient")
        words = [f"p{g}" for g in groups]
        for units in (groups, groups.to_numpy(), words, pd.Categorical(words)):
            fitted = macmi.MarkovBlanketSelector().fit(X, y, groups=units)
            ours = fitted.result_.to_dict()
            self.assertEqual(ours["features"], theirs["features"])
        self.assertEqual(fitted.result_.blanket, ["dose"])
        for z in (None, "mood"):
            test = self.program("test", "--data", "t.csv", "--x", "dose", "--y", "y", "--unit", "patient",
                                *(["--z", z] if z else []))
            ours = macmi.ci_test(X["dose"], y, None if z is None else X[z], groups=groups)
            self.assertEqual((ours.p_value, ours.statistic, list(ours.notes)),
                             (test["p_value"], test["statistic"], test["notes"]))

    def test_time(self):
        draw = np.random.default_rng(0)
        x = np.convolve(draw.normal(size=309), np.ones(10), "valid")
        y = np.convolve(draw.normal(size=309), np.ones(10), "valid")
        hours = np.arange(300)
        table = pd.DataFrame({"x": x, "y": y, "hour": hours}).sample(frac=1, random_state=3)
        table.to_csv(self.path("t.csv"), index=False)
        theirs = self.program("test", "--data", "t.csv", "--x", "x", "--y", "y", "--time", "hour")
        ours = macmi.ci_test(table["x"], table["y"], time=table["hour"])
        self.assertEqual((ours.p_value, list(ours.notes)), (theirs["p_value"], theirs["notes"]))
        fitted = macmi.MarkovBlanketSelector(lags="1..2", stability=0).fit(table[["x"]], table["y"], time=table["hour"])
        self.assertEqual(sorted(fitted.result_.features), ["x", "x@-1", "x@-2"])

    def test_refusals(self):
        table = visits(10, 4)
        X, y = table[["dose", "mood"]], table["y"]
        for wrong, message in ((table["patient"][:-1], "groups"), (np.zeros(len(y)), "one value alone")):
            for call in (lambda: macmi.MarkovBlanketSelector().fit(X, y, groups=wrong),
                         lambda: macmi.ci_test(X["dose"], y, groups=wrong)):
                with self.assertRaisesRegex(ValueError, message):
                    call()
        with self.assertRaisesRegex(ValueError, "fisherz"):
            macmi.MarkovBlanketSelector(method="fisherz").fit(X, y, groups=table["patient"])
        with self.assertRaisesRegex(ValueError, "fisherz"):
            macmi.ci_test(X["dose"], y, method="fisherz", groups=table["patient"])


main()
