"""macmi evaluate and macmi reproduce hdd as a user calls them; areas are computed again here from pairs."""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

SOURCE, MACMI = sys.argv[1], sys.argv[2]


class EvaluateCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        draw = random.Random(1)
        with open(cls.path("data.csv"), "w", encoding="utf-8") as file:
            file.write("a_0,a_1,b_0,b_1,noise,y\n")
            for _ in range(400):
                a, b, c, d, noise = (draw.gauss(0, 1) for _ in range(5))
                y = int(a * a + b * b + 0.3 * draw.gauss(0, 1) > 1.4)  # a ring: no single column of a tells much
                file.write(f"{a},{b},{c},{d},{noise},{y}\n")
        cls.macmi("select", "--data", cls.path("data.csv"), "--target", "y", "--group", r"^(\w+)_\d", "--maps", "none", "--epochs", "25", "--permutations", "99",
                  "--restarts", "2", "--out", cls.path("r.json"), "--run", "none", "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory.name, name)

    @classmethod
    def macmi(cls, *words, code=0):
        done = subprocess.run([MACMI, *words], capture_output=True, text=True, cwd=cls.directory.name)
        if done.returncode != code:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def test_the_ring_is_found_and_is_enough(self):
        result = json.loads(self.macmi("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "1", "--json", "--quiet").stdout)
        sets = {s["name"]: s for s in result["sets"]}
        self.assertEqual(list(sets), ["all", "selected", "l1", "l1 of equal size", "random"])
        self.assertTrue(result["selection_repeated"])
        for chosen in sets["selected"]["features"]:
            self.assertIn("a", chosen)
        self.assertGreater(sets["selected"]["auc"], 0.85)  # the noise of the edge and 200 training samples cost the rest
        self.assertLess(abs(sets["selected"]["auc"] - sets["all"]["auc"]), 0.1)
        for s in sets.values():
            self.assertTrue(0 <= s["average_precision"] <= 1)
            self.assertEqual((s["roc"][0], s["roc"][-1]), ([0, 0], [1, 1]))
            self.assertEqual(sorted(s["roc"]), s["roc"])
            self.assertEqual(len(s["features"]), 2)
        for d in result["differences"]:
            self.assertEqual(d["first"], "selected")
            self.assertLessEqual(d["low"], d["high"])
            if d["second"] != "random":
                self.assertAlmostEqual(d["difference"], sets["selected"]["auc"] - sets[d["second"]]["auc"], places=9)
        # The evaluation is beside the result, and the page shows it.
        with open(self.path("r.evaluation.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), result)
        self.macmi("report", self.path("r.json"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn('"evaluation":{"two_classes":true', file.read())

    def test_threads_do_not_matter(self):
        words = ("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "0", "--no-l1", "--keep-selection", "--json", "--quiet", "--out",
                 self.path("e.json"))
        one = json.loads(self.macmi(*words, "--threads", "1").stdout)
        self.assertEqual(one, json.loads(self.macmi(*words, "--threads", "2").stdout))
        self.assertFalse(one["selection_repeated"])
        self.assertEqual([s["name"] for s in one["sets"]], ["all", "selected"])

    def test_what_cannot_be_evaluated_is_refused(self):
        with open(self.path("three.csv"), "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 13},{'abc'[i % 3]}\n" for i in range(90)))
        self.macmi("select", "--data", self.path("three.csv"), "--target", "y", "--permutations", "19", "--out", self.path("three.json"), "--run", "none", "--quiet")
        self.assertIn("two classes or one number", self.macmi("evaluate", self.path("three.json"), code=2).stderr)
        self.assertFalse(os.path.exists(self.path("three.evaluation.json")))
        self.assertIn("cannot read", self.macmi("evaluate", self.path("nothing.json"), code=2).stderr)
        self.macmi("reproduce", "hdd", "--data", self.path("three.csv"), "--out", self.path("refused"), code=2)
        self.assertFalse(os.path.exists(self.path("refused")))

    def test_a_fleet_from_simulation_to_page(self):
        result = json.loads(self.macmi("reproduce", "hdd", "--quick", "--no-evaluation", "--out", self.path("hdd"), "--json", "--quiet").stdout)
        self.assertEqual(len(result["features"]), 36)
        self.assertEqual(len(result["fleet"]["causes"]), 7)
        chosen, causes = set(result["blanket"]), set(result["fleet"]["causes"])
        if "temperature_raw" in causes and "airflow_temperature_raw" in chosen:  # exact duplicates
            causes = causes - {"temperature_raw"} | {"airflow_temperature_raw"}
        if chosen:
            self.assertAlmostEqual(result["fleet"]["f1"], 2 * len(chosen & causes) / (len(chosen) + 7))
        self.assertEqual(set(result["timing"]["stages"]), {"data", "maps", "search", "evaluation"})
        for name in ("result.json", "report.html"):
            self.assertTrue(os.path.exists(os.path.join(self.path("hdd"), name)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
