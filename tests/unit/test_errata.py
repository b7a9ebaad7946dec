"""Errata are read from their blocks; wrong dates, ids and targets are findings at the block."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from ledgermark.blocks import find_blocks
from ledgermark.errata import Erratum, check_corrections, check_errata, count_of, read_errata
from ledgermark.source import Source

if TYPE_CHECKING:
    from ledgermark.findings import Finding


def read(text: str) -> tuple[tuple[Erratum, ...], list[Finding]]:
    source = Source("p.md", text)
    return read_errata(source, find_blocks(source, ("erratum",)))


def block(when: str, options: str) -> str:
    return f"# A\n\n/// erratum | {when}\n{options}\nText.\n///\n"


GOOD = "    id: a-1\n    affects: gap"


def test_what_yaml_would_take_for_a_comment_is_a_finding() -> None:
    errata, findings = read(block("2026-08-29", "    id: a\n    affects: gap, #a\n    title: T"))
    assert errata == ()
    assert [finding.code for finding in findings] == ["LM406"]
    assert "put the value in quotes" in findings[0].message


@pytest.mark.parametrize(
    ("affects", "names"),
    [
        ("gap", ("gap",)),
        ("gap, gain", ("gap", "gain")),
        ("gap gain", ("gap", "gain")),
        ("[gap, '#a']", ("gap", "#a")),
        ("'gap, #a'", ("gap", "#a")),
        ("gap,", ("gap",)),
        ("5", ("5",)),
    ],
)
def test_what_an_erratum_affects(affects: str, names: tuple[str, ...]) -> None:
    (erratum,), findings = read(block("2026-08-29", f"    id: a\n    affects: {affects}\n    title: T"))
    assert (erratum.date, erratum.affects, erratum.title) == (date(2026, 8, 29), names, "T")
    assert findings == []


@pytest.mark.parametrize(
    ("when", "options", "code", "column"),
    [
        ("29 August 2026", GOOD, "LM401", 15),
        ("2026-8-29", GOOD, "LM401", 15),
        ("２０２６-08-29", GOOD, "LM401", 15),
        ("2026-02-30", GOOD, "LM401", 15),
        ("0000-01-01", GOOD, "LM401", 15),
        ("20260829", GOOD, "LM401", 15),
        ("", GOOD, "LM401", 1),
        ("2026-08-29", "    affects: gap", "LM406", 1),
        ("2026-08-29", "    id: A b\n    affects: gap", "LM406", 1),
        ("2026-08-29", "    id: 勘误\n    affects: gap", "LM406", 1),
        ("2026-08-29", "    id: -a\n    affects: gap", "LM406", 1),
        ("2026-08-29", "    id: [a]\n    affects: gap", "LM406", 1),
        ("2026-08-29", "    id: a", "LM406", 1),
        ("2026-08-29", "    id: a\n    affects: []", "LM406", 1),
        ("2026-08-29", "    id: a\n    affects: ''", "LM406", 1),
        ("2026-08-29", "    id: a\n    affects: gap\n    autor: b", "LM406", 1),
        ("2026-08-29", "    id: [", "LM406", 1),
    ],
)
def test_what_is_malformed(when: str, options: str, code: str, column: int) -> None:
    _, (finding,) = read(block(when, options))
    assert (finding.code, finding.line, finding.column) == (code, 3, column)


def test_the_same_id_twice() -> None:
    _, (finding,) = read(block("2026-08-29", GOOD) + block("2026-08-30", GOOD))
    assert (finding.code, finding.line) == ("LM405", 10)


KNOWN = {"gap", "ladder", "ladder.tok_s", "fig-rates", "#a"}


@pytest.mark.parametrize(
    ("when", "affects", "published", "codes"),
    [
        ("2026-08-29", "gap", None, []),
        ("2026-08-29", "gap, ladder, ladder.tok_s, fig-rates", date(2026, 8, 29), []),
        ("2026-12-01", "gap", date(2026, 8, 1), []),
        ("2026-12-02", "gap", None, ["LM402"]),
        ("2026-08-28", "gap", date(2026, 8, 29), ["LM403"]),
        ("9999-12-31", "gapp", date(2026, 8, 29), ["LM402", "LM404"]),
        ("2026-08-29", "gap?context=1", None, []),
        ("2026-08-29", "rates", None, ["LM404"]),
        ("2026-08-29", "fig-rate, ladder.tok", None, ["LM404", "LM404"]),
        ("2026-08-29", "'#b'", None, ["LM404"]),
    ],
)
def test_dates_and_targets(when: str, affects: str, published: date | None, codes: list[str]) -> None:
    text = block(when, f"    id: a\n    affects: {affects}")
    errata, _ = read(text)
    findings = check_errata(Source("p.md", text), errata, published, date(2026, 12, 1), KNOWN)
    assert [finding.code for finding in findings] == codes
    assert all((finding.line, finding.column) == (3, 1) for finding in findings)


@pytest.mark.parametrize(("argument", "count"), [("1", 1), ("20", 20), ("0", 0), ("21", 0), ("５", 0), ("five", 0), ("2026-08-29", 0), ("", 0)])
def test_how_many_corrections_a_list_has(argument: str, count: int) -> None:
    source = Source("p.md", f"# A\n\n/// corrections | {argument}\n///\n")
    found = check_corrections(source, find_blocks(source, ("corrections",)))
    assert count_of(argument) == count
    assert [(finding.code, finding.line) for finding in found] == ([] if count else [("LM406", 3)])
