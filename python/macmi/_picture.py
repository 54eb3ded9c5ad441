"""A result as a table and a small graph, for Jupyter. Plain HTML and SVG: no script, no network."""

from __future__ import annotations

from html import escape
from math import cos, pi, sin
from typing import Any

EXCLUDED_SHOWN = 12
COLOURS = {"adjacent": "#1f77b4", "co-parent": "#e08214", "excluded": "#999999"}


def _number(value: Any, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}g}"


def _short(name: str, length: int = 14) -> str:
    return escape(name if len(name) <= length else name[: length - 1] + "…")


def _rows(features: list[dict[str, Any]], reasons: dict[str, str]) -> str:
    rows = []
    for f in features:
        colour = COLOURS[f["role"]]
        alone = f.get("alone") or f.get("marginal") or {}
        why = reasons.get(f["name"], "")
        rows.append(
            f'<tr><td style="text-align:left"><b>{escape(f["name"])}</b></td>'
            f'<td style="text-align:left;color:{colour}">{f["role"]}</td>'
            f"<td>{_number(f['effect'])}</td><td>{_number(f['p_value'])}</td><td>{_number(f.get('q_value'))}</td>"
            f"<td>{_number(alone.get('effect'))}</td>"
            f'<td style="text-align:left">{escape(why)}</td></tr>'
        )
    return "".join(rows)


def graph_svg(target: str, features: list[dict[str, Any]]) -> str:
    """The target amid its blanket: adjacent features with lines to it; co-parents, which reach it through a common
    effect, further out with dashed lines."""
    width, height, centre = 420, 260, (210, 130)
    parts: list[str] = []
    shown = [f for f in features if f["role"] != "excluded"]
    for i, f in enumerate(shown):
        angle = 2 * pi * i / len(shown) - pi / 2
        reach = 0.82 if f["role"] == "adjacent" else 1.0
        x, y = centre[0] + 150 * reach * cos(angle), centre[1] + 100 * reach * sin(angle)
        dash = "" if f["role"] == "adjacent" else ' stroke-dasharray="4 4"'
        colour = COLOURS[f["role"]]
        parts.insert(0, f'<line x1="{centre[0]}" y1="{centre[1]}" x2="{x:.0f}" y2="{y:.0f}" stroke="{colour}"{dash}/>')
        parts.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="6" fill="{colour}"/><text x="{x:.0f}" y="{y - 10:.0f}" '
            f'text-anchor="middle" font-size="12" fill="currentColor">{_short(f["name"])}</text>'
        )
    parts.append(
        f'<circle cx="{centre[0]}" cy="{centre[1]}" r="9" fill="#2ca02c"/><text x="{centre[0]}" y="{centre[1] + 24}" '
        f'text-anchor="middle" font-size="12" font-weight="bold" fill="currentColor">{_short(target)}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif">{"".join(parts)}</svg>'
    )


def selection_html(result: dict[str, Any], answer: str, reasons: dict[str, str]) -> str:
    strength = lambda f: -((f.get("alone") or f.get("marginal") or {}).get("effect") or 0)  # noqa: E731
    selected = sorted((f for f in result["features"] if f["role"] != "excluded"), key=lambda f: -(f["effect"] or 0))
    excluded = sorted((f for f in result["features"] if f["role"] == "excluded"), key=strength)
    head = "".join(f"<th>{name}</th>" for name in ("feature", "role", "nats", "p", "q", "alone", "why not"))
    more = len(excluded) - EXCLUDED_SHOWN
    tail = f"<p>and {more} more that are not selected: strongest first</p>" if more > 0 else ""
    table = f"<table><tr>{head}</tr>{_rows(selected + excluded[:EXCLUDED_SHOWN], reasons)}</table>"
    notes = "".join(f"<li>{escape(note)}</li>" for note in result["remarks"] + result.get("health", []))
    return (
        f"<div><p><b>{escape(answer)}</b></p>"
        f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"><div>{table}{tail}</div>'
        f"{graph_svg(result['target'], selected)}</div>{f'<ul>{notes}</ul>' if notes else ''}</div>"
    )
