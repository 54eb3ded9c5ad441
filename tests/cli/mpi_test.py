"""The same command on several ranks: the same bits, and an orderly end when one of them dies."""
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from program import MACMI, ProgramTest, main

MPIRUN = shutil.which("mpirun")
PLUGIN = os.path.join(os.path.dirname(MACMI), "libmacmi-mpi.so")
# Ranks of one machine copy through shared memory: containers often forbid the other way, with a page of warnings.
ENVIRONMENT = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_rmaps_base_oversubscribe="1")
FEATURES = 7
SECONDS_TO_END = 15  # "within seconds", on a machine that may be busy


def network(n, seed=1):
    """a → t ← b, t → c ← d, a → e, a category, a column with gaps: every stage of the search has tests to make."""
    draw = random.Random(seed)
    lines = ["a,b,c,d,e,kind,gaps,t"]
    for _ in range(n):
        a, b, d = (draw.gauss(0, 1) for _ in range(3))
        t = a + b + draw.gauss(0, 0.6)
        row = [a, b, t + d + draw.gauss(0, 0.6), d, a + draw.gauss(0, 0.5)]
        gaps = "" if draw.random() < 0.1 else repr(b + draw.gauss(0, 1))
        lines.append(",".join([*map(repr, row), "uvw"[draw.randrange(3)], gaps, repr(t)]))
    return "\n".join(lines) + "\n"


class MpiTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("net.csv", network(80))

    def launcher(self, ranks):
        return [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]

    def start(self, ranks, *words, **environment):
        return subprocess.Popen([*(self.launcher(ranks) if ranks > 1 else []), MACMI, *words], cwd=self.folder,
                                env=dict(ENVIRONMENT, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def call(self, ranks, *words, expect=0, **environment):
        process = self.start(ranks, *words, **environment)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, expect, err)
        return out, err

    def words(self, *more):
        permutations = [] if "--permutations" in more else ["--permutations", "128"]
        return ["select", "--data", "net.csv", "--target", "t", "--delta", "2", *permutations, *more]

    @classmethod
    def setUpClass(cls):
        cls.alone = {}  # results of one process by options: several tests compare with the same

    def expected(self, *more):
        if more not in self.alone:
            self.alone[more] = self.select(1, *more)[0]
        return self.alone[more]

    def select(self, ranks, *more):
        """The result without what differs from run to run, and that."""
        out, _ = self.call(ranks, *self.words("--json", "--quiet", *more))
        found = json.loads(out)
        return found, found.pop("timing")

    def processes(self):
        """The process of each rank of this test."""
        found = {}
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{process}/exe") != os.path.realpath(MACMI):
                    continue
                if os.readlink(f"/proc/{process}/cwd") != os.path.realpath(self.folder):
                    continue
                with open(f"/proc/{process}/environ", "rb") as file:
                    for entry in file.read().split(b"\0"):
                        if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                            found[int(entry.split(b"=")[1])] = int(process)
            except OSError:
                pass
        return found

    def stored(self, run, what="*"):
        path = os.path.join(self.folder, run, "journal.sqlite")
        if not os.path.exists(path):
            return 0
        database = sqlite3.connect(path, timeout=10)
        try:
            return database.execute(f"SELECT count({what}) FROM tests").fetchone()[0]
        except sqlite3.OperationalError:  # not made yet
            return 0
        finally:
            database.close()

    def killed(self, rank, run):
        """A run of 4 ranks of which one is killed once tests are stored: what it said, and the tests stored before."""
        process = self.start(4, *self.words("--run", run, "--permutations", "6000", "--stop", "never"))
        before = 0
        while before < 3:
            before = self.stored(run)
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        ranks = self.processes()
        self.assertEqual(sorted(ranks), [0, 1, 2, 3])
        os.kill(ranks[rank], signal.SIGKILL)
        out, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, "")
        deadline = time.monotonic() + SECONDS_TO_END
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.processes(), {})
        self.assertGreaterEqual(self.stored(run), before)
        return err, before

    def goes_on(self, ranks, run, before):
        """With fewer permutations: that no test is made again is what counts here. Of the stored ones the first, those of
        single features, are needed in any case; what was tested ahead may not be."""
        found, timing = self.select(ranks, "--run", run)
        self.assertEqual(found, self.expected())
        self.assertGreaterEqual(timing["tests_reused"], min(before, FEATURES))
        self.assertEqual(self.stored(run), self.stored(run, "DISTINCT context || feature || '|' || given"))


