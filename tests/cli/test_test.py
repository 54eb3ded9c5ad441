"""macmi test, from files to decisions."""
import json
import os

from program import SOURCE, ProgramTest, main

ORACLE = os.path.join(SOURCE, "tests", "oracle", "reference")
DEPENDENT, INDEPENDENT = (os.path.join(ORACLE, f"gauss_{c}_n1000.csv") for c in ("dep", "ind"))


class Test(ProgramTest):
    def test_json_holds_the_documented_fields(self):
        done = self.shell(f"macmi test --data {DEPENDENT} --x x --y y --z z --json")
        result = json.loads(done.stdout)
        for field in ("statistic", "p_value", "permutations", "exceedances", "null_mean", "null_sd", "k", "n"):
            self.assertIn(field, result)
        self.assertLessEqual(result["p_value"], 0.05)
        self.assertTrue(result["dependent"])
        self.assertEqual([scale["k"] for scale in result["scales"]], [5, 20, 100, 1000])  # the last: the correlation over all samples

    def test_statistic_equals_estimate(self):
        line = f"--data {DEPENDENT} --x x --y y --z z --k 20 --json"
        test = json.loads(self.shell(f"macmi test {line} --permutations 64").stdout)
        estimate = json.loads(self.shell(f"macmi estimate {line}").stdout)
        self.assertEqual(test["statistic"], estimate["value"])

    def test_same_bits_for_any_threads_and_vector_width(self):
        line = f"macmi test --data {INDEPENDENT} --x x --y y --z z --permutations 128 --stop never --json"
        expected = self.shell(line).stdout
        for variant in (f"{line} --threads 1", f"{line} --threads 3", f"MACMI_SIMD=SSE4 {line}"):
            self.assertEqual(self.shell(variant).stdout, expected, variant)

    def test_people_read_the_decision_first(self):
        self.assertTrue(self.shell(f"macmi test --data {DEPENDENT} --x x --y y --z z").stdout
                        .startswith("x and y are dependent given z"))
        self.assertTrue(self.shell(f"macmi test --data {INDEPENDENT} --x x --y y --z z").stdout
                        .startswith("x and y are independent"))

    def test_partial_correlation_is_offered(self):
        for data, dependent in ((DEPENDENT, True), (INDEPENDENT, False)):
            result = json.loads(self.shell(f"macmi test --data {data} --x x --y y --z z --method fisherz --json").stdout)
            self.assertEqual(result["dependent"], dependent)
            self.assertEqual(result["permutations"], 0)

    def test_columns_are_what_select_takes_them_for(self):
        rows = [(i % 2, "ab"[i * i % 7 % 2], i * 0.37 % 1, i * 0.61 % 1) for i in range(200)]
        self.write("t.csv", "flag,word,u,v\n" + "".join(f"{f},{w},{u:.4f},{v:.4f}\n" for f, w, u, v in rows))
        # Two values make a class: between classes the test counts in a table. As numbers it is another test.
        result = lambda words: json.loads(self.shell(f"macmi test --data t.csv --x flag --y word --permutations 64 --json {words}").stdout)
        self.assertEqual(result("")["rule"], "counts")
        self.assertNotEqual(result("--type flag=integer")["rule"], "counts")
        kinds = json.loads(self.shell("macmi inspect --data t.csv --json").stdout)["features"]
        self.assertEqual({k["name"]: k["type"] for k in kinds}["flag"], "boolean")

    def test_features_of_several_columns_go_by_their_name(self):
        self.shell("macmi simulate bullseye3d --n 150 --out s.csv --quiet")
        line = "macmi test --data s.csv --y y --permutations 64 --k 5 --json"
        one = json.loads(self.shell(f"{line} --x x1_0,x1_1,x1_2 --z x3_0,x3_1,x3_2").stdout)
        two = json.loads(self.shell(f"{line} --x x1 --z x3 --group '^(x\\d+)_'").stdout)
        for result in (one, two):
            result.pop("x"), result.pop("z")
        self.assertEqual(one, two)

    def test_rows_and_missing_values(self):
        rows = [(i * 0.37 % 1, "" if i % 10 == 3 else i * 0.61 % 1) for i in range(100)]
        self.write("t.csv", "u,v\n" + "".join(f"{u},{v}\n" for u, v in rows))
        line = "macmi test --data t.csv --x u --y v --permutations 64 --json"
        result = json.loads(self.shell(line).stdout)
        self.assertEqual(result["n"], 90)
        self.assertIn("90 of 100 samples have a value in all it needs", result["notes"])
        self.assertEqual(json.loads(self.shell(f"{line} --rows 40").stdout)["n"] <= 40, True)
        self.refused(f"{line} --missing error", "--missing error", "'v'")
        self.write("complete.csv", "u,v\n" + "".join(f"{u},{v}\n" for u, v in rows if v != ""))
        complete = json.loads(self.shell(line.replace("t.csv", "complete.csv")).stdout)
        result.pop("notes"), complete.pop("notes")
        self.assertEqual(result, complete)

    def test_a_series_is_the_vector_of_its_steps(self):
        self.write("long.csv", "unit,day,s,label\n" + "".join(
            f"{u},{d},{(u * 31 + d * 17) % 23},{u % 2}\n" for u in range(60) for d in range(3)))
        self.write("wide.csv", "s0,s1,s2,label\n" + "".join(
            ",".join(str((u * 31 + d * 17) % 23) for d in range(3)) + f",{u % 2}\n" for u in range(60)))
        options = "--x {} --y {} --permutations 64 --k 3 --json"
        series = json.loads(self.shell("macmi test --data long.csv --id unit --time day " + options.format("s", "'label[2]'")).stdout)
        vector = json.loads(self.shell("macmi test --data wide.csv " + options.format("s0,s1,s2", "label")).stdout)
        self.assertEqual(series["statistic"], vector["statistic"])
        self.assertEqual(series["n"], 60)

    def test_bad_input_is_refused(self):
        self.refused(f"macmi test --data {DEPENDENT} --x x --y why --z z", "why")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --z z --k 1000", "--k")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --alpha 2", "--alpha")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --stop soon", "--stop", "never, exact, fast")


main()
