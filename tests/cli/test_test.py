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

    def test_bad_input_is_refused(self):
        self.refused(f"macmi test --data {DEPENDENT} --x x --y why --z z", "why")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --z z --k 1000", "--k")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --alpha 2", "--alpha")
        self.refused(f"macmi test --data {DEPENDENT} --x x --y y --stop soon", "--stop", "never, exact, fast")


main()
