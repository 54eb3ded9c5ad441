"""--help teaches: every verb is named, every example works when pasted, docs/options.md is what the program says."""
import os
import re

from program import SOURCE, ProgramTest, main


class Help(ProgramTest):
    def verbs(self):
        return re.findall(r"^  (\w+) +\S", self.shell("macmi --help").stdout, re.MULTILINE)

    def examples(self, verb):
        text = self.shell(f"macmi {verb} --help").stdout
        self.assertIn("Examples:", text)
        return [line.strip() for line in text.split("Examples:")[1].splitlines() if line.strip()]

    def test_overview_names_every_verb_with_one_line(self):
        verbs = [verb for verb in self.verbs() if verb != "macmi"]
        for verb in ("estimate", "simulate", "doctor", "options"):
            self.assertIn(verb, verbs)
        self.assertEqual(self.shell("macmi").stdout, self.shell("macmi --help").stdout)

    def test_examples_work_when_pasted(self):
        for verb in self.verbs():
            if verb == "macmi":
                continue
            examples = self.examples(verb)
            self.assertGreaterEqual(len(examples), 2, verb)
            for example in examples:
                with self.subTest(example=example):
                    self.shell(example)

    def test_options_page_is_up_to_date(self):
        with open(os.path.join(SOURCE, "docs", "options.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.shell("macmi options --markdown").stdout, "run `make docs`")

    def test_every_option_of_the_page_is_accepted(self):
        page = self.shell("macmi options --markdown").stdout
        for verb, table in re.findall(r"## macmi (\w+)\n(.*?)(?=\n## |\Z)", page, re.DOTALL):
            text = self.shell(f"macmi {verb} --help").stdout
            for option in re.findall(r"^\| `(--[\w-]+)`", table, re.MULTILINE):
                self.assertIn(option, text)

    def test_wrong_words_are_refused_with_the_nearest(self):
        self.refused("macmi estmate", "no verb 'estmate'", "did you mean 'estimate'?")
        self.refused("macmi estimate --dta f.csv --x a --y b", "--dta", "did you mean '--data'?")
        self.refused("macmi estimate", "--x is required")
        self.refused("macmi estimate --x a --y b", "--data")
        self.refused("macmi simulate spiral --out s.csv", "spiral", "bullseye2d")


main()
