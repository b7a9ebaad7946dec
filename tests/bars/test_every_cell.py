"""Each cell of the ledger that a number of the pages comes from: changed so that the number moves, it is found."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from ledgermark.ledger import Ledger
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.quantity import Cell, Quantity
from ledgermark.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.check import Project
    from ledgermark.claims import Claim
    from ledgermark.descriptor import Column

NEAREST = 2  # claims tried for a cell: those that fewest other cells have a part in


def used_cells(project: Project, evaluator: Evaluator) -> dict[Cell, list[Claim]]:
    """Return the cells behind the claims of the first language, each with the claims it matters most to."""
    used: dict[Cell, dict[str, tuple[int, Claim]]] = {}
    language = next(iter(project.settings.languages))
    for page in project.pages[language].values():
        for claim in page.claims.claims:
            evidence = {cell for value in evaluator.values(claim) for cell in value.evidence if cell.column}
            for cell in evidence:
                used.setdefault(cell, {})[claim.key] = (len(evidence), claim)
    return {
        cell: [claim for _, claim in sorted(claims.values(), key=lambda item: (item[0], item[1].key))[:NEAREST]]
        for cell, claims in sorted(used.items())
    }


def changes(column: Column, old: str) -> Iterator[str]:
    """Yield other contents of a cell, of its type."""
    match column.type:
        case "boolean":
            yield "false" if old.lower() in ("true", "1") else "true"
        case "date":
            yield "2026-01-01"
        case "integer":
            yield from (str(int(old) * 3), str(int(old) + 1))
        case "number":
            number = Decimal(old)
            yield from (format(number * 3 if number else Decimal(1), "f"), format(number * Decimal("0.4"), "f"))


def with_cell(project: Project, cell: Cell, content: str) -> Ledger:
    """Return the ledger with another content in one cell."""
    table = project.ledger.table(cell.dataset)
    cells = list(table.columns[cell.column])
    cells[table.position(cell.line)] = content
    others = [project.ledger.table(name) for name in project.ledger.datasets if name != cell.dataset]
    return Ledger([*others, replace(table, columns={**table.columns, cell.column: cells})])


def shown_values(claim: Claim, evaluator: Evaluator) -> tuple[Quantity, ...] | None:
    try:
        return evaluator.values(claim)
    except EvaluationError:
        return None


def moved(before: tuple[Quantity, ...], after: tuple[Quantity, ...] | None) -> bool:
    """Return whether a value has moved by more than a shown number can hide: a fifth of itself, and a sign is not lost on the way."""
    if after is None or len(before) != len(after):
        return True
    return any(abs(abs(new.value) - abs(old.value)) * 5 > abs(old.value) for old, new in zip(before, after, strict=True))


def test_every_cell_that_moves_a_number(own_project: Project, own_evaluator: Evaluator) -> None:
    metrics, aliases = own_project.metrics or {}, own_project.settings.aliases
    silent = []
    found = 0
    cells = used_cells(own_project, own_evaluator)
    for cell, claims in cells.items():
        column = own_project.ledger.datasets[cell.dataset].column(cell.column)
        table = own_project.ledger.table(cell.dataset)
        assert column is not None
        old = table.columns[cell.column][table.position(cell.line)]
        for content in changes(column, old):
            evaluator = Evaluator(with_cell(own_project, cell, content), metrics)
            affected = [claim for claim in claims if moved(own_evaluator.values(claim), shown_values(claim, evaluator))]
            unseen = [claim for claim in affected if not verify(claim, evaluator, aliases).problems]
            found += len(affected) - len(unseen)
            silent += [(cell, old, content, claim.key, claim.text) for claim in unseen]
    assert silent == []
    assert len(cells) > 500
    assert found > len(cells)


def test_an_arm_has_one_date(own_project: Project) -> None:
    """Days between two runs: a single row of either run, redated, must not pass."""
    metrics = own_project.metrics or {}
    table = own_project.ledger.table("spec_ladder")
    claim = next(claim for page in own_project.all_pages for claim in page.claims.claims if claim.name == "replicate_gap_days")
    for position, arm in enumerate(table.columns["arm"]):
        if arm in ("mtp_stock", "mtp_stock_replicate"):
            ledger = with_cell(own_project, Cell("spec_ladder", table.lines[position], "date"), "2026-01-01")
            assert verify(claim, Evaluator(ledger, metrics), own_project.settings.aliases).problems, table.lines[position]
