"""Mistakes end in ValueError (or its kin) with a message that says what to do; that of the C++ side where it sees them."""
import subprocess

import numpy as np
import pandas as pd

import macmi
from package import MACMI, PackageTest, main

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] + X[:, 1]


class Errors(PackageTest):
    def refused(self, call, *parts, kind=ValueError):
        with self.assertRaises(kind) as caught:
            call()
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return str(caught.exception)

    def fit_refused(self, X, y, *parts, kind=ValueError, **options):
        return self.refused(lambda: macmi.MarkovBlanketSelector(**options).fit(X, y), *parts, kind=kind)

    def program_says(self, *arguments):
        """What the program says to the same mistake."""
        done = subprocess.run([MACMI, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr.removeprefix("macmi: ").strip()

    def test_wrong_shapes(self):
        self.refused(lambda: macmi.ci_test(X[:, 0], Y[:50]), "samples differs", "x has 60, y has 50")
        self.refused(lambda: macmi.cmi(X[:, 0], Y, X[:9]), "z has 9")
        self.refused(lambda: macmi.mutual_info(X.reshape(20, 3, 3), Y[:20]), "3 dimensions")
        self.refused(lambda: macmi.ci_tests([(X[:, 0], Y, Y, Y)]), "batch[0] has 4 parts")
        self.refused(lambda: macmi.ci_tests([(X[:, 0], Y), (X[:5], Y)]), "x of batch[1] has 5")
        self.refused(lambda: macmi.mutual_info(X[:, 0], None))
        self.refused(lambda: macmi.mutual_info(np.empty((60, 0)), Y))
        self.refused(lambda: macmi.mutual_info(X[:0], Y[:0]))
        self.fit_refused(X, Y[:50], "inconsistent numbers of samples")
        self.fit_refused(Y, Y, "2D array")
        self.fit_refused(X.reshape(60, 3, 1, 1), Y, "X has 4 dimensions")
        self.fit_refused(X, None, "y is None")
        self.fit_refused(X, Y.reshape(3, 4, 5), "y has 3 dimensions")
        self.fit_refused(X[:9], Y[:9], "too few samples to test anything: 9, and at least 10 are needed")
        self.fit_refused(X, Y, "one each", groups=["a", "b"])
        self.fit_refused(X, Y, "'nowhere'", groups={"a": ["nowhere"]})
        self.fit_refused(X, Y, "belongs to both", groups={"a": [0, 1], "b": [1]})
        fitted = macmi.MarkovBlanketSelector(method="fisherz").fit(X, Y)
        self.refused(lambda: fitted.transform(X[:, :2]), "X has 2 features", "expecting 3")

    def test_nan(self):
        broken = X.copy()
        broken[4, 1] = np.nan
        table = pd.DataFrame(broken, columns=["p", "q", "r"]).assign(y=Y)
        table.to_csv(self.path("f.csv"), index=False, na_rep="nan")
        self.refused(lambda: macmi.ci_test(table[["q"]], table.y), "NaN", "'q'")  # the program leaves the sample out
        self.refused(lambda: macmi.mutual_info(broken[:, 1], Y), "NaN")
        self.refused(lambda: macmi.mutual_info(np.where(X[:, 0] > 1, np.inf, X[:, 0]), Y), "infinity")
        self.refused(lambda: macmi.ci_test(pd.Series(["a", None] * 30), Y), "no value in sample 2")
        self.fit_refused(X, np.where(Y > 1, np.nan, Y), "target 'y' is NaN in sample")
        self.fit_refused(X, np.where(Y > 1, np.inf, Y), "target 'y' is infinite in sample")
        self.fit_refused(X, pd.Series(["a", None] * 30), "Input y contains NaN")
        self.fit_refused(broken, Y, "column 'x1' has no value in 1 of 60 samples", missing="error")
        # Features may have missing values: each test uses the samples that are complete for it.
        fitted = macmi.MarkovBlanketSelector(method="fisherz").fit(broken, Y)
        self.assertIn("x1", fitted.result_.blanket)
        self.assertEqual(fitted.result_.features["x1"]["n"], 59)

    def test_object_dtypes(self):
        odd = X.astype(object)
        odd[3, 2] = {"a": 1}
        self.fit_refused(odd, Y, "must be a string or a real number, not 'dict'")
        self.fit_refused(odd, Y, kind=TypeError)  # as scikit-learn has it
        self.refused(lambda: macmi.ci_test(odd[:, 2], Y), "not 'dict'")
        words = X.astype(object)
        words[3, 2] = "n/k"
        self.fit_refused(words, Y, "column 'x2' holds numbers but not in 1 of 60 values, the first 'n/k' (sample 4)")
        self.refused(lambda: macmi.mutual_info(X[:, 0] + 1j, Y), "Complex data not supported")
        self.refused(lambda: macmi.mutual_info(np.zeros(60, dtype="V4"), Y), "dtype")
        numbers = macmi.MarkovBlanketSelector(method="fisherz").fit(X.astype(object), Y.astype(object))
        self.assertEqual(numbers.result_, macmi.MarkovBlanketSelector(method="fisherz").fit(X, Y).result_)

    def test_nothing_to_explain(self):
        pd.DataFrame(X).add_prefix("x").assign(y="one").to_csv(self.path("f.csv"), index=False)
        said = self.program_says("select", "--data", "f.csv", "--target", "y").removeprefix("f.csv")
        one_class = self.fit_refused(X, np.full(60, "one"), "the target 'y' has the same value in every sample")
        self.assertEqual(one_class.removeprefix("X"), said)
        self.fit_refused(X, np.full(60, 2.5), "the target 'y' has the same value in every sample")
        self.fit_refused(X, np.full(60, True), "the target 'y' has the same value in every sample")

    def test_options(self):
        for call in (lambda: macmi.ci_test(X[:, 0], Y, alpha=2), lambda: macmi.MarkovBlanketSelector(alpha=2).fit(X, Y)):
            self.refused(call, "alpha does not accept '2': give a number from 0 to 1")
        self.fit_refused(X, Y, "stop does not accept 'soon': give never, exact, fast", stop="soon")
        self.fit_refused(X, Y, "permutations does not accept '-1'", permutations=-1)
        self.fit_refused(X, Y, "delta does not accept '1.5'", delta=1.5)
        self.fit_refused(X, Y, "z_weight does not accept '0'", z_weight=0)
        self.fit_refused(X, Y, "scaling does not accept 'loud'", scaling="loud")
        self.fit_refused(X, Y, "max_features does not accept '-1'", max_features=-1, method="fisherz")
        self.fit_refused(X, Y, "'x9'", must=["x9"])
        self.fit_refused(X, Y, "random_state does not accept '-1'", random_state=-1)
        self.refused(lambda: macmi.ci_test(X[:, 0], Y, method="guess"), "method does not accept 'guess'")
        self.refused(lambda: macmi.cmi(X[:, 0], Y, X[:, 1], k="auto"), "k does not accept 'auto'")
        self.refused(lambda: macmi.estimate(X[:, 0], Y, X[:, 1], z_weight=0), "z_weight does not accept '0'")
        self.refused(lambda: macmi.ci_tests([(X[:, 0], Y)], z_wieght=1), "there is no option 'z_wieght'", "'z_weight'")
        self.refused(lambda: macmi.learn_graph(X, z_weight=0), "z_weight does not accept '0'")
        self.refused(lambda: macmi.mutual_info(X[:, 0], Y, k=60), "k = 60 needs at least 61 samples")
        self.fit_refused(pd.DataFrame(X, columns=["a", "a", "b"]), Y, "'a'")

    def test_too_few_samples_for_maps(self):
        self.fit_refused(X[:50], Y[:50], "too few samples to learn feature maps: 50, and at least 60 are needed", groups=["u", "u", "v"])

    def test_asked_too_early(self):
        for call in (lambda s: s.transform(X), lambda s: s.get_support(), lambda s: s.explain("x0"), lambda s: s.report("r")):
            with self.assertRaisesRegex(ValueError, "not fitted yet"):
                call(macmi.MarkovBlanketSelector())
        fitted = macmi.MarkovBlanketSelector(method="fisherz").fit(X, Y)
        self.refused(lambda: fitted.explain("x11"), "x11")


main()