class Mpi(MpiTest):
    # The same bits

    def test_any_number_of_ranks_gives_the_bits_of_one_process(self):
        expected = self.expected()
        for ranks in (2, 4, 7):
            found, timing = self.select(ranks)
            self.assertEqual(found, expected, ranks)
            self.assertEqual(timing["ranks"], ranks)
            self.assertEqual(len(timing["tests_of_rank"]), ranks)
            self.assertEqual(sum(timing["tests_of_rank"]), timing["tests_made"])
            self.assertGreater(timing["efficiency"], 0)
            self.assertLessEqual(timing["efficiency"], 1)

    def test_other_options_reach_the_ranks(self):
        for words in (["--method", "fisherz"], ["--fdr", "0.1", "--k", "5", "--transform", "ranks", "--stability", "2"]):
            self.assertEqual(self.select(3, *words)[0], self.expected(*words))

    def test_begun_on_one_number_of_ranks_and_ended_on_another(self):
        expected = self.expected()
        _, first = self.select(4, "--run", "run", "--max-tests", "6")
        _, second = self.select(1, "--run", "run", "--max-tests", "10")
        found, third = self.select(7, "--run", "run")
        self.assertEqual(found, expected)
        self.assertGreaterEqual(second["tests_reused"], 6)
        self.assertGreaterEqual(third["tests_reused"], 10)
        self.assertGreaterEqual(first["tests_made"], 6)
        # Another rule needs more permutations of the stored tests: their streams go on in other ranks.
        more = ["--permutations", "400", "--stop", "never"]
        found, fourth = self.select(3, "--run", "run", *more)
        self.assertEqual(found, self.expected(*more))
        self.assertGreater(fourth["tests_continued"], 0)

    # The end

    def test_a_killed_worker_ends_the_run_with_the_command_that_goes_on(self):
        err, before = self.killed(2, "run")
        self.assertRegex(err, r"macmi: rank 2 \(process \d+ on .*\) has died")
        self.assertRegex(err, r"\d+ tests are kept in run\. This goes on from them:\n  macmi select --data net\.csv .*--run run")
        self.assertEqual(err.count("This goes on"), 1)
        self.goes_on(2, "run", before)

    def test_a_killed_coordinator_takes_all_ranks_with_it(self):
        _, before = self.killed(0, "run")
        self.goes_on(3, "run", before)

    def test_ctrl_c_tells_what_goes_on(self):
        process = self.start(3, *self.words("--run", "run", "--permutations", "6000", "--stop", "never"))
        while self.stored("run") < 1:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("This goes on from them:\n  macmi select", err)

    # One voice

    def test_every_verb_speaks_with_one_voice(self):
        self.call(1, *self.words("--run", "run", "--out", "result.json", "--quiet"))
        overview = self.call(1)[0]
        verbs = set(re.findall(r"(?m)^  ([a-z]+) +\S", overview.split("Start here")[0]))
        alone = {"inspect": ["--data", "net.csv"], "test": ["--data", "net.csv", "--x", "a", "--y", "t", "--z", "b"],
                 "estimate": ["--data", "net.csv", "--x", "a", "--y", "t"], "options": [], "doctor": [],
                 "explain": ["result.json", "a"], "report": ["result.json", "--out", "page.html"], "runs": [],
                 "simulate": ["bullseye2d", "--n", "50", "--out", "rings.csv"],
                 "map": ["--help"], "evaluate": ["--help"], "prepare": ["--help"]}
        self.assertEqual(verbs - set(alone), {"select", "train", "reproduce"}, "a verb without a line here")
        for words in ([], ["--version"], *([verb, "--help"] for verb in ("select", "train", "reproduce")),
                      *([verb, *rest] for verb, rest in alone.items())):
            self.assertEqual(self.call(2, *words), self.call(1, *words), words)

    def test_rank_0_alone_complains(self):
        for words, message in ((["select", "--bogus"], "--bogus"), (self.words("--must", "nobody"), "nobody")):
            out, err = self.call(2, *words, expect=2)
            self.assertEqual(out, "")
            self.assertEqual(err.count("macmi: "), 1, err)
            self.assertIn(message, err)

    def test_mpi_is_not_loaded_by_a_program_started_alone(self):
        libraries = subprocess.run(["ldd", MACMI], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(libraries, r"mpi|open-rte|open-pal|pmix")

    def test_a_build_without_mpi_says_so(self):
        shutil.copy(MACMI, os.path.join(self.folder, "bare"))
        line = [os.path.join(self.folder, "bare"), *self.words("--json")]
        ranks = [subprocess.run(line, env=dict(ENVIRONMENT, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2"),
                                cwd=self.folder, capture_output=True, text=True, check=False) for rank in (0, 1)]
        self.assertEqual([done.returncode for done in ranks], [2, 0])
        self.assertIn("built without MPI", ranks[0].stderr)
        self.assertEqual(ranks[1].stderr + ranks[1].stdout, "")


class TrainingOnRanks(MpiTest):
    def setUp(self):
        super().setUp()
        self.shell("macmi simulate bullseye2d --n 80 --out rings.csv")
        # Notes who trains what, then is macmi-maps; with a file "stuck", trainings of rank 1 never end.
        self.write("maps", "#!/bin/sh\necho $OMPI_COMM_WORLD_RANK $3 $4 >> \"$TRAINED\"\n"
                           "[ -e \"$TRAINED.stuck\" ] && [ \"$OMPI_COMM_WORLD_RANK $3\" = '1 only' ] && exec sleep 60\n"
                           f"exec '{os.path.join(os.path.dirname(MACMI), 'macmi-maps')}' \"$@\"\n")
        os.chmod(os.path.join(self.folder, "maps"), 0o755)
        self.log = os.path.join(self.folder, "trained")
        self.observed = {"MACMI_MAPS_PROGRAM": os.path.join(self.folder, "maps"), "TRAINED": self.log}

    def trained(self):
        """Rank and task of every training that was handed out."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            lines = [line.split(maxsplit=2) for line in file]
        return [(int(line[0]), line[2]) for line in lines if len(line) == 3 and line[1] == "only"]

    def maps(self, verb, *more):
        return [verb, "--data", "rings.csv", "--target", "y", "--group", r"^(x\d+)_", "--epochs", "3", "--quiet", *more]

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_a_model_trained_on_ranks_has_the_bits_of_one_process(self):
        alone = self.call(1, *self.maps("train", "--json", "--out", "model"))[0]
        expected = self.read("model")
        for ranks in (2, 4):
            if os.path.exists(self.log):
                os.remove(self.log)
            found = self.call(ranks, *self.maps("train", "--json", "--out", "model"), **self.observed)[0]
            self.assertEqual(found, alone)
            self.assertEqual(self.read("model"), expected)
            # Four starts, the better two, the best: seven trainings, the first four at once.
            self.assertGreaterEqual(len(self.trained()), 7)
            self.assertEqual({rank for rank, _ in self.trained()[:4]}, set(range(ranks)))
            self.assertFalse(os.path.exists(os.path.join(self.folder, "model.checkpoint")))

    def test_a_selection_on_maps_of_several_folds(self):
        words = self.maps("select", "--restarts", "2", "--folds", "2", "--permutations", "64", "--delta", "1", "--json")
        found = [json.loads(self.call(ranks, *words, **(self.observed if ranks > 1 else {}))[0]) for ranks in (1, 3)]
        for result in found:
            result.pop("timing")
        self.assertTrue(found[0]["maps"])
        self.assertEqual(found[0], found[1])
        self.assertEqual({task.split()[0] for _, task in self.trained()}, {"0", "1"})
        self.assertEqual({rank for rank, _ in self.trained()}, {0, 1, 2})

    def test_a_rank_that_dies_in_a_training_costs_that_training(self):
        self.call(1, *self.maps("train", "--out", "model"))
        expected = self.read("model")
        self.write("trained.stuck", "")
        process = self.start(2, *self.maps("train", "--out", "other"), **self.observed)
        # Rank 0 goes on with the other starts meanwhile: the states of at least two of them are kept.
        states = os.path.join(self.folder, "other.checkpoint")
        while len([s for s in (os.listdir(states) if os.path.exists(states) else []) if s.endswith("round0")]) < 2:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        os.kill(self.processes()[1], signal.SIGKILL)
        out, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, "")
        self.assertRegex(err, r"macmi: rank 1 \(process \d+ on .*\) has died, .*; the same command goes on from other\.checkpoint")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "other")))
        os.remove(os.path.join(self.folder, "trained.stuck"))
        finished = {task for rank, task in self.trained() if rank == 0}
        os.remove(self.log)
        self.call(2, *self.maps("train", "--out", "other"), **self.observed)
        self.assertEqual(self.read("other"), expected)
        again = [task for _, task in self.trained() if task in finished]
        self.assertLessEqual(len(again), 1, "only what rank 0 was at when the other died is trained again")

    def test_a_machine_without_the_trainer_says_so(self):
        _, err = self.call(2, *self.maps("train", "--out", "model"), expect=2, MACMI_MAPS_PROGRAM="/nowhere/maps")
        self.assertEqual(err.count("macmi: "), 1, err)
        self.assertIn("macmi-maps", err)


class ExperimentsOnRanks(MpiTest):
    def reproduced(self, ranks, out, *words):
        self.call(ranks, "reproduce", *words, "--quick", "--quiet", "--out", out)
        files = {}
        for name in sorted(os.listdir(os.path.join(self.folder, out))):
            if name.endswith((".csv", ".md", ".html")):
                with open(os.path.join(self.folder, out, name), "rb") as file:
                    files[name] = file.read()
        self.assertTrue(files)
        return files

    def measurements(self, out):
        database = sqlite3.connect(os.path.join(self.folder, out, "measurements.sqlite"))
        try:
            return database.execute("SELECT name, value FROM measurements ORDER BY name").fetchall()
        finally:
            database.close()

    def test_the_tables_of_one_process(self):
        for words in (["bullseye2d", "--seeds", "1", "--methods", "knn,knn-r"],
                      ["bullseye3d", "--methods", "proposed,knn,sdcit", "--dag", "caption", "--n", "120", "--permutations", "20"]):
            alone, ranks = words[0] + "1", words[0] + "3"
            self.assertEqual(self.reproduced(3, ranks, *words), self.reproduced(1, alone, *words))
            self.assertEqual(self.measurements(ranks), self.measurements(alone))

    def test_begun_alone_and_ended_on_ranks(self):
        fewer = ["bullseye2d", "--seeds", "1", "--methods", "knn"]
        self.reproduced(1, "begun", *fewer)
        first = self.measurements("begun")
        more = ["bullseye2d", "--seeds", "1", "--methods", "knn,knn-r"]
        self.assertEqual(self.reproduced(2, "begun", *more), self.reproduced(1, "whole", *more))
        self.assertLess(set(first), set(self.measurements("begun")))


class TwoHosts(MpiTest):
    """Two network namespaces with names of their own, joined by a cable: ranks meet over TCP and share no memory."""

    def setUp(self):
        super().setUp()
        mark = f"m{os.getpid()}"
        self.hosts = [mark + "a", mark + "b"]
        self.write("agent", "#!/bin/sh\n# HOST COMMAND: as ssh would\nhost=$1; shift\n"
                            "exec ip netns exec $host unshare --uts sh -c \"hostname $host; $*\"\n")
        self.agent = os.path.join(self.folder, "agent")
        os.chmod(self.agent, 0o755)
        first, second = self.hosts
        self.addCleanup(lambda: [self.ip("netns", "del", host) for host in self.hosts])
        lines = [["netns", "add", first], ["netns", "add", second],
                 ["link", "add", first, "netns", first, "type", "veth", "peer", "name", second, "netns", second]]
        for number, host in enumerate(self.hosts, start=1):
            lines += [["-n", host, "addr", "add", f"10.77.0.{number}/24", "dev", host],
                      ["-n", host, "link", "set", "lo", "up"], ["-n", host, "link", "set", host, "up"]]
        if shutil.which("ip") is None or not all(self.ip(*line) for line in lines):
            self.skipTest("skipped: network namespaces cannot be made here")

    def ip(self, *words):
        return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0

    def launcher(self, ranks):
        half = ranks // 2
        network_only = [word for name in ("oob_tcp_if_include", "btl_tcp_if_include")
                        for word in ("--mca", name, "10.77.0.0/24")]
        return [self.agent, self.hosts[0], "exec", MPIRUN, "--allow-run-as-root", "--oversubscribe", "--host",
                f"{self.hosts[0]}:{ranks - half},{self.hosts[1]}:{half}", "--mca", "plm_rsh_agent", self.agent,
                *network_only, "-n", str(ranks)]

    def test_the_same_bits_and_an_orderly_end_when_a_rank_of_the_other_host_dies(self):
        self.assertEqual(self.select(4)[0], self.expected())
        training = ["train", "--data", "net.csv", "--target", "t", "--maps", "mlp", "--epochs", "2", "--quiet", "--out"]
        self.call(4, *training, "far")
        self.shell(" ".join(["macmi", *training, "near"]))
        with open(os.path.join(self.folder, "far"), "rb") as far, open(os.path.join(self.folder, "near"), "rb") as near:
            self.assertEqual(far.read(), near.read())
        err, before = self.killed(3, "run")
        self.assertIn("This goes on from them:\n  macmi select", err)
        self.goes_on(1, "run", before)


if __name__ == "__main__":
    if MPIRUN is None or not os.path.exists(PLUGIN):
        print("skipped: " + ("mpirun is not installed" if MPIRUN is None else "macmi was built without MPI"))
        sys.exit(77)
    main()
