"""macmi prepare: every row of the result against the raw files, read here by Python alone."""
import csv
import datetime
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, MACMI = sys.argv[1], sys.argv[2]
DATA = os.environ.get("MACMI_DATA")
# The features of the paper's supplement that the raw files used here can give, with their source.
NAMES = {"temperature_raw": "smart_194_raw", "reallocated_sectors_raw": "smart_5_raw", "load_cycles_raw": "smart_193_raw",
         "command_timeouts_raw": "smart_188_raw", "current_pending_sectors_raw": "smart_197_raw",
         "reported_uncorrectable_errors_raw": "smart_187_raw", "power_on_hours_raw": "smart_9_raw",
         "logical_blocks_written": "smart_241_raw", "logical_blocks_read": "smart_242_raw"}


def open_text(path):
    return gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")


def day_of(text):
    return datetime.date(*map(int, text.replace("/", "-").split("-")))


def raw_rows(paths):
    """(serial, day) -> the first row with a SMART value, else the first row."""
    rows = {}
    for path in paths:
        with open_text(path) as file:
            for row in csv.DictReader(file):
                key = (row["serial_number"], day_of(row["date"]))
                filled = any(v for k, v in row.items() if k.startswith("smart_"))
                if key not in rows or (filled and not rows[key][0]):
                    rows[key] = (filled, row)
    return {key: row for key, (_, row) in rows.items()}


class PrepareCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", newline="") as file:
            file.write(text)
        return self.path(name)

    def run_macmi(self, *words):
        return subprocess.run([MACMI, *words], capture_output=True, text=True, cwd=self.directory.name)

    def prepare(self, inputs, *words, out="out.csv"):
        done = self.run_macmi("prepare", "backblaze", "--input", inputs, "--out", self.path(out), "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open_text(self.path(out)) as file:
            return json.loads(done.stdout), list(csv.DictReader(file))

    def refused(self, inputs, *words, says):
        before = sorted(os.listdir(self.directory.name))
        done = self.run_macmi("prepare", "backblaze", "--input", inputs, "--out", self.path("out.csv"), *words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory.name)), before, "nothing is left behind")

    def expect_same_values(self, row, raw, names=None):
        for name, column in (names or NAMES).items():
            expected = raw.get(column, "")
            self.assertEqual(row[name] == "", expected == "", (row, name))
            if expected:
                self.assertEqual(float(row[name]), float(expected), (row, name))


FIELDS = ["date", "serial_number", "model", "capacity_bytes", "failure", "smart_5_raw", "smart_7_raw", "smart_9_raw", "smart_194_raw"]


def daily_file(day, drives, fields=FIELDS):
    lines = [",".join(fields)]
    for row in drives:
        lines.append(",".join(str({"date": day, "model": "M1", "capacity_bytes": 4, "failure": 0, **row}.get(f, "")) for f in fields))
    return "\n".join(lines) + "\n"


def values(serial, day, **more):
    return {"serial_number": serial, "smart_5_raw": 10 * day, "smart_7_raw": (day << 32) + 1000 + day, "smart_9_raw": 100 + 24 * day,
            "smart_194_raw": 20 + day, **more}


