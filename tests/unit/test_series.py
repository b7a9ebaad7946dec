"""A series stands beside the contexts it was asked for, in their order."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark import series
from ledgermark.pages import read_page
from ledgermark.passages import Reading
from ledgermark.series import check_series
from ledgermark.source import Source

TWO = "[1, 2](claim:m?context=1024,8192)"
THREE = "[1, 2, 3](claim:m?context=1024,8192,32768)"
BOUND = "[2 %](claim:m?contexts=1024,8192,32768&is=at_most)"


def found(text: str) -> list[str]:
    page = read_page(Source("en/p.md", text), "p.md", "en")
    return [finding.shown or "" for finding in check_series(page, Reading(page.source, page.claims))]


@pytest.mark.parametrize(
    "text",
    [
        f"At 1K, 8K and 32K it changes by {THREE}.",
        f"At 1K, 8K, and\n32K it changes by {THREE}.",
        f"It changes by {THREE} at 1K, 8K and 32K.",
        f"在 1K、8K、32K 处依次变化 {THREE}。",
        f"1K、8K 和 32K 处相差不超过 {BOUND}。",
        "At 1K and 8K, [1, 2](claim:m?context=1000,8000).",
        f"At 1K, 8K and 32K it agrees to {BOUND}.",
        f"From 1K to 32K it changes by {THREE}.",  # no list
        f"At 1K and 8K it changes by {THREE}.",  # of another length
        f"At 8K and 1K nothing. It changes by {TWO}.",  # in another sentence
        f"At 1K and 8K {TWO}, deeper [3, 4](claim:m?context=16384,32768).",
        f"At 1K and 8K {TWO}, at 16K and 32K [3, 4](claim:m?context=16384,32768).",
        "At 8K and 1K, [1, 2](claim:m?rows=2,4).",
        "At 8K and 1K, [1](claim:m?context=1024) and [2](claim:m?context=8192).",
        "At 8K and 1K, [1, 2](claim:m?arm=base,fast).",
    ],
)
def test_right_or_not_judged(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (f"At 8K, 1K and 32K it changes by {THREE}.", "8K, 1K and 32K"),
        (f"At 1K, 8K and 16K it changes by {THREE}.", "1K, 8K and 16K"),
        (f"It changes by {THREE} at 1K, 32K and\n8K.", "1K, 32K and 8K"),
        (f"在 1K、32K、8K 处依次变化 {THREE}。", "1K、32K、8K"),
        (f"1K、8K 和 16K 处相差不超过 {BOUND}。", "1K、8K 和 16K"),
        (f"At 1K, 8K and 16K it agrees to {BOUND}.", "1K, 8K and 16K"),
        (f"---\ntitle: At 8K and 1K by {TWO}\n---\n", "8K and 1K"),
        (f"At 8K and 1K {TWO}, and [3](claim:m?context=1024) alone.", "8K and 1K"),
    ],
)
def test_another_list(text: str, listed: str) -> None:
    assert found(text) == [listed]


def test_says_what_the_link_asks_for() -> None:
    page = read_page(Source("en/p.md", f"At 8K and 1K, {TWO}."), "p.md", "en")
    (finding,) = check_series(page, Reading(page.source, page.claims))
    expected = "'8K and 1K' stands at '1, 2', whose link asks for context=1024,8192, in that order"
    assert (finding.line, finding.column, finding.code, finding.message) == (1, 4, "LM120", expected)


@given(st.text(alphabet="0123K,.+- ax\n、和", max_size=30), st.integers(0, 5))
def test_a_length_is_what_its_plain_pattern_finds(text: str, start: int) -> None:
    plain = re.compile(r"(?<![A-Za-z0-9.+-])(?<![0-9],)([0-9]{1,4})K(?![A-Za-z0-9])")
    found = [(match.span(), match[1]) for match in series._LENGTH.finditer(text, start)]  # noqa: SLF001
    assert found == [(match.span(), match[1]) for match in plain.finditer(text, start)]
