"""Runs that survive: killed, interrupted, on a full or damaged disk, and used again with other options."""
import json
import os
import pty
import random
import re
import resource
import signal
import sqlite3
import subprocess
import time

from program import MACMI, ProgramTest, main

# Without light searches, which take as long as all the rest, but where a test is about them.
DEFAULTS = {"--permutations": "200", "--delta": "2", "--threads": "2", "--stability": "0"}
LIGHT = ("--stability", "auto")


def select_words(*words):
    defaults = [word for name, value in DEFAULTS.items() if name not in words for word in (name, value)]
    return ["select", "--data", "net.csv", "--target", "t", *defaults, *words]


def network(n, seed=1):
    """a → t ← b, t → c ← d, a → e, and noise: every stage of the search has tests to make."""
    draw = random.Random(seed)
    lines = ["a,b,c,d,e,noise,t"]
    for _ in range(n):
        a, b, d, noise = (draw.gauss(0, 1) for _ in range(4))
        t = a + b + draw.gauss(0, 0.6)
        row = (a, b, t + d + draw.gauss(0, 0.6), d, a + draw.gauss(0, 0.5), noise, t)
        lines.append(",".join(map(repr, row)))
    return "\n".join(lines) + "\n"


class Runs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("net.csv", network(100))

    def start(self, *words, **options):
        return subprocess.Popen([MACMI, *select_words(*words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **options)

    def select(self, *words, expect=0, **options):
        process = self.start("--json", *words, **options)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, expect, err)
        return (json.loads(out) if expect == 0 else None), err

    def result(self, *words, **options):
        """The result without what differs from run to run, and the counts of tests."""
        found, _ = self.select("--quiet", *words, **options)
        timing = found.pop("timing")
        return found, timing

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def journal(self, run, sql):
        with sqlite3.connect(self.path(run, "journal.sqlite")) as database:
            rows = database.execute(sql).fetchall()
        database.close()
        return rows

    def stored(self, run):
        return self.journal(run, "SELECT count(*) FROM tests")[0][0]

    def wait_for_run(self, process, run):
        while not os.path.exists(self.path(run, "journal.sqlite")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        time.sleep(0.1)

    # Killed

    def test_killed_at_twenty_random_moments_it_ends_with_the_same_bits(self):
        start = time.monotonic()
        expected, timing = self.result("--run", "none", *LIGHT)
        whole = time.monotonic() - start
        draw = random.Random(20)
        used_again = 0
        for run in range(5):
            seen = 0
            for _ in range(4):
                process = self.start("--quiet", "--run", f"run{run}", *LIGHT)
                time.sleep(draw.uniform(0, whole))
                process.kill()
                process.communicate()
                if os.path.exists(self.path(f"run{run}", "journal.sqlite")):
                    self.shell(f"macmi runs run{run}")  # whatever the moment, it can be looked at
            found, timing = self.result("--run", f"run{run}", *LIGHT)
            self.assertEqual(found, expected)
            with open(self.path(f"run{run}", "result.json"), encoding="utf-8") as file:
                kept = json.load(file)
            kept.pop("timing")
            self.assertEqual(kept, expected)
            used_again += timing["tests_reused"]
            # Kept once as the search made it, and perhaps once more with all permutations, by the second pass.
            kept = self.journal(f"run{run}", "SELECT feature, given FROM tests")
            self.assertLessEqual(max(kept.count(test) for test in kept), 2)
        self.assertGreater(used_again, 0)

    def test_searches_on_subsamples_are_kept(self):
        expected, _ = self.result("--run", "none", "--stability", "5")
        found, _ = self.result("--run", "run", "--stability", "5")
        self.assertEqual(found, expected)
        kept = "SELECT name, value FROM facts WHERE name LIKE '% subsample _' ORDER BY name"
        first = self.journal("run", kept)
        self.assertEqual(len(first), 5)
        self.journal("run", "DELETE FROM facts WHERE name LIKE '% subsample 3'")
        again, _ = self.result("--run", "run", "--stability", "5")
        self.assertEqual(again, expected)
        self.assertEqual(self.journal("run", kept), first)
        # What is kept is used: nothing selected on any subsample, if the run says so.
        self.journal("run", "UPDATE facts SET value = '' WHERE name LIKE '% subsample _'")
        told, _ = self.result("--run", "run", "--stability", "5")
        self.assertNotEqual(told, expected)
        other, _ = self.result("--run", "run", "--stability", "5", "--alpha", "0.3")
        self.assertEqual(other, self.result("--run", "none", "--stability", "5", "--alpha", "0.3")[0])

    def test_light_searches_on_halves_are_kept(self):
        expected, _ = self.result("--run", "none", *LIGHT)
        self.assertEqual(self.result("--run", "run", *LIGHT)[0], expected)
        self.assertTrue(expected["stability"]["light"])
        self.assertEqual(len(self.journal("run", "SELECT name FROM facts WHERE name LIKE '% subsample _'")), 10)
        self.assertEqual(self.result("--run", "run", *LIGHT)[0], expected)
        # What is kept is used: nothing selected on any half, if the run says so.
        self.journal("run", "UPDATE facts SET value = '' WHERE name LIKE '% subsample _'")
        told = self.result("--run", "run", *LIGHT)[0]
        self.assertEqual({feature["selected_in"] for feature in told["features"] if "selected_in" in feature}, {0})

    def test_a_test_in_the_journal_is_never_made_again(self):
        self.result("--run", "run", "--no-evidence")
        before = self.stored("run")
        self.journal("run", "DELETE FROM tests WHERE id % 3 = 0")
        left = self.stored("run")
        _, timing = self.result("--run", "run", "--no-evidence")
        self.assertGreaterEqual(timing["tests_reused"] + timing["tests_made"], before // 2)
        self.assertEqual(self.stored("run"), left + timing["tests_made"])
        self.assertEqual(timing["tests_continued"], 0)

    # Other options

    def test_another_alpha_on_a_finished_run_makes_no_test_again(self):
        # Neighbourhoods keep all their permutations; what is asked of remainders may depend on alpha.
        never = ("--stop", "never", "--no-correlation")
        first, timing = self.result("--run", "run", *never)
        self.assertGreater(timing["tests_made"], 10)
        for alpha in ("0.06", "0.03"):
            fresh, _ = self.result("--run", "none", "--alpha", alpha, *never)
            again, timing = self.result("--run", "run", "--alpha", alpha, *never)
            self.assertEqual(again, fresh)
            self.assertEqual((timing["tests_made"], timing["tests_continued"]), (0, 0))
            self.assertGreater(timing["tests_reused"], 0)

    def test_reused_tests_give_the_bits_of_a_fresh_run_under_any_rule(self):
        self.result("--run", "run")
        for words in (["--alpha", "0.2"], ["--alpha", "0.001"], ["--delta", "3"], ["--min-cmi", "0.1"], ["--permutations", "500"],
                      ["--stop", "never"], ["--stop", "exact", "--permutations", "130"], ["--fdr", "0.1"],
                      ["--no-children"], ["--must", "noise"], ["--never", "a"]):
            with self.subTest(words=words):
                fresh, _ = self.result("--run", "none", *words)
                again, timing = self.result("--run", "run", *words)
                self.assertEqual(again, fresh)
                self.assertGreater(timing["tests_reused"] + timing["tests_continued"], 0)

    def test_more_permutations_go_on_where_the_stored_ones_ended(self):
        never = ("--stop", "never", "--no-correlation")
        self.result("--run", "run", *never)
        _, timing = self.result("--run", "run", *never, "--permutations", "300")
        self.assertGreater(timing["tests_continued"], 10)
        _, timing = self.result("--run", "run", *never, "--permutations", "300")
        self.assertEqual((timing["tests_made"], timing["tests_continued"]), (0, 0))

    def test_another_k_does_not_use_stored_tests_and_says_so(self):
        self.result("--run", "run")
        stored = self.stored("run")
        fresh, _ = self.result("--run", "none", "--k", "5")
        found, err = self.select("--run", "run", "--k", "5")
        for part in (f"{stored} stored tests cannot be used here", "--k was auto and is 5", "Nothing is removed"):
            self.assertIn(part, err)
        self.assertEqual(found["timing"]["tests_reused"], 0)
        found.pop("timing")
        self.assertEqual(found, fresh)
        _, timing = self.result("--run", "run")  # the others are still there
        self.assertEqual(timing["tests_made"], 0)

    def test_other_data_is_refused_with_the_difference(self):
        self.result("--run", "run")
        with open(self.path("net.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        before = self.stored("run")
        base = "macmi select --permutations 200 --quiet --run run "
        self.refused(base + "--data net.csv --target a", "other data", "the target was 't' and is 'a'")
        self.refused(base + "--data net.csv --target t --seed 3", "--seed was 0 and is 3")
        self.refused(base + "--data net.csv --target t --exclude e", "it had 'e'", "--exclude was not given and is e")
        self.write("short.csv", "\n".join(lines[:-1]) + "\n")
        self.refused(base + "--data short.csv --target t", "it had 100 samples and has 99 now")
        self.write("changed.csv", "\n".join(lines).replace(lines[5], "9" + lines[5][lines[5].index("."):]) + "\n")
        self.refused(base + "--data changed.csv --target t", "'a' has other values", "--data was net.csv and is changed.csv")
        self.assertEqual(self.stored("run"), before)
        os.rename(self.path("net.csv"), self.path("moved.csv"))  # the same data under another name is the same
        self.shell(base + "--data moved.csv --target t --delta 2")

    # Faults

    def test_the_second_process_is_refused_with_the_first_ones_id(self):
        self.write("net.csv", network(3000))
        first = self.start("--run", "run")
        self.wait_for_run(first, "run")
        try:
            _, err = self.select("--run", "run", expect=2)
            self.assertIn(f"in use by process {first.pid}", err)
            self.assertRegex(self.shell("macmi runs run").stdout, f"running .*process {first.pid}")
            self.assertIn("left alone", self.shell("macmi runs clean run").stderr)
        finally:
            first.kill()
            first.communicate()
        self.assertTrue(os.path.exists(self.path("run", "journal.sqlite")))

    def test_a_stale_lock_locks_nobody_out(self):
        expected, _ = self.result("--run", "run")
        dead = subprocess.Popen(["true"])
        dead.wait()
        self.write("run/lock", f"{dead.pid}\n")
        self.assertNotIn("running", self.shell("macmi runs run").stdout)
        found, err = self.select("--run", "run")
        self.assertIn(f"process {dead.pid} left the run run without closing it", err)
        self.assertEqual(found["timing"]["tests_made"], 0)
        self.write("run/lock", "not a number")
        found, timing = self.result("--run", "run")
        self.assertEqual((found, timing["tests_made"]), (expected, 0))

    def test_a_full_disk_ends_the_run_with_a_message_and_keeps_what_was_stored(self):
        words = ("--stop", "never", "--permutations", "1500")
        expected, _ = self.result("--run", "none", *words)
        for limit in (4096, 40000):
            run = f"run{limit}"
            self.result("--run", run, *words, "--delta", "0", "--no-children", "--no-evidence")
            stored = self.stored(run)

            def small_files(size=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

            _, err = self.select("--run", run, *words, expect=2, preexec_fn=small_files)
            self.assertIn(f"run {run} cannot be written", err)
            self.assertNotIn("internal", err)
            self.assertGreaterEqual(self.stored(run), stored)
            found, timing = self.result("--run", run, *words)
            self.assertEqual(found, expected)
            self.assertGreaterEqual(timing["tests_reused"], stored)

    def test_unwritable_places_are_refused(self):
        self.write("file", "")
        for run in ("/proc/macmi-run", "file", "file/run"):
            _, err = self.select("--run", run, expect=2)
            self.assertIn(run.split("/run")[0], err)
            self.assertTrue(err.startswith("macmi: "), err)
        os.mkdir(self.path("photos"))
        self.write("photos/cat.jpg", "")
        _, err = self.select("--run", "photos", expect=2)
        self.assertIn("holds other files ('cat.jpg')", err)
        self.assertEqual(os.listdir(self.path("photos")), ["cat.jpg"])
        if os.getuid() != 0:  # root may write everywhere
            os.mkdir(self.path("locked"), mode=0o555)
            _, err = self.select("--run", "locked", expect=2)
            self.assertIn("Permission denied", err)

    def test_a_default_folder_that_cannot_be_made_is_no_reason_to_refuse(self):
        self.write("macmi-runs", "a file")
        process = self.start()
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("nothing is kept of this run", err)
        self.assertIn("Markov blanket of t", out)

    def test_a_journal_of_a_newer_version_is_refused_and_left_alone(self):
        self.result("--run", "run")
        self.journal("run", "PRAGMA user_version = 99")
        _, err = self.select("--run", "run", expect=2)
        for part in ("version 99", "newer"):
            self.assertIn(part, err)
        self.assertIn("newer", self.shell("macmi runs run").stdout)
        self.journal("run", "PRAGMA user_version = 1")
        _, timing = self.result("--run", "run")
        self.assertEqual(timing["tests_made"], 0)

    def test_a_truncated_journal_is_named_and_its_tests_are_used_after_repair(self):
        words = ("--run", "run", "--stop", "never", "--permutations", "1000")  # larger records
        expected, _ = self.result(*words)
        stored = self.stored("run")
        with open(self.path("run", "journal.sqlite"), "rb") as file:
            whole = file.read()
        for cut in (0.9, 0.6):
            with open(self.path("run", "journal.sqlite"), "wb") as file:
                file.write(whole[:int(len(whole) * cut)])
            _, err = self.select(*words, expect=2)
            self.assertIn("journal of the run run is damaged", err)
            self.assertIn("macmi runs repair run", err)
            self.assertTrue(cut > 0.8 or "damaged" in self.shell("macmi runs run").stdout)
            saved = int(re.search(r"(\d+) tests saved", self.shell("macmi runs repair run").stdout)[1])
            self.assertTrue(0 < saved < stored or cut == 0.9, saved)
            found, timing = self.result(*words)
            self.assertEqual(found, expected)
            self.assertGreaterEqual(timing["tests_reused"], 1)
            self.assertLessEqual(timing["tests_made"], stored - saved)

    def test_bytes_overwritten_anywhere_never_give_another_result(self):
        expected, _ = self.result("--run", "run")
        with open(self.path("run", "journal.sqlite"), "rb") as file:
            whole = file.read()
        draw = random.Random(4)
        refused = 0
        for _ in range(12):
            damaged = bytearray(whole)
            at = draw.randrange(len(whole))
            damaged[at:at + 40] = draw.randbytes(min(40, len(whole) - at))
            with open(self.path("run", "journal.sqlite"), "wb") as file:
                file.write(damaged)
            process = self.start("--json", "--quiet", "--run", "run")
            out, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 2), err)
            if process.returncode == 2:
                refused += 1
                self.assertTrue(err.startswith("macmi: "), err)
                continue
            found = json.loads(out)
            found.pop("timing")
            self.assertEqual(found, expected)
        self.assertGreater(refused, 0)

    # People

    def test_ctrl_c_stops_and_the_command_it_prints_goes_on(self):
        self.write("net.csv", network(500))
        words = ("--seed", "3", "--stop", "never", "--permutations", "4000")  # seconds
        expected, _ = self.result("--run", "none", *words)
        process = self.start("--run", "it's here", *words)
        self.wait_for_run(process, "it's here")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, err)
        command = re.search(r"goes on from there:\n  (macmi select .*)\n", err)[1]
        self.assertIn("--run 'it'\\''s here'", command)
        found = json.loads(self.shell(command + " --json --quiet").stdout)
        found.pop("timing")
        self.assertEqual(found, expected)

    def test_ctrl_c_reaches_into_a_test_that_takes_long(self):
        self.write("net.csv", network(3000))
        process = self.start("--run", "run", "--permutations", "1000000", "--stop", "never")
        self.wait_for_run(process, "run")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)  # it takes two seconds at most; the rest is a busy machine's
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted; 0 tests are kept in run", err)
        self.assertEqual([name for name in os.listdir(self.path("run")) if "part" in name], [])

    def test_without_a_run_ctrl_c_says_that_nothing_is_kept(self):
        self.write("net.csv", network(3000))
        process = self.start("--json", "--permutations", "1000000", "--stop", "never")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("nothing is kept", err)
        self.assertFalse(os.path.exists(self.path("macmi-runs")))

    def test_progress_is_a_line_per_tenth_where_there_is_no_terminal(self):
        _, err = self.select("--run", "run", "--stop", "never")
        shares = [int(share) for share in re.findall(r"^ *(\d+)%  ", err, re.MULTILINE)]
        self.assertEqual(shares, sorted(set(shares)))
        self.assertEqual(shares[-1], 100)
        self.assertGreater(len(shares), 4)
        self.assertNotIn("\r", err)
        self.assertRegex(err, r"adjacent features given 1: \d+ of about \d+ tests, about \d+ s left")

    def test_progress_on_a_terminal_tells_stage_test_and_time(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([MACMI, *select_words("--json", "--run", "run", "--stop", "never", "--permutations", "10000")],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(master)
        self.assertEqual(process.wait(timeout=60), 0)
        text = shown.decode()
        self.assertRegex(text, r"\r\x1b\[Kmarginal screen: \d+ of about \d+ tests.*\[\w+\]")
        self.assertRegex(text, r"adjacent features given 1: \d+ of about \d+ tests, about \d+ s left  \[\w+ given \w+\]")
        self.assertTrue(text.endswith("\r\x1b[K"), text[-80:])

    def test_quiet_says_nothing(self):
        process = self.start("--quiet", "--run", "run")
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))

    def test_a_piped_json_leaves_no_files_and_a_plain_call_says_where_it_keeps(self):
        self.select()
        self.assertEqual(sorted(os.listdir(self.folder)), ["macmi", "net.csv"])
        process = self.start()
        _, err = process.communicate(timeout=60)
        (name,) = os.listdir(self.path("macmi-runs"))
        self.assertRegex(name, r"^net-t-[0-9a-f]{8}$")
        self.assertIn(f"macmi-runs/{name}", err)
        listed = self.shell("macmi runs").stdout
        self.assertRegex(listed, rf"macmi-runs/{name} +finished +t +\d+ s +\d+ KiB +\d of 6: ")
        self.assertIn("noise", self.shell(f"macmi explain macmi-runs/{name} noise").stdout)
        self.assertEqual(self.shell(f"macmi explain {name} noise").stdout, self.shell(f"macmi explain macmi-runs/{name} noise").stdout)
        process = self.start("--alpha", "0.1")  # the same directory, another for other tests
        process.communicate(timeout=60)
        self.assertEqual(len(os.listdir(self.path("macmi-runs"))), 1)
        process = self.start("--k", "5")
        process.communicate(timeout=60)
        self.assertEqual(len(os.listdir(self.path("macmi-runs"))), 2)
        self.assertEqual(len(json.loads(self.shell("macmi runs --json").stdout)), 2)
        self.assertIn("would remove", self.shell("macmi runs clean --dry-run").stdout)
        self.assertIn("nothing to remove", self.shell("macmi runs clean --older-than 1").stdout)
        self.assertEqual(self.shell("macmi runs clean").stdout.count("removed macmi-runs/"), 2)
        self.assertEqual(self.shell("macmi runs").stdout, "no runs in macmi-runs\n")

    def test_clean_removes_only_what_macmi_wrote(self):
        self.result("--run", "run")
        self.write("run/notes.txt", "mine")
        self.shell("macmi runs clean run")
        self.assertEqual(os.listdir(self.path("run")), ["notes.txt"])
        self.refused("macmi runs repair run", "run is not the directory of a run")

    def test_explain_of_an_unfinished_run_says_so(self):
        self.result("--run", "run")
        os.remove(self.path("run", "result.json"))
        self.refused("macmi explain run a", "has no result yet")
        os.mkdir(self.path("empty"))
        self.refused("macmi explain empty a", "empty is not the directory of a run")


if __name__ == "__main__":
    main()
