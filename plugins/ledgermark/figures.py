"""Figures: functions of the ledger that return a drawing, and what a page needs of each: data, table, badge."""

from __future__ import annotations

import csv
import hashlib
import inspect
import io
import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from ledgermark.badge import badge_of
from ledgermark.findings import Finding, in_words, nearest
from ledgermark.ledger import Ledger, LedgerError
from ledgermark.messages import Message
from ledgermark.metrics import EvaluationError
from ledgermark.plot import is_plot, plain_plot, plain_views
from ledgermark.quantity import Cell, Quantity
from ledgermark.tabled import check_tabled
from ledgermark.typeset import write
from ledgermark.units import UnitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import plotly.graph_objects as go

    from ledgermark.catalogue import Catalogue
    from ledgermark.pages import Page

_MARK: Final = "__ledgermark_figure__"
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_REMEMBERED: Final = 1 << 14  # numbers of data tables that are kept as texts: the same values stand in several figures
_MAGNITUDE: Final = 100  # powers of ten beyond which a number is no measurement


class Words:
    """What a figure says, in the page's language: messages from the catalogue and numbers in its typography."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @property
    def language(self) -> str:
        """The language code."""
        return self._catalogue.language

    def __call__(self, message: str, **values: object) -> str:
        """Return a message in this language, its `{name}` places filled in."""
        return self._catalogue(message, **values)

    def number(self, value: Quantity | Decimal | int, places: int = 2, *, signed: bool = False) -> str:
        """Return a number with that many decimals, a real minus, and a plus if `signed`."""
        amount = value.value if isinstance(value, Quantity) else Decimal(value)
        return write(amount, None, places, self.language, signed=signed)

    def quantity(self, value: Quantity, places: int = 2, *, signed: bool = False) -> str:
        """Return a number with its unit as this language writes it."""
        return write(value.value, value.unit, places, self.language, signed=signed)


@dataclass(frozen=True)
class Drawing:
    """What a figure function returns.

    Attributes:
        title: a few words, in the page's language.
        alt: a sentence that says what is drawn, for readers who do not see it.
        plot: the Plotly figure, or the same as a plain dict of `data` and `layout`; each trace has `meta={"series": k}`, k from 1 to 6, the
            slot of its colour. A trace with `visible="legendonly"` is shown when a reader asks for it.
        columns: the heads of the data table, which holds what all views show.
        rows: its rows, of quantities and texts.
        view: a word or two for what `plot` shows, where there are other views.
        views: other plots of the same series by such a name: a rate as a share, a time.
    """

    title: str
    alt: str
    plot: go.Figure | dict[str, Any]
    columns: Sequence[str]
    rows: Sequence[Sequence[Quantity | str]]
    view: str = ""
    views: Mapping[str, go.Figure | dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A figure's name and function."""

    name: str
    function: Callable[[Ledger, Words], Drawing]


@dataclass(frozen=True)
class Drawn:
    """A figure in one language, ready for a page.

    Attributes:
        spec: `data` and `layout` of the plot, plain lists and numbers only, texts from data made inert.
        columns, rows: the data table as texts, numbers exact.
        evidence: every cell of the ledger the function read.
        badge: one of `badge.BADGES`.
        digest: of the rows read, so that a reader can tell whether a recomputation saw the same.
        view: what `spec` shows, where there are other views.
        views: the specs of the others, by name.
        asked: the datasets that the function asked for: while their tables are the same, it draws the same.
    """

    name: str
    language: str
    title: str
    alt: str
    spec: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    evidence: frozenset[Cell]
    badge: str
    digest: str
    view: str = ""
    views: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()

    @property
    def csv(self) -> str:
        """The data table as CSV."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_inert_cell(cell) for cell in row] for row in self.rows)
        return out.getvalue()


def figure(function: Callable[[Ledger, Words], Drawing]) -> Callable[[Ledger, Words], Drawing]:
    """Make a function of the ledger and the page's words a figure, under the function's name."""
    setattr(function, _MARK, True)
    return function


def find_figures(namespace: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the figures a module defines, by name."""
    return {
        name: Figure(name, value)
        for name, value in namespace.items()
        if inspect.isfunction(value) and hasattr(value, _MARK) and not name.startswith("_")
    }


def check_placed(
    page: Page,
    language: str,
    figures: Mapping[str, Figure],
    drawn: dict[tuple[str, str], Drawn],
    drawing: Callable[[Figure], Drawn],
) -> list[Finding]:
    """Return what is wrong with the figures of a page, and add those to `drawn`, by name and language, that are not there yet.

    Args:
        page: the page.
        language: that its figures speak.
        figures: all there are, by name.
        drawn: those drawn.
        drawing: draws one.
    """
    findings: list[Finding] = []
    seen: set[str] = set()
    for block in page.figures:
        place, name = page.source.place(block.argument_start), block.argument
        if name not in figures:
            message = Message("no figure '{name}'{hint}", name=name, hint=nearest(name, figures))
            findings.append(Finding(page.source.path, *place, "LM601", message))
            continue
        if name in seen:
            message = Message("the figure '{name}' stands twice on this page; its id must be unique", name=name)
            findings.append(Finding(page.source.path, *place, "LM604", message))
        seen.add(name)
        if (name, language) in drawn:
            continue
        try:
            drawn[name, language] = drawing(figures[name])
        except EvaluationError as error:
            if error.code:
                findings.append(Finding(page.source.path, *place, error.code, str(error)))
    return findings


