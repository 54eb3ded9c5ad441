"""macmi train, map and select on learned maps, as a user runs them."""
import json
import os
import random
import re
import signal
import struct
import subprocess
import time

from array_file import integer, with_integer
from program import MACMI, ProgramTest, main

GROUP = "--group '^(x\\d+)_'"
TIMEOUT = 120  # for what takes seconds


class Maps(ProgramTest):
    def setUp(self):
        super().setUp()
        self.shell("macmi simulate bullseye2d --n 300 --epsilon 0.3 --out rings.csv --quiet")

    def test_train_then_map_gives_a_numpy_array(self):
        done = self.shell(f"macmi train --data rings.csv --target y {GROUP} --epochs 10 --restarts 2 --out rings.maps --json --quiet")
        summary = json.loads(done.stdout)
        self.assertEqual([f["name"] for f in summary["features"]], ["x1"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "rings.maps.checkpoint")))
        self.shell("macmi map rings.maps --data rings.csv --out rings.npy --quiet")  # the model knows --group
        with open(os.path.join(self.folder, "rings.npy"), "rb") as file:
            raw = file.read()
        self.assertEqual(raw[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", raw[8:10])[0]
        self.assertIn(b"'shape': (300,1,1,)", raw[10:10 + length].replace(b", ", b",").replace(b"'shape':(", b"'shape': ("))
        self.assertEqual(len(raw), 10 + length + 300 * 8)
        again = self.shell(f"macmi train --data rings.csv --target y {GROUP} --epochs 10 --restarts 2 --threads 1 --out again.maps --json --quiet")
        self.assertEqual(json.loads(again.stdout)["validation_gain"], summary["validation_gain"])

    def test_data_without_a_column_of_the_model_are_refused_by_its_name(self):
        self.shell(f"macmi train --data rings.csv --target y {GROUP} --epochs 2 --restarts 1 --out rings.maps --quiet")
        self.shell("cut -d, -f1,3 rings.csv > cut.csv")
        self.refused("macmi map rings.maps --data cut.csv --out cut.npy", "cut.csv", "column 'x1_1' is missing", "'x1'")

    def test_select_learns_maps_by_default_and_shows_the_surrogates_gain(self):
        result = json.loads(self.shell(f"macmi select --data rings.csv --target y {GROUP} --delta 0 --epochs 60 --restarts 2 --permutations 99 --json --quiet").stdout)
        self.assertEqual(result["blanket"], ["x1"])
        self.assertEqual(result["maps"]["features"][0]["encoder"], "mlp")
        self.assertIn("gain", result["features"][0]["marginal"])
        raw = json.loads(self.shell(f"macmi select --data rings.csv --target y {GROUP} --maps none --delta 0 --permutations 99 --json --quiet").stdout)
        self.assertNotIn("maps", raw)

    def test_a_training_that_finds_nothing_starts_again_and_says_so(self):
        draw = random.Random(1)
        self.write("noise.csv", "x1_0,x1_1,y\n" + "".join(f"{draw.gauss(0, 1)},{draw.gauss(0, 1)},{draw.gauss(0, 1)}\n" for _ in range(200)))
        done = self.shell(f"macmi train --data noise.csv --target y {GROUP} --epochs 20 --out noise.maps --json")
        said = ("predicts no better than a constant; starting again with weight decay", "again no better than a constant")
        for part, remark in zip(said, json.loads(done.stdout)["remarks"], strict=True):
            self.assertIn(part, remark)
            self.assertIn(part, done.stderr)

    def train_words(self, out, epochs, *more):
        return [MACMI, "train", "--data", "rings.csv", "--target", "y", "--group", r"^(x\d+)_", "--epochs", str(epochs),
                "--restarts", "2", "--threads", "1", "--out", out, *more]

    def select_words(self, run, *more, epochs=1500):
        return [MACMI, "select", "--data", "rings.csv", "--target", "y", "--group", r"^(x\d+)_", "--delta", "0", "--epochs", str(epochs),
                "--restarts", "2", "--threads", "1", "--permutations", "99", "--json", "--run", run, *more]

    def start(self, words):
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def ended(self, process, expect=0):
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, expect, err)
        return out, err

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def states(self, folder):
        """The names of the checkpoints in a folder."""
        try:
            names = os.listdir(os.path.join(self.folder, folder))
        except FileNotFoundError:
            return []
        return [name for name in names if re.fullmatch(r"model\d+\.attempt\d+\.start\d+\.round\d+", name)]

    def wait_for_states(self, process, folder, count, pattern):
        """False where the process ended before."""
        while sum(re.search(pattern, name) is not None for name in self.states(folder)) < count:
            if process.poll() is not None:
                return False
            time.sleep(0.005)
        return process.poll() is None

    def test_a_training_killed_within_a_round_goes_on_from_its_checkpoint_to_the_same_bits(self):
        epochs = 8000
        while True:  # until a training is long enough to write a checkpoint on its way
            whole = self.start(self.train_words("whole", epochs, "--quiet"))
            killed = self.start(self.train_words("killed", epochs, "--quiet"))
            if self.wait_for_states(killed, "killed.checkpoint", 1, "round1"):
                break
            whole.kill()
            epochs *= 3
        killed.kill()
        killed.communicate()
        self.assertFalse(os.path.exists(os.path.join(self.folder, "killed")))
        (state,) = (name for name in self.states("killed.checkpoint") if name.endswith("round1"))
        epoch = integer(self.read(f"killed.checkpoint/{state}"), "epoch")
        self.assertGreater(epoch, 0.04 * epochs)
        self.assertLess(epoch, epochs)
        self.ended(whole)
        _, err = self.ended(self.start(self.train_words("killed", epochs)))
        shares = [int(share) for share in re.findall(r"^ *(\d+)%  learning", err, re.MULTILINE)]
        self.assertTrue(shares, err)
        self.assertGreaterEqual(shares[0], 100 * epoch // epochs // 10 * 10, "it began before the checkpoint")
        self.assertTrue(self.read("killed") == self.read("whole"), "the model files differ")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "killed.checkpoint")))

    def test_a_selection_killed_while_it_learns_goes_on_and_ends_with_the_same_bits(self):
        whole, _ = self.ended(self.start(self.select_words("whole", "--quiet")))
        # In the first round, in the last one, and between the last trainings of the two folds.
        for count, pattern in ((1, "round0"), (4, "round0"), (1, "round1")):
            running = self.start(self.select_words("run", "--quiet"))
            self.assertTrue(self.wait_for_states(running, "run/training", count, pattern), "it had ended before it was killed")
            running.kill()
            self.assertEqual(running.communicate()[0], "")
        resumed, _ = self.ended(self.start(self.select_words("run", "--quiet")))
        results = [json.loads(text) for text in (whole, resumed)]
        for result in results:
            result.pop("timing")
        self.assertEqual(results[1], results[0])

    def test_a_damaged_checkpoint_costs_time_and_not_the_result(self):
        self.ended(self.start(self.train_words("whole", 1500, "--quiet")))
        running = self.start(self.train_words("killed", 1500, "--quiet"))
        self.assertTrue(self.wait_for_states(running, "killed.checkpoint", 2, "round0"))
        running.kill()
        running.communicate()
        first, second = sorted(name for name in self.states("killed.checkpoint") if name.endswith("round0"))
        with open(os.path.join(self.folder, "killed.checkpoint", first), "r+b") as file:
            file.truncate(200)
        with open(os.path.join(self.folder, "killed.checkpoint", second), "r+b") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"\xff" * 40)
        self.ended(self.start(self.train_words("killed", 1500, "--quiet")))
        self.assertTrue(self.read("killed") == self.read("whole"), "the model files differ")

    def test_ctrl_c_in_a_training_tells_what_goes_on(self):
        self.ended(self.start(self.train_words("whole", 1500, "--quiet")))
        running = self.start(self.train_words("stopped", 1500))
        self.assertTrue(self.wait_for_states(running, "stopped.checkpoint", 2, "round0"))
        running.send_signal(signal.SIGINT)
        out, err = self.ended(running, expect=130)
        self.assertEqual(out, "")
        self.assertIn("interrupted; the same command goes on from stopped.checkpoint", err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "stopped")))
        self.ended(self.start(self.train_words("stopped", 1500)))
        self.assertTrue(self.read("stopped") == self.read("whole"), "the model files differ")

    def test_ctrl_c_in_the_training_of_a_selection(self):
        running = self.start(self.select_words("run", epochs=20000))  # minutes: what ends it is the signal
        self.assertTrue(self.wait_for_states(running, "run/training", 1, "round0"))
        running.send_signal(signal.SIGINT)
        out, err = self.ended(running, expect=130)
        self.assertEqual(out, "")
        self.assertIn("interrupted; 0 tests are kept in run. This goes on from there:\n  macmi select --data rings.csv", err)

    def test_what_is_no_model_is_refused(self):
        self.write("text.maps", "x1,y\n1,2\n")
        self.refused("macmi map text.maps --data rings.csv --out out.npy", "text.maps", "macmi train")
        self.refused("macmi map none.maps --data rings.csv --out out.npy", "none.maps")
        self.refused(f"macmi train --data rings.csv --target y {GROUP} --out nowhere/rings.maps", "--out", "nowhere")
        self.refused("macmi train --data rings.csv --target y --out rings.maps", "--maps mlp")
        self.assertEqual(sorted(os.listdir(self.folder)), ["macmi", "rings.csv", "text.maps"])

    def test_a_model_of_an_older_macmi_is_refused_with_its_version(self):
        self.ended(self.start(self.train_words("rings.maps", 2, "--quiet")))
        model = self.read("rings.maps")
        version = integer(model, "version")
        self.assertGreater(version, 2)
        with open(os.path.join(self.folder, "old.maps"), "wb") as file:
            file.write(with_integer(model, "version", 2))
        self.refused("macmi map old.maps --data rings.csv --out out.npy", "old.maps", "version 2",
                     f"reads version {version}", "train again")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out.npy")))


if __name__ == "__main__":
    main()
