"""macmi reproduce: tables, resume, refusals; the pages in a headless Chromium where there is one."""

import csv
import json
import math
import os
import signal
import subprocess
import time
import unittest

from browser import Browser, find_chromium
from program import MACMI, ProgramTest, main

RINGS = "macmi reproduce bullseye2d --quick --seeds 1 --methods knn,knn-r,genie --out rings --quiet"
SPHERES = "macmi reproduce bullseye3d --quick --methods knn,sdcit --slow-statements 20 --n 200 --permutations 20 --out spheres --quiet"
MARKS = "'[aria-label=dot] *, [aria-label=line] *, [aria-label=arrow] *, image'"


class Reproduce(ProgramTest):
    def rows(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_bullseye2d_tables_hold_the_truth_and_the_estimates(self):
        self.shell(RINGS)
        for row in self.rows("rings/estimates.csv"):
            epsilon = float(row["epsilon"])
            self.assertAlmostEqual(float(row["truth"]), epsilon - math.log(epsilon), 12)
        row = next(r for r in self.rows("rings/estimates.csv") if (r["epsilon"], r["n"], r["method"]) == ("0.3", "2000", "knn"))
        self.shell("macmi simulate bullseye2d --n 2000 --epsilon 0.3 --seed 1 --out one.csv --quiet")
        told = json.loads(self.shell("macmi estimate --data one.csv --x x1_0,x1_1 --y y --json").stdout)["value"]
        self.assertAlmostEqual(float(row["estimate"]), told, 9)
        with open(os.path.join(self.folder, "rings/bullseye2d.md"), encoding="utf-8") as file:
            self.assertIn("| ε | truth | k-NN (R) | GENIE | k-NN |", file.read())

    def test_bullseye3d_goes_on_where_it_was_ended_to_the_same_files(self):
        self.shell(SPHERES.replace("spheres", "whole"))
        running = subprocess.Popen(["macmi" if part == "macmi" else part for part in SPHERES.split()], cwd=self.folder, executable=MACMI)
        journal = os.path.join(self.folder, "spheres/measurements.sqlite")
        while running.poll() is None and not os.path.exists(journal):
            time.sleep(0.01)
        time.sleep(0.3)
        running.send_signal(signal.SIGKILL)
        running.wait()
        self.shell(SPHERES)
        for name in ("areas.csv", "blankets.csv", "statements.csv", "bullseye3d.md"):
            with open(os.path.join(self.folder, "whole", name), "rb") as a, open(os.path.join(self.folder, "spheres", name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_bullseye3d_statements_have_the_truth_of_the_graph(self):
        self.shell(SPHERES + " --dag authors")
        rows = [r for r in self.rows("spheres/statements.csv") if r["method"] == "knn"]
        self.assertEqual(len(rows), 156)
        truth = {(r["x"], r["given"]): r["independent"] for r in rows}
        # The parents x3 and x5 separate y from x1 and x2; x4 too, until the common child x6 is given.
        for statement, independent in {("x1", "x3 x5"): "1", ("x2", "x3 x5"): "1", ("x4", "x3 x5"): "1", ("x4", "x3 x5 x6"): "0", ("x3", ""): "0", ("x1", ""): "0"}.items():
            self.assertEqual(truth[statement], independent, statement)
        slow = [r for r in self.rows("spheres/statements.csv") if r["method"] == "sdcit"]
        self.assertEqual(sum(r["independent"] == "1" for r in slow), sum(r["independent"] == "1" for r in rows))
        self.assertLess(len(slow), 60)

    def test_what_cannot_be_done_is_refused(self):
        self.refused("macmi reproduce bullseye2d --methods magic --out a", "magic", "knn-r")
        self.refused("macmi reproduce bullseye3d --methods genie --out a", "genie", "sdcit")
        self.refused("macmi reproduce bullseye3d --n 20 --out a", "--n")
        self.refused("macmi reproduce hexagon --out a", "hexagon", "bullseye2d")

    @unittest.skipUnless(find_chromium(), "no Chromium")
    def test_pages_are_drawn_without_errors_or_requests(self):
        self.shell(RINGS)
        self.shell(SPHERES)
        with Browser(find_chromium()) as browser:
            for page, least in (("rings/bullseye2d.html", 3), ("spheres/bullseye3d.html", 4)):
                for width in (1200, 420):
                    browser.look(width=width)
                    browser.open(os.path.join(self.folder, page))
                    self.assertTrue(browser.run("document.documentElement.dataset.ready"), browser.problems)
                    browser.settle()
                    figures = browser.run(f"[...document.querySelectorAll('figure')].map((f) => [f.querySelector('h3').textContent, f.querySelectorAll({MARKS}).length, f.querySelector('svg')?.getAttribute('aria-label') ?? ''])")
                    self.assertGreaterEqual(len(figures), least)
                    for title, marks, alternative in figures:
                        self.assertGreater(marks, 0, title)
                        self.assertGreater(len(alternative), 10, title)
                    self.assertEqual(browser.problems, [])
                    self.assertEqual(browser.console, [])
                    self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
            self.assertEqual([url for url in browser.requests if not url.startswith(("file:", "data:"))], [])


main()
