"""Names, defaults and meanings are those of the command line's declarations, and the stubs are right."""
import inspect
import subprocess
import sys
import unittest

import macmi
from macmi import _native, selector
from macmi._options import as_text, from_text
from package import MACMI, SOURCE, PackageTest, main


def declared(group):
    return {name: (from_text(default, kind), meaning) for name, default, kind, _, meaning in _native.declared(group)}


def defaults(function):
    return {n: p.default for n, p in inspect.signature(function).parameters.items() if p.default is not p.empty}


class Options(PackageTest):
    def program_options(self, verb):
        """From the program itself: `macmi options`."""
        lines = subprocess.check_output([MACMI, "options"], text=True, timeout=60).splitlines()
        rows = (line.split("\t") for line in lines if line.startswith(f"{verb} --"))
        return {name.split("--")[1]: (default, meaning) for name, default, meaning in rows}

    def test_declarations_are_the_programs(self):
        for group, verb in (("estimate", "estimate"), ("test", "test"), ("select", "select"), ("data", "select")):
            theirs = self.program_options(verb)
            for name, default, _, _, meaning in _native.declared(group):
                if (group, name) != ("data", "seed"):  # one --seed for all
                    self.assertEqual(theirs[name], (default, meaning), name)

    def test_functions(self):
        for function, group, own in ((macmi.estimate, "estimate", {"z"}), (macmi.mutual_info, "estimate", set()),
                                     (macmi.cmi, "estimate", set()),
                                     (macmi.ci_test, "test", {"z", "method", "groups", "time", "progress"})):
            ours = {n: d for n, d in defaults(function).items() if n not in own}
            theirs = {n.replace("-", "_"): d for n, (d, _) in declared(group).items()}
            if function is macmi.mutual_info:
                theirs.pop("z_weight")  # there is no z
            self.assertEqual(ours, theirs, function)
            for name in ours:
                self.assertIn(declared(group)[name.replace("_", "-")][1], function.__doc__)
            self.assertNotIn("{options}", function.__doc__)

    def test_selector(self):
        ours = defaults(macmi.MarkovBlanketSelector)
        theirs = {**declared("data"), **declared("select")}
        for name, (default, meaning) in theirs.items():
            if name in selector.LEFT_OUT:
                self.assertNotIn(name, ours)
                continue
            mine = ours.pop(selector.RENAMED.get(name, name).replace("-", "_"))
            if name == "threads":
                self.assertEqual((mine, default), (-1, 0))  # every core, in each one's way of saying so
                continue
            self.assertEqual(list(mine) if isinstance(mine, tuple) else mine, default, name)
            if name != "seed":
                self.assertIn(meaning, macmi.MarkovBlanketSelector.__doc__)
        self.assertEqual(set(ours), set(selector.OWN))
        everything = set(self.program_options("select"))
        self.assertEqual(everything - set(theirs), {"run", "out", "report", "json", "quiet"})

    def test_values_as_the_command_line_writes_them(self):
        for value, text in ((True, "true"), (3, "3"), (2.0, "2"), (0.1, "0.1"), (1e-12, "1e-12"), ("auto", "auto"),
                            (["a,b", "c"], ["a,b", "c"]), (("a",), ["a"])):
            self.assertEqual(as_text(value), text)


class Types(unittest.TestCase):
    def test_mypy_strict(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", MACMI + "-mypy"], cwd=SOURCE, capture_output=True,
                              text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


main()
