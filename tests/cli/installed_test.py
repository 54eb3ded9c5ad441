"""What is installed needs the C and C++ runtime and four small libraries; everything else is opened when it is wanted."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

from program import MACMI, main

BUILD = os.path.dirname(MACMI)
RUNTIME = r"linux-vdso|ld-linux[-\w]*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+"
LIBRARIES = r"libz|libsqlite3|libfmt|libhwy|libhwy_contrib"
ALLOWED = re.compile(rf"({RUNTIME}|{LIBRARIES})\.so(\.[\d.]+)?")


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def is_program_or_library(path):
    with open(path, "rb") as file:
        return not os.path.islink(path) and file.read(4) == b"\x7fELF"


def loaded_with(path):
    """The names of all that is loaded with it: the first word of ldd's lines."""
    return {os.path.basename(line.split()[0]) for line in output_of("ldd", path).splitlines()}


def named_by(path):
    """Those that it names itself."""
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", path)))


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "cmake_install.cmake")), "the program is not in its build folder")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        output_of("cmake", "--install", BUILD, "--prefix", folder.name)
        if glob.glob(os.path.join(BUILD, "python", "macmi", "_native.*.so")):
            output_of("cmake", "--install", BUILD, "--prefix", folder.name, "--component", "python")
        paths = [os.path.join(root, name) for root, _, names in os.walk(folder.name) for name in names]
        cls.files = {os.path.relpath(path, folder.name): path for path in paths if is_program_or_library(path)}

    def test_one_program_and_what_it_opens(self):
        names = {re.sub(r"\.cpython.*\.so$", ".so", os.path.basename(name)) for name in self.files}
        self.assertEqual(names - {"libmacmi-mpi.so", "libduckdb.so", "_native.so"}, {"macmi"})
        self.assertIn("bin/macmi", self.files)

    def test_only_few_libraries_are_needed(self):
        for name, path in self.files.items():
            with self.subTest(name):
                mpi = os.path.basename(name) == "libmacmi-mpi.so"  # opened under mpirun; what MPI itself needs is its own affair
                needed = {library for library in named_by(path) if not library.startswith("libmpi")} if mpi else loaded_with(path)
                self.assertIn("libc.so.6", needed)
                self.assertEqual([library for library in sorted(needed) if not ALLOWED.fullmatch(library)], [])


if __name__ == "__main__":
    main()
