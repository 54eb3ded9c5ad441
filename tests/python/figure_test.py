"""result.plot(): what is drawn are the numbers of the result. Bars of progress without tqdm."""
import contextlib
import io
import os

os.environ["MPLBACKEND"] = "agg"
import matplotlib.pyplot as plt
import numpy as np

import macmi
from macmi._progress import text_bar
from package import BLANKET, PackageTest, main, network


class Figures(PackageTest):
    @classmethod
    def setUpClass(cls):
        columns, t = network()
        cls.names = list(columns)
        cls.selector = macmi.MarkovBlanketSelector(groups=cls.names).fit(np.column_stack(list(columns.values())), t)

    def tearDown(self):
        plt.close("all")

    def drawn(self, ax):
        """By row of the axes: the effect and the two ends of its bar."""
        rows = {}
        for container in ax.containers:
            points, _, bars = container
            for (x, y), ends in zip(points.get_xydata(), bars[0].get_segments()):
                rows[int(y)] = (x, *ends[:, 0])
        return rows

    def test_effects_with_their_errors_members_first(self):
        ax = self.selector.plot()
        names = [label.get_text() for label in ax.get_yticklabels()]
        self.assertEqual(sorted(names[:4]), BLANKET)
        features, rows = self.selector.result_.features, self.drawn(ax)
        self.assertEqual(sorted(rows), list(range(len(names))))
        for row, name in enumerate(names):
            effect, error = features[name]["effect"], 1.96 * features[name]["effect_error"]
            np.testing.assert_allclose(rows[row], (effect, effect - error, effect + error))
        for part in (names[:4], names[4:]):
            effects = [features[name]["effect"] for name in part]
            self.assertEqual(effects, sorted(effects, reverse=True))
        low, high = ax.get_ylim()
        self.assertGreater(low, high, "the first row is on top")

    def test_few_of_the_excluded_and_axes_of_the_caller(self):
        _, ax = plt.subplots()
        self.assertIs(self.selector.result_.plot(ax=ax, excluded=1), ax)
        self.assertEqual(len(ax.get_yticklabels()), 5)
        self.assertIn("1 not shown", ax.get_title())

    def test_graph_of_the_members(self):
        ax = self.selector.plot("graph")
        self.assertEqual(sorted(text.get_text() for text in ax.texts), [*BLANKET, "y"])
        dashed = sum(line.get_linestyle() == "--" for line in ax.lines)
        self.assertEqual(dashed, list(self.selector.roles_.values()).count("co-parent"))

    def test_unknown_kind(self):
        with self.assertRaisesRegex(ValueError, "'effects' or 'graph'"):
            self.selector.plot("pie")

    def test_nothing_measured(self):
        draw = np.random.default_rng(5)
        alone = macmi.MarkovBlanketSelector(no_evidence=True).fit(draw.normal(size=(60, 2)), draw.normal(size=60))
        self.assertIn("0 of 2 selected", alone.plot().get_title())
        alone.plot("graph")

    def test_without_matplotlib_the_message_says_what_to_install(self):
        self.selector.result_.save(self.path("r.json"))
        done = self.python("import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
                           "import macmi; macmi.SelectionResult.load('r.json').plot()")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: plot() needs matplotlib", done.stderr)
        self.assertIn("pip install matplotlib", done.stderr)


class Bars(PackageTest):
    def test_a_bar_of_text_where_tqdm_is_not(self):
        done = self.python("import sys; sys.modules['tqdm'] = None\n"
                           "import numpy as np, macmi; x, y, z = np.random.default_rng(0).normal(size=(3, 3000))\n"
                           "macmi.ci_test(x, y, z, k=100, stop='never', progress=True)")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, r"\[#* *\] +\d+% permutations")

    def test_the_bar_grows_over_itself_and_is_cleared(self):
        written = io.StringIO()
        with contextlib.redirect_stderr(written), text_bar() as show:
            show(0, 0, "search")  # the total is not known yet
            show(15, 30, "search")
            show(31, 30, "map")  # more than expected
        lines = written.getvalue().split("\r")
        self.assertEqual(lines[1:4], [f"[{' ' * 30}]   0% search", f"[{'#' * 15}{' ' * 15}]  50% search", f"[{'#' * 30}] 100% map   "])
        self.assertEqual(lines[4:], [" " * len(lines[1]), ""])


main()
