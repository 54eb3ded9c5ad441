"""Data as the user gives it to the program: what is understood, and what is refused with which words."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, MACMI = sys.argv[1], sys.argv[2]


class DataCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode, **({} if mode == "wb" else {"encoding": "utf-8", "newline": ""})) as file:
            file.write(content)
        return self.path(name)

    def run_macmi(self, *words):
        return subprocess.run([MACMI, *words], capture_output=True, text=True, cwd=self.directory.name)

    def inspect(self, *words):
        done = self.run_macmi("inspect", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *words, says):
        """Exit code 2, the message names every one of `says`, nothing on standard output, no file left."""
        before = sorted(os.listdir(self.directory.name))
        verb = () if words[0] in ("estimate",) else ("inspect",)
        done = self.run_macmi(*verb, *words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)
        self.assertNotIn("internal", done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory.name)), before)


GOOD = "temperature,load,y\n" + "".join(f"{i}.5,{i * i % 7},{i % 5}.25\n" for i in range(30))


class BadInput(DataCase):
    def test_files(self):
        self.write("good.csv", GOOD)
        self.refused("--data", self.path("god.csv"), says=["god.csv: no such file", "did you mean", "good.csv"])
        self.refused("--data", self.path("*.parquet"), says="no file matches")
        self.refused("--data", self.write("empty.csv", ""), says="empty.csv is empty")
        self.refused("--data", self.write("header.csv", "a,b\n"), says="a header and no rows")
        self.refused("--data", self.directory.name, says=["is a directory", "*.csv"])
        self.refused("--data", self.write("x.parquet", "a,b\n1,2\n"), says="named like a Parquet file but is none")
        self.refused("--data", self.write("cut.parquet", b"PAR1 cut off"), says="cut.parquet")
        self.refused("--data", self.write("cut.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr'"), says="the header is cut off")
        self.refused("--data", self.write("bad.npz", b"PK\x03\x04 nothing more"), says="bad.npz")
        self.refused("--data", self.write("bin.csv", b"a,b\n1,\x00\x01\n"), says="binary bytes")
        self.refused("--data", self.write("utf16.csv", "a,b\n1,2\n".encode("utf-16")), says=["UTF-16", "iconv"])
        self.refused("--data", self.write("latin.csv", "a,b\nx,é\n".encode("latin-1")), says=["line 2", "UTF-8"])
        self.refused("--data", self.write("bad.jsonl", '{"a": 1}\n{"a": \n'), says="bad.jsonl")
        self.refused("--data", self.write("bad.csv.gz", b"\x1f\x8b\x08 not gzip"), says="bad.csv.gz")
        self.refused(says="give --data", *["--seed", "1"])
        with open(os.path.join(SOURCE, "LICENSE"), "rb") as file:
            text = file.read()
        self.write("license.zip.csv", b"PK\x03\x04" + text)
        self.refused("--data", self.path("license.zip.csv"), says="license.zip.csv")

    def test_unreadable_file(self):
        path = self.write("secret.csv", GOOD)
        os.chmod(path, 0)
        if os.access(path, os.R_OK):
            self.skipTest("skipped: this user may read every file")
        self.refused("--data", path, says=["secret.csv", "cannot be read"])

    def test_unknown_column(self):
        path = self.write("d.csv", GOOD)
        self.refused("--data", path, "--target", "tempratur", says=["no column 'tempratur'", "did you mean 'temperature'?"])
        self.refused("--data", path, "--features", "laod", says=["no feature 'laod'", "did you mean 'load'?"])
        self.refused("--data", path, "--exclude", "zzz*", says="no feature 'zzz*'")
        self.refused("--data", path, "--type", "lod=categorical", says=["no column 'lod'", "did you mean 'load'?"])
        self.refused("--data", path, "--type", "load=fancy", says=["COLUMN=continuous", "load=fancy"])
        self.refused("--data", path, "--id", "unit", "--time", "y", says=["--id", "no column 'unit'"])
        self.refused("--data", path, "--id", "load", says="--id needs --time")
        self.refused("--data", path, "--window", "3", says="--window needs --id and --time")
        self.refused("--data", path, "--missing", "drop", says=["--missing", "pairwise"])

    def test_ragged_rows(self):
        self.refused("--data", self.write("r.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n"), says=["r.csv, line 3 has 2 fields where the header has 3"])
        self.refused("--data", self.write("w.csv", "a,b\n1,2\n3,4,5\n"), says=["line 3 has 3 fields where the header has 2"])
        self.refused("--data", self.write("q.csv", 'a,b\n1,2\n"3,4\n'), says=["line 3", "never closed"])
        # Also where only other columns are wanted, and far behind the part that is looked at first.
        long = "a,b,c\n" + "1.5,2,3\n" * 200000 + "4,5\n"
        self.refused("--data", self.write("long.csv", long), "--features", "a", says="line 200002")

    def test_text_where_numbers_are_needed(self):
        rows = "".join(f"{i},{i}.5\n" for i in range(30))
        self.refused("--data", self.write("t.csv", "a,y\n" + rows + "oops,1\n"), says=["column 'a'", "'oops'", "--type 'a=categorical'"])
        late = "a,y\n" + "1.25,2\n" * 200000 + "oops,1\n"
        self.refused("--data", self.write("late.csv", late), says=["late.csv, line 200002", "column 'a'", "'oops'"])
        self.refused("--data", self.write("w.csv", "a,y\nred,1\nblue,2\n"), "--type", "a=continuous", says=["column 'a'", "'red'"])
        self.refused("--data", self.write("two.csv", "a,u,v\n1,x,2\n2,z,3\n"), "--target", "u,v", says=["'u'", "must be numbers"])

    def test_target_without_information(self):
        self.refused("--data", self.write("c.csv", "a,y\n1,3\n2,3\n5,3\n"), "--target", "y", says=["'y'", "same value in every sample"])
        self.refused("--data", self.write("m.csv", "a,y\n1,\n2,NA\n"), "--target", "y", says=["'y'", "missing in every sample"])
        self.refused("--data", self.write("n.csv", "a,y\n1,2.5\n2,nan\n3,1.5\n"), "--target", "y", says=["'y' is NaN in sample 2"])
        self.refused("--data", self.write("i.csv", "a,y\n1,2.5\n2,1\n3,-inf\n"), "--target", "y", says=["'y' is infinite in sample 3"])

    def test_too_few_samples(self):
        self.refused("estimate", "--data", self.write("f.csv", "a,y\n1,2\n2,3\n4,1\n"), "--x", "a", "--y", "y", "--k", "5", says=["k = 5", "there are 3"])

    def test_group(self):
        path = self.write("g.csv", GOOD)
        self.refused("--data", path, "--group", "^(x\\d+)_", says=["--group", "matches no column", "'temperature'"])
        self.refused("--data", path, "--group", "^temp", says=["no capture group"])
        self.refused("--data", path, "--group", "(", says=["not a regular expression"])
        self.refused("--data", self.write("h.csv", "x,x_1,x_2,y\n1,2,3,4\n2,3,4,5\n"), "--group", "^(x)_", says=["'x' is a column and also"])

    def test_duplicated_names(self):
        self.refused("--data", self.write("d.csv", "a,b,a\n1,2,3\n"), says=["two columns are named 'a' (columns 1 and 3)"])
        self.refused("--query", "SELECT 1 AS a, 2 AS a", says=["two columns named 'a'"])

    def test_long_format(self):
        head = "unit,day,x,y\nu,2018-01-01,1,0\nu,2018-01-02,2,0\nv,2018-01-01,3,0\n"
        words = ("--id", "unit", "--time", "day", "--target", "y")
        self.refused("--data", self.write("a.csv", head + "v,2018-01-01,3,1\n"), *words, says=["unit 'v' has two rows at day 2018-01-01", "rows 3 and 4"])
        self.refused("--data", self.write("b.csv", head + "v,2018-01-02 12:00:00,3,1\n"), *words, says=["irregular", "unit 'v'"])
        self.refused("--data", self.write("c.csv", head), *words, says=["1 to 2 time steps", "--window"])
        self.refused("--data", self.path("c.csv"), *words, "--window", "9", says=["longer than every unit's series"])

    def test_files_that_do_not_fit_together(self):
        self.write("p1.csv", "a,b\n1,2\n")
        self.write("p2.csv", "a,c\n1,2\n")
        self.refused("--data", self.path("p*.csv"), says=["p2.csv has no column 'b'", "--query"])

    def test_query(self):
        path = self.write("q.csv", GOOD)
        self.refused("--data", path, "--query", "SELEC * FROM data", says="--query")
        self.refused("--data", path, "--query", "SELECT nope FROM data", says=["--query", "nope"])
        self.refused("--data", path, "--query", "SELECT * FROM 'https://localhost/x.csv'", says="--query")


HOSTILE = ["a,b", 'say "hi"', " spaces ", "größe µ 温度", "<script>alert(1)</script>", "semi;colon", "tab\there", "line\nbreak", "'quote'",
           "*", "x[0]", "$(rm)", "a", "A", "%s{}", "-dash", "select"]


class HostileNames(DataCase):
    def setUp(self):
        super().setUp()
        quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
        self.quoted = quoted
        rows = "".join(",".join(str((i * (c + 2)) % 23 + 0.5) for c in range(len(HOSTILE))) + "\n" for i in range(20))
        self.csv = self.write("weird [1] *.csv", ",".join(quoted) + "\n" + rows)

    def test_every_name_is_read_as_it_is(self):
        self.assertEqual([f["name"] for f in self.inspect("--data", self.csv)["features"]], HOSTILE)

    def test_every_name_can_be_said(self):
        for name, quoted in zip(HOSTILE, self.quoted):
            seen = self.inspect("--data", self.csv, "--target=" + quoted)
            self.assertEqual(seen["target"]["name"], name)
            self.assertNotIn(name, [f["name"] for f in seen["features"]])
        seen = self.inspect("--data", self.csv, "--features", ",".join(q for q in self.quoted if q != '"*"'))
        self.assertEqual([f["name"] for f in seen["features"]], [name for name in HOSTILE if name != "*"])

    def test_a_forgotten_quote_is_explained(self):
        self.refused("--data", self.csv, "--target", "a,b", says="no column 'b'")
        self.refused("--data", self.csv, "--target", "semi,A", says="no column 'semi'")
        self.refused("--data", self.write("c.csv", '"p,q",y\n1,2\n3,4\n'), "--target", "p,q", says=["goes in double quotes", '\'"p,q"\''])

    def test_names_survive_sql(self):
        names = [name for name in HOSTILE if name != "A"]  # SQL does not tell a from A
        select = ", ".join(f'{i} + r AS "{name.replace(chr(34), chr(34) * 2)}"' for i, name in enumerate(names))
        seen = self.inspect("--query", f"SELECT {select} FROM range(5) t(r)")
        self.assertEqual([f["name"] for f in seen["features"]], names)

    def test_estimate_takes_them(self):
        done = self.run_macmi("estimate", "--data", self.csv, "--x", '"a,b"', "--y", '"say ""hi"""', "--json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_config_file_takes_them(self):
        config = self.write("run.toml", 'target = "größe µ 温度"\nexclude = ["<script>*", "A"]\n')
        seen = self.inspect("--data", self.csv, "--config", config)
        self.assertEqual(seen["target"]["name"], "größe µ 温度")
        self.assertEqual(len(seen["features"]), len(HOSTILE) - 3)


