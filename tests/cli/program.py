"""Calls the macmi program as a user would, in an empty folder of its own. For the tests beside it."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, MACMI = sys.argv[1], os.path.abspath(sys.argv[2])


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(MACMI, os.path.join(self.folder, "macmi"))

    def shell(self, line, expect=0):
        """Runs a line as pasted into a shell where `macmi` is on the PATH."""
        environment = dict(os.environ, PATH=self.folder + os.pathsep + os.environ["PATH"])
        done = subprocess.run(line, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=240, check=False)
        self.assertEqual(done.returncode, expect, f"{line}\n{done.stdout}\n{done.stderr}")
        return done

    def refused(self, line, *parts):
        """Exit code 2, nothing on standard output, one message that holds every part."""
        done = self.shell(line, expect=2)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("macmi: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def main():
    unittest.main(argv=[sys.argv[0]], verbosity=1)
