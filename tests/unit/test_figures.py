"""Figures become plain, inert data; what a page cannot draw is a finding."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark import Drawing, Ledger, LedgerError, Quantity, UnitError, Words, count
from ledgermark.catalogue import Catalogue
from ledgermark.figures import Drawn, Figure, digest_of, draw, figure, find_figures, places_of
from ledgermark.metrics import EvaluationError
from ledgermark.quantity import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.check import Project

ENGLISH = Catalogue("en", {})
SERIES = {"series": 1}
EVIL = "<script>alert('&')</script>\u202e*x*"


def drawn(
    ledger: Ledger, *traces: Any, rows: Sequence[Sequence[Any]] = (), columns: Sequence[str] = ("A",), layout: Any = None, **changes: Any
) -> Drawn:
    """Return a figure of some traces, drawn; `changes` replace parts of its drawing."""

    def function(ledger: Ledger, words: Words) -> Any:  # noqa: ARG001  (a figure takes words)
        ledger.one("ladder", arm="base", context=1024).text("tok_s")
        parts: dict[str, Any] = {"title": "T", "alt": "A", "plot": go.Figure(traces, layout), "columns": columns, "rows": rows}
        return Drawing(**(parts | changes))

    return draw(Figure("f", function), ledger, ENGLISH)


def problem(ledger: Ledger, *traces: Any, **parts: Any) -> tuple[str, str]:
    with pytest.raises(EvaluationError) as caught:
        drawn(ledger, *traces, **parts)
    return caught.value.code, str(caught.value)


@pytest.fixture(name="ledger")
def base_ledger(project: Project) -> Ledger:
    return project.ledger


def test_a_figure(ledger: Ledger) -> None:
    bar = go.Bar(x=["a"], y=[0.5], meta=SERIES, name="Bar")
    made = drawn(ledger, bar, layout=go.Layout(height=360, template="plotly"), rows=[[Quantity.of("0.5", "%")], ["text"]])
    assert made.spec == {
        "data": [{"type": "bar", "x": ["a"], "y": [0.5], "meta": SERIES, "name": "Bar"}],
        "layout": {"height": 360, "showlegend": False},
    }
    assert made.rows == (("0.5",), ("text",))
    assert made.badge == "recomputable"
    assert made.evidence == {Cell("ladder", 2, "tok_s")}
    assert made.digest == digest_of(made.evidence, ledger)
    json.dumps(made.spec, allow_nan=False)


@pytest.mark.parametrize(
    ("y", "plain"),
    [
        ([1, 2.5, None, True], [1, 2.5, None, True]),
        ((Decimal("1.50"), Decimal(2)), [1.5, 2.0]),
        ([Quantity.of("1.5", "ms")], [1.5]),
        ([np.float64(1.5), np.int64(2)], [1.5, 2]),
        ([[1, 2], [3]], [[1, 2], [3]]),
    ],
)
def test_numbers_become_plain(ledger: Ledger, y: Any, plain: list[Any]) -> None:
    made = drawn(ledger, {"type": "bar", "y": y, "meta": SERIES}, plot=_Plot({"type": "bar", "y": y, "meta": SERIES}))
    assert made.spec["data"][0]["y"] == plain


class _Plot:
    """Stands for a Plotly figure that holds exactly these traces."""

    def __init__(self, *traces: dict[str, Any], layout: dict[str, Any] | None = None) -> None:
        self._json = {"data": list(traces), "layout": layout or {}}

    def to_plotly_json(self) -> dict[str, Any]:
        return self._json


@pytest.mark.parametrize("key", ["x", "y", "text", "hovertext", "customdata", "name", "labels"])
def test_texts_from_data_are_inert(ledger: Ledger, key: str) -> None:
    value = EVIL if key == "name" else [EVIL]
    made = drawn(ledger, plot=_Plot({"type": "bar", key: value, "meta": SERIES}))
    text = json.dumps(made.spec, ensure_ascii=False)
    assert "<script" not in text
    assert "&lt;script&gt;alert('&amp;')" in text


def test_axis_names_from_data_are_inert(ledger: Ledger) -> None:
    made = drawn(ledger, plot=_Plot({"type": "bar", "y": [1], "meta": SERIES}, layout={"xaxis": {"ticktext": [EVIL], "categoryarray": [EVIL]}}))
    assert "<script" not in json.dumps(made.spec)


# Still failing: an empty cell is written as an apostrophe.
def test_the_table_as_csv(ledger: Ledger) -> None:
    cells = ["=1+1", "+1", "+x", "-5", "-x", "@x", "\tx", 'say "hi", then\nleave', "−70.8", "<b>", ""]
    made = drawn(ledger, rows=[[cell] for cell in cells], columns=["A, b"])
    read = list(csv.reader(io.StringIO(made.csv)))
    assert read == [
        ["A, b"],
        ["'=1+1"],
        ["+1"],
        ["'+x"],
        ["-5"],
        ["'-x"],
        ["'@x"],
        ["'\tx"],
        ['say "hi", then\nleave'],
        ["−70.8"],
        ["<b>"],
        [""],
    ]


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        ({"type": "heatmap", "z": [[1]], "meta": SERIES}, "figure f, trace 1: type 'heatmap', expected one of bar, scatter, pie"),
        ({"type": "scattergl", "meta": SERIES}, "type 'scattergl'"),
        ({"y": [1], "meta": SERIES}, "type 'None'"),
        ({"type": "bar"}, "meta={'series': None}, expected a colour slot from 1 to 6"),
        ({"type": "bar", "meta": "1"}, "expected a colour slot"),
        ({"type": "bar", "meta": {"series": 0}}, "expected a colour slot"),
        ({"type": "bar", "meta": {"series": 7}}, "expected a colour slot"),
        ({"type": "bar", "meta": {"series": "1"}}, "expected a colour slot"),
        ({"type": "bar", "meta": {"series": 1.0}}, "expected a colour slot"),
        ({"type": "bar", "y": {"dtype": "f8", "bdata": "AAAA"}, "meta": SERIES}, "'y' is a typed array; hand Plotly plain lists"),
        ({"type": "bar", "y": [float("nan")], "meta": SERIES}, "'y' holds nan; leave the point out, or give None"),
        ({"type": "bar", "y": [float("inf")], "meta": SERIES}, "'y' holds inf"),
        ({"type": "bar", "y": [Decimal("-Infinity")], "meta": SERIES}, "'y' holds -inf"),
        ({"type": "bar", "marker": {"size": [np.nan]}, "meta": SERIES}, "'size' holds nan"),
    ],
)
def test_what_a_page_cannot_draw(ledger: Ledger, trace: dict[str, Any], message: str) -> None:
    code, text = problem(ledger, plot=_Plot(trace))
    assert code == "LM603"
    assert message in text


def test_the_trace_at_fault_is_named(ledger: Ledger) -> None:
    _, text = problem(ledger, plot=_Plot({"type": "bar", "meta": SERIES}, {"type": "histogram", "meta": SERIES}))
    assert "trace 2" in text


@pytest.mark.parametrize(
    "parts",
    [
        {"rows": [["a", "b"]]},
        {"rows": [[]]},
        {"plot": None},
        {"columns": None},
        {"rows": None},
        {"rows": [None]},
        {"title": None},
        {"alt": 5},
        {"columns": [None]},
    ],
)
def test_a_drawing_that_lacks_something(ledger: Ledger, parts: dict[str, Any]) -> None:
    code, text = problem(ledger, **parts)
    assert code == "LM602"
    assert text.startswith("figure f")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ZeroDivisionError("by zero"), "figure f raised ZeroDivisionError: by zero"),
        (KeyError("x"), "figure f raised KeyError"),
        (UnitError("no"), "figure f: no"),
        (LedgerError("none"), "figure f: none"),
        (SystemExit(0), "figure f raised SystemExit"),
    ],
)
def test_a_figure_that_raises(ledger: Ledger, error: BaseException, message: str) -> None:
    def function(ledger: Ledger, words: Words) -> Drawing:  # noqa: ARG001
        raise error

    with pytest.raises(EvaluationError) as caught:
        draw(Figure("f", function), ledger, ENGLISH)
    assert caught.value.code == "LM602"
    assert message in str(caught.value)


def test_a_figure_over_data_that_is_a_finding_already_says_nothing_more() -> None:
    def function(ledger: Ledger, words: Words) -> Drawing:  # noqa: ARG001
        ledger.rows("broken")
        raise AssertionError

    with pytest.raises(EvaluationError) as caught:
        draw(Figure("f", function), Ledger([], ["broken"]), ENGLISH)
    assert caught.value.code == ""


def test_a_figure_must_read_the_ledger(ledger: Ledger) -> None:
    def function(ledger: Ledger, words: Words) -> Drawing:  # noqa: ARG001
        return Drawing("T", "A", go.Figure(), ["A"], [])

    with pytest.raises(EvaluationError, match="reads no row of the ledger"):
        draw(Figure("f", function), ledger, ENGLISH)


def test_the_badge_is_that_of_the_weakest_input(ledger: Ledger) -> None:
    def function(ledger: Ledger, words: Words) -> Drawing:  # noqa: ARG001
        ledger.rows("ladder")[0].text("arm")
        ledger.rows("trace")[0].text("arm")
        return Drawing("T", "A", go.Figure(), ["A"], [])

    assert draw(Figure("f", function), ledger, ENGLISH).badge == "raw-missing"


def test_one_function_serves_both_languages(project: Project) -> None:
    figures = project.figures or {}
    english, chinese = (draw(figures["rates"], project.ledger, project.catalogues[language]) for language in ("en", "zh"))
    assert (english.title, chinese.title) == ("Rates by context", "各上下文长度的速率")
    assert english.digest == chinese.digest
    assert [trace["y"] for trace in english.spec["data"]] == [trace["y"] for trace in chinese.spec["data"]]
    assert chinese.spec["data"][0]["customdata"][0] == "1024：40.0 tok/s"


def test_words_write_numbers() -> None:
    english, chinese = Words(ENGLISH), Words(Catalogue("zh", {"{n} rows": "{n} 行"}))
    assert english("{n} rows", n=3) == "3 rows"
    assert chinese("{n} rows", n=3) == "3 行"
    assert english.number(Decimal("-1.256")) == "−1.26"
    assert english.number(3, 0, signed=True) == "+3"
    assert english.number(Quantity.of("0.5", "%"), 1) == "0.5"
    assert (english.quantity(Quantity.of("3.7", "×"), 1), chinese.quantity(Quantity.of("3.7", "×"), 1)) == ("3.7×", "3.7 倍")


def test_figures_are_found_by_name() -> None:
    @figure
    def one(ledger: Ledger, words: Words) -> Drawing:  # type: ignore[empty-body]
        """Draw."""

    def other() -> None:
        pass

    assert list(find_figures({"one": one, "_hidden": one, "other": other, "number": 5})) == ["one"]


@given(st.decimals(min_value=Decimal("-1e9"), max_value=Decimal("1e9"), places=6))
def test_places_keep_five_digits(value: Decimal) -> None:
    places = places_of(value)
    assert 0 <= places <= 10
    assert abs(round(value, places) - value) <= abs(value) * Decimal("0.00005")


def test_a_plot_may_be_plain_data(ledger: Ledger) -> None:
    trace = {"type": "bar", "x": ["a"], "y": [1.5], "meta": SERIES, "name": EVIL}
    plain = drawn(ledger, plot={"data": [trace], "layout": {"height": 360}})
    assert plain.spec == drawn(ledger, go.Bar(trace), layout=go.Layout(height=360)).spec
    assert "<script" not in json.dumps(plain.spec)
    assert trace["name"] == EVIL


@pytest.mark.parametrize("plot", [{}, {"data": []}, {"data": {}, "layout": {}}, {"data": [], "layout": None}, [], None, "plot"])
def test_what_is_no_plot(ledger: Ledger, plot: Any) -> None:
    assert problem(ledger, plot=plot)[0] == "LM602"


def plot_of(*names: str, y: float = 1.0) -> dict[str, Any]:
    return {"data": [{"type": "scatter", "x": [1], "y": [y], "name": name, "meta": SERIES} for name in names], "layout": {}}


def test_views_are_other_plots_of_the_same_series(ledger: Ledger) -> None:
    made = drawn(ledger, plot=plot_of("a", EVIL), view="Rate", views={"Share": plot_of("a", EVIL, y=0.5)})
    assert made.view == "Rate"
    assert list(made.views) == ["Share"]
    assert [trace["y"] for trace in made.views["Share"]["data"]] == [[0.5], [0.5]]
    assert "<script" not in json.dumps(made.views["Share"])
    assert drawn(ledger, plot=plot_of("a")).views == {}


@pytest.mark.parametrize(
    ("code", "message", "parts"),
    [
        ("LM603", "view 'Share' has the series b, expected those of its plot, a", {"view": "Rate", "views": {"Share": plot_of("b")}}),
        ("LM603", "has the series none, expected", {"view": "Rate", "views": {"Share": {"data": [], "layout": {}}}}),
        ("LM602", "the names of its views must be texts", {"views": {"Share": plot_of("a")}}),
        ("LM602", "the names of its views must be texts", {"view": "Rate", "views": {" ": plot_of("a")}}),
        ("LM602", "its plot is NoneType", {"view": "Rate", "views": {"Share": None}}),
        ("LM602", "figure f raised", {"view": "Rate", "views": None}),
    ],
)
def test_views_that_are_none(ledger: Ledger, code: str, message: str, parts: dict[str, Any]) -> None:
    found, text = problem(ledger, plot=plot_of("a"), **parts)
    assert found == code
    assert message in text


def test_a_figure_of_counts_stands_on_the_rows_counted(ledger: Ledger) -> None:
    def function(ledger: Ledger, words: Words) -> Drawing:
        arms = {arm: count(ledger.rows("ladder", arm=arm), "row") for arm in ("base", "fast")}
        pie = go.Pie(labels=list(arms), values=[float(number) for number in arms.values()], meta=SERIES)
        return Drawing(words("T"), words("A"), go.Figure(pie), ["Arm", "Rows"], [[arm, number] for arm, number in arms.items()])

    made = draw(Figure("f", function), ledger, ENGLISH)
    assert {(cell.dataset, cell.line) for cell in made.evidence} == {("ladder", line) for line in (2, 3, 4, 5)}
    assert made.rows == (("base", "2"), ("fast", "2"))
