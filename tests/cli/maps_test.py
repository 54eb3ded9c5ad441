"""macmi train, map and select on learned maps, as a user runs them."""
import json
import os
import signal
import struct
import subprocess
import time

from program import ProgramTest, main

GROUP = "--group '^(x\\d+)_'"


class Maps(ProgramTest):
    def setUp(self):
        super().setUp()
        self.shell("macmi simulate bullseye2d --n 300 --epsilon 0.3 --out rings.csv --quiet")

    def test_train_then_map_gives_a_numpy_array(self):
        done = self.shell(f"macmi train --data rings.csv --target y {GROUP} --epochs 10 --restarts 2 --out rings.maps --json --quiet")
        summary = json.loads(done.stdout)
        self.assertEqual([f["name"] for f in summary["features"]], ["x1"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "rings.maps.checkpoint")))
        self.shell(f"macmi map rings.maps --data rings.csv {GROUP} --out rings.npy --quiet")
        with open(os.path.join(self.folder, "rings.npy"), "rb") as file:
            raw = file.read()
        self.assertEqual(raw[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", raw[8:10])[0]
        self.assertIn(b"'shape': (300,1,1,)", raw[10:10 + length].replace(b", ", b",").replace(b"'shape':(", b"'shape': ("))
        self.assertEqual(len(raw), 10 + length + 300 * 8)
        again = self.shell(f"macmi train --data rings.csv --target y {GROUP} --epochs 10 --restarts 2 --threads 1 --out again.maps --json --quiet")
        self.assertEqual(json.loads(again.stdout)["validation_gain"], summary["validation_gain"])

    def test_select_learns_maps_by_default_and_shows_the_surrogates_gain(self):
        result = json.loads(self.shell(f"macmi select --data rings.csv --target y {GROUP} --delta 0 --epochs 60 --restarts 2 --permutations 99 --json --quiet").stdout)
        self.assertEqual(result["blanket"], ["x1"])
        self.assertEqual(result["maps"]["features"][0]["encoder"], "mlp")
        self.assertIn("gain", result["features"][0]["marginal"])
        raw = json.loads(self.shell(f"macmi select --data rings.csv --target y {GROUP} --maps none --delta 0 --permutations 99 --json --quiet").stdout)
        self.assertNotIn("maps", raw)

    def processes_in_run(self):
        """The processes whose command line names the run's training folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if any(word.startswith(os.path.join(self.folder, "run").encode()) for word in words) and b"macmi-maps" in words[0]:
                found.append(int(pid))
        return found

    def test_a_selection_killed_while_it_learns_goes_on_and_ends_with_the_same_bits(self):
        line = f"macmi select --data rings.csv --target y {GROUP} --delta 0 --epochs 150 --restarts 2 --permutations 99 --json"
        whole = json.loads(self.shell(line + " --quiet").stdout)
        words = ["./macmi", *line.replace(GROUP, "").split()[1:], "--group", "^(x\\d+)_", "--run", os.path.join(self.folder, "run")]
        for kill_worker in (False, True, False):
            running = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(1000):  # until the training is under way
                if self.processes_in_run() or running.poll() is not None:
                    break
                time.sleep(0.01)
            time.sleep(0.3)
            if kill_worker:
                for pid in self.processes_in_run():
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # it had ended by itself
                self.assertIn(running.wait(timeout=60), (0, 1, 2))  # an error or the end, never a hang
            else:
                running.kill()
                running.wait()
            for _ in range(1000):  # the training process does not outlive the selection
                if not self.processes_in_run():
                    break
                time.sleep(0.01)
            self.assertEqual(self.processes_in_run(), [])
        resumed = json.loads(self.shell(line + " --quiet --run run").stdout)
        for result in (whole, resumed):
            result.pop("timing")
        self.assertEqual(resumed, whole)

    def test_what_is_no_model_is_refused(self):
        self.write("text.maps", "x1,y\n1,2\n")
        self.refused(f"macmi map text.maps --data rings.csv {GROUP} --out out.npy", "text.maps", "macmi train")
        self.refused(f"macmi map none.maps --data rings.csv {GROUP} --out out.npy", "none.maps")
        self.refused(f"macmi train --data rings.csv --target y {GROUP} --out nowhere/rings.maps", "--out", "nowhere")
        self.refused("macmi train --data rings.csv --target y --out rings.maps", "--maps mlp")
        self.assertEqual(sorted(os.listdir(self.folder)), ["macmi", "rings.csv", "text.maps"])

    def test_without_the_training_program_the_way_out_is_named(self):
        self.refused(f"MACMI_MAPS_PROGRAM=/nonexistent macmi select --data rings.csv --target y {GROUP}", "macmi-maps", "--maps none")


if __name__ == "__main__":
    main()
