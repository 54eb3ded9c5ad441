"""macmi evaluate and macmi reproduce hdd as a user calls them; areas are computed again here from pairs."""
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
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
        result = json.loads(self.macmi("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "2", "--json", "--quiet").stdout)
        sets = {s["name"]: s for s in result["sets"]}
        self.assertEqual(list(sets), ["all", "selected", "random"])  # l1 selection belongs to networks
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
            self.assertAlmostEqual(d["difference"], sets["selected"]["auc"] - sets[d["second"]]["auc"], places=9)
        # The evaluation is beside the result, and the page shows it.
        with open(self.path("r.evaluation.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), result)
        self.macmi("report", self.path("r.json"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn('"evaluation":{"two_classes":true', file.read())

    def test_networks_are_there_for_the_asking_and_bring_l1_selection(self):
        result = json.loads(self.macmi("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "0", "--predictor", "network", "--json", "--quiet",
                                       "--out", self.path("n.json")).stdout)
        sets = {s["name"]: s for s in result["sets"]}
        self.assertEqual(list(sets), ["all", "selected", "l1", "l1 of equal size"])
        self.assertGreater(sets["selected"]["auc"], 0.85)

    def test_threads_do_not_matter(self):
        words = ("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "0", "--no-l1", "--keep-selection", "--json", "--quiet", "--out",
                 self.path("e.json"))
        one = json.loads(self.macmi(*words, "--threads", "1").stdout)
        self.assertEqual(one, json.loads(self.macmi(*words, "--threads", "2").stdout))
        self.assertFalse(one["selection_repeated"])
        self.assertEqual([s["name"] for s in one["sets"]], ["all", "selected"])

    def test_killed_it_goes_on_from_what_was_finished(self):
        words = ("evaluate", self.path("r.json"), "--parts", "2", "--random-sets", "0", "--no-l1", "--json", "--quiet", "--out", self.path("k.json"))
        whole = json.loads(self.macmi(*words).stdout)
        unfinished = self.path("k.json.unfinished")
        self.assertFalse(os.path.exists(unfinished))
        process = subprocess.Popen([MACMI, *words], stdout=subprocess.DEVNULL, cwd=self.directory.name)
        while len(self.kept(unfinished)) < 2:  # the selection of the first part, and a predictor
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()
        self.assertEqual(json.loads(self.macmi(*words).stdout), whole)
        self.assertFalse(os.path.exists(unfinished))
        # What is kept is used: another selection put in its place comes out in the end.
        process = subprocess.Popen([MACMI, *words], stdout=subprocess.DEVNULL, cwd=self.directory.name)
        while not self.kept(unfinished):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()
        with contextlib.closing(sqlite3.connect(os.path.join(unfinished, "measurements.sqlite"))) as database, database:
            database.execute("UPDATE facts SET value = '[\"noise\"]' WHERE name LIKE '%part 1: selection'")
        chosen = {s["name"]: s for s in json.loads(self.macmi(*words).stdout)["sets"]}["selected"]["features"]
        self.assertEqual(chosen[0], ["noise"])
        self.assertEqual(chosen[1], {s["name"]: s for s in whole["sets"]}["selected"]["features"][1])

    def test_a_run_goes_on_after_its_evaluation_and_page(self):
        select = ("select", "--data", self.path("data.csv"), "--target", "y", "--group", r"^(\w+)_\d", "--maps", "none", "--epochs", "5", "--permutations", "99",
                  "--run", self.path("run"), "--quiet")
        self.macmi(*select)
        self.macmi("evaluate", self.path("run"), "--parts", "2", "--random-sets", "0", "--no-l1", "--keep-selection", "--quiet")
        self.assertNotIn("another selection", self.macmi("report", self.path("run")).stderr)
        self.macmi(*select)
        self.macmi(*select, "--never", "a")  # another selection in the same run: its page has no evaluation
        self.assertIn("another selection", self.macmi("report", self.path("run")).stderr)
        with open(os.path.join(self.path("run"), "result.html"), encoding="utf-8") as file:
            self.assertNotIn('"evaluation":{"two_classes":true', file.read())

    @staticmethod
    def kept(folder):
        try:
            with contextlib.closing(sqlite3.connect(f"file:{folder}/measurements.sqlite?mode=ro", uri=True)) as database:
                return [name for name, in database.execute("SELECT name FROM facts")]
        except sqlite3.OperationalError:  # not there yet
            return []

    def test_what_cannot_be_evaluated_is_refused(self):
        with open(self.path("three.csv"), "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 13},{'abc'[i % 3]}\n" for i in range(90)))
        self.macmi("select", "--data", self.path("three.csv"), "--target", "y", "--permutations", "19", "--out", self.path("three.json"), "--run", "none", "--quiet")
        self.assertIn("two classes or one number", self.macmi("evaluate", self.path("three.json"), code=2).stderr)
        self.assertFalse([name for name in os.listdir(self.directory.name) if name.startswith("three.evaluation")])
        with open(self.path("few.csv"), "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 13},{int(i % 30 == 0)}\n" for i in range(90)))
        self.macmi("select", "--data", self.path("few.csv"), "--target", "y", "--permutations", "19", "--out", self.path("few.json"), "--run", "none", "--quiet")
        self.assertIn("--parts 5: there are only 3 units with y = 1", self.macmi("evaluate", self.path("few.json"), code=2).stderr)
        open(self.path("empty.json"), "w", encoding="utf-8").close()
        self.assertIn("empty.json is empty", self.macmi("evaluate", self.path("empty.json"), code=2).stderr)
        self.assertIn("cannot read", self.macmi("evaluate", self.path("nothing.json"), code=2).stderr)
        self.macmi("reproduce", "hdd", "--data", self.path("three.csv"), "--out", self.path("refused"), code=2)
        self.assertFalse(os.path.exists(self.path("refused")))

    def test_a_drives_model_is_no_feature(self):
        draw = random.Random(2)
        with open(self.path("drives.csv"), "w", encoding="utf-8") as file:
            file.write("serial_number,date,model,failure,a,b\n")
            for drive in range(80):
                for day in range(1, 6):
                    file.write(f"s{drive},2018-01-0{day},ST{drive % 2},{drive % 4 == 0},{draw.gauss(day * (drive % 4 == 0), 1)},{draw.gauss(0, 1)}\n")
        result = json.loads(self.macmi("reproduce", "hdd", "--quick", "--no-evaluation", "--data", self.path("drives.csv"), "--out", self.path("drives"),
                                       "--json", "--quiet").stdout)
        self.assertEqual([f["name"] for f in result["features"]], ["a", "b"])

    def test_a_fleet_from_simulation_to_page(self):
        words = ("reproduce", "hdd", "--quick", "--no-evaluation", "--out", self.path("hdd"), "--json", "--quiet")
        result = json.loads(self.macmi(*words).stdout)
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
        again = json.loads(self.macmi(*words).stdout)  # goes on from what is there
        first_time, second_time = result.pop("timing"), again.pop("timing")
        self.assertEqual(again, result)
        self.assertGreater(first_time["tests_made"], 0)
        self.assertEqual((second_time["tests_made"], second_time["tests_reused"]), (0, first_time["tests_made"]))
        paper = json.loads(self.macmi(*words, "--paper").stdout)  # another setting beside it, with the co-parent step
        self.assertEqual((paper["options"]["preset"], paper["options"]["no-children"]), ("paper-hdd", "false"))
        self.assertEqual(paper["timing"]["tests_reused"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
