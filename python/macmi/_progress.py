"""Progress of long calls: a callable of the user's, or a bar of tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

Progress = Union[bool, Callable[[int, int, str], object], None]


@contextmanager
def hook(progress: Progress) -> Iterator[Callable[[int, int, str], object] | None]:
    """What the C++ side calls with (done, total, stage), some twenty times a second at most."""
    if not progress:
        yield None
        return
    if callable(progress):
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None  # a bar was asked for, not needed
        return
    bar: Any = tqdm(leave=False)

    def show(done: int, total: int, stage: str) -> None:
        bar.total = total
        bar.n = done
        bar.set_description(stage, refresh=True)

    try:
        yield show
    finally:
        bar.close()
