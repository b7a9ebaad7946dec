"""Plots: what a chart is drawn from, made plain and inert, one for each way to look at a figure."""

from __future__ import annotations

import html
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import unsteered
from ledgermark.messages import Message
from ledgermark.metrics import EvaluationError
from ledgermark.palette import LIGHT
from ledgermark.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go

TRACE_TYPES: Final = ("bar", "scatter", "pie")  # what the basic bundle draws; it draws any other as a scatter, silently
_DATA_KEYS: Final = frozenset({"x", "y", "text", "hovertext", "customdata", "name", "labels", "ids", "categoryarray", "ticktext"})


def is_plot(value: object) -> bool:
    """Return whether a value is a Plotly figure, or a plain dict with its `data` and `layout`."""
    if isinstance(value, dict):
        return isinstance(value.get("data"), list) and isinstance(value.get("layout"), dict)
    return hasattr(value, "to_plotly_json")


def plain_views(name: str, shown: dict[str, Any], views: Mapping[str, go.Figure | dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the other views of a figure by name, each as `plain_plot` gives it.

    A reader who has put a series away keeps it away in each view, so all must have the series of the plot shown first, in its order.

    Raises:
        EvaluationError: one holds what a page cannot show, or other series.
    """
    made = {view: plain_plot(name, plot) for view, plot in views.items()}
    expected = [trace.get("name") for trace in shown["data"]]
    for view, plot in made.items():
        found = [trace.get("name") for trace in plot["data"]]
        if found != expected:
            message = Message(
                "figure {name}: view '{view}' has the series {found}, expected those of its plot, {expected}",
                name=name,
                view=view,
                found=", ".join(map(str, found)) or Message("none"),
                expected=", ".join(map(str, expected)) or Message("none"),
            )
            raise EvaluationError("LM603", message)
    return made


def plain_plot(name: str, plot: go.Figure | dict[str, Any]) -> dict[str, Any]:
    """Return `data` and `layout` of a plot as plain lists and finite numbers, texts from data made inert.

    Args:
        name: the figure's, for messages.
        plot: a Plotly figure, or the same as a plain dict.

    Raises:
        EvaluationError: it holds what a page cannot show.
    """
    raw = plot if isinstance(plot, dict) else plot.to_plotly_json()
    traces = [dict(trace) for trace in raw.get("data", ())]
    for number, trace in enumerate(traces, 1):
        if trace.get("type") not in TRACE_TYPES:
            message = Message(
                "figure {name}, trace {number}: type '{value}', expected one of {names}",
                name=name,
                number=number,
                value=trace.get("type"),
                names=", ".join(TRACE_TYPES),
            )
            raise EvaluationError("LM603", message)
        series = (trace.get("meta") or {}).get("series") if isinstance(trace.get("meta"), dict) else None
        if not isinstance(series, int) or not 1 <= series <= len(LIGHT):
            message = Message(
                "figure {name}, trace {number}: meta={{'series': {series}}}, expected a colour slot from 1 to {count}",
                name=name,
                number=number,
                series=series,
                count=len(LIGHT),
            )
            raise EvaluationError("LM603", message)
    layout = dict(raw.get("layout", {}))
    layout.pop("template", None)
    if layout.get("images") or layout.get("mapbox"):
        raise EvaluationError(
            "LM603", Message("figure {name}: its layout shows pictures from elsewhere; a page asks no other site for anything", name=name)
        )
    layout |= {"showlegend": False}
    return {"data": _plain(name, traces), "layout": _plain(name, layout)}


def _plain(name: str, value: Any, key: str = "") -> Any:
    """Return a JSON value of plain lists, texts and finite numbers; texts under data keys are escaped, for Plotly reads HTML in them."""
    if type(value) is str:  # as nearly all are: the lines of the marks
        return _text(value, key)
    if value is None or isinstance(value, int) or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, dict):
        if "bdata" in value:
            raise EvaluationError("LM603", Message("figure {name}: '{key}' is a typed array; hand Plotly plain lists", name=name, key=key))
        return {str(inner): _plain(name, item, str(inner)) for inner, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(name, item, key) for item in value]
    return _plain_other(name, value.tolist() if hasattr(value, "tolist") else value, key)


def _plain_other(name: str, value: Any, key: str) -> Any:
    """Return the same of any other value, or of what a number or an array of NumPy holds."""
    if isinstance(value, list | tuple):
        return [_plain(name, item, key) for item in value]
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float | Decimal | Quantity):
        number = float(value)
        if not math.isfinite(number):
            raise EvaluationError(
                "LM603", Message("figure {name}: '{key}' holds {number}; leave the point out, or give None", name=name, key=key, number=number)
            )
        return number
    return _text(str(value), key)


def _text(text: str, key: str) -> str:
    return html.escape(unsteered(text), quote=False) if key in _DATA_KEYS else text