class Oddities(PrepareCase):
    """Five days of five drives; what is odd about them is in each test."""

    def fleet(self, change=lambda day, drives: drives, fields=lambda day: FIELDS, date=lambda day: f"2018-03-0{day}"):
        for day in range(1, 6):
            drives = [values(serial, day) for serial in ("F1", "H1", "H2", "H3")]
            if day == 4:
                drives[0]["failure"] = 1
            if day == 5:
                drives = drives[1:]
            drives.append(values("OTHER", day, model="M2"))
            self.write(f"day{day}.csv", daily_file(date(day), change(day, drives), fields(day)))
        return self.path("day*.csv")

    def test_windows_end_where_failures_end(self):
        report, rows = self.prepare(self.fleet(), "--model", "M1", "--window", "3", "--ratio", "0")
        self.assertEqual((report["failures"], report["failed"], report["healthy"], report["rows"], report["drives"]), (1, 1, 3, 19, 4))
        self.assertEqual({(r["serial_number"], r["date"]) for r in rows},
                         {(s, f"2018-03-0{d}") for s in ("F1", "H1", "H2", "H3") for d in (2, 3, 4)})
        for r in rows:
            day = int(r["date"][-1])
            self.assertEqual(r["failure"], "1" if r["serial_number"] == "F1" else "0")
            self.assertEqual(float(r["seek_errors"]), day)  # the top 16 of 48 bits
            self.assertEqual(float(r["seek_count"]), 1000 + day)  # the low 32
            self.assertEqual(float(r["reallocated_sectors_raw"]), 10 * day)
        self.assertIn("crc_errors", report["absent"])
        self.assertNotIn("crc_errors", rows[0])

    def test_lead_and_ratio(self):
        report, rows = self.prepare(self.fleet(), "--model", "M1", "--window", "2", "--lead", "1", "--ratio", "2")
        self.assertEqual((report["failed"], report["healthy"]), (1, 2))
        self.assertEqual({r["date"] for r in rows}, {"2018-03-02", "2018-03-03"})
        again = self.prepare(self.fleet(), "--model", "M1", "--window", "2", "--lead", "1", "--ratio", "2")[1]
        self.assertEqual(rows, again)
        # A healthy drive must be seen `lead` days after its window: nobody knows about one that is gone.
        gone = self.fleet(change=lambda day, drives: [d for d in drives if d["serial_number"] != "H1" or day < 4])
        self.assertEqual({r["serial_number"] for r in self.prepare(gone, "--model", "M1", "--window", "2", "--lead", "1", "--ratio", "0")[1]},
                         {"F1", "H2", "H3"})

    def test_dates_with_slashes(self):
        plain = self.prepare(self.fleet(), "--model", "M1", "--window", "3", "--ratio", "0")[1]
        slashed = self.prepare(self.fleet(date=lambda day: f"2018/3/{day}"), "--model", "M1", "--window", "3", "--ratio", "0")[1]
        self.assertEqual(plain, slashed)
        self.refused(self.fleet(date=lambda day: "yesterday" if day == 3 else f"2018-03-0{day}"), "--model", "M1", "--window", "2",
                     says=["day3.csv", "date"])

    def test_columns_that_come_and_go(self):
        without = [f for f in FIELDS if f != "smart_5_raw"]
        report, rows = self.prepare(self.fleet(fields=lambda day: without if day == 3 else FIELDS[::-1]), "--model", "M1", "--window", "3", "--ratio", "0")
        for r in rows:
            self.assertEqual(r["reallocated_sectors_raw"], "" if r["date"] == "2018-03-03" else f"{10 * int(r['date'][-1])}.0")
            self.assertEqual(float(r["temperature_raw"]), 20 + int(r["date"][-1]))
        self.assertTrue(any("reallocated_sectors_raw" in note and "4 of 5 files" in note for note in report["notes"]))

    def test_blank_rows_and_gaps(self):
        def blank(day, drives):
            empty = {f: "" for f in FIELDS if f.startswith("smart_")}
            drives = [{**d, **empty} if d["serial_number"] == "H1" and day == 3 else d for d in drives]
            return [d for d in drives if d["serial_number"] != "H2" or day != 2]
        report, rows = self.prepare(self.fleet(blank), "--model", "M1", "--window", "3", "--ratio", "0")
        self.assertEqual({r["serial_number"] for r in rows}, {"F1", "H3"})
        self.assertEqual(report["blank"], 1)
        rows = self.prepare(self.fleet(blank), "--model", "M1", "--window", "3", "--ratio", "0", "--gaps", "1")[1]
        table = {(r["serial_number"], r["date"]): r for r in rows}
        self.assertEqual(len(table), 12)  # every window has all its days
        for gap in (("H1", "2018-03-03"), ("H2", "2018-03-02")):
            self.assertEqual({v for k, v in table[gap].items() if k not in ("serial_number", "date", "failure")}, {""})
        read = self.run_macmi("inspect", "--data", self.path("out.csv"), "--id", "serial_number", "--time", "date", "--target", "failure", "--json")
        self.assertEqual(read.returncode, 0, read.stderr)
        self.assertEqual(json.loads(read.stdout)["samples"], 4)

    def test_duplicates(self):
        def twice(day, drives):
            empty = {"serial_number": "H1"}
            return ([empty] if day == 3 else []) + drives + [values("H1", day, smart_5_raw=77)]
        report, rows = self.prepare(self.fleet(twice), "--model", "M1", "--window", "3", "--ratio", "0")
        self.assertEqual(report["duplicates"], 6)
        self.assertEqual(len(rows), 12)
        for r in rows:
            self.assertEqual(float(r["reallocated_sectors_raw"]), 10 * int(r["date"][-1]))  # the first with values

    def test_rounded_numbers_are_told(self):
        def large(day, drives):
            return [{**d, "smart_5_raw": 123456 * 10**6 if day == 2 else 123456789012} for d in drives]
        report, _ = self.prepare(self.fleet(large), "--model", "M1", "--window", "2")
        notes = [n for n in report["notes"] if "rounded" in n]
        self.assertEqual(len(notes), 1)
        self.assertIn("day2.csv", notes[0])
        self.assertIn("smart_5_raw", notes[0])

    def test_columns_that_shifted_are_refused(self):
        self.refused(self.fleet(lambda day, drives: [{**d, "smart_194_raw": 0} for d in drives] if day == 3 else drives), "--model", "M1", "--window", "2",
                     says=["day3.csv", "smart_194_raw", "2018-03-03", "header does not fit"])
        self.refused(self.fleet(lambda day, drives: [{**d, "smart_9_raw": 211712819} for d in drives] if day == 3 else drives), "--model", "M1",
                     "--window", "2", says=["day3.csv", "smart_9_raw", "header does not fit"])

    def test_what_cannot_be_done_is_said(self):
        files = self.fleet()
        self.refused(files, "--model", "ST4000", says=["--model ST4000", "M1"])
        self.refused(files, "--model", "M2", says=["M2", "fails"])
        self.refused(files, "--model", "M1", "--window", "30", says=["--window", "--gaps"])
        self.refused(self.write("table.csv", "a,b\n1,2\n"), says=["table.csv", "date"])
        self.refused(self.write("word.csv", daily_file("2018-01-01", [values("F", 1, smart_5_raw="many", failure=1)])), "--model", "M1", says=["word.csv", "many"])
        self.refused(self.path("nothing*.csv"), says=["nothing"])

    def test_any_order_of_files_and_parquet(self):
        files = self.fleet()
        forward = self.prepare(files, "--model", "M1", "--window", "3", "--ratio", "1")[1]
        names = [self.path(f"day{d}.csv") for d in (4, 1, 5, 3, 2)]
        self.assertEqual(forward, self.prepare(",".join(names), "--model", "M1", "--window", "3", "--ratio", "1", "--threads", "1")[1])
        done = self.run_macmi("prepare", "backblaze", "--input", files, "--model", "M1", "--window", "3", "--out", self.path("w.parquet"), "--quiet")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        read = self.run_macmi("inspect", "--data", self.path("w.parquet"), "--id", "serial_number", "--time", "date", "--target", "failure", "--json")
        self.assertEqual(read.returncode, 0, read.stderr)
        self.assertEqual(json.loads(read.stdout)["samples"], 4)


