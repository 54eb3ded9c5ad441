"""The selector among scikit-learn's tools."""
import json
import os
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import sklearn
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, check_sample_weight_equivalence_on_dense_data

import macmi
from package import BLANKET, PackageTest, main, network

# Rows repeated are compared with weights in another order. p-values by permutations agree within what drawing them
# adds; tests without permutations agree (Checks.test_weights_in_another_order), and so do all in one order
# (weights_test.py).
IN_ANOTHER_ORDER = {"check_sample_weight_equivalence_on_dense_data": "permutations are drawn for rows by their place"}
# scikit-learn itself leaves this one out unless the environment says SCIPY_ARRAY_API=1.
LEFT_OUT_BY_SKLEARN = {"check_array_api_input"}


class Checks(PackageTest):
    def test_check_estimator(self):
        results = check_estimator(macmi.MarkovBlanketSelector(), expected_failed_checks=IN_ANOTHER_ORDER, on_fail=None,
                                  on_skip=None)
        passed = [r["check_name"] for r in results if r["status"] == "passed"]
        self.assertGreater(len(passed), 45)
        self.assertEqual({r["check_name"]: str(r["exception"]) for r in results if r["status"] == "failed"}, {})
        self.assertEqual({r["check_name"] for r in results if r["status"] == "xfail"}, set(IN_ANOTHER_ORDER))
        self.assertEqual({r["check_name"] for r in results if r["status"] == "skipped"}, LEFT_OUT_BY_SKLEARN)
        self.assertTrue({"check_sample_weights_pandas_series", "check_all_zero_sample_weights_error"} <= set(passed))
        print(f"scikit-learn {sklearn.__version__}: {len(passed)} checks passed; "
              f"left out by scikit-learn: {sorted(LEFT_OUT_BY_SKLEARN)}")

    def test_weights_in_another_order(self):
        check_sample_weight_equivalence_on_dense_data("selector", macmi.MarkovBlanketSelector(method="fisherz"))


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

    def test_weights_are_routed(self):
        weights = np.arange(200) % 3
        with sklearn.config_context(enable_metadata_routing=True):
            selector = clone(self.selector).set_fit_request(sample_weight=True)
            model = LinearRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            pipe = make_pipeline(selector, model).fit(self.X, self.y, sample_weight=weights)
            grid = GridSearchCV(make_pipeline(selector, model), {"markovblanketselector__alpha": [0.01, 0.05]}, cv=2)
            grid.fit(self.X, self.y, sample_weight=weights)
        for fitted in (pipe[0], grid.best_estimator_[0]):
            self.assertEqual(fitted.result_.to_dict()["samples"], weights.sum())
        part = make_pipeline(clone(selector), LinearRegression()).fit(self.X, self.y)  # not asked for: not given
        self.assertEqual(part[0].result_.to_dict()["samples"], 200)

    def test_threshold(self):
        whole = clone(self.selector).fit(self.X, self.y)
        effects = whole.scores_[whole.support_]
        for threshold, least in ((np.median(effects), np.median(effects)), ("median", np.median(effects)),
                                 ("mean", effects.mean()), ("1.5*mean", 1.5 * effects.mean()), (1e9, 1e9), (0, 0)):
            few = clone(self.selector).set_params(threshold=threshold).fit(self.X, self.y)
            self.assertEqual(few.result_, whole.result_)
            self.assertEqual(few.threshold_, least)
            np.testing.assert_array_equal(few.get_support(), whole.support_ & (whole.scores_ >= least), str(threshold))
        self.assertIsNone(whole.threshold_)
        one = clone(self.selector).set_params(threshold="median", max_features=1).fit(self.X, self.y)
        self.assertEqual(list(one.get_support(indices=True)), [np.nanargmax(np.where(whole.support_, whole.scores_, np.nan))])
        for wrong in ("most", "2*most", "two*mean", [1]):
            with self.assertRaisesRegex(ValueError, "threshold does not accept .*'1.25\\*mean'"):
                clone(self.selector).set_params(threshold=wrong).fit(self.X, self.y)

    def test_few_samples_are_answered_with_a_warning(self):
        x = np.arange(15.0)
        X = np.column_stack([x, np.sin(7 * x)])
        with self.assertWarnsRegex(UserWarning, "few samples .15.: only strong dependence"):
            fitted = macmi.MarkovBlanketSelector().fit(X, x + 0.1 * np.cos(3 * x))
        self.assertEqual(list(fitted.get_support()), [True, False])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clone(self.selector).fit(self.X[:20], self.y[:20])

    def test_two_columns_of_y(self):
        both = np.column_stack([self.y, self.X["e"]])
        fitted = clone(self.selector).fit(self.X, both)
        self.assertIn("the 2 columns of the target are explained together, as one", fitted.result_.to_dict()["health"])
        self.assertIn("e", fitted.result_.blanket)
        for words in (np.where(both > 0, "yes", "no"), pd.DataFrame(np.where(both > 0, "yes", "no"), columns=["p", "q"])):
            with self.assertRaisesRegex(ValueError, "2 columns of the target .* numbers, and '(y_0|p)' .* one of the columns"):
                clone(self.selector).fit(self.X, words)

    def test_column_transformer(self):
        made = ColumnTransformer([("some", self.selector, ["a", "e", "noise"]), ("rest", "passthrough", ["d"])])
        made.set_output(transform="pandas").fit(self.X, self.y)
        self.assertEqual(list(made.transform(self.X).columns), ["some__a", "rest__d"])

    def test_halving_grid_search(self):
        pipe = make_pipeline(macmi.MarkovBlanketSelector(method="fisherz"), LinearRegression())
        search = HalvingGridSearchCV(pipe, {"markovblanketselector__max_features": [1, 2, 4]}, cv=2, factor=2,
                                     min_resources=60, random_state=0).fit(self.X, self.y)
        self.assertEqual(search.best_params_, {"markovblanketselector__max_features": 4})
        self.assertGreater(search.n_iterations_, 1)

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

    def test_polars_in_and_out(self):
        table = pl.DataFrame(self.X)
        fitted = clone(self.selector).fit(table, pl.Series("t", self.y))
        self.assertEqual(list(fitted.get_feature_names_out()), BLANKET)
        np.testing.assert_array_equal(fitted.transform(table), self.X[BLANKET].to_numpy())
        out = fitted.set_output(transform="polars").transform(table)
        self.assertIsInstance(out, pl.DataFrame)
        self.assertEqual(out.columns, BLANKET)

    def test_feature_names_are_compared(self):
        fitted = self.selector.fit(self.X, self.y)
        with self.assertRaisesRegex(ValueError, "feature names should match"):
            fitted.transform(self.X.rename(columns={"a": "z"}))
        np.testing.assert_array_equal(fitted.inverse_transform(fitted.transform(self.X))[:, :4], self.X[BLANKET])


