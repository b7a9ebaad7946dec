"""A table holds what its figure draws, under heads and axes that name the units of what stands there."""

from __future__ import annotations

from typing import Any

import pytest

from ledgermark.metrics import EvaluationError
from ledgermark.quantity import Quantity
from ledgermark.tabled import check_tabled

HEADS = ("Arm", "Context", "Rate, tok/s", "Time, ms")
ROWS = [
    [name, Quantity.of(context, "tok"), Quantity.of(rate, "tok/s"), Quantity.of(time, "ms/tok")]
    for name, context, rate, time in (
        ("a", "1024", "40", "25"),
        ("a", "2048", "20", "50"),
        ("b", "1024", "80", "12.5"),
        ("b", "2048", "-4", "0"),
    )
]
PLACES = {"tickvals": [0, 1], "ticktext": ["a", "b"]}


def problem(*traces: dict[str, Any], heads: tuple[str, ...] = HEADS, rows: Any = ROWS, **layout: Any) -> str:
    """Return what is wrong with a figure; nothing where nothing is."""
    spec = {"data": [{"type": "scatter", "name": "S"} | trace for trace in traces], "layout": layout}
    try:
        check_tabled("f", [spec], heads, rows)
    except EvaluationError as error:
        return str(error).removeprefix("figure f: ") if error.code == "LM606" else f"as {error.code}: {error}"
    return ""


@pytest.mark.parametrize(
    ("trace", "layout"),
    [
        ({"x": ["1K", "2K"], "y": [40.0, 20.0]}, {}),
        ({"x": [1024, 2048], "y": [40.0, 20.0]}, {}),
        ({"x": [1024, 2048], "y": [40.1, 20.04]}, {}),  # as a figure may round
        ({"x": [1024, 2048], "y": [-4, None]}, {"xaxis": PLACES}),
        ({"x": [2048, 2048], "y": [-4.0, 20.0]}, {}),
        ({"x": [0, 1], "y": [40.0, 80.0]}, {"xaxis": PLACES}),
        ({"x": [0, 1], "y": [40.0, 80.0]}, {}),  # places that nobody has named are no numbers of the table
        ({"x": [40.0, 80.0], "y": [0.5, 1], "orientation": "h"}, {}),
        ({"x": [40.0, 80.0], "y": [0.5, 1]}, {"yaxis": PLACES}),
        ({"labels": ["a", "b"], "values": [40.0, 80.0], "type": "pie"}, {}),
        ({"x": ["1K"], "y": ["high"]}, {}),
        ({"x": ["1K"]}, {}),
        ({"x": [1024], "y": [40.0]}, {"yaxis": {"title": {"text": "Rate, tok/s"}}, "xaxis": {"title": {"text": "Context, s"}}}),
        ({"x": [1024], "y": [25.0]}, {"yaxis": {"title": {"text": "每个 token 的用时，ms"}}}),
        ({"x": [1024], "y": [25.0]}, {"yaxis": {"title": "Time of a token, logarithmic"}}),
        ({"x": [1024], "y": [25.0]}, {"yaxis": None}),
    ],
)
def test_what_stands_in_the_table_may_be_drawn(trace: dict[str, Any], layout: dict[str, Any]) -> None:
    assert problem(trace, **layout) == ""


@pytest.mark.parametrize(
    ("trace", "layout", "expected"),
    [
        ({"x": ["1K", "2K"], "y": [80.0, 160.0]}, {}, "the series 'S' draws 160, which stands nowhere in its table"),
        ({"x": ["1K"], "y": [float(1)]}, {}, "the series 'S' draws 1, which stands nowhere in its table"),
        ({"x": ["1K", "2K"], "y": [40.0, 25.0]}, {}, "no column of its table holds all that the series 'S' draws"),
        ({"x": [1024, 2048], "y": [20.0, 40.0]}, {}, "the series 'S' draws 20 at 1024, and no row of its table holds both"),
        ({"x": [41.0, 80.0], "y": [0.5, 1], "orientation": "h"}, {}, "the series 'S' draws 41, which stands nowhere in its table"),
        ({"x": [41.0, 80.0], "y": [0, 1]}, {"yaxis": PLACES}, "the series 'S' draws 41, which stands nowhere in its table"),
        ({"values": [3], "type": "pie"}, {}, "the series 'S' draws 3, which stands nowhere in its table"),
        (
            {"x": [1024], "y": [40.0]},
            {"yaxis": {"title": {"text": "Rate, chunk/s"}}},
            "the title 'Rate, chunk/s' of its axis says 'chunk/s', its numbers are in 'tok/s'",
        ),
        (
            {"x": [1024], "y": [25.0]},
            {"yaxis": {"title": "用时，µs"}},
            "the title '用时，µs' of its axis says 'us', its numbers are in 'ms/tok'",
        ),
    ],
)
def test_what_does_not_may_not(trace: dict[str, Any], layout: dict[str, Any], expected: str) -> None:
    assert problem(trace, **layout) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Rate, tokens per second", ""),
        ("速率，token/秒", ""),
        ("Rate (tok/s)", ""),
        ("Rate, by far", ""),
        ("Rate", ""),
        ("Rate, chunk/s", "the head 'Rate, chunk/s' of its table says 'chunk/s', its numbers are in 'tok/s'"),
        ("速率，ms", "the head '速率，ms' of its table says 'ms', its numbers are in 'tok/s'"),
        ("Rate, %", "the head 'Rate, %' of its table says '%', its numbers are in 'tok/s'"),
    ],
)
def test_a_head_names_the_unit_of_its_column(head: str, expected: str) -> None:
    assert problem(heads=(HEADS[0], HEADS[1], head, HEADS[3])) == expected


def test_a_share_is_no_factor() -> None:
    rows = [[Quantity.of("50", "%")]]
    assert problem(heads=("Share, ×",), rows=rows) == "the head 'Share, ×' of its table says '×', its numbers are in '%'"
    assert problem(heads=("占比，倍",), rows=rows) == "the head '占比，倍' of its table says '×', its numbers are in '%'"


def test_a_table_of_texts_says_nothing_to_compare() -> None:
    assert problem({"x": ["1K"], "y": [7.0]}, heads=("A",), rows=[["seven"]]) == ""
    assert problem({"x": ["1K"], "y": [7.0]}, heads=("A",), rows=[]) == ""
