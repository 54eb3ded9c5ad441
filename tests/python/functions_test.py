"""mutual_info, cmi, ci_test and ci_tests on arrays and tables of every kind."""
import math
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import macmi
from macmi._columns import blocks
from package import PackageTest, main


def brute_force_cmi(x, y, z, k):
    """Frenzel & Pompe 2007 as printed, on columns as they are, max-norm."""
    def distances(*columns):
        return np.max([np.abs(c[:, None] - c[None, :]) for c in columns], axis=0)

    def psi(n):  # of whole numbers
        return -np.euler_gamma + sum(1 / i for i in range(1, n))

    n = len(x)
    every, xz, yz, zz = distances(x, y, z), distances(x, z), distances(y, z), distances(z)
    total = 0
    for i in range(n):
        radius = np.sort(every[i])[k]  # the first is the sample itself
        total += psi(np.sum(zz[i] < radius)) - psi(np.sum(xz[i] < radius)) - psi(np.sum(yz[i] < radius))
    return psi(k) + total / n


class Information(PackageTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(3)
        self.x, self.z = draw.normal(size=(2, 300))
        self.y = self.x + self.z + draw.normal(size=300)

    def test_cmi_is_the_printed_formula(self):
        ours = macmi.cmi(self.x, self.y, self.z, k=7, transform="none")
        self.assertAlmostEqual(ours, brute_force_cmi(self.x, self.y, self.z, 7), places=12)

    def test_mutual_info_of_gaussians(self):
        draw = np.random.default_rng(0)
        x, noise = draw.normal(size=(2, 4000))
        y = 0.8 * x + 0.6 * noise
        # KSG's standard deviation at n = 4000 and k = 5 is below 0.02 (Kraskov et al. 2004, figure 4): three of them.
        self.assertAlmostEqual(macmi.mutual_info(x, y), -0.5 * math.log(1 - 0.64), delta=0.06)

    def test_estimate_tells_its_choices(self):
        e = macmi.estimate(self.x, np.round(self.y), k=0.1)
        self.assertEqual((e.k, e.n, e.estimator), (30, 300, "mixed"))
        self.assertEqual(float(e), e.value)

    def test_every_layout_and_type_gives_the_same_value(self):
        wide = np.column_stack([self.x, self.z])
        value = macmi.cmi(wide, self.y, self.z)
        strided = np.repeat(np.repeat(wide, 2, axis=0), 3, axis=1)[::2, ::3]
        backwards = wide[::-1][::-1]
        for same in (np.asfortranarray(wide), strided, backwards, wide.tolist(), wide.astype(">f8"), wide.astype("g"),
                     np.ascontiguousarray(wide.T).T):
            self.assertEqual(macmi.cmi(same, self.y, self.z), value)
        self.assertEqual(macmi.cmi(wide[::-1], self.y[::-1], self.z[::-1]), macmi.cmi(wide[::-1].copy(), self.y[::-1], self.z[::-1]))
        readonly = wide.copy()
        readonly.flags.writeable = False
        self.assertEqual(macmi.cmi(readonly, self.y, self.z), value)
        whole = np.round(10 * wide)
        for kind in (np.int8, np.int64, np.uint16, np.float32):
            shifted = whole - whole.min()
            self.assertEqual(macmi.mutual_info(shifted.astype(kind), self.y), macmi.mutual_info(shifted, self.y))

    def test_float64_is_not_copied(self):
        wide = np.random.default_rng(0).normal(size=(50, 6))
        for array in (wide, wide[:, 2], wide[::2, 1:], wide[::-1], np.asfortranarray(wide), wide.T):
            ((_, read),) = blocks(array, "x")
            self.assertTrue(np.shares_memory(read, array))
        series = pd.Series(np.arange(10.0))
        self.assertTrue(np.shares_memory(blocks(series, "x")[0][1], series.to_numpy()))
        arrow = pa.array(np.arange(10.0))
        self.assertTrue(np.shares_memory(blocks(arrow, "x")[0][1], arrow.to_numpy()))

    def test_tables_of_every_library(self):
        words = np.where(self.z > 0, "up", "down")
        columns = {"x": self.x, "word": words, "flag": self.x > 1, "whole": np.round(3 * self.z).astype(int)}
        frame = pd.DataFrame(columns)
        category = frame.assign(word=frame.word.astype("category"), whole=frame.whole.astype("Int32"))
        value = macmi.mutual_info(frame, self.y)
        for same in (pl.DataFrame(columns), pa.table(columns), category,
                     pl.DataFrame(columns).with_columns(pl.col("word").cast(pl.Categorical)),
                     pa.table({**columns, "word": pa.array(words).dictionary_encode()})):
            self.assertEqual(macmi.mutual_info(same, self.y), value, type(same))
        for series in (frame.word, pl.Series(words), pa.array(words), pa.chunked_array([words[:99], words[99:]]),
                       words, words.tolist(), words.astype(object), frame.word.astype("category"), words.astype("S")):
            self.assertEqual(macmi.mutual_info(series, self.y), macmi.mutual_info((words == "up"), self.y), type(series))

    def test_dates_are_compared_as_labels_here(self):
        days = np.datetime64("2020-01-01") + np.arange(300) % 3
        self.assertEqual(macmi.mutual_info(days, self.y), macmi.mutual_info(days.astype(str), self.y))


class Tests(PackageTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(5)
        z = draw.normal(size=500)
        self.frame = pd.DataFrame({"x": z + draw.normal(size=500), "y": z + draw.normal(size=500), "z": z,
                                   "class": np.where(z + draw.normal(size=500) > 0, "high", "low")})

    def test_same_bits_as_the_program(self):
        self.frame.to_csv(self.path("f.csv"), index=False)
        f = self.frame
        for x, y, z, options in (("x", "y", "z", {}), ("x", "y", None, {"k": 10}), ("x", "class", "z", {"seed": 3}),
                                 ("x", "y", "z", {"method": "fisherz"}),
                                 ("x", "y", "z", {"stop": "never", "permutations": 200, "z_weight": 2})):
            words = [w for n, v in options.items() for w in (f"--{n.replace('_', '-')}", str(v))]
            theirs = self.program("test", "--data", "f.csv", "--x", x, "--y", y, *(["--z", z] if z else []), *words)
            ours = macmi.ci_test(f[[x]], f[y], f[[z]] if z else None, **options)
            for name in ("statistic", "effect", "p_value", "permutations", "exceedances", "null_mean", "null_sd", "z_score",
                         "k", "n", "left_out", "dependent", "rule", "permuted", "stopped", "seed", "alpha"):
                self.assertEqual(getattr(ours, name), theirs[name], (name, options))
            self.assertEqual([s.__dict__ for s in ours.scales], theirs["scales"])
        theirs = self.program("estimate", "--data", "f.csv", "--x", "x,class", "--y", "y", "--z", "z")
        self.assertEqual(macmi.cmi(f[["x", "class"]], f.y, f.z), theirs["value"])

    def test_verdicts(self):
        f = self.frame
        self.assertTrue(macmi.ci_test(f.x, f.y).dependent)
        given = macmi.ci_test(f.x, f.y, f.z)
        self.assertFalse(given.dependent, given)
        self.assertIn("independent", str(given))

    def test_a_batch_is_its_single_tests(self):
        f = self.frame
        batch = [(f.x, f.y), (f.x, f.y, f.z), {"x": f.x, "y": f["class"], "z": f[["z", "y"]]}, (f.x, f.y, None)]
        single = [macmi.ci_test(f.x, f.y), macmi.ci_test(f.x, f.y, f.z), macmi.ci_test(f.x, f["class"], f[["z", "y"]]),
                  macmi.ci_test(f.x, f.y)]
        for threads in (1, 2, 7):
            self.assertEqual(macmi.ci_tests(batch, threads=threads), single)
        self.assertEqual(macmi.ci_tests([]), [])
        linear = macmi.ci_tests(batch[:2], method="fisherz")
        self.assertEqual(linear[1], macmi.ci_test(f.x, f.y, f.z, method="fisherz"))

    def test_html(self):
        html = macmi.ci_test(self.frame.x, self.frame.y)._repr_html_()
        self.assertIn("<table>", html)
        self.assertIn("dependent", html)


# The first use of the selector imports scikit-learn, and what that imports may lose a Ctrl-C that comes meanwhile: they
# have begun once it is made.
LONG = ("import numpy, macmi\n"
        "x, y, z = numpy.random.default_rng(0).normal(size=(3, 4000))\n"
        "print('begun', flush=True)\n"
        "macmi.ci_test(x, y, z, k=100, permutations=10**8, stop='never')\n")
LONG_SEARCH = ("import numpy, macmi\n"
               "X = numpy.random.default_rng(0).normal(size=(4000, 9))\n"
               "selector = macmi.MarkovBlanketSelector(k=100, permutations=10**8, stop='never')\n"
               "print('begun', flush=True)\n"
               "selector.fit(X, X.sum(axis=1))\n")
LONG_TRAINING = ("import numpy, macmi\n"
                 "X = numpy.random.default_rng(0).normal(size=(1000, 4))\n"
                 "selector = macmi.MarkovBlanketSelector(groups='aabb', epochs=10**6)\n"
                 "print('begun', flush=True)\n"
                 "selector.fit(X, X[:, 0])\n")


class LongCalls(PackageTest):
    def test_control_c_ends_them(self):
        for code in (LONG, LONG_SEARCH, LONG_TRAINING):
            process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "begun\n")
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertIn("KeyboardInterrupt", errors)
            self.assertNotEqual(process.returncode, 0)

    def test_other_threads_of_python_go_on(self):
        x, y, z = np.random.default_rng(0).normal(size=(3, 4000))
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.001):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        macmi.ci_test(x, y, z, k=100, permutations=256, stop="never", threads=1)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 5)  # with the GIL held there would be none

    def test_progress_and_an_exception_from_it(self):
        x, y, z = np.random.default_rng(0).normal(size=(3, 1000))
        heard = []
        macmi.ci_test(x, y, z, k=100, permutations=1000, stop="never", progress=lambda *what: heard.append(what))
        self.assertEqual(heard[-1][1:], (1000, "permutations"))
        self.assertEqual([h[0] for h in heard], sorted(h[0] for h in heard))

        def refuse(done, total, stage):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            macmi.ci_test(x, y, z, k=100, permutations=10**8, stop="never", progress=refuse)
        done = self.python("import numpy, macmi\nx, y = numpy.random.default_rng(0).normal(size=(2, 1500))\n"
                           "macmi.ci_test(x, y, x * y, k=100, stop='never', progress=True)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("permutations", done.stderr)  # tqdm's bar


main()
