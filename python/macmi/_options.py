"""Options go to the C++ side as texts, named as on the command line; their meaning comes from its declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from . import _native

F = TypeVar("F", bound=Callable[..., Any])

# Options about rows under the names that scikit-learn has for them.
ARGUMENTS = {"unit": "groups", "weight": "sample_weight"}


def as_text(value: Any) -> str | list[str]:
    """The value as one would write it on the command line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return [str(v) for v in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    return str(value)


def as_texts(values: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """{"z_weight": 2} as {"z-weight": "2"}; None leaves the default."""
    return {name.replace("_", "-"): as_text(value) for name, value in values.items() if value is not None}


def from_text(text: str, kind: str) -> Any:
    """A declared default as a Python value."""
    if kind == "bool":
        return text == "true"
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "list":
        return [] if not text else [text]
    if kind == "neighbours":
        return text if text == "auto" else (int(text) if float(text).is_integer() else float(text))
    if kind == "int or auto":
        return text if text == "auto" else int(text)
    return text


@contextmanager
def python_words(renamed: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Errors name options as Python spells them: z_weight for --z-weight, and what `renamed` says. A column about the
    samples is called as the argument it came as, and told once."""
    try:
        yield
    except ValueError as error:
        told = str(error)
        names = {**ARGUMENTS, **renamed}
        words = re.sub(r"--([a-z][a-z0-9-]*)", lambda m: names.get(m[1], m[1].replace("-", "_")), told)
        words = re.sub(r"\b(groups|time|sample_weight) \1_*(?=[ :])", r"\1", words)
        if words.startswith("there is no option"):
            words = words.replace("-", "_")
        if words == told or type(error) is not ValueError:
            raise
        raise ValueError(words) from None


def parameter_text(group: str, left_out: frozenset[str] = frozenset()) -> str:
    """The options of a declaration, for a docstring."""
    lines = []
    for name, default, kind, accepts, meaning in _native.declared(group):
        if name not in left_out:
            lines.append(f"    {name.replace('-', '_')} : {accepts}, default {from_text(default, kind)!r}")
            lines.append(f"        {meaning}.")
    return "\n".join(lines)


def documented(group: str, left_out: frozenset[str] = frozenset()) -> Callable[[F], F]:
    """Puts the declared meaning of the options in the place of {options} in the docstring."""

    def fill(function: F) -> F:
        if function.__doc__:  # absent under python -OO
            function.__doc__ = function.__doc__.replace("    {options}", parameter_text(group, left_out))
        return function

    return fill
