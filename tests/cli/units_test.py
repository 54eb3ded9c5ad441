"""--unit, --time and --lags: rows that belong together, from files to the answer."""
import json
import random

from program import ProgramTest, main


def visits(units=30, rows=10, seed=1):
    """outcome depends on dose (within and between units) and on age (between units); mood is unit noise."""
    draw = random.Random(seed)
    lines = ["patient,day,dose,age,mood,outcome"]
    for unit in range(units):
        age, mood, dose, own = (draw.gauss(0, 1) for _ in range(4))
        for day in range(rows):
            d, m = dose + draw.gauss(0, 1), mood + draw.gauss(0, 1)
            outcome = d + age + 0.7 * own + 0.7 * draw.gauss(0, 1)
            lines.append(f"p{unit},{day},{d:.5f},{age:.5f},{m:.5f},{outcome:.5f}")
    return "\n".join(lines) + "\n"


class Units(ProgramTest):
    def test_select_keeps_units_whole(self):
        self.write("visits.csv", visits())
        line = "macmi select --data visits.csv --target outcome --exclude day --json --quiet --unit patient"
        done = json.loads(self.shell(line).stdout)
        self.assertEqual([f["name"] for f in done["features"]], ["age", "dose", "mood"])
        self.assertEqual(done["blanket"], ["age", "dose"])
        self.assertIn("300 rows of 30 units (--unit patient): tests, parts and subsamples keep units whole", done["health"])
        self.assertEqual(done["data_options"]["unit"], "patient")
        again = json.loads(self.shell(line + " --threads 1").stdout)
        done.pop("timing"), again.pop("timing")
        self.assertEqual(again, done)

    def test_evaluate_and_runs(self):
        self.write("visits.csv", visits(20, 6))
        self.shell("macmi select --data visits.csv --target outcome --unit patient --run run --quiet")
        again = json.loads(self.shell("macmi select --data visits.csv --target outcome --unit patient --run run --json").stdout)
        self.assertEqual(again["timing"]["tests_made"], 0)
        self.refused("macmi select --data visits.csv --target outcome --exclude patient --run run", "run")
        made = json.loads(self.shell("macmi evaluate run --parts 3 --random-sets 0 --json --quiet").stdout)
        self.assertEqual(made["samples"], 120)

    def test_tests_say_what_they_did(self):
        self.write("visits.csv", visits())
        line = "macmi test --data visits.csv --x mood --y outcome --json"
        with_units = json.loads(self.shell(f"{line} --unit patient").stdout)
        self.assertIn("30 units: they change places whole (docs/units.md)", with_units["notes"])
        self.assertFalse(with_units["dependent"])
        self.assertEqual(json.loads(self.shell(f"{line} --unit patient --threads 1").stdout), with_units)
        self.assertTrue(json.loads(self.shell(f"{line.replace('mood', 'dose')} --z age --unit patient").stdout)["dependent"])

    def test_series_and_lags(self):
        draw, x, y, past = random.Random(3), 0, 0, [0, 0]
        rows = ["hour,x,y"]
        for hour in range(300):
            x = 0.8 * x + draw.gauss(0, 1)
            y = 0.5 * y + past[-2] + draw.gauss(0, 0.5)
            past.append(x)
            rows.append(f"{hour},{x:.5f},{y:.5f}")
        self.write("hours.csv", "\n".join(rows[:1] + rows[:0:-1]) + "\n")  # the last hour first
        line = "macmi select --data hours.csv --target y --time hour --lags 1..3 --json --quiet --stability 0"
        done = json.loads(self.shell(line).stdout)
        self.assertEqual(sorted(f["name"] for f in done["features"]), ["x", "x@-1", "x@-2", "x@-3"])
        self.assertIn("x@-2", done["blanket"])
        self.assertTrue(any("one series in the order of --time hour" in h for h in done["health"]))

    def test_refusals(self):
        self.write("visits.csv", visits(10, 5))
        line = "macmi select --data visits.csv --target outcome --unit patient"
        self.refused(f"{line} --method fisherz", "--method fisherz", "--method knn")
        self.refused(f"{line} --maps mlp", "--maps none")
        self.refused(f"{line} --no-correlation", "--no-correlation")
        self.refused(f"{line} --interactions pairs", "--interactions pairs", "--unit or --time")
        self.refused(f"{line} --id patient --time day", "--id", "--unit")
        self.refused("macmi test --data visits.csv --x dose --y mood --unit patient --method fisherz", "--method fisherz")
        self.refused("macmi select --data visits.csv --target outcome --time day", "two rows at day 0", "--unit")


main()
