"""Models and results are the same bits for every instruction set, number of threads and number of ranks."""
import json
import os
import random
import subprocess

import ranks
from program import MACMI, ProgramTest, main

TIMEOUT = 240


def simd_of_this_machine():
    done = subprocess.run([MACMI, "doctor", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["simd"]


def series(units, steps):
    """Two classes; the slope of a tells which, b is noise, and c is one number per unit."""
    draw = random.Random(3)
    lines = ["unit,day,a,b,c,y"]
    for unit in range(units):
        slope = draw.gauss(0, 1)
        number = draw.gauss(slope, 1)
        label = "up" if slope + draw.gauss(0, 0.3) > 0 else "down"
        for step in range(steps):
            a = slope * step + draw.gauss(0, 0.3)
            lines.append(f"u{unit},{step},{a!r},{draw.gauss(0, 1)!r},{number!r},{label}")
    return "\n".join(lines) + "\n"


class Case(ProgramTest):
    """A small problem; few samples and epochs, because without fused multiply-add in the processor it is emulated."""

    data = ["--data", "data.csv", "--target", "y"]

    def run_macmi(self, words, launcher=(), **environment):
        done = subprocess.run([*launcher, MACMI, *words], cwd=self.folder, env=dict(ranks.ENVIRONMENT, **environment),
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stderr}")
        return done.stdout

    def outcome(self, *more, **how):
        """What a user keeps of a training and of a selection."""
        training = [*self.data, *self.size, "--quiet", "--json", *more]
        said = self.run_macmi(["train", *training, "--out", "model"], **how)
        with open(os.path.join(self.folder, "model"), "rb") as file:
            model = file.read()
        selection = json.loads(self.run_macmi(["select", *training, "--permutations", "64", "--delta", "1"], **how))
        selection.pop("timing")
        return {"training": said, "model": model, "selection": selection}

    def same(self, expected, found, what):
        self.assertEqual(found["training"], expected["training"], what)
        self.assertTrue(found["model"] == expected["model"], f"{what}: the model files differ")
        self.assertEqual(found["selection"], expected["selection"], what)

    def every_way(self, encoder):
        expected = self.outcome()
        self.assertIn(encoder, [f["encoder"] for f in expected["selection"]["maps"]["features"]])
        self.assertGreater(len(expected["selection"]["test_log"]), 1)
        self.assertNotEqual(self.outcome("--seed", "1")["model"], expected["model"], "this test would see a difference")
        found = simd_of_this_machine()
        self.assertTrue({"SSE4", "AVX2", "AVX3"} & set(found), found)
        for name in found:
            self.same(expected, self.outcome(MACMI_SIMD=name), name)
        for threads in ("1", "2", "4"):
            self.same(expected, self.outcome("--threads", threads), f"{threads} threads")
        if ranks.why_not():
            self.skipTest(f"ranks are left out: {ranks.why_not()}")
        for number in (1, 3):
            self.same(expected, self.outcome(launcher=ranks.launcher(number)), f"{number} ranks")


class Blocks(Case):
    size = ["--group", r"^(x\d+)_", "--epochs", "4", "--restarts", "2"]

    def test_features_of_several_columns(self):
        self.shell("macmi simulate bullseye3d --n 80 --out data.csv --quiet")
        self.every_way("mlp")


class Series(Case):
    size = ["--id", "unit", "--time", "day", "--epochs", "4", "--restarts", "2"]

    def test_series(self):
        self.write("data.csv", series(units=70, steps=6))
        self.every_way("gru")


if __name__ == "__main__":
    main()
