"""Mutual information by nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import _native
from ._columns import variables
from ._options import as_texts, documented, python_words
from ._threads import threads_of

Transform = Literal["none", "block", "standardize", "ranks"]
Ties = Literal["auto", "continuous", "mixed"]
Neighbours = Any  # a number, a fraction of the samples, or "auto"


@dataclass(frozen=True)
class Estimate:
    """An estimate with what was chosen on the way."""

    value: float  #: nats; may be slightly negative, as unbiased estimates of zero are
    k: int  #: neighbours, resolved
    n: int  #: samples used
    left_out: int  #: samples alone in their combination of categories, which add nothing
    estimator: str  #: "fp" (Frenzel-Pompe), "mixed" (Mesner-Shalizi) or "counts" (categories alone)
    rule: str  #: why that one

    def __float__(self) -> float:
        return self.value


@documented("estimate")
def estimate(
    x: Any,
    y: Any,
    z: Any = None,
    *,
    k: Neighbours = 5,
    transform: Transform = "block",
    ties: Ties = "auto",
    categorical_metric: Literal["cells", "unit01"] = "cells",
    z_weight: float = 1.0,
    threads: int = 0,
    engine: Literal["fast", "brute-force"] = "fast",
) -> Estimate:
    """Conditional mutual information I(x; y | z), or I(x; y) without z, with what was chosen on the way.

    x, y, z : one value per sample, or samples × columns
        NumPy arrays (float64 is read in place), Series, DataFrames, pyarrow tables. Text, booleans and categories are
        compared as labels, everything else as numbers.

    Options, as of `macmi estimate`
    -------------------------------
    {options}
    """
    bx, by, bz = variables((x, "x"), (y, "y"), (z, "z"))
    values = dict(k=k, transform=transform, ties=ties, categorical_metric=categorical_metric, z_weight=z_weight,
                  threads=threads_of(threads), engine=engine)  # fmt: skip
    with python_words():
        return Estimate(**_native.estimate(bx, by, bz, as_texts(values)))  # type: ignore[arg-type]


@documented("estimate", left_out=frozenset({"z-weight"}))
def mutual_info(
    x: Any,
    y: Any,
    *,
    k: Neighbours = 5,
    transform: Transform = "block",
    ties: Ties = "auto",
    categorical_metric: Literal["cells", "unit01"] = "cells",
    threads: int = 0,
    engine: Literal["fast", "brute-force"] = "fast",
) -> float:
    """Mutual information I(x; y) in nats (Kraskov et al. 2004; for repeated values Mesner & Shalizi 2020).

    x, y : one value per sample, or samples × columns, as in `macmi.estimate`

    Options, as of `macmi estimate`
    -------------------------------
    {options}
    """
    return estimate(x, y, k=k, transform=transform, ties=ties, categorical_metric=categorical_metric,
                    threads=threads, engine=engine).value  # fmt: skip


@documented("estimate")
def cmi(
    x: Any,
    y: Any,
    z: Any,
    *,
    k: Neighbours = 5,
    transform: Transform = "block",
    ties: Ties = "auto",
    categorical_metric: Literal["cells", "unit01"] = "cells",
    z_weight: float = 1.0,
    threads: int = 0,
    engine: Literal["fast", "brute-force"] = "fast",
) -> float:
    """Conditional mutual information I(x; y | z) in nats (Frenzel & Pompe 2007; Mesner & Shalizi 2020).

    x, y, z : one value per sample, or samples × columns, as in `macmi.estimate`

    Options, as of `macmi estimate`
    -------------------------------
    {options}
    """
    return estimate(x, y, z, k=k, transform=transform, ties=ties, categorical_metric=categorical_metric,
                    z_weight=z_weight, threads=threads, engine=engine).value  # fmt: skip
