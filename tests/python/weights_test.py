"""Samples that stand for several: sample_weight, with the bits of the program and of repeated rows."""
import numpy as np
import pandas as pd

import macmi
from package import PackageTest, main


def counted(samples=400, seed=3):
    """y follows a, a follows b. Rows that were observed several times are there once, with their number n; and some
    that were not observed."""
    draw = np.random.default_rng(seed)
    b = np.round(draw.normal(size=samples))
    a = np.round(b + draw.normal(size=samples))
    y = np.round(a + draw.normal(size=samples))
    observed = pd.DataFrame({"a": a, "b": b, "y": y}).value_counts().rename("n").reset_index()
    return pd.concat([observed, observed[:3].assign(y=99, n=0)]).sample(frac=1, random_state=0)


class Weights(PackageTest):
    def setUp(self):
        super().setUp()
        self.table = counted()
        self.X, self.y, self.n = self.table[["a", "b"]], self.table["y"], self.table["n"]

    def test_the_bits_of_the_program_and_of_repeated_rows(self):
        self.table.to_csv(self.path("t.csv"), index=False)
        theirs = self.program("select", "--data", "t.csv", "--target", "y", "--weight", "n")
        for weights in (self.n, self.n.to_numpy(), self.n.astype(float).to_numpy(), list(self.n)):
            fitted = macmi.MarkovBlanketSelector().fit(self.X, self.y, sample_weight=weights)
            self.assertEqual(fitted.result_.to_dict()["features"], theirs["features"])
        rows = np.repeat(np.arange(len(self.n)), self.n)
        repeated = macmi.MarkovBlanketSelector().fit(self.X.iloc[rows], self.y.iloc[rows])
        self.assertEqual(repeated.result_.to_dict()["features"], theirs["features"])
        self.assertEqual(fitted.result_.blanket, ["a"])
        self.assertEqual(fitted.result_.to_dict()["samples"], self.n.sum())

    def test_graph(self):
        rows = np.repeat(self.table[["a", "b", "y"]].to_numpy(), self.n, axis=0)
        ours = macmi.learn_graph(self.table[["a", "b", "y"]].to_numpy(), sample_weight=self.n)
        self.assertEqual(ours.edges, macmi.learn_graph(rows).edges)
        self.assertGreater(len(ours.edges), 1)

    def test_with_groups(self):
        units = np.arange(len(self.n)) // 3
        rows = np.repeat(np.arange(len(self.n)), self.n)
        ours = macmi.MarkovBlanketSelector(stability=0).fit(self.X, self.y, groups=units, sample_weight=self.n)
        theirs = macmi.MarkovBlanketSelector(stability=0).fit(self.X.iloc[rows], self.y.iloc[rows], groups=units[rows])
        self.assertEqual(ours.result_.to_dict()["features"], theirs.result_.to_dict()["features"])

    def test_refusals_speak_python(self):
        def refused(weights, message, **more):
            with self.assertRaisesRegex(ValueError, message):
                macmi.MarkovBlanketSelector().fit(self.X, self.y, sample_weight=weights, **more)

        ones = np.ones(len(self.n))
        refused(np.where(np.arange(len(ones)) == 2, 0.5, 1), "^X: sample_weight is 0.5 in row 3; .* whole numbers from 0 on")
        refused(np.where(np.arange(len(ones)) == 2, np.nan, 1), "^X: sample_weight has no value in row 3")
        refused(-self.n, "sample_weight is -")
        refused(0 * ones, "sample_weight is zero in every row")
        refused(self.n[:-1], "sample_weight has shape")
        refused(self.n, "^sample_weight counts equal rows, .* of time", time=np.arange(len(ones)))
        with self.assertRaisesRegex(ValueError, "^X: sample_weight is 0.25 in row 1"):
            macmi.learn_graph(self.X.to_numpy(), sample_weight=0.25 * ones)


main()
