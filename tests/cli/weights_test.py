"""--weight: rows that stand for several equal rows. The truth: the table with its rows repeated, and closed forms."""
import json
import math
import random

from program import ProgramTest, main

APART = ("timing", "data_options", "health")


def table(rows=120, seed=4):
    """y depends on a and through it on b; c is a class of its own, d follows y; every number is a step of 0.5."""
    draw = random.Random(seed)
    step = lambda value: round(2 * value) / 2
    lines = []
    for _ in range(rows):
        b = step(draw.gauss(0, 1))
        a = step(b + draw.gauss(0, 1))
        y = step(a + draw.gauss(0, 1))
        lines.append((draw.choice((0, 1, 1, 2, 3)), f"{a},{b},{draw.choice('pqr')},{step(y + draw.gauss(0, 1))},{y}"))
    return lines


def write_both(test, lines, header):
    """w.csv has weights, r.csv the rows as often."""
    test.write("w.csv", f"n,{header}\n" + "".join(f"{n},{row}\n" for n, row in lines))
    test.write("r.csv", f"{header}\n" + "".join(f"{row}\n" * n for n, row in lines))


class Weights(ProgramTest):
    def both(self, line):
        """What the program says of the weighted table, and of the one with rows repeated."""
        files = ("--data w.csv --weight n", "--data r.csv")
        return [json.loads(self.shell(line.replace("DATA", f"{file} --json")).stdout) for file in files]

    def assert_same(self, line):
        ours, theirs = self.both(line)
        for name in APART:
            ours.pop(name, None), theirs.pop(name, None)
        self.assertEqual(ours, theirs, line)
        return ours

    def test_every_verb_answers_as_for_repeated_rows(self):
        write_both(self, table(), "a,b,c,d,y")
        self.assert_same("macmi test DATA --x a --y y")  # a look at neighbours and at a correlation
        self.assert_same("macmi test DATA --x b --y y --z a,d,c")  # remainders
        self.assert_same("macmi test DATA --x c --y y --z a --unit b")
        self.assert_same("macmi test DATA --x c --y d --type d=categorical")  # a table
        self.assert_same("macmi estimate DATA --x a --y y --z b")
        self.assertEqual(self.assert_same("macmi graph DATA --quiet")["samples"],
                         sum(n for n, _ in table()))
        self.assertIn("a", self.assert_same("macmi select DATA --target y --quiet")["blanket"])

    def test_what_is_told(self):
        lines = table(40)
        write_both(self, lines, "a,b,c,d,y")
        done = json.loads(self.shell("macmi select --data w.csv --weight n --target y --json --quiet").stdout)
        total, zero = sum(n for n, _ in lines), sum(n == 0 for n, _ in lines)
        self.assertIn(f"40 rows stand for {total} (--weight n); {zero} of weight 0 left out", done["health"])
        self.assertEqual((done["samples"], done["data_options"]["weight"]), (total, "n"))
        self.assertNotIn("n", [f["name"] for f in done["features"]])

    def test_evaluate_reads_the_weights_again(self):
        write_both(self, table(60), "a,b,c,d,y")
        self.shell("macmi select --data w.csv --weight n --target y --run run --quiet")
        made = json.loads(self.shell("macmi evaluate run --parts 3 --random-sets 0 --json --quiet").stdout)
        self.assertEqual(made["samples"], sum(n for n, _ in table(60)))

    def test_a_table_has_the_statistic_of_weighted_counts(self):
        """Plug-in mutual information of the weights' sums, in closed form."""
        draw = random.Random(5)
        lines = [(draw.randrange(40), f"{x},{y}") for x in "abc" for y in "stuv"]
        write_both(self, lines, "x,y")
        total = sum(n for n, _ in lines)
        sums = {}
        for n, row in lines:
            for key in (row, row.split(",")[0], row.split(",")[1]):
                sums[key] = sums.get(key, 0) + n
        truth = sum(n / total * math.log(n * total / (sums[row[0]] * sums[row[2]])) for n, row in lines if n > 0)
        made = self.assert_same("macmi estimate DATA --x x --y y")
        self.assertEqual(made["estimator"], "counts")
        self.assertAlmostEqual(made["value"], truth, places=12)
        self.assertEqual(self.assert_same("macmi test DATA --x x --y y")["n"], total)

    def test_a_correlation_is_the_weighted_one(self):
        """Fisher's z of the weighted correlation, with as many samples as the weights add up to."""
        lines = table(80)
        write_both(self, lines, "a,b,c,d,y")
        values = [(n, float(row.split(",")[0]), float(row.split(",")[4])) for n, row in lines]
        total = sum(n for n, _, _ in values)
        mean = lambda of: sum(n * of(a, y) for n, a, y in values) / total
        a0, y0 = mean(lambda a, y: a), mean(lambda a, y: y)
        spread = mean(lambda a, y: (a - a0) ** 2) * mean(lambda a, y: (y - y0) ** 2)
        r = mean(lambda a, y: (a - a0) * (y - y0)) / math.sqrt(spread)
        made = self.assert_same("macmi test DATA --x a --y y --method fisherz")
        self.assertEqual(made["n"], total)
        self.assertAlmostEqual(made["statistic"], -0.5 * math.log(1 - r * r), places=10)

    def test_refusals(self):
        self.write("t.csv", "n,x,y,t\n1,2,3,1\n0.5,3,4,2\n2,5,5,3\n")
        line = "macmi test --data t.csv --x x --y y --weight"
        self.refused(f"{line} n", "--weight n is 0.5 in row 2", "whole numbers from 0 on")
        self.refused(f"{line} m", "no column 'm'")
        self.refused(f"{line} n --time t", "--weight", "--time")
        self.refused(f"{line} n --id x --time t", "--weight")


main()
