"""What the classes for other packages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._columns import Block, Column
from ._options import as_texts, python_words
from ._threads import threads_of
from .independence import CITestResult, _result


def test_columns(
    x: Sequence[Column], y: Sequence[Column], z: Sequence[Column], options: Mapping[str, Any], method: str = "knn"
) -> CITestResult:
    """A test on named columns. The names key the random numbers."""

    def blocks(columns: Sequence[Column]) -> list[Block]:
        return [([c.name], c.values) for c in columns]

    values = {**options, "threads": threads_of(options.get("threads", 0))}
    with python_words():
        return _result(_native.ci_test(blocks(x), blocks(y), blocks(z), method, as_texts(values), None))
