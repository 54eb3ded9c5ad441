"""Every block of code in README.md and docs/ runs, or says why it does not: blocks_test.py SOURCE MACMI [--write].

python and then bash run page by page, each page in a folder of its own; the output of console blocks must be the one that the
page shows (--write puts the present one there); cpp must compile. The tutorials run when the site is made.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import blocks

SOURCE, MACMI = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# What the blocks of C++ take for granted; they may declare the same names again.
CPP = """#include <macmi/macmi.hpp>
#include <cstdio>
#include <string>
extern macmi::Dataset data;
extern const macmi::SelectOptions options;
extern const macmi::TargetCiTest& test;
extern const std::string recipe;
extern macmi::Run run;
void train_to(const std::string&);
void page() {
"""


def environment(folder):
    """macmi and python3 of this process come first; nothing waits for a terminal."""
    tools = os.path.join(folder, "bin")
    os.makedirs(tools, exist_ok=True)
    os.symlink(MACMI, os.path.join(tools, "macmi"))
    for name in ("python", "python3"):
        os.symlink(sys.executable, os.path.join(tools, name))
    os.symlink(os.path.join(SOURCE, "examples"), os.path.join(folder, "examples"))
    return dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"], MPLBACKEND="agg")


def run(words, folder, environment_, **more):
    return subprocess.run(words, cwd=folder, env=environment_, capture_output=True, text=True, timeout=280, check=False, **more)


def outputs(block, folder, environment_):
    """The block again, with what its commands print now."""
    parts = []
    for command, _ in blocks.exchanges(block.code):
        done = run(["bash", "-ec", command], folder, environment_)
        if done.returncode != 0:
            raise AssertionError(f"{block}: {command}\n{done.stdout}{done.stderr}")
        parts.append(f"$ {command}\n{done.stdout}")
    return "".join(parts)


class Blocks(unittest.TestCase):
    maxDiff = None

    def each(self, language):
        for page in blocks.pages(SOURCE):
            if "tutorials" not in page:
                found = [b for b in blocks.blocks(SOURCE, page) if b.language == language and not b.reason]
                if found:
                    yield page, found

    def folder(self, found):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        blocks.write_files(place.name, "".join(block.code for block in found))
        return place.name, environment(place.name)

    def test_every_block_has_a_language_that_is_checked(self):
        seen = 0
        for page in blocks.pages(SOURCE):
            text = blocks.read(SOURCE, page)
            without = blocks.BLOCK.sub("", text)
            self.assertNotRegex(without, r"(?m)^(    |\t)(macmi|pip|make|import|\$|#include)\b", f"{page}: fence this block")
            for block in blocks.blocks(SOURCE, page):
                self.assertIn(block.language, blocks.LANGUAGES, str(block))
                seen += block.language not in blocks.NOT_CODE
        self.assertGreater(seen, 50)

    def test_python_and_then_shell(self):
        """A page's commands may read what its Python wrote."""
        pages = {}
        for language in ("python", "bash"):
            for page, found in self.each(language):
                pages.setdefault(page, {})[language] = found
        for page, found in pages.items():
            every = [block for blocks_of in found.values() for block in blocks_of]
            folder, around = self.folder(every)
            if "customers.csv" in "".join(b.code for b in every):
                run([sys.executable, "examples/customers.py", "customers.csv", "400"], folder, around)
            if "python" in found:
                done = run([sys.executable, "-c", "\n".join(b.code for b in found["python"])], folder, around)
                self.assertEqual(done.returncode, 0, f"{page}\n{done.stderr}")
            for block in found.get("bash", []):
                with self.subTest(block=str(block)):
                    done = run(["bash", "-e"], folder, around, input=block.code)
                    self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout}\n{done.stderr}")

    def test_shown_output_is_what_the_program_prints(self):
        for page, found in self.each("console"):
            folder, around = self.folder(found)
            for block in found:
                with self.subTest(block=str(block)):
                    self.assertEqual(block.code, outputs(block, folder, around), "blocks_test.py --write puts it right")

    def test_cpp_compiles(self):
        compiler = shutil.which("g++") or self.skipTest("no g++")
        for _, found in self.each("cpp"):
            folder, around = self.folder(found)
            for block in found:
                body = "\n".join(line for line in block.code.split("\n") if not line.startswith("#include"))
                done = run([compiler, "-std=c++20", "-fsyntax-only", f"-I{SOURCE}/include", "-xc++", "-"], folder, around,
                           input=CPP + textwrap.indent(body, "  ") + "}\n")
                self.assertEqual(done.returncode, 0, f"{block}\n{done.stderr}")


def write():
    """Puts the present output into the console blocks."""
    for page in blocks.pages(SOURCE):
        text = blocks.read(SOURCE, page)
        for block in blocks.blocks(SOURCE, page):
            if block.language == "console" and not block.reason:
                with tempfile.TemporaryDirectory() as folder:
                    blocks.write_files(folder, block.code)
                    text = text.replace(block.code, outputs(block, folder, environment(folder)))
        with open(os.path.join(SOURCE, page), "w", encoding="utf-8") as file:
            file.write(text)


if sys.argv[3:] == ["--write"]:
    write()
else:
    unittest.main(argv=sys.argv[:1])
