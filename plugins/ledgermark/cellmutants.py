"""Mutants of the data: each cell that made a number, changed until the number is wrong by just over the precision it shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from ledgermark.canonical import canonical, plain
from ledgermark.claims import parse_key
from ledgermark.ground import distance
from ledgermark.ledger import Ledger
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.mutants import Mutant, Nudged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.descriptor import Column
    from ledgermark.ground import Ground
    from ledgermark.quantity import Cell
    from ledgermark.table import Table

_STRIDES: Final = 15  # each eight times the one before: from a millionth of a number to millions of it
_HALVINGS: Final = 11
_FINE: Final = Context(prec=12)


def cell_mutants(ground: Ground) -> Iterator[Mutant]:
    """Yield, for each claim and each cell behind it, the cell a little larger and a little smaller; a row that was counted is gone."""
    seen: dict[str, str] = {}
    for _, claim in ground.bound:
        text = seen.get(claim.key, claim.text)
        numbers, known = ground.numbers(claim), ground.numbers(claim._replace(text=text))
        finer = claim.key not in seen or min(item.place for item in numbers) < min(item.place for item in known)
        seen[claim.key] = claim.text if finer else text
    for key, text in seen.items():
        try:
            values = ground.evaluator.values(parse_key(key))
        except EvaluationError:
            continue
        for cell in sorted({cell for value in values for cell in value.evidence}):
            path = ground.project.ledger.datasets[cell.dataset].path
            subject = f"{cell.column or 'row'} for {key}"
            if not cell.column:
                yield Mutant("cell", path, cell.line, 1, "", subject, "the row is gone", Nudged(cell, key, text, up=False))
                continue
            for up in (True, False):
                yield Mutant("cell", path, cell.line, 1, "", subject, "larger" if up else "smaller", Nudged(cell, key, text, up))


def nudged_ledger(ground: Ground, alteration: Nudged) -> tuple[Ledger, str] | None:
    """Return the ledger with the cell changed and what it holds now; None where no such change makes the claim wrong."""
    cell = alteration.cell
    if not cell.column:
        ledger = without_row(ground.project.ledger, cell)
        return (ledger, "gone") if _distance(ground, ledger, alteration) > 1 else None
    table = ground.project.ledger.table(cell.dataset)
    column = table.dataset.column(cell.column)
    text = table.columns[cell.column][table.position(cell.line)]
    if column is None:
        return None
    for changed in _texts(ground, alteration, column, text):
        ledger = with_cell(ground.project.ledger, cell, changed)
        if _distance(ground, ledger, alteration) > 1:
            return ledger, changed
    return None


def _texts(ground: Ground, alteration: Nudged, column: Column, text: str) -> Iterator[str]:
    """Yield what the cell may hold instead, the nearest to its own first."""
    if column.type == "boolean":
        truth = canonical(column, text) == "true"
        if truth != alteration.up:
            yield {"true": "false", "false": "true", "True": "False", "False": "True", "1": "0", "0": "1"}[text]
    elif column.type == "date":
        for days in (1, 7, 30):
            yield (date.fromisoformat(text) + timedelta(days=days if alteration.up else -days)).isoformat()
    elif column.type in ("integer", "number"):
        yield from _numbers(ground, alteration, column, Decimal(text))


def _numbers(ground: Ground, alteration: Nudged, column: Column, value: Decimal) -> Iterator[str]:
    """Yield the number nearest to a cell's own that makes the claim wrong: in strides away from it until it does, then halved back."""
    whole = column.type == "integer"
    sign = 1 if alteration.up else -1

    def text(step: Decimal) -> str:
        moved = value + sign * step
        return str(int(moved)) if whole else plain(_FINE.plus(moved))

    def wrong(step: Decimal) -> bool:
        return _distance(ground, with_cell(ground.project.ledger, alteration.cell, text(step)), alteration) > 1

    right, step = Decimal(0), Decimal(1) if whole else abs(value or Decimal(1)).scaleb(-6)
    for _ in range(_STRIDES):
        if wrong(step):
            break
        right, step = step, step * 8
    else:
        return
    for _ in range(_HALVINGS):
        middle = (right + step) / 2
        if whole and int(middle) in (int(right), int(step)):
            break
        right, step = (right, middle) if wrong(middle) else (middle, step)
    yield text(step)


def _distance(ground: Ground, ledger: Ledger, alteration: Nudged) -> float:
    """Return how far a claim is from what it shows, in halves of the last place; infinitely far where its metric refuses the data."""
    claim = parse_key(alteration.key)
    numbers = ground.numbers(claim._replace(text=alteration.text))
    try:
        values = Evaluator(ledger, ground.project.metrics or {}).values(claim)
    except EvaluationError:
        return float("inf")
    return distance(claim, values, numbers)


def with_cell(ledger: Ledger, cell: Cell, text: str) -> Ledger:
    """Return a ledger with another text in a cell."""
    table = ledger.table(cell.dataset)
    cells = list(table.columns[cell.column])
    cells[table.position(cell.line)] = text
    return _with_table(ledger, replace(table, columns={**table.columns, cell.column: cells}))


def without_row(ledger: Ledger, cell: Cell) -> Ledger:
    """Return a ledger without the row a cell stands in, its descriptor counting one row less."""
    table = ledger.table(cell.dataset)
    at = table.position(cell.line)
    columns = {name: [*cells[:at], *cells[at + 1 :]] for name, cells in table.columns.items()}
    rows = None if table.dataset.rows is None else table.dataset.rows - 1
    lines = (*table.lines[:at], *(line - 1 for line in table.lines[at + 1 :]))
    return _with_table(ledger, replace(table, dataset=replace(table.dataset, rows=rows), columns=columns, lines=lines))


def _with_table(ledger: Ledger, changed: Table) -> Ledger:
    return Ledger(changed if name == changed.dataset.name else ledger.table(name) for name in ledger.datasets)
