"""Python and the macmi program work on each other's runs and results, to the same bits."""
import json
import os
import sqlite3
import subprocess

import numpy as np
import pandas as pd

import macmi
from package import MACMI, PackageTest, main, network

OPTIONS = {"delta": 1, "k": 5, "permutations": 100, "stability": 4, "random_state": 3}
WORDS = ["--delta", "1", "--k", "5", "--permutations", "100", "--stability", "4", "--seed", "3"]


class Together(PackageTest):
    def setUp(self):
        super().setUp()
        columns, t = network(160)
        self.table = pd.DataFrame(columns).assign(t=t)
        self.table.to_csv(self.path("f.csv"), index=False)

    def fit(self, **options):
        return macmi.MarkovBlanketSelector(**{**OPTIONS, **options}).fit(self.table.drop(columns="t"), self.table["t"]).result_

    def select(self, *words):
        return macmi.SelectionResult(json.dumps(self.program("select", "--data", "f.csv", "--target", "t", *WORDS, *words)))

    def journal(self, run, statement):
        with sqlite3.connect(self.path(f"{run}/journal.sqlite")) as database:
            return database.execute(statement).fetchall()

    def subsamples_kept(self, run):
        return len(self.journal(run, "SELECT name FROM facts WHERE name LIKE '% subsample _'"))

    def assert_nothing_made(self, result):
        timing = result.to_dict()["timing"]
        self.assertEqual((timing["tests_made"], timing["tests_continued"]), (0, 0))
        self.assertGreater(timing["tests_reused"], 0)

    def test_same_bits_with_stability_and_each_others_runs(self):
        theirs, ours = self.select("--run", "program"), self.fit(run=self.path("python"))
        self.assertEqual(ours, theirs)
        self.assertEqual(ours.to_dict()["stability"]["subsamples"], 4)
        self.assertIn("selected_in", ours.features["a"])
        for run in ("program", "python"):
            self.assertEqual(self.subsamples_kept(run), 4, run)
        # Each goes on with the other's run and has nothing left to test.
        again, also_again = self.select("--run", "python"), self.fit(run=self.path("program"))
        for result in (again, also_again):
            self.assertEqual(result, ours)
            self.assert_nothing_made(result)
        runs = {run["run"].split("/")[-1]: run["result"] for run in self.program("runs", ".")}
        self.assertEqual(runs["program"], runs["python"])

    def test_what_one_began_the_other_ends(self):
        whole = self.select("--run", "none")
        self.fit(run=self.path("begun"), max_tests=5)
        ended = self.select("--run", "begun")
        self.assertEqual(ended, whole)
        self.assertGreater(ended.to_dict()["timing"]["tests_reused"], 0)
        self.select("--run", "begun too", "--max-tests", "5")
        self.assertEqual(self.fit(run=self.path("begun too")), whole)

    def test_subsamples_that_are_kept_are_used(self):
        first = self.fit(run=self.path("run"))
        self.assertEqual(self.fit(run=self.path("run")), first)
        # Nothing is selected on any subsample, if the run says so.
        self.journal("run", "UPDATE facts SET value = '' WHERE name LIKE '% subsample _'")
        features = self.fit(run=self.path("run")).features
        self.assertEqual({feature["selected_in"] for feature in features.values()}, {0})

    def test_options_are_data(self):
        for result in (self.fit(type={"e": "continuous"}), self.select("--run", "none", "--type", "e=continuous")):
            everything = result.to_dict()
            self.assertEqual(everything["options"]["stability"], "4")
            self.assertEqual(everything["data_options"]["target"], "t")
            self.assertEqual(everything["data_options"]["type"], "e=continuous")
        self.assertEqual(everything["data_options"]["data"], "f.csv")


class Evaluate(PackageTest):
    """macmi evaluate on a result that Python saved."""

    WORDS = ["--parts", "2", "--random-sets", "0", "--no-l1", "--keep-selection"]

    def setUp(self):
        super().setUp()
        columns, t = network(160)
        self.table = pd.DataFrame(columns).assign(failed=(t > 0).astype(int))
        self.table.to_csv(self.path("f.csv"), index=False)
        fitted = macmi.MarkovBlanketSelector(delta=1, method="fisherz", epochs=5)
        fitted.fit(self.table.drop(columns="failed"), self.table["failed"])
        fitted.result_.save(self.path("python.json"))

    def evaluate(self, *words, code=2):
        done = subprocess.run([MACMI, "evaluate", "python.json", *self.WORDS, *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_it_is_that_of_the_program(self):
        self.program("select", "--data", "f.csv", "--target", "failed", "--delta", "1", "--method", "fisherz",
                     "--epochs", "5", "--out", "program.json", "--run", "none")
        theirs = self.program("evaluate", "program.json", *self.WORDS)
        ours = self.program("evaluate", "python.json", "--data", "f.csv", *self.WORDS)
        self.assertEqual(ours, theirs)

    def test_the_data_must_be_found_and_the_same(self):
        self.assertIn("samples in memory", self.evaluate())
        self.assertIn("--data", self.evaluate())
        self.table[:150].to_csv(self.path("short.csv"), index=False)
        self.assertIn("it has 150 samples, the result 160", self.evaluate("--data", "short.csv"))
        self.table.drop(columns="e").to_csv(self.path("narrow.csv"), index=False)
        self.assertIn("it has no feature 'e'", self.evaluate("--data", "narrow.csv"))
        self.table.assign(more=np.arange(160)).to_csv(self.path("wide.csv"), index=False)
        self.assertIn("it has 7 features, the result 6", self.evaluate("--data", "wide.csv"))
        self.assertIn("none.csv", self.evaluate("--data", "none.csv"))
        self.assertFalse(os.path.exists(self.path("python.evaluation.json")))


main()