class Understood(DataCase):
    def test_health_reaches_the_user(self):
        rows = "".join(f"{i}.5,{i}.5,7,{'' if i == 3 else i * 3 % 17}.5,{i % 2}\n" for i in range(40))
        rows = rows.replace(",.5,", ",,")
        path = self.write("h.csv", "a,b,k,m,y\n" + rows)
        health = self.inspect("--data", path, "--target", "y")["health"]
        self.assertEqual(health["constant"], ["k"])
        self.assertEqual(health["duplicates"], [["a", "b"]])
        self.assertEqual(health["missing"], [{"name": "m", "count": 1}])
        self.assertEqual(health["classes"], [{"name": "0", "count": 20}, {"name": "1", "count": 20}])
        text = self.run_macmi("inspect", "--data", path, "--target", "y").stdout
        for part in ("exact duplicates: a, b", "missing values: m (1)", "constant columns, which tell nothing: k", "0 (20, 50.0%)"):
            self.assertIn(part, text)

    def test_simulated_groups(self):
        path = self.path("rings.csv")
        self.assertEqual(self.run_macmi("simulate", "bullseye3d", "--n", "50", "--out", path).returncode, 0)
        seen = self.inspect("--data", path, "--target", "y", "--group", "^(x\\d+)_")
        self.assertEqual([(f["name"], f["channels"]) for f in seen["features"]], [(f"x{i}", 3) for i in range(1, 7)])

    def test_rows_are_drawn_with_the_seed(self):
        path = self.write("d.csv", GOOD)
        prints = {self.inspect("--data", path, "--rows", "10", "--seed", str(s))["fingerprint"] for s in (1, 1, 2)}
        self.assertEqual(len(prints), 2)

    def test_help_does_not_load_duckdb(self):
        environment = dict(os.environ, MACMI_DUCKDB="/nonexistent/libduckdb.so")
        self.assertEqual(subprocess.run([MACMI, "--help"], env=environment, capture_output=True).returncode, 0)
        failed = subprocess.run([MACMI, "inspect", "--data", self.write("d.csv", GOOD)], env=environment, capture_output=True, text=True)
        self.assertEqual(failed.returncode, 2)
        self.assertIn("set MACMI_DUCKDB", failed.stderr)
        self.assertIn("pip install", failed.stderr)

    def test_gzip_by_content(self):
        path = self.path("named_wrong.csv")
        with gzip.open(path, "wt") as file:
            file.write(GOOD)
        self.assertEqual(self.inspect("--data", path)["samples"], 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