def threads_taken(n_jobs=-1):
    """How many threads a fit took."""
    columns, t = network(60)
    fitted = macmi.MarkovBlanketSelector(method="fisherz", n_jobs=n_jobs).fit(pd.DataFrame(columns), t)
    return json.loads(fitted.result_.json)["timing"]["threads"]


class Workers(PackageTest):
    """In a worker of joblib every core means the threads that joblib leaves it; results do not depend on them."""

    def test_processes(self):
        with parallel_config(backend="loky", inner_max_num_threads=3):
            self.assertEqual(Parallel(n_jobs=2)(delayed(threads_taken)(n) for n in (-1, -2, 2, None)), [3, 3, 2, 1])

    def test_threads(self):
        self.assertEqual(Parallel(n_jobs=2, backend="threading")(delayed(threads_taken)() for _ in range(2)), [1, 1])

    def test_nobody_else(self):
        cores = len(os.sched_getaffinity(0))
        self.assertEqual([threads_taken(n) for n in (-1, -2, 3)], [cores, max(cores - 1, 1), 3])
        self.assertEqual(Parallel(n_jobs=1)(delayed(threads_taken)() for _ in range(1)), [cores])


class Parameters(PackageTest):
    def test_every_option_is_set_and_refused_by_its_python_name(self):
        columns, t = network(60)
        X, selector = pd.DataFrame(columns), macmi.MarkovBlanketSelector()
        anything = {"run", "verbose", "groups"}  # a path, a function, columns: no text is wrong
        for name in sorted(set(selector.get_params()) - anything):
            wrong = ("?!",) if isinstance(selector.get_params()[name], tuple) else "?!"
            changed = clone(selector).set_params(**{name: wrong})
            self.assertEqual(changed.get_params()[name], wrong)
            with self.assertRaises(ValueError, msg=name) as caught:
                changed.fit(X, t)
            self.assertRegex(str(caught.exception), rf"(^|X, ){name}\b", name)
            self.assertNotIn("--", str(caught.exception), name)


main()
