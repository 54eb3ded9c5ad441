"""Figures of a result, drawn by matplotlib where it is installed."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from ._picture import COLOURS

ROLES = ("adjacent", "co-parent", "excluded")
MARKERS = {"adjacent": "o", "co-parent": "s", "excluded": "D"}


def new_axes(width: float, height: float) -> Any:
    """Axes of a figure of their own."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plot() needs matplotlib, which is not installed: pip install matplotlib. "
            "report(path) writes a page with figures that needs nothing."
        ) from None
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def measured(features: list[dict[str, Any]], excluded: int) -> list[dict[str, Any]]:
    """The selected features and the strongest of the excluded ones, as far as they have an effect. Members first, then
    the larger effect, then the name."""
    known = [f for f in features if f["effect"] is not None]
    known.sort(key=lambda f: (f["role"] == "excluded", -f["effect"], f["name"]))
    members = sum(f["role"] != "excluded" for f in known)
    return known[: members + excluded]


def draw_effects(result: dict[str, Any], ax: Any, excluded: int) -> Any:
    """A row per feature: its effect in nats with 1.96 standard errors to either side, and q."""
    shown = measured(result["features"], excluded)
    if ax is None:
        ax = new_axes(6.4, 1.4 + 0.32 * max(len(shown), 1))
    for role in ROLES:
        rows = [(i, f) for i, f in enumerate(shown) if f["role"] == role]
        if rows:
            ax.errorbar(
                [f["effect"] for _, f in rows],
                [i for i, _ in rows],
                xerr=[1.96 * (f.get("effect_error") or 0) for _, f in rows],
                fmt=MARKERS[role],
                color=COLOURS[role],
                capsize=3,
                label=role,
            )
    ax.axvline(0, color="#999999", linewidth=0.8)
    ax.set_yticks(range(len(shown)), [f["name"] for f in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)  # the first row on top
    ax.set_xlabel(f"nats about {result['target']} beyond the other selected features, 95% intervals")
    left = len(result["features"]) - len(shown)
    ax.set_title(f"{len(result['blanket'])} of {len(result['features'])} selected" + (f", {left} not shown" if left else ""))
    if shown:
        ax.legend(frameon=False, loc="best")
    return ax


def draw_graph(result: dict[str, Any], ax: Any) -> Any:
    """The target amid the selected features. Lines are dependences, not arrows of cause."""
    if ax is None:
        ax = new_axes(5, 4)
    members = [f for f in result["features"] if f["role"] != "excluded"]
    for i, f in enumerate(members):
        angle = pi / 2 - 2 * pi * i / len(members)
        reach = 0.8 if f["role"] == "adjacent" else 1.0
        x, y = reach * cos(angle), reach * sin(angle)
        colour = COLOURS[f["role"]]
        ax.plot([0, x], [0, y], color=colour, linestyle="-" if f["role"] == "adjacent" else "--", zorder=1)
        ax.scatter([x], [y], color=colour, marker=MARKERS[f["role"]], s=60, zorder=2)
        ax.annotate(f["name"], (x, y), (0, 8), textcoords="offset points", ha="center")
    ax.scatter([0], [0], color="#2ca02c", s=120, zorder=2)
    ax.annotate(result["target"], (0, 0), (0, -18), textcoords="offset points", ha="center", weight="bold")
    ax.margins(0.2)
    ax.set_axis_off()
    return ax
