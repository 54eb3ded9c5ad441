"""Markov blankets of high-dimensional features, by k-NN conditional mutual information.

    import macmi
    macmi.ci_test(x, y, z).p_value                      # is x independent of y given z?
    macmi.MarkovBlanketSelector().fit(X, y).result_     # which features matter, and why
    macmi.learn_graph(X).edges                          # who causes whom

`import macmi` needs NumPy and loads nothing else; scikit-learn, pandas and tqdm are used where they are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import __version__
from .graph import GraphResult, learn_graph
from .independence import CIScale, CITestResult, ci_test, ci_tests
from .information import Estimate, cmi, estimate, mutual_info
from .result import SelectionResult

if TYPE_CHECKING:
    from .selector import MarkovBlanketSelector

__all__ = [
    "CIScale",
    "CITestResult",
    "Estimate",
    "GraphResult",
    "MarkovBlanketSelector",
    "SelectionResult",
    "__version__",
    "ci_test",
    "ci_tests",
    "cmi",
    "estimate",
    "learn_graph",
    "mutual_info",
]


def __getattr__(name: str) -> Any:
    # The estimator derives from scikit-learn's classes, whose import takes longer than many a test.
    if name == "MarkovBlanketSelector":
        from .selector import MarkovBlanketSelector

        return MarkovBlanketSelector
    raise AttributeError(f"module 'macmi' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
