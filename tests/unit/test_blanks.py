"""Blanks and invisible characters in cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledgermark.blanks import unclean

if TYPE_CHECKING:
    from tests.copies import Copy


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "base",
        "two words",
        "两张 Radeon",
        "数　据",
        "several\nlines",
        "several\r\nlines",
        "70.8 % − 1",
        "👩\u200d💻",
        "می\u200cخواهم",
        "क्\u200dष",
    ],
)
def test_what_is_seen(cell: str) -> None:
    assert unclean(cell) == ""


@pytest.mark.parametrize("cell", [" base", "base ", "base\n", "\tbase", "base\u00a0", "\u3000数据", " ", "base\u2009"])
def test_blanks_at_the_ends(cell: str) -> None:
    assert "no blank" in unclean(cell)


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("two\u00a0words", "00A0"),
        ("ba\u200bse", "200B"),
        ("\ufeffbase", "FEFF"),
        ("ba\u200dse", "200D"),
        ("数\u200d据", "200D"),
        ("ba\u00adse", "00AD"),
        ("\u202ebase", "202E"),
        ("ba\rse", "000D"),
        ("ba\u2060se", "2060"),
        ("ba\U000e0041se", "E0041"),
    ],
)
def test_what_is_not_seen(cell: str, code: str) -> None:
    assert f"U+{code}" in unclean(cell)


@pytest.mark.parametrize(("cell", "words"), [("base ", "no blank"), ("ba\u200bse", "U+200B"), ("\u00a0base", "no blank")])
def test_two_spellings_make_no_two_keys(tiny: Copy, cell: str, words: str) -> None:
    tiny.edit("data/trace.csv", "fast,128,158.0,false\n", f"fast,128,158.0,false\n{cell},12000,10.5,true\n")
    found = [line for line in tiny.check()[1] if line.startswith("data/trace.csv:4:1: LM505 arm is ")]
    assert len(found) == 1
    assert words in found[0]
