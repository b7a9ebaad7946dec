from __future__ import annotations

import pytest

from ledgermark.givens import check_givens
from ledgermark.heads import units_in
from ledgermark.pages import Page, read_page
from ledgermark.source import Source


def page(language: str, *texts: str) -> Page:
    links = " ".join(f'[{text}](given: "a source")' for text in texts)
    return read_page(Source(f"{language}/p.md", f"## A {{#a}}\n\n{links}\n"), "p.md", language)


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        (["64"], ["64"]),
        (["four"], ["四"]),
        (["twice"], ["两倍"]),
        (["9 of 78"], ["78 与 9"]),
        (["five weeks"], ["五周"]),
        (["1.5 ms"], ["1500 微秒"]),
        (["10 %"], ["百分之十"]),
        (["64", "8"], ["8", "64"]),
        (["a card"], ["一张卡"]),
        (["one bf16 ULP"], ["一个 bf16 ULP"]),
    ],
)
def test_the_same_however_it_is_written(en: list[str], zh: list[str]) -> None:
    assert check_givens(page("en", *en), page("zh", *zh)) == []
    assert check_givens(page("zh", *zh), page("en", *en)) == []


@pytest.mark.parametrize(
    ("en", "zh", "found"),
    [
        (["64"], ["65"], ["64"]),
        (["four"], ["五"], ["four"]),
        (["five weeks"], ["五天"], ["five weeks"]),
        (["1.5 ms"], ["1.5 微秒"], ["1.5 ms"]),
        (["9 of 78"], ["78 与 8"], ["9 of 78"]),
        (["64", "64"], ["64"], ["64"]),
        (["64", "8"], ["8", "63"], ["64"]),
        (["64"], [], ["64"]),
    ],
)
def test_what_differs(en: list[str], zh: list[str], found: list[str]) -> None:
    findings = check_givens(page("en", *en), page("zh", *zh))
    assert [finding.code for finding in findings] == ["LM302"] * len(found)
    assert all(f"'{text}'" in finding.message for text, finding in zip(found, findings, strict=True))


@pytest.mark.parametrize(
    ("head", "symbols"),
    [
        ("No speculation, µs", ["us"]),
        ("Median (ms/token)", ["ms/tok"]),
        ("Calls in the trace", []),  # not the second of `s`
        ("速率，tok/s", ["tok/s"]),
        ("中位，微秒", ["us"]),
        ("KV heads", []),
    ],
)
def test_units_in_a_head(head: str, symbols: list[str]) -> None:
    assert [unit.symbol for unit in units_in(head, {}) if not unit.counts] == symbols
