"""The graph of all variables: `learn_graph`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._columns import array_column, column, is_table, table_columns
from ._options import as_texts, documented, python_words
from ._progress import Progress, hook
from ._samples import declared_types, features_by_column, row_columns
from ._threads import threads_of


class GraphResult:
    """Who causes whom, as far as tests can tell. `to_dict()` has everything, named as in the JSON of `macmi graph`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.json = texts["json"]  #: what `macmi graph --json` prints
        self._text, self.graphml, self.dot = texts["text"], texts["graphml"], texts["dot"]

    @cached_property
    def _all(self) -> dict[str, Any]:
        return dict(json.loads(self.json))

    def to_dict(self) -> dict[str, Any]:
        return dict(json.loads(self.json))

    @property
    def nodes(self) -> list[str]:
        return list(self._all["nodes"])

    @property
    def edges(self) -> list[dict[str, Any]]:
        """Each with a, b, type ("->": a causes b; "--": both directions are possible), effect, p_value and more."""
        return [dict(edge) for edge in self._all["edges"]]

    @property
    def notes(self) -> list[str]:
        """What to know of the search and of the data."""
        return list(self._all["remarks"]) + list(self._all["health"])

    def adjacency(self) -> np.ndarray:
        """nodes × nodes: [i, j] is True where i -> j or i -- j."""
        place = {name: i for i, name in enumerate(self.nodes)}
        matrix = np.zeros((len(place), len(place)), dtype=bool)
        for edge in self._all["edges"]:
            matrix[place[edge["a"]], place[edge["b"]]] = True
            if edge["type"] == "--":
                matrix[place[edge["b"]], place[edge["a"]]] = True
        return matrix

    def to_networkx(self) -> Any:
        """A networkx.DiGraph; an edge without a direction is there both ways. Edges keep what the JSON says of them."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        for edge in self._all["edges"]:
            values = {name: value for name, value in edge.items() if name not in ("a", "b")}
            graph.add_edge(edge["a"], edge["b"], **values)
            if edge["type"] == "--":
                graph.add_edge(edge["b"], edge["a"], **values)
        return graph

    def save(self, path: str | Path) -> Path:
        """Writes GraphML or DOT where the name ends so, else the JSON."""
        path = Path(path)
        text = {".graphml": self.graphml, ".dot": self.dot}.get(path.suffix, self.json + "\n")
        path.write_text(text, encoding="utf-8")
        return path

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<GraphResult: {len(self._all['edges'])} edges among {len(self._all['nodes'])} nodes>"


def _columns(data: Any, groups: Any) -> tuple[list[Any], list[str]]:
    """Columns for the C++ side, and what their types say of them."""
    if is_table(data):
        made = [column(str(name), values) for name, values in table_columns(data)]
    else:
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(f"X has {array.ndim} dimensions: give samples × columns")
        made = [array_column(f"x{i}", array[:, i]) for i in range(array.shape[1])]
    feature_of = features_by_column(groups, [c.name for c in made])
    return [(c.name, feature_of[i], 0, c.values, c.labels) for i, c in enumerate(made)], declared_types(made)


@documented("graph")
def learn_graph(
    X: Any,
    *,
    groups: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    sample_weight: Any = None,
    run: str | None = None,
    progress: Progress = None,
    **options: Any,
) -> GraphResult:
    """The graph of all columns of X: a CPDAG by conditional independence tests that see any kind of dependence.

    X : samples × variables; an array (nodes x0, x1, …) or a DataFrame
    groups : nodes of several columns: one label per column, or {node: [columns]}
    sample_weight : how many equal samples each one stands for: whole numbers, 0 leaves a sample out (docs/data.md)
    run : directory that keeps every finished test; the same call goes on from it
    progress : True for a bar, or a function of (done, total, stage)

    Options, as of `macmi graph` (and those of its data: features, exclude, type, missing, rows)
    ---------------------------
    {options}
    """
    columns, types = _columns(X, groups)
    of_data = {name.replace("-", "_") for name, *_ in _native.declared("data")} - {"seed"}
    refused = of_data & {"data", "query", "target", "id", "time", "window", "na"} & set(options)
    if refused:
        raise ValueError(f"{sorted(refused)[0]} is about files, and the data comes as X")
    data = {name: value for name, value in options.items() if name in of_data}
    said = data.get("type", [])
    data["type"] = types + ([f"{c}={t}" for c, t in said.items()] if isinstance(said, Mapping) else list(said))
    weight = row_columns({"weight": sample_weight}, len(columns[0][3]), {c[0] for c in columns})
    columns += weight.values()
    data.update({option: entry[0] for option, entry in weight.items()})
    values = {name: value for name, value in options.items() if name not in of_data}
    values["threads"] = threads_of(values.get("threads", 0))
    with hook(progress) as report, python_words():
        return GraphResult(_native.learn_graph("X", columns, as_texts(data), as_texts(values), run or "", report))
