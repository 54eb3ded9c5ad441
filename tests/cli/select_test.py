"""macmi select and explain, from files to the answer and its reasons."""
import csv
import io
import json
import math
import os
import random

from program import ProgramTest, main

# a → t ← b, t → c ← d, a → e: the blanket of t is {a, b, c, d}; a alone makes e redundant.
BLANKET = ["a", "b", "c", "d"]


def network(n=400, seed=1):
    draw = random.Random(seed)
    columns = {name: [] for name in ("a", "b", "c", "d", "e", "noise", "t")}
    for _ in range(n):
        a, b, d, noise = (draw.gauss(0, 1) for _ in range(4))
        t = a + b + draw.gauss(0, 0.6)
        row = dict(a=a, b=b, c=t + d + draw.gauss(0, 0.6), d=d, e=a + draw.gauss(0, 0.5), noise=noise, t=t)
        for name, value in row.items():
            columns[name].append(value)
    return columns


class Select(ProgramTest):
    def table(self, name, columns):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if v is None else v for v in row] for row in zip(*columns.values()))
        self.write(name, text.getvalue())

    def select(self, options, data="net.csv"):
        done = self.shell(f"macmi select --data {data} --json --quiet {options}")
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        result.pop("timing")
        result.pop("data_options")  # the file's name
        return result

    def roles(self, result):
        return {f["name"]: f["role"] for f in result["features"]}

    def test_json_has_the_documented_fields(self):
        self.table("net.csv", network())
        result = self.select("--target t --method fisherz --alpha 0.01 --seed 7")
        for key in ("target", "blanket", "features", "tests", "seed", "version"):
            self.assertIn(key, result)
        self.assertEqual((result["target"], result["seed"], result["blanket"]), ("t", 7, BLANKET))
        for feature in result["features"]:
            for key in ("name", "role", "statistic", "effect", "p_value", "separating_set"):
                self.assertIn(key, feature)
        self.assertEqual(self.roles(result), {"a": "adjacent", "b": "adjacent", "c": "adjacent", "d": "co-parent",
                                              "e": "excluded", "noise": "excluded"})
        by_name = {f["name"]: f for f in result["features"]}
        self.assertEqual(by_name["e"]["separating_set"], ["a"])
        self.assertEqual(by_name["noise"]["separating_set"], [])
        self.assertIsNone(by_name["a"]["separating_set"])
        # Fisher's z of the marginal test, from its textbook formula.
        columns, n = network(), 400
        mean = {k: sum(v) / n for k, v in columns.items()}
        cov = lambda x, y: sum((p - mean[x]) * (q - mean[y]) for p, q in zip(columns[x], columns[y]))
        r = cov("a", "t") / math.sqrt(cov("a", "a") * cov("t", "t"))
        self.assertAlmostEqual(by_name["a"]["marginal"]["statistic"], -0.5 * math.log(1 - r * r), delta=1e-9)
        p = math.erfc(math.sqrt(n - 3) * math.atanh(abs(r)) / math.sqrt(2))
        self.assertAlmostEqual(by_name["a"]["marginal"]["p_value"] / p, 1, delta=1e-6)

    def exclusive_or(self, n=300, seed=5):
        draw = random.Random(seed)
        columns = {name: [draw.gauss(0, 1) for _ in range(n)] for name in "abcdefghijkl"}
        columns["t"] = ["odd" if (a > 0) != (b > 0) else "even" for a, b in zip(columns["a"], columns["b"])]
        return columns

    def test_features_that_matter_only_together_are_found_and_name_their_partner(self):
        columns = self.exclusive_or()
        self.table("xor.csv", columns)
        result = self.select("--target t --no-evidence", "xor.csv")
        self.assertEqual(result["blanket"], ["a", "b"])
        by_name = {f["name"]: f for f in result["features"]}
        for name, other in (("a", "b"), ("b", "a")):
            partner = by_name[name]["partner"]
            self.assertEqual(partner["name"], other)
            self.assertTrue(0.4 < partner["effect"] < 0.7, partner)  # ln 2, less what medians that are not 0 lose
            self.assertLess(partner["alone"], 0.05)
        self.assertNotIn("partner", by_name["c"])
        self.assertEqual(self.select("--target t --no-evidence --interactions none", "xor.csv")["blanket"], [])
        self.table("turned.csv", dict(reversed(columns.items())))
        self.assertEqual(self.select("--target t --no-evidence --threads 3", "turned.csv"), result)

        self.shell("macmi select --data xor.csv --target t --no-evidence --quiet --out xor.json --report xor.html")
        self.assertIn("together with b (", self.shell("macmi report xor.json --out again.html; macmi select --data xor.csv "
                                                      "--target t --no-evidence --quiet").stdout)
        self.assertIn("a matters together with b (", self.shell("macmi explain xor.json a").stdout)

    def test_pairs_are_kept_in_a_run(self):
        self.table("xor.csv", self.exclusive_or())
        first = self.select("--target t --no-evidence --run pairs_run", "xor.csv")
        self.assertEqual(first["blanket"], ["a", "b"])
        self.assertEqual(self.select("--target t --no-evidence --run pairs_run", "xor.csv"), first)
        self.assertEqual(self.select("--target t --no-evidence", "xor.csv"), first)

    def test_pairs_are_refused_where_they_cannot_be_used(self):
        self.table("xor.csv", self.exclusive_or(60))
        select = "macmi select --data xor.csv --target t --quiet --interactions pairs"
        self.refused(f"{select} --fdr 0", "--interactions pairs", "--fdr 0")
        self.refused(f"{select} --search paper", "--interactions pairs", "paper")
        self.refused(f"{select} --maps mlp", "--interactions pairs", "--maps none")

    def test_same_result_for_any_column_order_and_threads(self):
        columns = network(150)
        for method in ("fisherz", "knn --permutations 128 --delta 1"):
            self.table("net.csv", columns)
            expected = self.select(f"--target t --method {method} --threads 1")
            for seed, threads in ((1, 1), (2, 2), (3, 4)):
                order = list(columns)
                random.Random(seed).shuffle(order)
                self.table("shuffled.csv", {name: columns[name] for name in order})
                self.assertEqual(self.select(f"--target t --method {method} --threads {threads}", "shuffled.csv"), expected)

    def test_same_result_for_renamed_columns_in_another_order(self):
        columns = network(150)
        new = dict(a="z z", b="Ünü", c='q"uote', d="com,ma", e="<e>", noise="0", t="goal")
        old = {v: k for k, v in new.items()}
        for method in ("fisherz", "knn --permutations 128 --delta 1"):
            self.table("net.csv", columns)
            expected = self.select(f"--target t --method {method}")
            self.table("renamed.csv", {new[name]: columns[name] for name in reversed(columns)})
            renamed = self.select(f"--target goal --method {method}", "renamed.csv")

            def back(value):
                if isinstance(value, dict):
                    return {key: back(item) for key, item in value.items()}
                if isinstance(value, list):
                    items = [back(item) for item in value]
                    if all(isinstance(item, str) for item in items):
                        return sorted(items)
                    # Members are gone through in the order of their names, and so are their tests.
                    key = lambda item: (item.get("name", ""), item.get("given") or [])
                    return sorted(items, key=key) if items and "name" in items[0] else items
                return old.get(value, value) if isinstance(value, str) else value

            self.assertEqual(back(renamed), back(expected))

    def test_exactly_one_of_identical_columns_is_kept_in_any_order(self):
        columns = network()
        columns["copy of a"], columns["b2"], columns["b3"] = columns["a"], columns["b"], columns["b"]
        for seed in range(4):
            order = list(columns)
            random.Random(seed).shuffle(order)
            self.table("net.csv", {name: columns[name] for name in order})
            result = self.select("--target t --method fisherz --alpha 0.01")
            self.assertEqual(result["blanket"], BLANKET)
            same = {f["name"]: f.get("same_as") for f in result["features"]}
            self.assertEqual((same["copy of a"], same["b2"], same["b3"]), ("a", "b", "b"))
        kept = self.select("--target t --method fisherz --alpha 0.01 --must 'copy of a' --never b,b2")["blanket"]
        self.assertEqual(kept, ["b3", "c", "copy of a", "d"])

    def test_background_knowledge_is_enforced(self):
        self.table("net.csv", network())
        result = self.select("--target t --method fisherz --must noise --never a")
        self.assertIn("noise", result["blanket"])
        self.assertNotIn("a", result["blanket"])
        self.assertIn("--must", " ".join(result["remarks"]))
        self.refused("macmi select --data net.csv --target t --must nois", "--must", "did you mean 'noise'")
        self.refused("macmi select --data net.csv --target t --must a --never a", "--must", "--never")

    def test_no_children_finds_direct_causes_and_says_under_what_assumptions(self):
        columns = network()
        del columns["c"], columns["d"]
        self.table("net.csv", columns)
        text = self.shell("macmi select --data net.csv --target t --method fisherz --alpha 0.01 --no-children --quiet").stdout
        self.assertIn("Direct causes of t: 2 of 4", text)
        self.assertIn("faithfulness", text)
        self.assertEqual(self.select("--target t --method fisherz --alpha 0.01 --no-children")["blanket"], ["a", "b"])

    def test_max_tests_gives_a_partial_answer(self):
        self.table("net.csv", network())
        whole = self.select("--target t --method fisherz")
        part = self.select("--target t --method fisherz --max-tests 8")
        self.assertEqual((whole["partial"], part["partial"], part["tests"]), (False, True, 8))
        self.assertIn("partial", self.shell("macmi select --data net.csv --target t --method fisherz --max-tests 8").stdout)

    def test_missing_values_each_test_tells_its_samples(self):
        columns = network()
        columns["a"] = [None if i < 50 else v for i, v in enumerate(columns["a"])]
        columns["e"] = [None if 40 <= i < 140 else v for i, v in enumerate(columns["e"])]
        self.table("net.csv", columns)
        result = self.select("--target t --method fisherz --alpha 0.01")
        by_name = {f["name"]: f for f in result["features"]}
        self.assertEqual(by_name["a"]["marginal"]["n"], 350)
        self.assertEqual(by_name["e"]["marginal"]["n"], 300)
        self.assertEqual((by_name["e"]["separating_set"], by_name["e"]["n"]), (["a"], 260))
        self.assertEqual(by_name["noise"]["marginal"]["n"], 400)
        self.assertEqual(by_name["noise"]["n"], 350)  # given the members, a among them

    def test_categorical_target_is_measured_against_its_entropy(self):
        columns = network()
        columns["t"] = ["high" if t > 0 else "low" for t in columns["t"]]
        self.table("net.csv", columns)
        result = self.select("--target t --method fisherz")
        share = columns["t"].count("high") / 400
        entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
        self.assertAlmostEqual(result["target_type"]["entropy"], entropy, delta=1e-9)
        a = result["features"][0]
        self.assertAlmostEqual(a["marginal"]["share"], a["marginal"]["effect"] / entropy, delta=1e-9)

    def test_nothing_selected_shows_candidates_and_what_to_try(self):
        draw = random.Random(3)
        self.table("net.csv", {name: [draw.gauss(0, 1) for _ in range(60)] for name in ("u", "v", "y")})
        text = self.shell("macmi select --data net.csv --target y --method fisherz --alpha 1e-6 --quiet").stdout
        for part in ("0 of 2 features", "strongest candidates", "u:", "v:", "What could be tried"):
            self.assertIn(part, text)

    def test_forecast_and_remarks_go_to_standard_error_only(self):
        self.table("net.csv", network(60))
        done = self.shell("macmi select --data net.csv --target t --method fisherz --json")
        json.loads(done.stdout)
        self.assertIn("tests expected", done.stderr)
        self.assertNotIn("\r", done.stderr)  # no progress line where there is no terminal

    def test_explain_tells_why(self):
        self.table("net.csv", network())
        self.shell("macmi select --data net.csv --target t --method fisherz --alpha 0.01 --out run.json --quiet")
        self.assertIn("it is not shown to add anything about t beyond a", self.shell("macmi explain run.json e").stdout)
        self.assertIn("alone it is not shown to depend on t", self.shell("macmi explain run.json noise").stdout)
        self.assertIn("d is selected as a co-parent", self.shell("macmi explain run.json d").stdout)
        self.assertIn("Beyond all other selected features (a, c and d)", self.shell("macmi explain run.json b").stdout)
        self.refused("macmi explain run.json nois", "did you mean 'noise'")
        self.refused("macmi explain missing.json e", "missing.json")
        self.refused("macmi explain net.csv e", "net.csv")

    def test_few_samples_are_answered_with_a_warning(self):
        self.table("few.csv", network(12))
        done = self.shell("macmi select --data few.csv --target t")
        self.assertIn("few samples (12): only strong dependence can be seen\n", done.stderr)
        self.assertIn("too few samples for an effect", done.stdout)

    def test_bad_input_is_refused_and_nothing_is_written(self):
        self.table("net.csv", network(60))
        self.refused("macmi select --data net.csv --target tt", "tt")
        self.refused("macmi select --data net.csv", "--target")
        self.refused("macmi select net.csv --target t", "--data net.csv")
        self.refused("macmi select --data net.csv --target t --alpha 2", "--alpha")
        self.refused("macmi select --data net.csv --target t --maps mpl", "--maps")
        self.refused("macmi select --data net.csv --target t --method fisherz --quiet --out nowhere/run.json", "--out", "nowhere")
        self.table("few.csv", network(9))
        self.refused("macmi select --data few.csv --target t", "too few samples to test anything: 9", "at least 10")
        self.assertEqual(sorted(os.listdir(self.folder)), ["few.csv", "macmi", "net.csv"])


if __name__ == "__main__":
    main()
