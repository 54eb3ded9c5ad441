"""What a selection found: an object over the JSON of `macmi select`."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from . import _native
from ._figure import draw_effects, draw_graph
from ._picture import selection_html


class SelectionResult:
    """The Markov blanket of a target, with the reasons. Shows as a table and a small graph in Jupyter.

    `to_dict()` has everything, named as in the JSON of `macmi select` (docs/search.md).
    """

    def __init__(self, text: str) -> None:
        self.json = text  #: what `macmi select --json` prints

    @cached_property
    def _all(self) -> dict[str, Any]:
        return dict(json.loads(self.json))

    def to_dict(self) -> dict[str, Any]:
        return dict(json.loads(self.json))

    def __getstate__(self) -> dict[str, str]:
        return {"json": self.json}

    def __setstate__(self, state: dict[str, str]) -> None:
        self.json = state["json"]

    def __eq__(self, other: object) -> bool:
        """Whether everything is equal but the timing and the way the data came in."""
        if not isinstance(other, SelectionResult):
            return NotImplemented
        apart = ("timing", "data_options")
        mine, theirs = ({k: v for k, v in r.to_dict().items() if k not in apart} for r in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    @property
    def blanket(self) -> list[str]:
        """Names of the selected features, sorted."""
        return list(self._all["blanket"])

    @property
    def target(self) -> str:
        return str(self._all["target"])

    @property
    def features(self) -> dict[str, dict[str, Any]]:
        """By name: role, effect, effect_error, p_value, q_value, separating_set and more."""
        return {feature["name"]: feature for feature in self._all["features"]}

    @property
    def sufficiency(self) -> dict[str, Any] | None:
        """Whether the selected features predict as well as all: `enough`, the scores of both and an interval of their
        difference (docs/effects.md). None with `no_evidence`."""
        found = self._all.get("sufficiency")
        return dict(found) if found is not None else None

    @property
    def stability(self) -> dict[str, Any] | None:
        """How often features were selected again on `subsamples` parts of the samples: `selected_in` by name, and
        `exchanged_for`, who is in where a member is not (docs/search.md). `light`: only the answer, its stand-ins and
        near misses were asked. None where it was not asked."""
        found = self._all.get("stability")
        if found is None:
            return None
        features = self.features
        return {
            **found,
            "selected_in": {name: feature["selected_in"] for name, feature in features.items()},
            "exchanged_for": {n: f["exchanged_for"] for n, f in features.items() if "exchanged_for" in f},
        }

    @property
    def tests(self) -> int:
        """Independence tests that the search used."""
        return int(self._all["tests"])

    @property
    def notes(self) -> list[str]:
        """What to know of the search and of the data."""
        return list(self._all["remarks"]) + list(self._all.get("health", []))

    def explain(self, feature: str) -> str:
        """Why a feature is in, or what made it redundant, in sentences."""
        return "\n".join(_native.explain(self.json, str(feature)))

    def report(self, path: str | Path) -> Path:
        """Writes the HTML page of `macmi report`."""
        page = _native.report_html(self.json)
        path = Path(path)
        path.write_text(page + "\n", encoding="utf-8")
        return path

    def plot(self, kind: Literal["effects", "graph"] = "effects", *, ax: Any = None, excluded: int = 10) -> Any:
        """Draws the result with matplotlib and returns the axes.

        kind : "effects" or "graph"
            effects: what each feature adds, with 95% intervals, selected features first.
            graph: the target amid the selected features; dashed lines lead to co-parents.
        ax : axes of matplotlib, or None for a figure of its own
        excluded : how many features that are not selected to show at most
        """
        if kind == "effects":
            return draw_effects(self._all, ax, excluded)
        if kind == "graph":
            return draw_graph(self._all, ax)
        raise ValueError(f"kind {kind!r} is not known: give 'effects' or 'graph'")

    def save(self, path: str | Path) -> Path:
        """Writes the JSON, which `macmi explain`, `report` and `evaluate` (with --data) take as well."""
        path = Path(path)
        path.write_text(self.json + "\n", encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: str | Path) -> SelectionResult:
        text = Path(path).read_text(encoding="utf-8").rstrip("\n")
        _native.answer(text)  # refuses what is no result
        return cls(text)

    def __str__(self) -> str:
        return _native.text(self.json).rstrip("\n")

    def __repr__(self) -> str:
        return f"<SelectionResult: {_native.answer(self.json)}>"

    def _repr_html_(self) -> str:
        return selection_html(self._all, _native.answer(self.json), _native.short_reasons(self.json))
