"""Progress of long calls: a callable of the user's, a bar of tqdm where it is installed, or a bar of plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

Progress = Union[bool, Callable[[int, int, str], object], None]
Report = Callable[[int, int, str], object]
WIDTH = 30


@contextmanager
def text_bar() -> Iterator[Report]:
    """One line on standard error that is written over. Terminals and notebooks both understand the carriage return."""
    widest = 0

    def show(done: int, total: int, stage: str) -> None:
        nonlocal widest
        share = min(done / total, 1.0) if total > 0 else 0.0
        line = f"[{'#' * int(share * WIDTH):<{WIDTH}}] {share:4.0%} {stage}"
        print(f"\r{line:<{widest}}", end="", file=sys.stderr, flush=True)
        widest = max(widest, len(line))

    try:
        yield show
    finally:
        print("\r" + " " * widest, end="\r", file=sys.stderr, flush=True)


@contextmanager
def tqdm_bar(tqdm: Any) -> Iterator[Report]:
    bar: Any = tqdm(leave=False)

    def show(done: int, total: int, stage: str) -> None:
        bar.total = total
        bar.n = done
        bar.set_description(stage, refresh=True)

    try:
        yield show
    finally:
        bar.close()


@contextmanager
def hook(progress: Progress) -> Iterator[Report | None]:
    """Gives what the C++ side calls with (done, total, stage), some twenty times a second at most."""
    if not progress:
        yield None
    elif callable(progress):
        yield progress
    else:
        try:
            from tqdm import tqdm
        except ImportError:
            bar = text_bar()
        else:
            bar = tqdm_bar(tqdm)
        with bar as show:
            yield show
