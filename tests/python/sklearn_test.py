"""The selector among scikit-learn's tools."""
import pickle

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import macmi
from package import BLANKET, PackageTest, main, network

# macmi refuses to test anything on fewer than 20 samples; these two checks fit on fewer.
TOO_FEW_SAMPLES = {
    "check_n_features_in_after_fitting": "fits on 15 samples",
    "check_fit2d_1feature": "fits on 10 samples",
}
# scikit-learn itself leaves this one out unless the environment says SCIPY_ARRAY_API=1.
LEFT_OUT_BY_SKLEARN = {"check_array_api_input"}


class Checks(PackageTest):
    def test_check_estimator(self):
        results = check_estimator(macmi.MarkovBlanketSelector(), expected_failed_checks=TOO_FEW_SAMPLES, on_fail=None,
                                  on_skip=None)
        passed = [r["check_name"] for r in results if r["status"] == "passed"]
        self.assertGreater(len(passed), 40)
        self.assertEqual({r["check_name"]: str(r["exception"]) for r in results if r["status"] == "failed"}, {})
        failed_as_expected = {r["check_name"]: str(r["exception"]) for r in results if r["status"] == "xfail"}
        self.assertEqual(set(failed_as_expected), set(TOO_FEW_SAMPLES))
        for message in failed_as_expected.values():
            self.assertIn("too few samples to test anything: ", message)
        self.assertEqual({r["check_name"] for r in results if r["status"] == "skipped"}, LEFT_OUT_BY_SKLEARN)
        print(f"scikit-learn {sklearn.__version__}: {len(passed)} checks passed; not passed: {sorted(TOO_FEW_SAMPLES)}, "
              f"left out by scikit-learn: {sorted(LEFT_OUT_BY_SKLEARN)}")


class Tools(PackageTest):
    def setUp(self):
        super().setUp()
        columns, self.y = network(200)
        self.X = pd.DataFrame(columns)
        self.selector = macmi.MarkovBlanketSelector(method="fisherz", alpha=0.01)

    def test_clone_and_parameters(self):
        other = macmi.MarkovBlanketSelector(must=["a"], groups={"g": ["a", "b"]}, k=7, random_state=3)
        copy = clone(other)
        self.assertEqual(copy.get_params(), other.get_params())
        self.assertIsNot(copy, other)
        self.assertEqual(copy.set_params(k=9).k, 9)
        self.assertEqual(eval(repr(other), {"MarkovBlanketSelector": macmi.MarkovBlanketSelector}).get_params(), other.get_params())

    def test_pickle(self):
        fitted = self.selector.fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(fitted))
        self.assertEqual(again.result_, fitted.result_)
        np.testing.assert_array_equal(again.transform(self.X), fitted.transform(self.X))
        self.assertEqual(again.explain("e"), fitted.explain("e"))
        self.assertFalse(hasattr(pickle.loads(pickle.dumps(macmi.MarkovBlanketSelector())), "result_"))

    def test_pipeline(self):
        pipe = make_pipeline(StandardScaler(), self.selector, LinearRegression()).fit(self.X, self.y)
        self.assertEqual(pipe[-1].coef_.shape, (4,))
        # t = a + b + noise and c = t + d + noise: a linear model of the blanket explains about nine tenths.
        self.assertGreater(pipe.score(self.X, self.y), 0.85)
        names = pipe[:-1].get_feature_names_out()
        self.assertEqual(list(names), BLANKET)

    def test_groups_are_routed(self):
        patient = np.repeat(np.arange(50), 4)
        with sklearn.config_context(enable_metadata_routing=True):
            selector = macmi.MarkovBlanketSelector(stability=0).set_fit_request(groups=True, time=False)
            pipe = make_pipeline(selector, LinearRegression()).fit(self.X, self.y, groups=patient)
            plain = make_pipeline(clone(selector), LinearRegression()).fit(self.X, self.y)
        told = pipe[0].result_.to_dict()
        self.assertTrue(any("200 rows of 50 units" in line for line in told["health"]))
        self.assertNotEqual(told["features"], plain[0].result_.to_dict()["features"])

    def test_the_most_important_features(self):
        whole = clone(self.selector).fit(self.X, self.y)
        few = clone(self.selector).set_params(max_features=2).fit(self.X, self.y)
        self.assertEqual(few.result_, whole.result_)
        np.testing.assert_array_equal(few.importances_, few.scores_)
        best = sorted(np.argsort(-np.nan_to_num(np.where(whole.support_, whole.scores_, -1)))[:2])
        self.assertEqual(list(few.get_support(indices=True)), best)
        self.assertEqual(few.transform(self.X).shape, (200, 2))
        self.assertFalse(clone(self.selector).set_params(max_features=0).fit(self.X, self.y).get_support().any())

    def test_grid_search(self):
        pipe = make_pipeline(macmi.MarkovBlanketSelector(method="fisherz"), LinearRegression())
        grid = GridSearchCV(pipe, {"markovblanketselector__never": [("noise",), ("a", "c")]}, cv=3, n_jobs=2).fit(self.X, self.y)
        self.assertEqual(grid.best_params_, {"markovblanketselector__never": ("noise",)})
        self.assertEqual(grid.best_estimator_[0].result_.blanket, BLANKET)

    def test_set_output(self):
        for kind, X in (("pandas", self.X), ("polars", self.X), ("pandas", self.X.to_numpy())):
            out = clone(self.selector).set_output(transform=kind).fit(X, self.y).transform(X)
            self.assertEqual(type(out).__module__.split(".")[0], kind)
            self.assertEqual(list(out.columns), BLANKET if X is self.X else ["x0", "x1", "x2", "x3"])
            np.testing.assert_array_equal(out.to_numpy(), self.X[BLANKET].to_numpy())

    def test_feature_names_are_compared(self):
        fitted = self.selector.fit(self.X, self.y)
        with self.assertRaisesRegex(ValueError, "feature names should match"):
            fitted.transform(self.X.rename(columns={"a": "z"}))
        np.testing.assert_array_equal(fitted.inverse_transform(fitted.transform(self.X))[:, :4], self.X[BLANKET])


main()
