"""The tables of a page: found with the places of their cells, and asked to have one shape in both languages."""

from __future__ import annotations

import pytest

from ledgermark.pages import read_page
from ledgermark.source import Source
from ledgermark.tables import check_tables, find_tables

TABLE = "## T {#t}\n\n| a | b |\n|---|--:|\n| x | [1](claim:m?k=1) |\n| y | [2](claim:m?k=2) |\n"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("| a | b |\n|---|--:|\n| c | d |\n", [["a", "b"], ["c", "d"]]),
        ("a | b\n--|--\nc | d\n", [["a", "b"], ["c", "d"]]),
        ("| a |\n|---|\n| b |\n", [["a"], ["b"]]),
        ("| a \\| b | c |\n|---|---|\n| d | |\n", [["a \\| b", "c"], ["d", ""]]),
        ("| `a | b` | c |\n|---|---|\n", [["`a | b`", "c"]]),
        ("  | a | b |\n  |:--|:-:|\n  | c | d |\n\ntext | more\n", [["a", "b"], ["c", "d"]]),
    ],
)
def test_finds_cells(text: str, cells: list[list[str]]) -> None:
    (table,) = find_tables(Source("p.md", text))
    assert [[text[cell.start : cell.end].strip() for cell in row] for row in (table.header, *table.rows)] == cells


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a | b\n",
        "text\n---\nmore\n",
        "```\n| a | b |\n|---|---|\n```\n",
        "---\na: |\n  b\n---|---\n",
        "\n|---|---|\n",
        "<!--\n| a | b |\n|---|---|\n-->\n",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert find_tables(Source("p.md", text)) == ()


def test_reads_alignments() -> None:
    (table,) = find_tables(Source("p.md", "| a | b | c | d |\n|---|:--|:-:|--:|\n"))
    assert table.alignments == ("", "left", "center", "right")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (TABLE, []),
        (TABLE.replace("| y | [2](claim:m?k=2) |\n", ""), ["en:3:1 LM307"]),
        (TABLE.replace("--:", "---"), ["en:3:1 LM307"]),
        (TABLE.replace(" |\n", " | z |\n").replace("--:|", "--:|---|"), ["en:3:1 LM307"]),
        (TABLE.replace("k=1", "k=3").replace("k=2", "k=1").replace("k=3", "k=2"), ["en:5:7 LM308", "en:6:7 LM308"]),
        (TABLE.replace("| y | [2](claim:m?k=2) |", "| [2](claim:m?k=2) | y |"), ["en:6:3 LM308", "en:6:7 LM308"]),
        ("## T {#t}\n", ["en:3:1 LM307"]),
        (f"{TABLE}\n| a |\n|---|\n", ["zh:8:1 LM307"]),
        (TABLE.replace("{#t}", "{#s}"), ["en:3:1 LM307", "zh:3:1 LM307"]),
    ],
)
def test_languages_have_one_shape(other: str, expected: list[str]) -> None:
    pages = [read_page(Source(language, text), "p.md", language) for language, text in (("en", TABLE), ("zh", other))]
    found = [*check_tables(pages[0], pages[1]), *check_tables(pages[1], pages[0])]
    assert [f"{finding.path}:{finding.line}:{finding.column} {finding.code}" for finding in found] == expected
