"""MarkovBlanketSelector: the bits of `macmi select`, features of every shape, results to look at."""
import json
import pickle
import re
import xml.dom.minidom

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import macmi
from package import BLANKET, PackageTest, main, network


APART = ("timing", "data_options")  # of the file or the arrays that the same samples came from


def without_timing(text):
    return {name: value for name, value in json.loads(text).items() if name not in APART}


class SameBits(PackageTest):
    """The same data as a file and in memory: everything in the JSON but the timing is equal."""

    def compare(self, X, y, words=(), file="f.csv", **options):
        theirs = self.program("select", "--data", file, "--target", y.name, *words)
        for name in APART:
            theirs.pop(name)
        fitted = macmi.MarkovBlanketSelector(**options).fit(X, y)
        self.assertEqual(without_timing(fitted.result_.json), theirs)
        return fitted

    def mixed_table(self):
        columns, t = network(200)
        table = pd.DataFrame(columns).assign(t=t)
        table["e"] = table["e"].round(1)
        table["copy"] = table["a"]
        table["constant"] = 7
        table["word"] = np.where(table.a > 0.3, "häufig", "selten, \"sehr\"")
        table["flag"] = table.b > 0
        table["count"] = (3 * table.a).round().astype(int)
        table["day"] = pd.to_datetime("2021-03-01") + pd.to_timedelta(np.arange(200) % 50, unit="D")
        table.loc[::17, "e"] = np.nan
        table.loc[5:9, "word"] = None
        return table

    def test_how_often_features_are_selected_again(self):
        draw = np.random.default_rng(0)
        X = draw.normal(size=(300, 3))
        y = X[:, 0] + 0.5 * draw.normal(size=300)
        found = macmi.MarkovBlanketSelector(method="fisherz").fit(X, y).stability_
        self.assertEqual((found["subsamples"], found["light"], found["selected_in"]["x0"]), (10, True, 10))
        self.assertIsNone(macmi.MarkovBlanketSelector(method="fisherz", stability=0).fit(X, y).stability_)

    def test_mixed_columns_with_missing_values(self):
        table = self.mixed_table()
        table.to_csv(self.path("f.csv"), index=False)
        table.to_parquet(self.path("f.parquet"), index=False)
        X, y = table.drop(columns="t"), table["t"]
        fitted = self.compare(X, y, ["--delta", "1", "--max-tests", "25", "--k", "5"], delta=1, max_tests=25, k=5)
        self.assertIn("a", fitted.result_.blanket)
        for same in (pl.DataFrame(table), pa.Table.from_pandas(table, preserve_index=False)):
            features = same.drop("t") if isinstance(same, pl.DataFrame) else same.drop_columns("t")
            again = macmi.MarkovBlanketSelector(delta=1, max_tests=25, k=5).fit(features, y)
            self.assertEqual(again.result_, fitted.result_, type(same))

    def test_any_order_of_columns_and_number_of_threads(self):
        columns, t = network(150)
        X = pd.DataFrame(columns)
        first = macmi.MarkovBlanketSelector(n_jobs=1).fit(X, t)
        for order, jobs in ((list("edcba") + ["noise"], -1), (["noise", *"badce"], None), (list(X), 3)):
            again = macmi.MarkovBlanketSelector(n_jobs=jobs).fit(X[order], t)
            self.assertEqual(again.result_, first.result_)
            self.assertEqual(dict(zip(order, again.scores_)), dict(zip(X, first.scores_)))

    def test_classes_and_options(self):
        columns, t = network(300)
        table = pd.DataFrame(columns).assign(t=pd.cut(t, [-99, -1, 1, 99], labels=["low", "middle", "high"]).astype(str))
        table["whole"] = table["a"].round().mask(table["b"] > 2)
        table.to_csv(self.path("f.csv"), index=False)
        X, y = table.drop(columns="t"), table["t"]
        words = ["--seed", "4", "--must", "e", "--k", "10", "--alpha", "0.01", "--delta", "1", "--never", "noise",
                 "--permutations", "200",
                 "--transform", "ranks", "--rows", "200", "--stability", "2", "--z-weight", "1.5"]
        self.compare(X, y, words, random_state=4, must=["e"], k=10, alpha=0.01, delta=1, never=["noise"], permutations=200,
                     scaling="ranks", rows=200, stability=2, z_weight=1.5)
        self.compare(X, y, ["--method", "fisherz", "--no-children", "--type", "whole=categorical", "--missing", "impute"],
                     method="fisherz", no_children=True, type={"whole": "categorical"}, missing="impute")

    def test_groups_and_series_without_maps(self):
        draw = np.random.default_rng(0)
        X = draw.normal(size=(200, 6))
        y = pd.Series(X[:, 0] + X[:, 3], name="y")
        names = ["u_0", "u_1", "v_0", "v_1", "w_0", "w_1"]
        pd.DataFrame(X, columns=names).assign(y=y).to_csv(self.path("f.csv"), index=False)
        frame, words = pd.DataFrame(X, columns=names), ["--group", r"^(\w)_", "--maps", "none", "--k", "5"]
        fitted = self.compare(frame, y, words, group=r"^(\w)_", maps="none", k=5)
        self.assertEqual(fitted.result_.blanket, ["u", "v"])
        self.assertEqual(list(fitted.get_feature_names_out()), names[:4])
        self.compare(frame, y, words, groups=["u", "u", "v", "v", "w", "w"], maps="none", k=5)
        self.compare(frame, y, words, groups={"u": ["u_0", "u_1"], "v": [2, 3], "w": [-2, -1]}, maps="none", k=5)
        # samples × features × steps, as an .npy has them
        series = X.reshape(200, 3, 2)
        np.savez(self.path("f.npz"), y=y, x=series)
        theirs = self.program("select", "--data", "f.npz", "--target", "y", "--maps", "none")
        ours = macmi.MarkovBlanketSelector(maps="none").fit(series, y)
        self.assertEqual([n.replace("_", "") for n in theirs["blanket"]], ours.result_.blanket)
        for a, b in zip(theirs["features"], ours.result_.to_dict()["features"]):
            self.assertEqual((a["statistic"], a["p_value"], a["role"]), (b["statistic"], b["p_value"], b["role"]))
        self.assertEqual(ours.transform(series).shape, (200, 2, 2))
        self.assertEqual(list(ours.get_feature_names_out()), ["x0", "x1"])

    def test_learned_maps(self):
        draw = np.random.default_rng(2)
        X = draw.normal(size=(300, 6))
        y = pd.Series(np.hypot(X[:, 0], X[:, 1]) + 0.1 * draw.normal(size=300), name="y")
        names = ["u_0", "u_1", "v_0", "v_1", "w_0", "w_1"]
        pd.DataFrame(X, columns=names).assign(y=y).to_csv(self.path("f.csv"), index=False)
        words = ["--group", r"^(\w)_", "--epochs", "3", "--restarts", "1"]
        fitted = self.compare(pd.DataFrame(X, columns=names), y, words, group=r"^(\w)_", epochs=3, restarts=1)
        self.assertEqual(fitted.result_.to_dict()["maps"]["features"][0]["encoder"], "mlp")
        one = macmi.MarkovBlanketSelector(group=r"^(\w)_", epochs=3, restarts=1, n_jobs=1).fit(pd.DataFrame(X, columns=names), y)
        self.assertEqual(one.result_, fitted.result_)

    def test_learned_maps_of_series(self):
        draw = np.random.default_rng(3)
        series = draw.normal(size=(80, 3, 5))
        y = pd.Series(series[:, 1].sum(axis=1) + 0.1 * draw.normal(size=80), name="y")
        np.savez(self.path("f.npz"), y=y, x=series)
        theirs = self.program("select", "--data", "f.npz", "--target", "y", "--epochs", "3", "--restarts", "2")
        ours = macmi.MarkovBlanketSelector(epochs=3, restarts=2).fit(series, y).result_.to_dict()
        self.assertEqual([f["encoder"] for f in ours["maps"]["features"]], ["gru"] * 3)
        for a, b in zip(theirs["features"], ours["features"], strict=True):
            self.assertEqual((a["statistic"], a["p_value"], a["role"]), (b["statistic"], b["p_value"], b["role"]))

    def test_maps_are_learned_without_another_program(self):
        done = self.python("import resource, sys, numpy, macmi\n"
                           "X = numpy.random.default_rng(0).normal(size=(100, 4))\n"
                           "s = macmi.MarkovBlanketSelector(groups='aabb', epochs=3, restarts=2).fit(X, X[:, 0])\n"
                           "assert s.result_.to_dict()['maps']\n"
                           "assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss == 0, 'a process was started'\n"
                           "assert 'torch' not in sys.modules and 'torch' not in open('/proc/self/maps').read()", PATH="/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)


class Results(PackageTest):
    @classmethod
    def setUpClass(cls):
        columns, t = network(300)
        cls.X, cls.y = pd.DataFrame(columns), pd.Series(t, name="<t>")
        cls.fitted = macmi.MarkovBlanketSelector(method="fisherz", alpha=0.01).fit(cls.X, cls.y)

    def test_attributes(self):
        s = self.fitted
        self.assertEqual(s.result_.blanket, BLANKET)
        self.assertEqual(s.roles_, {"a": "adjacent", "b": "adjacent", "c": "adjacent", "d": "co-parent", "e": "excluded",
                                    "noise": "excluded"})
        self.assertEqual(s.separating_sets_, {"e": ["a"], "noise": []})
        self.assertEqual(list(s.get_support()), [True] * 4 + [False] * 2)
        self.assertEqual(list(s.get_support(indices=True)), [0, 1, 2, 3])
        self.assertEqual(list(s.get_feature_names_out()), BLANKET)
        self.assertEqual((s.n_features_in_, list(s.feature_names_in_)), (6, list(self.X)))
        self.assertEqual(s.scores_[0], s.result_.features["a"]["effect"])
        self.assertTrue((s.pvalues_[:4] <= 0.01).all() and (s.pvalues_[4:] > 0.01).all())
        self.assertEqual(s.result_.target, "<t>")
        np.testing.assert_array_equal(s.transform(self.X), self.X[BLANKET])

    def test_explain_report_and_files(self):
        self.assertIn("it is not shown to add anything about <t> beyond a", self.fitted.explain("e"))
        page = self.fitted.report(self.path("report.html")).read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!"), page[:40])
        saved = self.fitted.result_.save(self.path("result.json"))
        self.assertEqual(macmi.SelectionResult.load(saved), self.fitted.result_)
        with self.assertRaises(ValueError):
            macmi.SelectionResult.load(__file__)
        self.assertEqual(pickle.loads(pickle.dumps(self.fitted.result_)), self.fitted.result_)

    def test_rich_repr(self):
        html = self.fitted.result_._repr_html_()
        svg = re.search("<svg.*</svg>", html).group()
        picture = xml.dom.minidom.parseString(svg)
        texts = [t.firstChild.data for t in picture.getElementsByTagName("text")]
        self.assertEqual(sorted(texts), sorted(BLANKET + ["<t>"]))
        self.assertEqual(len(picture.getElementsByTagName("line")), 4)
        table = xml.dom.minidom.parseString(re.search("<table.*</table>", html).group())
        self.assertEqual(len(table.getElementsByTagName("tr")), 7)
        self.assertNotIn("<t>", html)  # names are text
        self.assertIn("Markov blanket", str(self.fitted.result_))
        self.assertIn("a", repr(self.fitted.result_))

    def test_nothing_selected(self):
        draw = np.random.default_rng(0)
        fitted = macmi.MarkovBlanketSelector(method="fisherz", alpha=1e-6).fit(draw.normal(size=(100, 2)), draw.normal(size=100))
        self.assertEqual(fitted.result_.blanket, [])
        self.assertIn("<svg", fitted.result_._repr_html_())

    def test_targets(self):
        t = self.y.to_numpy()
        two = np.column_stack([t, t ** 3])
        fitted = macmi.MarkovBlanketSelector(method="fisherz").fit(self.X, two)
        self.assertEqual(fitted.result_.target, "y_0,y_1")
        same = [macmi.MarkovBlanketSelector(method="fisherz").fit(self.X, y).result_ for y in (t, t[:, None], list(t))]
        self.assertTrue(same[0] == same[1] == same[2])
        classes = macmi.MarkovBlanketSelector(method="fisherz").fit(self.X, np.where(t > 0, "yes", "no"))
        self.assertEqual(classes.result_.to_dict()["target_type"]["classes"], 2)
        many = np.arange(300) % 12
        self.assertFalse(macmi.MarkovBlanketSelector(method="fisherz").fit(self.X, many).result_.to_dict()["target_type"]["categorical"])
        told = macmi.MarkovBlanketSelector(method="fisherz", type={"y": "categorical"}).fit(self.X, many)
        self.assertEqual(told.result_.to_dict()["target_type"]["classes"], 12)
        taken = macmi.MarkovBlanketSelector(method="fisherz").fit(self.X.rename(columns={"a": "y"}), t)
        self.assertEqual(taken.result_.target, "target")

    def test_seeds(self):
        def fit(seed):
            return macmi.MarkovBlanketSelector(random_state=seed, delta=0, permutations=64, k=5, max_tests=3).fit(self.X, self.y).result_

        self.assertEqual(fit(3), fit(3))
        self.assertEqual(fit(np.random.RandomState(0)), fit(np.random.RandomState(0)))
        self.assertEqual(fit(np.random.default_rng(0)), fit(np.random.default_rng(0)))
        np.random.seed(1)
        drawn = fit(None)
        self.assertNotEqual(drawn, fit(None))

    def test_a_run_goes_on(self):
        def fit():
            return macmi.MarkovBlanketSelector(run=self.path("run"), permutations=100, k=5, delta=1).fit(self.X, self.y).result_

        first, second = fit(), fit()
        self.assertEqual(first, second)
        self.assertEqual(second.to_dict()["timing"]["tests_made"], 0)
        self.assertGreater(second.to_dict()["timing"]["tests_reused"], 0)

    def test_arrays_are_left_as_they_were(self):
        X, y = self.X.to_numpy().copy(), self.y.to_numpy().copy()
        before = X.copy(), y.copy()
        macmi.MarkovBlanketSelector(method="fisherz").fit(X, y)
        np.testing.assert_array_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])


main()
