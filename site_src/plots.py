"""How this site draws: points with their hover lines, series with their looks, axes.

Colours come from slots, so that each theme has its own; a dash, a symbol or a pattern tells series apart as well. Hover lines come
complete, so that the browser only puts them below one another. Parts of a plot are plain dictionaries in Plotly's own schema, which a test
holds them to: its classes check the same, at a fifth of a second for each build.
"""

from dataclasses import dataclass
from typing import Any

from ledgermark import Quantity
from ledgermark.palette import LIGHT

Part = dict[str, object]


@dataclass(frozen=True)
class Point:
    """One mark: where it stands, its hover lines, and the text beside it with its place."""

    x: float
    y: Quantity
    lines: tuple[str, ...]
    label: str = ""
    label_at: str = "top center"


@dataclass(frozen=True)
class Look:
    """How a series is drawn: its colour slot, and what else sets it apart."""

    slot: int
    symbol: str = "circle"
    dash: str = "solid"
    joined: bool = True
    size: int = 9
    pattern: str = ""


def series(name: str, points: list[Point], look: Look, *, lying: bool = False) -> Part:
    """Return a line through the points, or the marks alone, with the labels they have; `lying` puts values on the horizontal axis."""
    colour = LIGHT[look.slot - 1]
    labelled = any(point.label for point in points)
    labels = {"text": [point.label for point in points], "textposition": [point.label_at for point in points], "textfont": {"size": 12}}
    return {
        "type": "scatter",
        "name": name,
        "mode": "+".join(part for part, shown in (("lines", look.joined), ("markers", True), ("text", labelled)) if shown),
        **_places(points, lying=lying),
        "cliponaxis": False,
        **({"line": {"color": colour, "width": 2, "dash": look.dash}} if look.joined else {}),
        "marker": {"color": colour, "size": look.size, "symbol": look.symbol, "line": {"width": 2 if look.symbol.endswith("-open") else 0}},
        **(labels if labelled else {}),
        **hover(points, look.slot),
    }


def bars(name: str, points: list[Point], look: Look, *, width: float, lying: bool = False) -> Part:
    """Return bars with their labels at the end away from zero, upright or `lying`."""
    return {
        "type": "bar",
        "name": name,
        **({"orientation": "h"} if lying else {}),
        **_places(points, lying=lying),
        "width": width,
        "text": [point.label for point in points],
        "textposition": "outside",
        "textangle": 0,
        "textfont": {"size": 11},
        "constraintext": "none",
        "cliponaxis": False,
        "marker": {"color": LIGHT[look.slot - 1], **({"pattern": {"shape": look.pattern, "solidity": 0.25}} if look.pattern else {})},
        **hover(points, look.slot),
    }


def _places(points: list[Point], *, lying: bool) -> Part:
    at, values = [point.x for point in points], [float(point.y) for point in points]
    return {"x": values, "y": at} if lying else {"x": at, "y": values}


def waiting(part: Part) -> Part:
    """Return a series that is shown when a reader asks for it in the legend."""
    return {**part, "visible": "legendonly"}


def hover(points: list[Point], slot: int) -> Part:
    """Return what a trace needs to show the lines of its points, and to take the colour of its slot."""
    lines = max(len(point.lines) for point in points)
    return {
        "meta": {"series": slot},
        "customdata": [[*point.lines, *[""] * (lines - len(point.lines))] for point in points],
        "hovertemplate": "<br>".join(f"%{{customdata[{number}]}}" for number in range(lines)) + "<extra></extra>",
    }


def frame(x_title: str, y_title: str, *, zero: bool = False, **more: object) -> dict[str, Any]:
    """Return the frame of a chart: its axes' titles, and a line at zero if asked for."""
    return {
        "height": 360,
        "margin": {"l": 56, "r": 16, "t": 16, "b": 52},
        "hovermode": "closest",
        "xaxis": {"title": {"text": x_title, "standoff": 10}, "showgrid": False, "zeroline": False, "fixedrange": True},
        "yaxis": {"title": {"text": y_title, "standoff": 6}, "zeroline": zero, "fixedrange": True, **({"zerolinewidth": 2} if zero else {})},
        **more,
    }


def context_axis(ticks: tuple[int, ...]) -> Part:
    """Return a logarithmic axis of contexts with ticks at some of them."""
    return {"type": "log", "tickmode": "array", "tickvals": list(ticks), "ticktext": [short(tick) for tick in ticks]}


def level(value: float) -> Part:
    """Return a grey line across the whole chart at a height, for what the marks are compared with."""
    line = {"width": 2, "color": "rgba(128, 128, 128, 0.8)"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value, "line": line, "layer": "below"}


def short(context: int) -> str:
    """Return a context as it is spoken of: 32768 is 32K, and so is 32000."""
    base = 1024 if context % 1024 == 0 and context % 1000 else 1000
    return f"{context // base}K" if context >= base else str(context)
