"""The days at the head of a page."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from ledgermark.dated import check_published
from ledgermark.pages import read_page
from ledgermark.source import Source

if TYPE_CHECKING:
    from tests.copies import Copy

TODAY = date(2026, 12, 1)


@pytest.mark.parametrize(("text", "count"), [("2026-12-01", 0), ("2026-12-02", 1), ("2026-11-30", 0), ("2126-01-01", 1)])
def test_a_page_is_not_of_tomorrow(text: str, count: int) -> None:
    page = read_page(Source("en/p.md", f"---\ntitle: x\ndate: {text}\n---\n# A\n"), "p.md", "en")
    found = check_published(page, TODAY)
    assert [(finding.code, finding.line) for finding in found] == [("LM904", 3)] * count


def of_chips(tiny: Copy) -> list[str]:
    return [line for line in tiny.check()[1] if " LM904 " in line]


@pytest.mark.parametrize(
    ("days", "wrong"),
    [
        ("2026-08-01, 2026-08-26", []),
        ("2026-08-26", []),
        ("2026-08-02", ["2026-08-02"]),
        ("2025-08-01, 2026-08-26, 2027-01-01", ["2025-08-01", "2027-01-01"]),
    ],
)
def test_a_day_of_measuring_is_that_of_a_row(tiny: Copy, days: str, wrong: list[str]) -> None:
    tiny.edit("site_src/mastheads.yml", "2026-08-01, 2026-08-26", days)
    found = of_chips(tiny)
    assert len(found) == len(wrong)
    assert all(day in line for day, line in zip(wrong, found, strict=True))


def test_a_page_without_rows_says_nothing_of_days(tiny: Copy) -> None:
    tiny.edit("site_src/mastheads.yml", "report:", "gone:")
    tiny.edit("site_src/mastheads.yml", "2026-08-01", "2026-01-01")
    assert of_chips(tiny) == []


def test_what_cannot_be_evaluated_is_said_once(tiny: Copy) -> None:
    tiny.edit("site_src/mastheads.yml", "2026-08-01", "2026-01-01")
    tiny.edit("en/report.md", "(claim:slowdown)", "(claim:slow_down)")
    assert of_chips(tiny) == []
