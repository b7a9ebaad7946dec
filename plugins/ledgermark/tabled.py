"""Whether a figure's table holds what its chart draws, in the units that heads and axes name: who has no chart has the table alone."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from ledgermark.messages import Message
from ledgermark.metrics import EvaluationError
from ledgermark.quantity import Quantity
from ledgermark.spelling import ALIASES
from ledgermark.units import UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledgermark.units import Unit

_NEAR: Final = 0.005  # of a number: a chart shows no more, and a figure may draw what it has rounded
_UNIT: Final = re.compile(r"(?:, |，)(?P<unit>[^,，]+)$")


class _Column:
    """The numbers of a column of the table, to be looked up by about how large they are."""

    def __init__(self, cells: Sequence[Quantity | str]) -> None:
        found = sorted(((float(cell.value), row, cell.unit) for row, cell in enumerate(cells) if isinstance(cell, Quantity)), key=itemgetter(0))
        self._values = [value for value, _, _ in found]
        self._rows = [row for _, row, _ in found]
        self._units = [unit for _, _, unit in found]
        self.units = set(self._units)

    def _near(self, number: float) -> slice:
        far = _NEAR * abs(number)
        return slice(bisect_left(self._values, number - far), bisect_right(self._values, number + far))

    def rows(self, number: float) -> list[int]:
        """Return the rows that hold a number."""
        return self._rows[self._near(number)]

    def units_of(self, number: float) -> list[Unit]:
        """Return the units of a number, by its rows."""
        return self._units[self._near(number)]


def check_tabled(name: str, views: Iterable[dict[str, Any]], columns: Sequence[str], rows: Sequence[Sequence[Quantity | str]]) -> None:
    """Raise for a number that is drawn and stands in no column, for a point that stands in no row, and for a unit that is another's.

    What counts is the axis that measures: the horizontal one of bars that lie, or where the other only has places with a text each.

    Args:
        name: the figure's, for messages.
        views: its plots, as `plot.plain_plot` gives them.
        columns: the heads of the table; a unit comes last, after a comma.
        rows: its rows. A table of texts alone says nothing to compare.

    Raises:
        EvaluationError: with the code LM606.
    """
    held = [_Column(cells) for cells in zip(*rows, strict=True)]
    for head, column in zip(columns, held, strict=bool(rows)):
        _check_unit(name, Message("the head '{text}' of its table", text=head), head, column.units)
    held = [column for column in held if column.units]
    for view in views if held else ():
        for trace in view["data"]:
            _check_trace(name, trace, view["layout"], held)


def _check_trace(name: str, trace: dict[str, Any], layout: dict[str, Any], held: list[_Column]) -> None:
    axis, other = ("x", "y") if trace.get("orientation") == "h" else ("y", "x")
    if trace["type"] == "pie":
        axis, other = "values", "labels"
    drawn = _numbers(trace, axis)
    found = _with_all(drawn, held)
    if not found and "ticktext" in _axis(layout, axis):
        axis, other = other, axis
        drawn = _numbers(trace, axis)
        found = _with_all(drawn, held)
    series = trace.get("name") or ""
    if drawn and not found:
        missing = [number for number in drawn.values() if not _with_all({0: number}, held)]
        if missing:
            message = Message(
                "figure {name}: the series '{series}' draws {number}, which stands nowhere in its table",
                name=name,
                series=series,
                number=f"{missing[0]:g}",
            )
        else:
            message = Message("figure {name}: no column of its table holds all that the series '{series}' draws", name=name, series=series)
        raise EvaluationError("LM606", message)
    places = _numbers(trace, other)
    beside = _with_all(places, held)
    if beside and places.keys() == drawn.keys():
        for at, number in drawn.items():
            here = {row for column in found for row in column.rows(number)}
            if here.isdisjoint(row for column in beside for row in column.rows(places[at])):
                message = Message(
                    "figure {name}: the series '{series}' draws {number} at {place}, and no row of its table holds both",
                    name=name,
                    series=series,
                    number=f"{number:g}",
                    place=f"{places[at]:g}",
                )
                raise EvaluationError("LM606", message)
    title = _axis(layout, axis).get("title")
    text = title.get("text") if isinstance(title, dict) else title
    if isinstance(text, str):
        units = {unit for column in found for number in drawn.values() for unit in column.units_of(number)}
        _check_unit(name, Message("the title '{text}' of its axis", text=text), text, units)


def _axis(layout: dict[str, Any], axis: str) -> dict[str, Any]:
    found = layout.get(f"{axis}axis")
    return found if isinstance(found, dict) else {}


def _numbers(trace: dict[str, Any], axis: str) -> dict[int, float]:
    """Return the numbers of a trace on an axis, by their place in it."""
    values = trace.get(axis)
    values = values if isinstance(values, list) else []
    return {at: float(value) for at, value in enumerate(values) if isinstance(value, int | float) and not isinstance(value, bool)}


def _with_all(numbers: Mapping[int, float], held: list[_Column]) -> list[_Column]:
    """Return the columns that hold all of some numbers; none where there are no numbers."""
    return [column for column in held if numbers and all(column.rows(number) for number in numbers.values())]


def _check_unit(name: str, place: str, text: str, units: set[Unit]) -> None:
    """Raise where a text ends in a unit that some values beside it do not have; one for each token may leave the token to the words."""
    match = _UNIT.search(text)
    said = _unit(match["unit"].strip()) if match else None
    for unit in units:
        if said and (said.factor != unit.factor or _tokenless(said) != _tokenless(unit)):
            message = Message(
                "figure {name}: {place} says '{said}', its numbers are in '{unit}'", name=name, place=place, said=said.symbol, unit=unit.symbol
            )
            raise EvaluationError("LM606", message)


def _unit(text: str) -> Unit | None:
    try:
        return parse_unit(ALIASES.get(text, text))
    except UnitError:
        return None


def _tokenless(unit: Unit) -> list[tuple[str, int]]:
    return [(name, power) for name, power in unit.dimensions if name != "token"]