@unittest.skipUnless(DATA, "skipped: MACMI_DATA not set")
class GenuineFiles(PrepareCase):
    def test_three_raw_days(self):
        days = sorted(glob.glob(os.path.join(DATA, "backblaze/raw_day_*.csv.gz")))
        report, rows = self.prepare(",".join(days), "--window", "2", "--ratio", "0")
        raw = raw_rows(days)
        second, first = datetime.date(2018, 1, 2), datetime.date(2018, 1, 1)
        failed = {s for (s, d), r in raw.items() if r["failure"] == "1"}
        both = {s for s, d in raw if d == second and (s, first) in raw}
        # The only window of two days ends on 2018-01-02; drives that fail later are healthy nowhere, as they fail.
        expected = {(s, d) for s in both for d in (first, second) if s not in failed or raw[s, second]["failure"] == "1"}
        self.assertEqual({(r["serial_number"], day_of(r["date"])) for r in rows}, expected)
        self.assertEqual(len(rows), len(expected))
        for r in rows:
            self.assertEqual(r["failure"] == "1", r["serial_number"] in failed)
            self.expect_same_values(r, raw[r["serial_number"], day_of(r["date"])])
        self.assertEqual(set(report["features"]), set(NAMES))
        self.assertEqual(len(report["features"]) + len(report["absent"]), 36)
        self.assertEqual([n for n in report["notes"] if "2018-01-01" in n and "smart_242_raw" in n and "rounded" in n][:1],
                         [n for n in report["notes"] if "rounded" in n])

    def test_files_of_many_years(self):
        for name in ("failures_rows_2020_Q2", "failures_rows_2020_Q3", "failures_rows_2021_Q3", "failures_rows_2022_Q1",
                     "failures_rows_2023_Q4", "failures_rows_2025_Q1", "failures_rows_2025_Q2"):
            with self.subTest(name=name):
                path = os.path.join(DATA, "backblaze/formats", name + ".csv.gz")
                model = "ST8000NM0055" if "2025" in name else "ST4000DM000"  # the older ones are gone by then
                report, rows = self.prepare(path, "--window", "1", "--model", model)
                raw = {k: r for k, r in raw_rows([path]).items() if r["model"] == model}
                self.assertEqual(report["failures"], len(raw))
                filled = {k for k, r in raw.items() if any(v for c, v in r.items() if c.startswith("smart_"))}
                self.assertEqual({(r["serial_number"], day_of(r["date"])) for r in rows}, filled)
                if model == "ST4000DM000":
                    self.assertEqual(report["absent"], [])  # all 36
                for r in rows:
                    source = raw[r["serial_number"], day_of(r["date"])]
                    self.expect_same_values(r, source)
                    self.expect_same_values(r, source, {"crc_errors": "smart_199_normalized", "power_off_retracts": "smart_192_raw",
                                                        "read_error_rate_normalized": "smart_1_normalized"})
                    if source["smart_7_raw"]:
                        seeks = int(float(source["smart_7_raw"]))
                        self.assertEqual((float(r["seek_errors"]), float(r["seek_count"])), (seeks // 2**32, seeks % 2**32))

    def test_2013(self):
        path = os.path.join(DATA, "backblaze/formats/2013-04-10.csv.gz")
        with open_text(path) as file:
            failing = [row for row in csv.DictReader(file) if row["failure"] == "1"]
        report, rows = self.prepare(path, "--window", "1", "--ratio", "5", "--model", failing[0]["model"], "--attributes", "all")
        self.assertEqual((report["failed"], report["healthy"], len(rows)), (1, 5, 6))
        raw = raw_rows([path])
        for r in rows:
            for name in report["features"]:
                if name.startswith("smart_"):
                    self.assertEqual(float(r[name] or "nan") == float(raw[r["serial_number"], datetime.date(2013, 4, 10)][name] or "nan"), r[name] != "")

    def test_histories_with_a_lead(self):
        path = os.path.join(DATA, "backblaze/formats/2024_Q1_ST12000NM0008_failed_drives_daily.csv.gz")
        report, rows = self.prepare(path, "--model", "ST12000NM0008", "--window", "30", "--lead", "7")
        raw = raw_rows([path])
        days, fails = {}, {}
        for (serial, day), row in raw.items():
            if any(v for c, v in row.items() if c.startswith("smart_")):
                days.setdefault(serial, set()).add(day)
            if float(row["failure"] or 0):
                fails[serial] = day
        one = datetime.timedelta(1)
        expected = {(s, fail - d * one) for s, fail in fails.items() for d in range(7, 37)
                    if all(fail - e * one in days[s] for e in range(7, 37))}
        self.assertEqual({(r["serial_number"], day_of(r["date"])) for r in rows}, expected)
        self.assertEqual(report["failed"], len(expected) // 30)
        for r in rows:
            self.expect_same_values(r, raw[r["serial_number"], day_of(r["date"])],
                                    {"power_on_hours_raw": "smart_9_raw", "logical_blocks_read": "smart_242_raw"})

    def test_misaligned_header_is_refused(self):
        self.refused(os.path.join(DATA, "backblaze/formats/2018_ST4000DM000_failures_MISALIGNED_header.csv.gz"), "--window", "1",
                     says=["2018-04-01", "smart_194_raw", "header does not fit"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
