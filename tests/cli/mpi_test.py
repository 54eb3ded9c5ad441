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

from array_file import with_number
from program import MACMI, ProgramTest, main
from ranks import ENVIRONMENT, MPIRUN, launcher, why_not

FEATURES = 7
STARTS = 16
LASTING = ("--permutations", "60000", "--stop", "never")  # a search that no machine ends before it is interrupted
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


def processor_seconds(process):
    """The processor time that a process has used."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class MpiTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("net.csv", network(80))

    def launcher(self, ranks):
        return launcher(ranks)

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
        # Light searches take as long as all the rest: one test has them.
        defaults = {"--permutations": "128", "--stability": "0"}
        return ["select", "--data", "net.csv", "--target", "t", "--delta", "2", *more,
                *(word for name, value in defaults.items() if name not in more for word in (name, value))]

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
        process = self.start(4, *self.words("--run", run, *LASTING))
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
        # The evidence of the result is tested with all permutations: these tests may be there a second time.
        distinct = self.stored(run, "DISTINCT context || feature || '|' || given")
        self.assertLessEqual(self.stored(run), distinct + FEATURES)


class Mpi(MpiTest):
    # The same bits

    def test_any_number_of_ranks_gives_the_bits_of_one_process(self):
        light = ("--stability", "auto")
        expected = self.expected(*light)
        for ranks in (2, 4, 7):
            found, timing = self.select(ranks, *light)
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
        self.assertRegex(err, r"\d+ tests? (is|are) kept in run\. This goes on from there:\n  macmi select --data net\.csv .*--run run")
        self.assertEqual(err.count("This goes on"), 1)
        self.goes_on(2, "run", before)

    def test_a_killed_coordinator_takes_all_ranks_with_it(self):
        _, before = self.killed(0, "run")
        self.goes_on(3, "run", before)

    def test_ctrl_c_tells_what_goes_on(self):
        process = self.start(3, *self.words("--run", "run", *LASTING))
        while self.stored("run") < 1:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("This goes on from there:\n  macmi select", err)

    def test_a_graph_has_the_bits_of_one_process(self):
        found = []
        for ranks in (1, 3):
            out, _ = self.call(ranks, "graph", "--data", "net.csv", "--delta", "1", "--permutations", "128", "--run", "none",
                               "--json", "--quiet")
            found.append(json.loads(out))
            self.assertGreater(len(found[-1]["edges"]), 3)
            found[-1].pop("timing")
        self.assertEqual(found[1], found[0])

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
        self.assertEqual(verbs - set(alone), {"select", "train", "reproduce", "graph"}, "a verb without a line here")
        for words in ([], ["--version"], *([verb, "--help"] for verb in ("select", "train", "reproduce", "graph")),
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

    def maps(self, verb, *more, epochs=3):
        return [verb, "--data", "rings.csv", "--target", "y", "--group", r"^(x\d+)_", "--epochs", str(epochs), "--quiet", *more]

    def many_starts(self, out="other"):
        """A training whose first round has time for events."""
        return self.maps("train", "--restarts", str(STARTS), "--out", out, epochs=5000)

    def many_starts_alone(self):
        if "many starts" not in self.alone:
            self.call(1, *self.many_starts("alone"))
            self.alone["many starts"] = self.read("alone")
        return self.alone["many starts"]

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def states(self, folder):
        """The names of the trainings whose state is kept."""
        names = os.listdir(self.path(folder)) if os.path.exists(self.path(folder)) else []
        return sorted(name for name in names if re.fullmatch(r"model\d+\.attempt\d+\.start\d+\.round\d+", name))

    def wait(self, process, condition):
        while not condition():
            self.assertIsNone(process.poll(), "it had ended before")
            time.sleep(0.02)

    def at_work(self, process, folder):
        """The process of each rank, once every one of them is at a training."""
        self.wait(process, lambda: os.path.exists(self.path(folder)))
        processes = self.processes()
        before = {rank: processor_seconds(pid) for rank, pid in processes.items()}

        def used():
            return [processor_seconds(pid) - before[rank] for rank, pid in processes.items()]

        self.wait(process, lambda: min(used()) > 0.3)
        self.assertGreater(10 * min(used()), max(used()), "a rank that waits for work uses a fiftieth of what the others do")
        return processes

    def gone(self):
        deadline = time.monotonic() + SECONDS_TO_END
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.processes(), {})

    def test_a_model_trained_on_ranks_has_the_bits_of_one_process(self):
        alone = self.call(1, *self.maps("train", "--json", "--out", "model"))[0]
        expected = self.read("model")
        for number in (2, 4):
            os.remove(self.path("model"))
            self.assertEqual(self.call(number, *self.maps("train", "--json", "--out", "model"))[0], alone)
            self.assertEqual(self.read("model"), expected)
            self.assertFalse(os.path.exists(self.path("model.checkpoint")))

    def test_a_selection_on_maps_of_several_folds(self):
        words = self.maps("select", "--restarts", "2", "--folds", "2", "--permutations", "64", "--delta", "1", "--json")
        found = [json.loads(self.call(number, *words)[0]) for number in (1, 3)]
        for result in found:
            result.pop("timing")
        self.assertTrue(found[0]["maps"])
        self.assertEqual(found[0], found[1])

    def test_every_rank_trains_and_ctrl_c_ends_them_all(self):
        process = self.start(4, *self.maps("train", "--out", "model", epochs=200000))  # four starts of 8,000 epochs at once
        self.assertEqual(sorted(self.at_work(process, "model.checkpoint")), [0, 1, 2, 3])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, "")
        self.assertIn("the same command goes on from model.checkpoint", err)
        self.assertFalse(os.path.exists(self.path("model")))
        self.gone()

    def test_a_rank_that_dies_in_a_training_costs_that_training(self):
        expected = self.many_starts_alone()
        process = self.start(2, *self.many_starts())
        self.wait(process, lambda: os.path.exists(self.path("other.checkpoint")))
        worker = self.processes()[1]
        before = processor_seconds(worker)
        self.wait(process, lambda: processor_seconds(worker) > before + 0.05)
        os.kill(worker, signal.SIGSTOP)  # at a training that never ends: rank 0 goes on with the other starts meanwhile
        self.wait(process, lambda: len(self.states("other.checkpoint")) == STARTS - 1)
        finished = {name: self.read(f"other.checkpoint/{name}") for name in self.states("other.checkpoint")}
        os.kill(worker, signal.SIGKILL)
        out, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, "")
        self.assertRegex(err, r"macmi: rank 1 \(process \d+ on .*\) has died, .*; the same command goes on from other\.checkpoint")
        self.assertFalse(os.path.exists(self.path("other")))
        self.gone()
        self.assertEqual({name: self.read(f"other.checkpoint/{name}") for name in self.states("other.checkpoint")}, finished)
        self.call(3, *self.many_starts())
        self.assertEqual(self.read("other"), expected)

    def test_what_is_kept_of_a_training_is_used_on_ranks(self):
        words = self.maps("train", "--restarts", "2", "--out", "model", epochs=2500)
        process = self.start(1, *words)
        self.wait(process, lambda: len(self.states("model.checkpoint")) == 2)
        process.kill()
        process.communicate()
        kept = {name: self.read(f"model.checkpoint/{name}") for name in self.states("model.checkpoint")}
        models = []
        for start in (0, 1):  # whichever start is praised goes on
            os.makedirs(self.path("model.checkpoint"), exist_ok=True)
            for name, state in kept.items():
                with open(self.path("model.checkpoint", name), "wb") as file:
                    file.write(with_number(state, "validation", 1e6) if f"start{start}" in name else state)
            self.call(2, *words)
            models.append(self.read("model"))
        self.assertNotEqual(models[0], models[1])

    def test_a_killed_coordinator_leaves_a_training_that_goes_on(self):
        process = self.start(3, *self.many_starts())
        self.wait(process, lambda: len(self.states("other.checkpoint")) >= 2)
        os.kill(self.processes()[0], signal.SIGKILL)
        process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.gone()
        self.assertGreaterEqual(len(self.states("other.checkpoint")), 2)
        self.call(1, *self.many_starts())  # begun on ranks, ended by one process
        self.assertEqual(self.read("other"), self.many_starts_alone())


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
            return database.execute("SELECT name, value FROM facts ORDER BY name").fetchall()
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
        if shutil.which("ip"):
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
        self.assertIn("This goes on from there:\n  macmi select", err)
        self.goes_on(1, "run", before)


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    main()
