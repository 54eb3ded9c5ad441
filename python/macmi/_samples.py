"""What the selector's arguments mean in samples: which columns make a feature, the target, the seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._columns import Column, array_column, column, is_table, table_columns
from ._options import ARGUMENTS


def seed(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.randint(2**31))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    try:
        return int(random_state)
    except (TypeError, ValueError):
        raise ValueError(f"random_state does not accept {random_state!r}: give a whole number, or None") from None


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


def feature_columns(X: Any, names: list[str], groups: Any) -> tuple[list[Any], list[str]]:
    """Columns for the C++ side, in the order of X, and what their types say of them."""
    feature_of = features_by_column(groups, names)
    if not is_table(X) and X.ndim == 3:
        return [
            (f"{name}[{step}]", feature_of[i] or name, step, array_column(name, X[:, i, step]).values, None)
            for step in range(X.shape[2])
            for i, name in enumerate(names)
        ], []
    if is_table(X):
        made = [column(name, data) for name, (_, data) in zip(names, table_columns(X))]
    else:
        made = [array_column(name, X[:, i]) for i, name in enumerate(names)]
    return [(c.name, feature_of[i], 0, c.values, c.labels) for i, c in enumerate(made)], declared_types(made)


def row_column(option: str, values: Any, samples: int, taken: set[str]) -> Any:
    """A column about the rows, their unit, their time or their weight, under a name that no other column has."""
    argument = ARGUMENTS.get(option, option)
    made = column(argument, values if hasattr(values, "dtype") else np.asarray(values))
    if made.values.ndim != 1 or len(made.values) != samples:
        raise ValueError(f"{argument} has shape {made.values.shape}: give one value for each of {samples} samples")
    name = argument
    while name in taken:
        name += "_"
    return (name, "", 0, made.values, made.labels)


def row_columns(given: Mapping[str, Any], samples: int, taken: set[str]) -> dict[str, Any]:
    """By option: the columns about the rows that are given."""
    made: dict[str, Any] = {}
    for option, values in given.items():
        if values is not None:
            made[option] = row_column(option, values, samples, taken | {entry[0] for entry in made.values()})
    return made


def rows_together(groups: Any, time: Any, samples: int) -> tuple[list[int], np.ndarray | None]:
    """The number of each sample's unit, one number for all of a series and none for samples by themselves, and the
    order of time where there is one."""
    codes: np.ndarray = np.zeros(0, dtype=np.int32)
    if groups is not None:
        made = row_column("unit", groups, samples, set())
        codes = np.unique(made[3], return_inverse=True)[1]
        if (made[4] is not None and (made[3] < 0).any()) or (made[4] is None and np.isnan(made[3]).any()):
            raise ValueError("groups has no value in some samples: give the unit of each")
        if len(set(codes)) < 2:
            raise ValueError("groups has one value alone: samples of one unit are a series, for which there is `time`")
    if time is None:
        return [int(c) for c in codes] if len(set(codes)) < samples else [], None
    array = np.asarray(time)
    if array.shape != (samples,) or array.dtype.kind not in "iufM":
        raise ValueError(f"time: give one number or date for each of {samples} samples")
    order = np.argsort(array, kind="stable")
    return [int(c) for c in codes[order]] if groups is not None else [0] * samples, order


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
