"""A page as it is read aloud: what is blank, and what stands around a number."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.findings import Finding
from ledgermark.pages import read_page
from ledgermark.passages import CLAUSE, NUMBER, PART, SENTENCE, Reading
from ledgermark.relations import check_relations
from ledgermark.source import Source
from ledgermark.tables import find_tables

CLAIM = "[70.8 %](claim:x?a=1)"


def reading_of(text: str) -> tuple[Reading, int, int]:
    page = read_page(Source("p.md", text), "p.md", "en")
    claim = page.claims.claims[0]
    return Reading(page.source, page.claims), claim.start, claim.end


def read(reading: Reading, start: int, end: int) -> str:
    """Return a stretch as words, the number as #."""
    return " ".join(reading.text[start:end].replace(NUMBER * 6, "#").split())


@pytest.mark.parametrize(
    ("text", "clause", "part", "sentence"),
    [
        (f"One. Two, three {CLAIM} four; five. Six.", "three # four", "Two, three # four", "Two, three # four; five"),
        (f"一。二，三 {CLAIM} 四；五。六。", "三 # 四", "二，三 # 四", "二，三 # 四；五"),
        (f"See e.g. the rest {CLAIM} at 1.5 of it. Six.", *["See e.g. the rest # at 1.5 of it"] * 3),
        (f"A ({CLAIM} of it) b.", "# of it", "A ( # of it) b", "A ( # of it) b"),
        (f"Broken\nover {CLAIM}\nlines.\n\nMore.", *["Broken over # lines"] * 3),
        (f"- one\n- two {CLAIM}\n- three\n", *["- two #"] * 3),
        (f"# Title {CLAIM} {{#id}}\ntext", *["# Title #"] * 3),
        (f"---\ntitle: All of {CLAIM}\nkicker: b\n---\ntext", *["All of #"] * 3),
        (f"| a | b |\n|---|---|\n| c | d {CLAIM} |\n", *["d #"] * 3),
        (f"/// figure | name\nText {CLAIM}.\n///\n", *["Text #"] * 3),
        (f"Text <!-- hidden --> `code` [link](url 'title') {CLAIM}", *["Text code link #"] * 3),
    ],
)
def test_finds_what_stands_around(text: str, clause: str, part: str, sentence: str) -> None:
    reading, start, end = reading_of(text)
    spans = [reading.around(start, end, level) for level in (CLAUSE, PART, SENTENCE)]
    assert [read(reading, span.start, span.end) for span in spans] == [clause, part, sentence]


def test_offsets_are_those_of_the_file() -> None:
    text = f'---\ntitle: "A"\n---\n/// erratum | 2026-08-28\n    id: a\n///\n[x](y) **{CLAIM}** &nbsp;`c` <b>d</b>\n'
    reading, start, end = reading_of(text)
    assert len(reading.text) == len(text)
    assert reading.text[start:end] == NUMBER * (end - start)
    assert all(shown in (NUMBER, " ", char) for shown, char in zip(reading.text, text, strict=True))


def test_the_nearest_stretch_ends_at_other_numbers() -> None:
    text = f'a {CLAIM} b [1](claim:y) c [2](given: "d") e.'
    reading, start, end = reading_of(text)
    span = reading.nearest(start, end)
    assert read(reading, span.start, span.end) == "a # b"


def test_a_cell_knows_its_headers() -> None:
    text = f"| | Rate |\n|---|---|\n| Radeon | {CLAIM} |\n"
    reading, start, _ = reading_of(text)
    passage = reading.passage(start)
    assert passage.above is not None
    assert read(reading, passage.above.start, passage.above.end) == "Rate"
    assert [read(reading, span.start, span.end) for span in passage.beside] == ["Radeon"]


PIECES = [
    "[1](claim:x)",
    "[2 %](claim:y?a=1,2&is=at_most)",
    '[3](given: "a, b")',
    "at most ",
    "不超过",
    "about ",
    ". ",
    "。",
    "; ",
    "，",
    " — ",
    "\n",
    "\n\n",
]
PIECES += [
    "| ",
    "|---|--:|\n",
    "`code | a`",
    "```\n",
    "<!-- ",
    " -->",
    "/// figure | a\n",
    "///\n",
    "    id: a\n",
    "---\n",
    "title: ",
    "> ",
    "- ",
    "# ",
    "**",
    "&nbsp;",
]
PIECES += ["](", "[", "<b>", "{#id}", "\\", "\ufffc", "İ", "\r\n", "\t"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.sampled_from(["en", "zh"]))
def test_any_text_can_be_read(text: str, language: str) -> None:
    page = read_page(Source("p.md", text), "p.md", language)
    reading = Reading(page.source, page.claims)
    assert len(reading.text) == len(text)
    for table in find_tables(page.source):
        assert all(table.start <= cell.start <= cell.end <= table.end for _, _, cell in table.cells)
    for claim in page.claims.claims:
        spans = [
            reading.nearest(claim.start, claim.end),
            *(reading.around(claim.start, claim.end, level) for level in (CLAUSE, PART, SENTENCE)),
        ]
        assert all(inner.start >= outer.start and inner.end <= outer.end for inner, outer in pairwise(spans))
        assert all(span.start <= claim.start <= claim.end <= span.end for span in spans)
    assert all(isinstance(finding, Finding) for finding in check_relations(page, reading, language))


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        (f"- {CLAIM}: the loss at 32K, on an A100. At 1K less.\n", "the loss at 32K"),
        (f"- {CLAIM}：32K 处的损失，在 A100 上。1K 处少些。\n", "32K 处的损失"),
        (f"- At least {CLAIM} to {CLAIM}: the loss at 32K, on an A100.\n", "the loss at 32K"),
        (f"The model of the report loses {CLAIM}: more than at 1K.\n", ""),
        (f"报告里的模型在最长的上下文处损失 {CLAIM}：比 1K 处多。\n", ""),
    ],
)
def test_what_follows_the_colon_after_a_leading_number_is_said_of_it(text: str, reached: str) -> None:
    page = read_page(Source("p.md", text), "p.md", "en")
    claim = page.claims.claims[-1]
    span = Reading(page.source, page.claims).around(claim.start, claim.end, CLAUSE)
    said = Reading(page.source, page.claims).text[claim.end : span.end]
    assert (reached in said) if reached else ("1K" not in said)
