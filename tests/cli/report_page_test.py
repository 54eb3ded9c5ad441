"""The report page in a headless Chromium, as a reader uses it. Skipped (exit code 77) where there is no Chromium."""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from browser import Browser, find_chromium
from report_data import HOSTILE, large, learned, network

MACMI = os.path.abspath(sys.argv[2])
FIGURES = "[...document.querySelectorAll('figure')]"
# What is drawn inside a figure beside axes and text.
MARKS = (
    "'[aria-label=dot] *, [aria-label=rect] *, [aria-label=link] *, [aria-label=line] *, [aria-label=rule] *, image'"
)


def rows_of(section, column):
    """The texts of a column of a section's table."""
    return f"[...document.querySelectorAll('#{section} tbody tr:not(.more)')].map((row) => row.cells[{column}].textContent)"


def heading(section, label):
    return f"[...document.querySelectorAll('#{section} th button')].find((button) => button.textContent === '{label}')"


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.names = HOSTILE[:7] + ["plain", HOSTILE[7]]
        columns = network(cls.names)
        with open(cls.path("net.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow(columns)
            csv.writer(file).writerows(zip(*columns.values()))
        cls.macmi(
            "select",
            "--data",
            "net.csv",
            "--target",
            cls.names[-1],
            "--permutations",
            "128",
            "--delta",
            "1",
            "--stability",
            "3",
            "--quiet",
            "--out",
            "hostile.json",
        )
        with open(cls.path("hostile.json"), encoding="utf-8") as file:
            cls.result = json.load(file)
        members = cls.result["blanket"]
        cls.result.update(learned(members[:1], classes=["</b>no", "<i>yes"], dimensions=1))
        cls.result["map_pictures"] += learned(members[1:2])["map_pictures"] + learned(members[2:3], dimensions=3)["map_pictures"]
        cls.write("hostile.json", cls.result)
        cls.write("large.json", large())
        for name in ("hostile.json", "large.json"):
            cls.macmi("report", name)
        cls.browser = cls.enterClassContext(Browser(find_chromium()))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, result):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            json.dump(result, file)

    @classmethod
    def macmi(cls, *words):
        subprocess.run([MACMI, *words], cwd=cls.folder, check=True, timeout=200, stdout=subprocess.DEVNULL)

    def open(self, name, **look):
        self.browser.look(**look)
        self.browser.open(self.path(name))
        self.assertTrue(self.browser.run("document.documentElement.dataset.ready"), self.browser.problems)

    def check_quiet(self):
        """Nothing went wrong, and the page itself was all that was asked for."""
        self.assertEqual(self.browser.problems, [])
        self.assertEqual(self.browser.console, [])
        self.assertEqual([url for url in self.browser.requests[1:] if not url.startswith("data:")], [])
        self.assertTrue(self.browser.requests[0].startswith("file://"))

    def check_figures(self, least):
        figures = self.browser.run(
            f"{FIGURES}.map((f) => [f.querySelector('h3').textContent, f.querySelectorAll({MARKS}).length,"
            "f.querySelector('svg')?.getAttribute('aria-label') ?? '', f.querySelector('.save') !== null])"
        )
        self.assertGreaterEqual(len(figures), least)
        for title, marks, alternative, save in figures:
            self.assertGreater(marks, 0, title)
            self.assertGreater(len(title), 10)
            self.assertGreater(len(alternative), 10, title)
            self.assertTrue(save, title)

    def test_every_figure_is_drawn_without_errors_or_requests(self):
        for name in ("hostile.json", "large.json"):
            self.open(name.replace("json", "html"))
            self.check_figures(6)
            self.check_quiet()

    def test_sections_come_in_the_order_of_the_questions(self):
        self.open("hostile.html")
        self.assertEqual(
            self.browser.run("[...document.querySelectorAll('section')].map((s) => s.id)"),
            ["selected", "graph", "why-not", "maps", "training", "health", "tests", "settings"],
        )

    def test_hostile_names_are_shown_as_text(self):
        self.open("hostile.html")
        self.browser.run("document.querySelectorAll('.open').forEach((button) => button.click())")
        self.browser.settle()
        self.check_quiet()
        self.assertIsNone(self.browser.run("window.injected ?? null"))
        self.assertEqual(self.browser.run("document.querySelectorAll('body script').length"), 2)
        self.assertEqual(
            self.browser.run(
                "document.querySelectorAll('img, iframe, b, i, object, embed, [onerror], [onload], [onclick]').length"
            ),
            0,
        )
        self.assertEqual(
            self.browser.run(
                "[...document.querySelectorAll('a')].filter((a) => !a.getAttribute('href').startsWith('#')).length"
            ),
            0,
        )
        self.assertEqual(
            sorted(
                text.strip()
                for text in self.browser.run(rows_of("selected", 0)) + self.browser.run(rows_of("why-not", 0))
            ),
            sorted(self.names[:-1]),
        )
        self.assertIn(self.names[-1], self.browser.run("document.title"))
        self.assertIn(self.names[-1], self.browser.run("document.getElementById('answer').textContent"))

    def test_no_column_is_cut_on_a_laptop(self):
        cut = """[...document.querySelectorAll('.scroll, .scroll *, .drawing')].filter((box) => {
          const {right} = box.getBoundingClientRect();
          return right > 1280.5 || (box.matches('.scroll') && box.scrollWidth > box.clientWidth);
        }).map((box) => `${box.closest('section').id}: ${box.textContent.slice(0, 40)}`)"""
        outside = """[...document.querySelectorAll('.drawing text')].filter((text) => {
          const box = text.getBoundingClientRect(), frame = text.closest('.drawing').getBoundingClientRect();
          return box.right > frame.right + 1 || box.left < frame.left - 1;
        }).map((text) => text.textContent)"""
        wide = json.loads(json.dumps(self.result))  # every column and long remarks
        names = [f["name"] for f in wide["features"] if f["role"] == "excluded"]
        for feature in wide["features"]:
            feature.update({"near_miss_count": 1, "measured": True, "effect_error": 0.0123, "q_value": 1.2e-143, "p_value": 1.2e-144, "test_effect": 0.1,
                            "test_p_value": 0.1, "alone": {"effect": 0.0123, "effect_error": 0.0123, "share": 0.5}, "interchangeable": names, "effect": 0.0123})
        self.write("wide.json", wide)
        self.macmi("report", "wide.json")
        for name in ("hostile.html", "large.html", "wide.html"):
            self.open(name, width=1280, height=800)
            self.assertEqual(self.browser.run(outside), [], name)
            self.browser.run("[...document.querySelectorAll('.open')].slice(0, 3).forEach((button) => button.click())")
            self.browser.settle()
            self.assertEqual(self.browser.run(cut), [], name)
            self.assertLessEqual(self.browser.run("document.scrollingElement.scrollWidth"), 1280)

    def test_pictures_of_maps_name_their_classes(self):
        self.open("large.html")
        marks = "document.querySelectorAll('#maps .legend svg').length"
        self.assertEqual(self.browser.run("document.querySelector('#maps .legend').textContent.match(/works|failed/g)"), ["works", "failed"])
        self.assertEqual(self.browser.run(marks), 2)
        drawn = self.browser.run("[...new Set([...document.querySelectorAll('#maps figure [aria-label=dot] path')].map((dot) => dot.getAttribute('fill')))].sort()")
        named = self.browser.run("[...document.querySelectorAll('#maps .legend svg')].map((dot) => dot.getAttribute('fill')).sort()")
        self.assertEqual(named, drawn)
        self.open("hostile.html")
        self.assertIn("</b>no", self.browser.run("document.querySelector('#maps .legend').textContent"))

    def check_first_sentence(self, name, sentence, *more):
        self.macmi("report", f"{name}.json")
        self.open(f"{name}.html")
        self.check_quiet()
        told = self.browser.run("document.getElementById('answer').parentElement.textContent")
        self.assertIn(sentence, told)
        for words in more:
            self.assertIn(words, told)

    def test_the_first_sentence_says_no_more_than_the_tests(self):
        def select(name, *words):
            self.macmi("select", "--data", "plain.csv", "--target", "t", "--permutations", "200", "--quiet", "--out", f"{name}.json", *words)
            with open(self.path(f"{name}.json"), encoding="utf-8") as file:
                return json.load(file)

        columns = network(["a", "b", "c", "d", "e", "noise", "t"], n=300)
        columns["nearly a"] = [a + 1e-6 * e for a, e in zip(columns["a"], columns["e"])]
        with open(self.path("plain.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow(columns)
            csv.writer(file).writerows(zip(*columns.values()))
        whole = select("whole")
        self.assertTrue(all(f["re_tested"] for f in whole["features"] if f["role"] != "excluded"))
        self.check_first_sentence("whole", f"Of 7 features, {len(whole['blanket'])} are found to matter for t:")
        undecidable = [f["name"] for f in whole["features"] if f["reason"] == "cannot be told apart"]
        self.assertEqual(len(undecidable), 1)
        self.check_first_sentence("whole", "1 feature cannot be told apart from others by these samples.")
        # The paper's procedure with a limit: members are kept that no test given all others has seen.
        some = select("some", "--search", "paper", "--shrink-limit", "1", "--no-evidence")
        open_ones = sum(not f["re_tested"] for f in some["features"] if f["role"] != "excluded")
        self.assertGreater(open_ones, 0)
        share = "all" if open_ones == len(some["blanket"]) else f"{open_ones} of them"
        self.check_first_sentence("some", f"selected for t, {share} without a test given all the others:", "may be superfluous")
        nothing = select("nothing", "--features", "noise")
        self.assertEqual(nothing["blanket"], [])
        self.check_first_sentence("nothing", "The one feature does not show a dependence on t that stands out from chance in 300 samples.")

    def test_a_covariance_is_drawn_over_its_normal_curve(self):
        result = json.loads(json.dumps(self.result))
        feature = next(f for f in result["features"] if f["role"] != "excluded")
        feature["rule"] = "covariance"
        feature.pop("null_histogram", None)
        self.write("covariance.json", result)
        self.macmi("report", "covariance.json")
        self.open("covariance.html")
        place = self.browser.run(rows_of("selected", 0)).index(feature["name"])
        self.browser.run(f"document.querySelectorAll('#selected .open')[{place}].click()")
        self.browser.settle()
        self.check_quiet()
        title = self.browser.run("document.querySelector('#selected .more:not([hidden]) figure h3').textContent")
        deviations = math.sqrt(feature["n"] * math.expm1(2 * feature["statistic"]))
        self.assertEqual(title, f"{feature['name']}: the covariance is {deviations:.1f} standard errors from 0")
        self.assertEqual(self.browser.run("document.querySelectorAll('#selected .more:not([hidden]) [aria-label=area] path').length"), 1)

    def test_an_evaluation_is_drawn_and_told(self):
        areas = {"all": 0.871, "selected": 0.833, "l1": 0.9, "random": 0.5}
        sets = [
            dict(name=name, size=2, features=[["a"]] * 5, gain=0.1, gain_error=0.01, auc=area, average_precision=0.4, roc=[[0, 0], [0.2, area], [1, 1]])
            for name, area in areas.items()
        ]
        differences = [
            dict(first="selected", second=name, measure="auc", difference=areas["selected"] - area, low=-0.1, high=0.4)
            for name, area in areas.items()
            if name != "selected"
        ]
        evaluation = dict(target="y", two_classes=True, parts=5, samples=self.result["samples"], seed=0, selection_repeated=True, selection=self.result["blanket"],
                          sets=sets, differences=differences, notes=[])
        self.write("evaluated.json", self.result)
        self.write("evaluated.evaluation.json", evaluation)
        self.macmi("report", "evaluated.json")
        self.open("evaluated.html")
        self.check_quiet()
        self.check_figures(7)
        self.assertEqual(self.browser.run("document.querySelectorAll('#evaluation [aria-label=line] path').length"), 1 + len(areas))  # and the diagonal
        self.assertEqual(self.browser.run(rows_of("evaluation", 0)), list(areas))
        self.browser.run(f"{heading('evaluation', 'AUC')}.click()")
        self.assertEqual(self.browser.run(rows_of("evaluation", 2)), [f"{area:.3f}" for area in sorted(areas.values())])
        differences = dict(zip(self.browser.run(rows_of("evaluation", 0)), self.browser.run(rows_of("evaluation", 5))))
        self.assertEqual(differences, {"all": "-0.038 (-0.100 to +0.400)", "selected": "", "l1": "-0.067 (-0.100 to +0.400)", "random": "+0.333 (-0.100 to +0.400)"})

    def test_the_table_of_tests_sorts_both_ways(self):
        self.open("large.html")
        everything = "[...document.querySelectorAll('#tests .below button')].forEach((button) => button.click())"
        self.browser.run(everything)
        with open(self.path("large.json"), encoding="utf-8") as file:
            log = json.load(file)["test_log"]
        effects = sorted(row["effect"] for row in log)
        for direction, expected in (("ascending", effects), ("descending", effects[::-1])):
            self.browser.run(f"{heading('tests', 'effect, nats')}.click()")
            self.assertEqual(
                self.browser.run(f"{heading('tests', 'effect, nats')}.parentElement.getAttribute('aria-sort')"),
                direction,
            )
            shown = [float(text) for text in self.browser.run(rows_of("tests", 4))]
            self.assertEqual(len(shown), 2000)
            for got, wanted in zip(shown, expected):
                self.assertAlmostEqual(got, wanted, delta=6e-4)  # three decimals are shown of four digits
        self.browser.run(f"{heading('tests', 'feature')}.click()")
        number = lambda name: int(name.split("_")[1])
        shown = [number(name) for name in self.browser.run(rows_of("tests", 1))]
        self.assertEqual(shown, sorted(shown))

    def test_the_table_of_tests_filters_by_all_words(self):
        self.open("large.html")
        self.browser.run(
            "(() => { const box = document.querySelector('#tests input'); box.value = 'SMART_7_ given 2  independent';"
            "box.dispatchEvent(new Event('input')); document.querySelectorAll('#tests .below button').forEach((b) => b.click()); })()"
        )
        with open(self.path("large.json"), encoding="utf-8") as file:
            log = json.load(file)["test_log"]
        words = (
            lambda row: f"{row['name']} {' '.join(row['given'])} {row['stage']} {'dependent' if row['dependent'] else 'independent'}"
        )
        expected = [
            i + 1
            for i, row in enumerate(log)
            if all(word in words(row) for word in ("smart_7_", "given", "2", "independent"))
        ]
        self.assertGreater(len(expected), 3)
        self.assertEqual([int(text) for text in self.browser.run(rows_of("tests", 0))], expected)
        self.assertIn(
            f"{len(expected)} tests found", self.browser.run("document.querySelector('#tests .status').textContent")
        )

    def test_a_row_opens_by_keyboard_and_tells_what_explain_tells(self):
        self.open("hostile.html")
        self.browser.run("document.querySelector('#why-not .open').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key="Enter",
                code="Enter",
                text="\r" if kind == "keyDown" else "",
                windowsVirtualKeyCode=13,
            )
        self.browser.settle()
        name = self.browser.run("document.activeElement.textContent")
        lines = self.browser.run(
            "[...document.querySelectorAll('#why-not .more:not([hidden]) .story p')].map((p) => p.textContent)"
        )
        told = subprocess.run(
            [MACMI, "explain", "hostile.json", name],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
        ).stdout
        self.assertEqual(lines, told.splitlines())
        self.assertGreater(
            self.browser.run("document.querySelectorAll('#why-not .more:not([hidden]) svg *').length"), 20
        )

    def test_everything_can_be_reached_and_has_a_name(self):
        self.open("hostile.html")
        self.assertEqual(
            self.browser.run("[...document.querySelectorAll('button, input, a')].filter((e) => e.tabIndex < 0).length"),
            0,
        )
        self.assertEqual(
            self.browser.run(
                "[...document.querySelectorAll('button')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length"
            ),
            0,
        )
        self.assertEqual(
            self.browser.run("[...document.querySelectorAll('input')].filter((e) => !e.labels.length).length"), 0
        )
        self.assertEqual(self.browser.run("document.querySelectorAll('h1').length"), 1)
        self.assertTrue(self.browser.run("document.documentElement.lang"))

    def test_nothing_overflows_on_a_phone_in_light_and_dark(self):
        for name in ("hostile.html", "large.html"):
            for dark in (False, True):
                self.open(name, width=380, height=800, dark=dark)
                self.browser.run(
                    "[...document.querySelectorAll('.open')].slice(0, 3).forEach((button) => button.click())"
                )
                self.browser.settle()
                self.assertLessEqual(self.browser.run("document.scrollingElement.scrollWidth"), 380)
                wide = self.browser.run(
                    f"{FIGURES}.filter((f) => !f.closest('.scroll') && f.getBoundingClientRect().right > 380).length"
                )
                self.assertEqual(wide, 0)
                self.check_figures(6)
                self.check_quiet()

    def contrast(self, selector):
        """WCAG's contrast of an element's colour against the page."""
        ratio = """(() => {
          const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          const luminance = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
          const of = (s) => luminance(getComputedStyle(document.querySelector(s)).color), ground = luminance(getComputedStyle(document.body).backgroundColor);
          return (Math.max(of(%s), ground) + 0.05) / (Math.min(of(%s), ground) + 0.05); })()"""
        return self.browser.run(ratio % (json.dumps(selector), json.dumps(selector)))

    def test_dark_mode_follows_the_reader_and_stays_readable(self):
        grounds = []
        for dark in (False, True):
            self.open("hostile.html", dark=dark)
            grounds.append(self.browser.run("getComputedStyle(document.body).backgroundColor"))
            for selector in ("h1", ".note", ".role.adjacent", ".role.co-parent", "figure svg"):
                self.assertGreater(self.contrast(selector), 4.5, (dark, selector))
        self.assertNotEqual(*grounds)
        self.browser.run("document.querySelector('.theme').click()")
        self.assertEqual(self.browser.run("getComputedStyle(document.body).backgroundColor"), grounds[0])

    def test_a_printed_page_is_light_and_without_controls(self):
        self.open("hostile.html", dark=True)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(
            self.browser.run(
                "[...document.querySelectorAll('.save, nav, .filter, .theme')].filter((e) => getComputedStyle(e).display !== 'none').length"
            ),
            0,
        )
        self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_a_figure_is_saved_as_a_file_of_its_own(self):
        self.open("hostile.html", dark=True)
        self.browser.run("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
        count = self.browser.run("document.querySelectorAll('.save').length")
        self.assertGreaterEqual(count, 5)
        for i in range(count):
            self.browser.run(f"document.querySelectorAll('.save')[{i}].click()")
            text = self.browser.run("window.saved.text()")
            picture = xml.fromstring(text)
            self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotIn("var(", text)
            self.assertGreater(sum(1 for _ in picture.iter()), 20)


if __name__ == "__main__":
    if find_chromium() is None:
        print("skipped: Chromium is not installed; tools/setup --browser installs it")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]], verbosity=1)
