"""macmi report and select --report, as files: what is in them, their size, their refusals. report_page_test.py opens them."""

import csv
import io
import json
import os
import re
from html import unescape

from program import ProgramTest, main
from report_data import HOSTILE, large, network


class Report(ProgramTest):
    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def table(self, name, columns):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
        self.write(name, text.getvalue())

    def data_of(self, page):
        return json.loads(
            re.search(r'<script type="application/json" id="data">(.*?)</script>', self.read(page), re.S)[1]
        )

    def test_the_same_page_at_once_and_later_from_file_and_folder(self):
        self.table("net.csv", network(["a", "b", "c", "d", "e", "noise", "t"]))
        self.shell("macmi select --data net.csv --target t --method fisherz --out run.json --report now.html --quiet")
        self.assertEqual(self.shell("macmi report run.json").stdout, "run.html\n")
        self.shell(
            "mkdir run && cp run.json run/result.json && macmi report run --out from_run.html && macmi report run"
        )
        for page in ("run.html", "from_run.html", "run/result.html"):
            self.assertEqual(self.read(page), self.read("now.html"))

    def test_nothing_is_loaded_from_elsewhere(self):
        self.write("large.json", json.dumps(large()))
        self.shell("macmi report large.json")
        page = re.sub(r"<!--.*?-->", "", self.read("large.html"), flags=re.S)
        self.assertIn("default-src 'none'", page)
        markup = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
        self.assertEqual(
            [a for a in re.findall(r'(?:src|href)="([^"]*)"', markup) if not a.startswith(("#", "data:"))], []
        )
        self.assertNotRegex(re.search(r"<style>(.*?)</style>", page, re.S)[1], r"url\(|@import")

    def test_fifty_features_and_two_thousand_tests_stay_below_900_kilobytes(self):
        self.write("large.json", json.dumps(large()))
        self.shell("macmi report large.json")
        size = os.path.getsize(os.path.join(self.folder, "large.html"))
        self.assertEqual(len(self.data_of("large.html")["log"]["rows"]), 2000)
        self.assertLess(size, 900_000)
        print(f"50 features, 2,000 tests, 12 maps: {size} bytes")

    def test_hostile_names_arrive_as_they_are(self):
        names = HOSTILE[:7] + ["plain", HOSTILE[7]]
        self.table("net.csv", network(names))
        self.shell(
            f"macmi select --data net.csv --target '{names[-1]}' --method fisherz --out run.json --report run.html --quiet"
        )
        page, data = self.read("run.html"), self.data_of("run.html")
        self.assertEqual(sorted(f["name"] for f in data["features"]), sorted(names[:-1]))
        self.assertEqual(page.count("<script"), 2)
        self.assertEqual(page.count("</script"), 2)
        heading = re.search(r'<h1 id="answer">(.*?)</h1>', page, re.S)[1]
        self.assertNotIn("<", heading)
        self.assertIn(names[0], unescape(heading))

    def test_the_sentences_are_those_of_explain(self):
        self.table("net.csv", network(["a", "b", "c", "d", "e", "noise", "t"]))
        self.shell(
            "macmi select --data net.csv --target t --permutations 128 --delta 1 --stability 4 --out run.json --report run.html --quiet"
        )
        for feature in self.data_of("run.html")["features"]:
            told = self.shell(f"macmi explain run.json {feature['name']}").stdout
            self.assertEqual("".join(line + "\n" for line in feature["lines"]), told)
            self.assertIn("In searches on random halves of the samples it was selected in", told)

    def test_the_null_is_kept_and_the_command_repeats_the_result(self):
        self.table("net data.csv", network(["a", "b", "c", "d", "e", "it's", "t"]))
        self.shell(
            "macmi select --data 'net data.csv' --target t --permutations 128 --stop never --no-correlation --delta 1 --never \"it's\" --out run.json --report run.html --quiet --threads 1"
        )
        result = json.loads(self.read("run.json"))
        nulls = [feature["null_histogram"] for feature in result["features"] if "null_histogram" in feature]
        self.assertGreaterEqual(len(nulls), 1)
        for null in nulls:
            self.assertEqual(sum(map(int, null["counts"].split())), 128)
        command = self.data_of("run.html")["timing"]["command"]
        again = json.loads(self.shell(command + " --json --quiet").stdout)
        self.assertEqual(again["timing"]["command"], command)
        result.pop("timing"), again.pop("timing")
        self.assertEqual(again, result)

    def test_every_test_is_listed(self):
        self.table("net.csv", network(["a", "b", "c", "d", "e", "noise", "t"]))
        result = json.loads(self.shell("macmi select --data net.csv --target t --method fisherz --json --quiet").stdout)
        log = result["test_log"]
        self.assertEqual(len(log), result["tests"])
        self.assertEqual([row["stage"] for row in log[:6]], ["marginal screen"] * 6)
        self.assertEqual(len({(row["name"], tuple(row["given"])) for row in log}), len(log))
        for row in log:
            self.assertEqual(row["dependent"], row["p_value"] <= 0.05)
        for feature in result["features"]:
            self.assertIn(
                (feature["name"], feature["given"], feature["p_value"]),
                [(r["name"], r["given"], r["p_value"]) for r in log],
            )

    def test_stability_is_the_same_for_any_threads_and_order_of_columns(self):
        columns = network(["a", "b", "c", "d", "e", "noise", "t"], n=160)
        self.table("net.csv", columns)
        self.table("turned.csv", dict(reversed(columns.items())))
        results = []
        for data, threads in (("net.csv", 1), ("net.csv", 3), ("turned.csv", 2)):
            result = json.loads(
                self.shell(
                    f"macmi select --data {data} --target t --permutations 64 --delta 1 --stability 5 --stability-share 0.6 --threads {threads} --json --quiet"
                ).stdout
            )
            result.pop("timing"), result.pop("data_options")
            results.append(result)
        self.assertEqual(results[1], results[0])
        self.assertEqual(results[2], results[0])
        self.assertEqual(results[0]["stability"], {"subsamples": 5, "share": 0.6, "light": False})
        self.assertIn(
            " of 5", self.shell("macmi select --data net.csv --target t --method fisherz --stability 5 --quiet").stdout
        )

    def test_bad_input_is_refused_and_nothing_is_written(self):
        self.table("net.csv", network(["a", "b", "c", "d", "e", "noise", "t"], n=60))
        self.write("other.json", "{}")
        self.shell("mkdir empty && macmi select --data net.csv --target t --method fisherz --run none --out run.json --quiet")
        self.refused("macmi report missing.json", "missing.json")
        self.refused("macmi report other.json", "other.json")
        self.refused("macmi report empty", "not the directory of a run")
        self.refused("macmi report run.json --out nowhere/page.html", "--out", "nowhere")
        self.refused(
            "macmi select --data net.csv --target t --method fisherz --quiet --report nowhere/page.html",
            "--report",
            "nowhere",
        )
        self.refused("macmi select --data net.csv --target t --stability 3 --stability-share 0.1", "--stability")
        self.assertEqual(sorted(os.listdir(self.folder)), ["empty", "macmi", "net.csv", "other.json", "run.json"])


if __name__ == "__main__":
    main()
