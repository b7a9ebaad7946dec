"""A finding is one line that no data can forge, and codes are as promised."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.findings import CODES, Finding, nearest, printable


@pytest.mark.parametrize("code", CODES)
def test_codes(code: str) -> None:
    assert re.fullmatch(r"LM[1234569][0-9]{2}", code)
    assert CODES[code][0].islower() or CODES[code].startswith("LM")


def test_a_code_must_exist() -> None:
    with pytest.raises(ValueError, match="unknown code LM999"):
        Finding("p.md", 1, 1, "LM999", "x")


def test_findings_sort_by_place() -> None:
    places = [("b.md", 1, 1), ("a.md", 10, 1), ("a.md", 9, 2), ("a.md", 9, 1)]
    findings = sorted(Finding(path, line, column, "LM101", "x") for path, line, column in places)
    assert [(item.path, item.line, item.column) for item in findings] == sorted(places)


@pytest.mark.parametrize(
    "char", ["\n", "\r", "\t", "\x1b", "\x00", "\x85", "\u2028", "\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\u200b"]
)
def test_nothing_steers_the_terminal(char: str) -> None:
    shown = str(Finding("p.md", 1, 1, "LM101", f"shows {char}a.md:2:2: LM101 forged"))
    assert char not in shown
    assert len(shown.splitlines()) == 1
    assert f"\\u{ord(char):04x}" in shown


@given(st.text(max_size=60))
def test_any_message_is_one_printable_line(text: str) -> None:
    assert printable(text).isprintable()


def test_words_and_spaces_stay() -> None:
    assert printable("数 −70.8 %") == "数 −70.8 %"


@pytest.mark.parametrize(("name", "hint"), [("gian", "; did you mean 'gain'?"), ("zzz", ""), ("gain", "; did you mean 'gain'?"), ("", "")])
def test_the_nearest_name(name: str, hint: str) -> None:
    assert nearest(name, ["gain", "loss"]) == hint
