"""The methods the paper compares with, through test, select and estimate."""

import json
import math
import random

from program import ProgramTest, main


class Baselines(ProgramTest):
    def setUp(self):
        super().setUp()
        chance = random.Random(5)
        lines = ["a,b,t,noise"]
        for _ in range(300):  # a → t ← b, uncorrelated with a
            a, b = chance.gauss(0, 1), chance.gauss(0, 1)
            lines.append(f"{a},{b},{a * a + b + 0.3 * chance.gauss(0, 1)},{chance.gauss(0, 1)}")
        self.write("net.csv", "\n".join(lines) + "\n")

    def test_every_method_tells_dependence_from_independence(self):
        for method in ("hsic", "hsic-permutation", "sdcit", "ccit"):
            for x, dependent in (("a", True), ("noise", False)):
                line = f"macmi test --data net.csv --x {x} --y t --method {method} --permutations 199 --alpha 0.02 --json"
                result = json.loads(self.shell(line).stdout)
                self.assertEqual(result["dependent"], dependent, (method, x, result))
                self.assertEqual(result["n"], 300)
                self.assertEqual(result, json.loads(self.shell(line + " --threads 1").stdout), "threads change nothing")

    def test_conditional_methods_condition(self):
        for method in ("sdcit", "ccit"):
            line = f"macmi test --data net.csv --x a --y t --z b --method {method} --permutations 199 --json"
            self.assertTrue(json.loads(self.shell(line).stdout)["dependent"], method)
        self.refused("macmi test --data net.csv --x a --y t --z b --method hsic", "hsic", "sdcit")
        self.refused("macmi select --data net.csv --target t --method hsic --quiet", "hsic", "sdcit")

    def test_terminal_says_what_the_statistic_is(self):
        self.assertIn("standard deviations above", self.shell("macmi test --data net.csv --x a --y t --method hsic").stdout)
        self.assertIn("% more cases", self.shell("macmi test --data net.csv --x a --y t --method ccit").stdout)

    def test_select_searches_with_a_baseline_and_goes_on_from_its_run(self):
        line = "macmi select --data net.csv --target t --method sdcit --permutations 199 --alpha 0.02 --run run"
        first = self.shell(line + " --quiet").stdout
        with open(f"{self.folder}/run/result.json", encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(result["method"], "sdcit")
        self.assertEqual(result["blanket"], ["a", "b"])
        again = self.shell(line)
        self.assertIn("goes on from", again.stderr)
        self.assertIn(first.splitlines()[0], again.stdout)

    def test_estimators(self):
        self.shell("macmi simulate bullseye2d --n 500 --epsilon 0.5 --seed 2 --out rings.csv --quiet")
        truth = 0.5 - math.log(0.5)
        for name in ("genie", "mine"):
            line = f"macmi estimate --data rings.csv --x x1_0,x1_1 --y y --estimator {name}"
            result = json.loads(self.shell(line + " --json").stdout)
            self.assertEqual(result["estimator"], name)
            # Both stay below the truth here; that they see most of it is what matters.
            self.assertTrue(0.5 * truth < result["value"] < 1.15 * truth, result)
            self.refused(line + " --z x1_0", name, "--z")


main()
