"""macmi estimate and simulate, from files to numbers."""
import json
import math
import os

from program import SOURCE, ProgramTest, main

GAUSS = os.path.join(SOURCE, "tests", "oracle", "reference", "gauss_dep_n1000.csv")


class Estimate(ProgramTest):
    def test_json_holds_the_reference_value(self):
        done = self.shell(f"macmi estimate --data {GAUSS} --x x --y y --z z --k 3 --transform none --json")
        result = json.loads(done.stdout)
        self.assertAlmostEqual(result["value"], 0.27619759027, delta=1e-9)  # JIDT and NPEET agree on it
        self.assertEqual((result["k"], result["n"], result["estimator"], result["transform"]), (3, 1000, "fp", "none"))

    def test_same_bits_for_any_threads_engine_and_vector_width(self):
        line = f"macmi estimate --data {GAUSS} --x x --y y --z z --json"
        expected = self.shell(line).stdout
        for variant in (f"{line} --threads 1", f"{line} --threads 3", f"{line} --engine brute-force",
                        f"MACMI_SIMD=SSE4 {line}"):
            self.assertEqual(self.shell(variant).stdout, expected, variant)

    def test_several_columns_make_one_variable_and_text_is_categories(self):
        rows = "".join(f"{i % 17},{i % 13},{'high' if i % 17 > 8 else 'low'}\n" for i in range(400))
        self.write("t.csv", "a,b,c\n" + rows)
        both = json.loads(self.shell("macmi estimate --data t.csv --x a,b --y c --json").stdout)
        # c is a function of a: I(a, b; c) = H(c) = ln 2 up to 9:8; the estimator sees cells of 1/17 of the samples.
        self.assertAlmostEqual(both["value"], math.log(2), delta=0.1)
        self.assertEqual(both["estimator"], "mixed")

    def test_config_file_sets_options_and_the_command_line_wins(self):
        self.write("c.toml", "k = 3\ntransform = \"none\"\n")
        line = f"macmi estimate --config c.toml --data {GAUSS} --x x --y y --z z --json"
        self.assertEqual(json.loads(self.shell(line).stdout)["k"], 3)
        self.assertEqual(json.loads(self.shell(line + " --k 7").stdout)["k"], 7)

    def test_bad_input_is_refused(self):
        self.write("t.csv", "a,b\n1,2\n3,4\n5,7\n6,9\n")
        self.write("short.csv", "a,b\n1,2\n3,4\n")
        self.refused("macmi estimate --data none.csv --x a --y b", "none.csv")
        self.refused("macmi estimate --data t.csv --x aa --y b", "t.csv", "'aa'", "did you mean 'a'?")
        self.refused("macmi estimate --data t.csv --x a --y b --k 4", "k = 4 needs at least 5 samples")
        self.refused("macmi estimate --data t.csv --x a --y b --k 0", "--k", "fraction")
        self.refused("macmi estimate --data short.csv --x a --y b", "at least 3")
        self.refused("MACMI_SIMD=MMX macmi estimate --data t.csv --x a --y b", "MACMI_SIMD=MMX")

    def test_simulate_states_the_truth_and_repeats_itself(self):
        first = self.shell("macmi simulate bullseye2d --n 100 --seed 4 --epsilon 0.3 --out a.csv")
        self.shell("macmi simulate bullseye2d --n 100 --seed 4 --epsilon 0.3 --out b.csv")
        self.assertIn(f"{0.3 - math.log(0.3):.4f}", first.stderr)
        with open(os.path.join(self.folder, "a.csv"), encoding="utf-8") as a, \
                open(os.path.join(self.folder, "b.csv"), encoding="utf-8") as b:
            text = a.read()
            self.assertEqual(text, b.read())
        self.assertEqual(text.splitlines()[0], "x1_0,x1_1,y")
        self.refused("macmi simulate bullseye2d --out no/such/folder/a.csv", "no/such/folder/a.csv")
        self.refused("macmi simulate bullseye2d --epsilon 0.7 --out c.csv", "--epsilon", "0.5")


main()
