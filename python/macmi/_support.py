"""Which columns of X a selector keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def places_of(made_of: Mapping[str, list[str]], place: Mapping[str, int]) -> Iterator[tuple[str, int, bool]]:
    """(feature, column of X, whether it is that column itself) of all features; of the past of a column: False."""
    for name, columns in made_of.items():
        now = name.rpartition("@-")[0]
        if columns == [name] and name not in place and now in place:
            yield name, place[now], False
            continue
        for c in {place[c] if c in place else place[c[: c.rindex("[")]] for c in columns}:
            yield name, c, True


def least_effect(threshold: Any, effects: np.ndarray) -> float | None:
    """A number, or "mean", "median" or "1.25*mean" of the effects, as SelectFromModel has it; None: no threshold."""
    if threshold is None:
        return None
    factor, _, word = str(threshold).rpartition("*")
    try:
        if word.strip() not in ("mean", "median"):
            return float(threshold)
        times = float(factor or 1)
    except (TypeError, ValueError):
        raise ValueError(
            f"threshold does not accept {threshold!r}: give an effect in nats, 'mean', 'median' or '1.25*mean'"
        ) from None
    middle = np.mean if word.strip() == "mean" else np.median
    return times * float(middle(effects)) if effects.size else 0.0


def most_features(max_features: Any) -> int | None:
    try:
        if max_features is None or int(max_features) >= 0:
            return None if max_features is None else int(max_features)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"max_features does not accept '{max_features}': give a number from 0 on, or None")


def keep_most(
    support: np.ndarray,
    scores: np.ndarray,
    made_of: Mapping[str, list[str]],
    place: Mapping[str, int],
    threshold: Any,
    max_features: Any,
) -> float | None:
    """Takes features out of the support: those whose score is below the threshold, and all but `max_features` with the
    highest. A score that was not measured counts as 0. Returns the threshold in nats."""
    columns_of: dict[str, list[int]] = {}
    for name, c, own in places_of(made_of, place):
        if own and support[c]:
            columns_of.setdefault(name, []).append(c)
    ranked = sorted(columns_of.values(), key=lambda columns: (-np.nan_to_num(scores[columns[0]]), columns[0]))
    effects = np.array([np.nan_to_num(scores[columns[0]]) for columns in ranked])
    least, most = least_effect(threshold, effects), most_features(max_features)
    kept = len(ranked) if least is None else int(np.sum(effects >= least))
    for columns in ranked[kept if most is None else min(kept, most) :]:
        support[columns] = False
    return least
