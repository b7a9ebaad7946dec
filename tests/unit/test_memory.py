"""What a check remembers for another: only where the parts are the very same, and never what a change could have touched."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from ledgermark.cellmutants import with_cell
from ledgermark.check import check_project
from ledgermark.claims import parse_key
from ledgermark.ledger import Ledger
from ledgermark.memory import Memory
from ledgermark.metrics import Evaluator, find_metrics, metric
from ledgermark.pages import read_page
from ledgermark.quantity import Cell, Quantity, total
from ledgermark.source import Source

if TYPE_CHECKING:
    from ledgermark.check import Project

TODAY = date(2026, 12, 1)


def test_an_answer_is_made_once_for_the_same_parts() -> None:
    memory, made = Memory(), iter(range(9))
    part, equal = [1], [1]
    assert [memory.once("a", (part,), lambda: next(made)) for _ in range(2)] == [0, 0]
    assert memory.once("a", (equal,), lambda: next(made)) == 1
    assert memory.once("b", (part,), lambda: next(made)) == 2
    assert memory.once("a", (part,), lambda: next(made), lambda known: known > 0) == 3


def test_a_frozen_memory_learns_nothing() -> None:
    memory, made, part = Memory(), iter(range(9)), [1]
    memory.once("a", (part,), lambda: next(made))
    frozen = memory.frozen()
    assert frozen.once("a", (part,), lambda: next(made)) == 0
    assert [frozen.once("b", (part,), lambda: next(made)) for _ in range(2)] == [1, 2]


def test_a_check_with_a_memory_finds_what_one_without_finds(project: Project) -> None:
    memory = Memory()
    clean = check_project(project, TODAY, memory=memory)
    assert clean == check_project(project, TODAY)
    (path, page), *_ = project.pages["en"].items()
    text = page.source.text
    pages = [text.replace("](claim:", "0](claim:", 1), text.replace("/// figure", "/// figures", 1), text.replace("## ", "## 7 of ", 1)]
    ledgers = [with_cell(project.ledger, cell, "7") for cell in sorted(next(iter(clean.drawn.values())).evidence)[:3] if cell.column == "tok_s"]
    changed = [replace(project, pages={**project.pages, "en": {path: read_page(Source(page.source.path, new), path, "en")}}) for new in pages]
    changed += [replace(project, ledger=ledger) for ledger in ledgers]
    changed += [
        replace(project, figures={}),
        replace(project, metrics=dict(project.metrics or {})),
        replace(project, pages={**project.pages, "zh": {}}),
    ]
    assert ledgers
    for other in changed:
        found = check_project(other, TODAY, memory=memory.frozen())
        assert found == check_project(other, TODAY)
        assert found.findings or other.metrics is not project.metrics


def test_a_metric_is_asked_again_only_when_a_table_it_asked_for_is_another(project: Project) -> None:
    calls: list[str] = []

    @metric(unit="1")
    def rates(ledger: Ledger) -> Quantity:
        """Sum of the rates."""
        calls.append("rates")
        return total(row["tok_s"] / row["tok_s"] for row in ledger.rows("ladder"))

    @metric(unit="1")
    def tables(ledger: Ledger) -> Quantity:
        """How many tables there are."""
        calls.append("tables")
        return Quantity.of(len(ledger.datasets), "1")

    metrics = find_metrics({"rates": rates, "tables": tables})
    first = Evaluator(project.ledger, metrics)

    def asked(evaluator: Evaluator) -> list[str]:
        calls.clear()
        for name in metrics:
            evaluator.values(parse_key(name))
        return list(calls)

    trace, ladder = (with_cell(project.ledger, cell, "7") for cell in (Cell("trace", 2, "calls"), Cell("ladder", 2, "tok_s")))
    assert asked(first) == ["rates", "tables"]
    assert asked(first) == asked(Evaluator(project.ledger, metrics, first)) == []
    second = Evaluator(trace, metrics, first)
    assert asked(second) == ["tables"]
    assert asked(Evaluator(ladder, metrics, first)) == asked(Evaluator(ladder, metrics, second)) == ["rates", "tables"]
    assert asked(Evaluator(project.ledger, dict(metrics), first)) == ["rates", "tables"]


def test_what_is_derived_is_made_once_and_read_by_all_who_ask(project: Project) -> None:
    ledger = Ledger(project.ledger.table(name) for name in project.ledger.datasets)
    made: list[int] = []

    def derive(data: Ledger) -> Quantity:
        made.append(len(data.datasets))
        return total(row["tok_s"] for row in data.rows("ladder", arm="base"))

    first, second = ledger.recording(), ledger.recording()
    assert first.derived(("sum",), derive) == second.derived(("sum",), derive) == ledger.derived(("sum",), derive)
    assert len(made) == 1
    assert first.seen == second.seen == {Cell("ladder", line, "tok_s") for line in (2, 3)}
    assert first.asked == second.asked == {"ladder", "trace"}
    assert with_cell(ledger, Cell("ladder", 2, "tok_s"), "7").derived(("sum",), derive) != first.derived(("sum",), derive)


def test_what_cannot_be_derived_was_read_all_the_same(project: Project) -> None:
    ledger = project.ledger.recording()

    def derive(data: Ledger) -> Quantity:
        return data.one("trace", arm="base")["calls"] / 0

    for _ in range(2):
        with pytest.raises(ArithmeticError):
            ledger.derived(("wrong",), derive)
    assert ledger.seen == {Cell("trace", 2, "calls")}
    assert ledger.asked == {"trace"}
