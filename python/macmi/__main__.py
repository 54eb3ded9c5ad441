"""`macmi` and `python -m macmi`: the same program as the one that `make build` gives, run inside Python."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys

from ._native import run_program

# Libraries that macmi opens when it first needs them, and the module of PyPI's package that holds each.
_LIBRARIES = {"MACMI_DUCKDB": ("_duckdb", ""), "MACMI_XGBOOST": ("xgboost", "lib/libxgboost.so")}


def _library(module: str, inside: str) -> str | None:
    """The file of a module, or a file in its folder. The module is not imported."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        return None
    path = os.path.join(os.path.dirname(found.origin), inside) if inside else found.origin
    return path if os.path.exists(path) else None


def main() -> int:
    for variable, (module, inside) in _LIBRARIES.items():
        if variable not in os.environ and (path := _library(module, inside)):
            os.environ[variable] = path
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is the program's own affair
    return run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