def draw(chosen: Figure, ledger: Ledger, catalogue: Catalogue) -> Drawn:
    """Return a figure in the language of a catalogue.

    Raises:
        EvaluationError: the function failed, read nothing, or drew what a page cannot show.
    """
    recording = ledger.recording()
    try:
        drawing = chosen.function(recording, Words(catalogue))
        _check_drawing(chosen.name, drawing)
    except LedgerError as error:
        raise EvaluationError("" if error.unusable else "LM602", Message("figure {name}: {error}", name=chosen.name, error=error)) from error
    except UnitError as error:
        raise EvaluationError("LM602", Message("figure {name}: {error}", name=chosen.name, error=error)) from error
    except EvaluationError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise EvaluationError("LM602", Message("figure {name} raised {error}", name=chosen.name, error=in_words(error))) from error
    # A count of rows reads no cell of them; its quantity knows the rows all the same.
    evidence = frozenset(recording.seen or ()) or frozenset().union(
        *(cell.evidence for row in drawing.rows for cell in row if isinstance(cell, Quantity))
    )
    if not evidence:
        raise EvaluationError("LM602", Message("figure {name} reads no row of the ledger", name=chosen.name))
    datasets = [ledger.datasets[name] for name in sorted({cell.dataset for cell in evidence})]
    spec = plain_plot(chosen.name, drawing.plot)
    views = plain_views(chosen.name, spec, drawing.views)
    check_tabled(chosen.name, (spec, *views.values()), drawing.columns, drawing.rows)
    return Drawn(
        name=chosen.name,
        language=catalogue.language,
        title=drawing.title,
        alt=drawing.alt,
        spec=spec,
        columns=tuple(drawing.columns),
        rows=tuple(tuple(_table_cell(cell, catalogue.language) for cell in row) for row in drawing.rows),
        evidence=evidence,
        badge=badge_of(datasets),
        digest=ledger.derived(("digest", evidence), partial(digest_of, evidence)),
        view=drawing.view,
        views=views,
        asked=frozenset(recording.asked or ()),
    )


def _check_drawing(name: str, drawing: object) -> None:
    """Raise `EvaluationError` for what is no drawing, or one that lacks what a page needs."""
    if not isinstance(drawing, Drawing):
        raise EvaluationError("LM602", Message("figure {name} returned {kind}, expected a Drawing", name=name, kind=type(drawing).__name__))
    texts: list[object] = [drawing.title, drawing.alt, *drawing.columns, *drawing.views, *([drawing.view] if drawing.views else [])]
    if not all(isinstance(text, str) and text.strip() and text == text.encode("utf-8", "replace").decode() for text in texts):
        raise EvaluationError(
            "LM602",
            Message("figure {name}: title, alt, the heads of its table and the names of its views must be texts, none empty", name=name),
        )
    for plot in (drawing.plot, *drawing.views.values()):
        if not is_plot(plot):
            message = Message(
                "figure {name}: its plot is {kind}, expected a Plotly figure, or a dict with its 'data' and 'layout'",
                name=name,
                kind=type(plot).__name__,
            )
            raise EvaluationError("LM602", message)
    for row in drawing.rows:
        if len(row) != len(drawing.columns):
            message = Message(
                "figure {name}: a row of its table has {count} cells, expected {expected}",
                name=name,
                count=len(row),
                expected=len(drawing.columns),
            )
            raise EvaluationError("LM602", message)
        for cell in row:
            if isinstance(cell, Quantity) and not (cell.value.is_finite() and abs(cell.value.adjusted()) <= _MAGNITUDE):
                raise EvaluationError(
                    "LM602", Message("figure {name}: its table holds {value}, expected a finite number", name=name, value=cell.value)
                )


def digest_of(cells: Iterable[Cell], ledger: Ledger) -> str:
    """Return the SHA-256 of the rows that some cells stand in: dataset, then each row's cells as written, in file order."""
    digest = hashlib.sha256()
    for dataset, line in sorted({(cell.dataset, cell.line) for cell in cells}):
        table = ledger.table(dataset)
        at = table.position(line)
        digest.update(_encode([dataset, *[column[at] for column in table.columns.values()]]).encode())
    return digest.hexdigest()


def _table_cell(cell: Quantity | str, language: str) -> str:
    return _exact(cell.value, language) if isinstance(cell, Quantity) else str(cell)


@lru_cache(maxsize=_REMEMBERED)
def _exact(value: Decimal, language: str) -> str:
    return write(value, None, places_of(value), language)


def places_of(value: Decimal, significant: int = 5) -> int:
    """Return how many decimals a value is written with: those it has, but no more than that many significant digits need."""
    needs = max(significant - 1 - value.adjusted(), 0) if value else 0
    exponent = value.normalize().as_tuple().exponent if needs else 0
    return min(max(-exponent, 0), needs) if isinstance(exponent, int) else 0


def _inert_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "@", "\t", "\r") or (text[:1] in ("+", "-") and not text[1:2].isdigit()) else text
