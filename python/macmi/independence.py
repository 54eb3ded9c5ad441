"""Conditional independence tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from . import _native
from ._columns import variables
from ._options import as_texts, documented, python_words
from ._progress import Progress, hook
from ._samples import rows_together
from ._threads import threads_of
from .information import Neighbours, Ties

Method = Literal["knn", "fisherz"]


@dataclass(frozen=True)
class CIScale:
    """One number of neighbours of a k-NN test."""

    k: int
    statistic: float
    effect: float
    null_sd: float
    z_score: float


@dataclass(frozen=True)
class CITestResult:
    """The outcome of a test of x independent of y given z. What each number means: docs/citest.md."""

    statistic: float  #: nats
    effect: float  #: statistic minus the null's mean: thresholds in nats apply to this
    p_value: float
    permutations: int  #: drawn
    exceedances: int  #: of those, with a statistic of at least the observed one
    null_mean: float
    null_sd: float
    z_score: float
    k: int
    n: int
    left_out: int
    alpha: float
    dependent: bool  #: p_value <= alpha and effect >= min_cmi
    rule: str
    permuted: str
    stopped: str  #: why no more permutations were drawn
    seed: int
    scales: tuple[CIScale, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        verdict = "dependent" if self.dependent else "independent, as far as these samples tell"
        return f"{verdict}: p = {self.p_value:.4g}, effect {self.effect:.4f} nats ({self.n} samples)"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{s.k}</td><td>{s.statistic:.4f}</td><td>{s.effect:.4f}</td>"
            f"<td>{s.null_sd:.4f}</td><td>{s.z_score:.2f}</td></tr>"
            for s in self.scales
        )
        head = "<tr><th>k</th><th>nats</th><th>effect</th><th>null sd</th><th>z</th></tr>"
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        table = f"<table>{head}{rows}</table>" if rows else ""
        return f"<div><p><b>{escape(str(self))}</b></p>{table}{notes}</div>"


def _result(values: dict[str, Any]) -> CITestResult:
    scales = tuple(CIScale(**scale) for scale in values.pop("scales"))
    return CITestResult(scales=scales, notes=tuple(values.pop("notes")), **values)


@documented("test")
def ci_test(
    x: Any,
    y: Any,
    z: Any = None,
    *,
    method: Method = "knn",
    k: Neighbours = "auto",
    no_correlation: bool = False,
    alpha: float = 0.05,
    permutations: int = 1000,
    neighbours: int = 5,
    centres: int = 8000,
    no_adjustment: bool = False,
    transform: Literal["none", "block", "standardize", "ranks", "auto"] = "auto",
    ties: Ties = "auto",
    z_weight: float = 1.0,
    stop: Literal["never", "exact", "fast", "auto"] = "auto",
    resampling_risk: float = 0.001,
    permute: Literal["class", "x", "y", "auto"] = "class",
    min_cmi: float = 0.0,
    seed: int = 0,
    threads: int = 0,
    groups: Any = None,
    time: Any = None,
    progress: Progress = None,
) -> CITestResult:
    """Is x independent of y given z? By k-NN conditional mutual information and local permutations (Runge 2018).

    x, y, z : one value per sample, or samples × columns
        As in `macmi.estimate`. With named columns (pandas, polars, pyarrow) the result has the bits of `macmi test`.
    method : "knn" or "fisherz"
        fisherz: partial correlation, which sees linear dependence only.
    groups : the unit of each sample (a patient, a drive), whose samples are not exchangeable (docs/units.md)
    time : when each sample was taken: samples are one series in this order, or one for each of `groups`
    progress : True for a bar, or a function of (done, total, stage)

    Options, as of `macmi test`
    ---------------------------
    {options}
    """
    bx, by, bz = variables((x, "x"), (y, "y"), (z, "z"))
    units, order = rows_together(groups, time, len(bx[0][1]))
    if order is not None:
        bx, by, bz = ([(names, block[order]) for names, block in blocks] for blocks in (bx, by, bz))
    values = dict(k=k, no_correlation=no_correlation, alpha=alpha, permutations=permutations, neighbours=neighbours,
                  centres=centres, no_adjustment=no_adjustment, transform=transform, ties=ties, z_weight=z_weight, stop=stop,
                  resampling_risk=resampling_risk, permute=permute, min_cmi=min_cmi, seed=seed,
                  threads=threads_of(threads))  # fmt: skip
    with hook(progress) as report, python_words():
        return _result(_native.ci_test(bx, by, bz, method, as_texts(values), report, units))


@documented("test")
def ci_tests(
    batch: Iterable[Sequence[Any] | Mapping[str, Any]],
    *,
    method: Method = "knn",
    progress: Progress = None,
    **options: Any,
) -> list[CITestResult]:
    """Many tests on all threads; each result is the one of `ci_test`.

    batch : of (x, y), (x, y, z) or {"x": …, "y": …, "z": …}
    method, progress : as in `ci_test`

    Options, as of `macmi test`
    ---------------------------
    {options}
    """
    requests = []
    for number, item in enumerate(batch):
        parts = [item["x"], item["y"], item.get("z")] if isinstance(item, Mapping) else list(item)
        if len(parts) not in (2, 3):
            raise ValueError(f"batch[{number}] has {len(parts)} parts: give (x, y) or (x, y, z)")
        names = (f"x of batch[{number}]", f"y of batch[{number}]", f"z of batch[{number}]")
        requests.append(list(variables(*zip(parts + [None] * (3 - len(parts)), names))))
    options["threads"] = threads_of(options.get("threads", 0))
    with hook(progress) as report, python_words():
        return [_result(r) for r in _native.ci_tests(requests, method, as_texts(options), report)]
