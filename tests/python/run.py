"""Runs a test of the Python package in the virtual environment that tools/python-venv makes: run.py SCRIPT SOURCE MACMI.

Exits 77, which ctest shows as skipped, where there is no such environment (no network).
"""
import glob
import os
import sys

script, source, program = sys.argv[1:4]
build = os.path.dirname(os.path.abspath(program))
python = os.path.join(build, "python-venv", "bin", "python")
if not os.path.exists(os.path.join(build, "python-venv", "made-from")):
    print("skipped: there is no virtual environment; `make test`, or tools/python-venv, makes it where pip has a network")
    sys.exit(77)
if not glob.glob(os.path.join(build, "python", "macmi", "_native.*.so")):
    print("skipped: the Python package is not built; tools/configure release and a build make it (MACMI_PYTHON)")
    sys.exit(77)
# -P is unknown to Python 3.10; the script's folder on the path holds nothing but tests.
os.environ.update(PYTHONPATH=os.path.join(build, "python"), PYTHONDONTWRITEBYTECODE="1")
os.execv(python, [python, os.path.join(os.path.dirname(__file__), script), source, program])
