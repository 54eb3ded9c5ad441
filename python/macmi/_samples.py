"""What the selector's arguments mean in samples: which columns make a feature, the target, the seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._columns import Column, array_column, column, is_table, table_columns


def seed(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.randint(2**31))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state.randint(2**31)) if hasattr(random_state, "randint") else int(random_state)


def features_by_column(groups: Any, names: list[str]) -> list[str]:
    """The feature that each column belongs to by `groups`; "" where it stands for itself."""
    if groups is None:
        return [""] * len(names)
    if not isinstance(groups, Mapping):
        if len(groups) != len(names):
            raise ValueError(f"groups has {len(groups)} labels for {len(names)} columns: give one each")
        return [str(label) for label in groups]
    feature_of = [""] * len(names)
    for feature, columns in groups.items():
        for c in [columns] if isinstance(columns, str) else columns:
            at = names.index(c) if c in names else c
            if not isinstance(at, (int, np.integer)) or not -len(names) <= at < len(names):
                raise ValueError(f"groups: feature {feature!r} names the column {c!r}, which X does not have")
            if feature_of[at]:
                raise ValueError(f"groups: column {names[at]!r} belongs to both {feature_of[at]!r} and {feature!r}")
            feature_of[at] = str(feature)
    return feature_of


def declared_types(columns: list[Column]) -> list[str]:
    return [f"{c.name}=categorical" for c in columns if c.categorical]


def target_columns(y: Any, samples: int, taken: set[str]) -> tuple[list[Any], list[str]]:
    """The target's columns for the C++ side, under names that no feature has."""
    own = getattr(y, "name", None)
    name = str(own) if isinstance(own, str) and own else "y"
    if is_table(y):
        made = [column(str(n), data) for n, data in table_columns(y)]
    elif not isinstance(y, np.ndarray) and hasattr(y, "to_numpy"):
        made = [column(name, y)]
    else:
        array = np.asarray(y)
        if array.ndim not in (1, 2):
            raise ValueError(f"y has {array.ndim} dimensions: give one value per sample, or a few columns of numbers")
        parts = [array] if array.ndim == 1 else list(array.T)
        made = [array_column(name if len(parts) == 1 else f"{name}_{i}", part) for i, part in enumerate(parts)]
    for c in made:
        if len(c.values) != samples:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {samples}, y has {len(c.values)}"
            )
        if c.labels is not None and (c.values < 0).any():
            raise ValueError(f"Input y contains NaN: no class in sample {int(np.argmin(c.values)) + 1}")
    renamed = []
    for c in made:
        while c.name in taken:
            c = c._replace(name=("target" if c.name == "y" else c.name + "_"))
        renamed.append(c)
    return [(c.name, "", 0, c.values, c.labels) for c in renamed], declared_types(renamed)
