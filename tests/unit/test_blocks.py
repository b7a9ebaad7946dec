"""Figure, erratum and evidence blocks are found with their options and text."""

from __future__ import annotations

import pytest

from ledgermark.blocks import find_blocks
from ledgermark.source import Source

KINDS = ("figure", "erratum", "evidence")


def found(text: str) -> list[tuple[str, str, str]]:
    """Return kind, argument and text of each block."""
    return [(block.kind, block.argument, text[block.body_start : block.body_end]) for block in find_blocks(Source("p.md", text), KINDS)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("/// figure | rates\nCaption.\n///\n", [("figure", "rates", "Caption.\n")]),
        ("///figure|rates\nCaption.\n///", [("figure", "rates", "Caption.\n")]),
        ("//// figure | rates\n/// note\n///\n////\n", [("figure", "rates", "/// note\n///\n")]),
        ("/// figure |  rates  \n///\n", [("figure", "rates", "")]),
        ("/// figure\n///\n", [("figure", "", "")]),
        ("a\n\n/// evidence | trace\n\n| a |\n\n///\n\nb\n", [("evidence", "trace", "\n| a |\n\n")]),
        ("/// erratum | 2026-08-01\n    id: a\n    affects: b\nText.\n///", [("erratum", "2026-08-01", "Text.\n")]),
        ("/// figure | a\n///\n/// figure | b\n///\n", [("figure", "a", ""), ("figure", "b", "")]),
        ("/// note | a\n///\n", []),
        ("/// Figure | a\n///\n", []),
        ("// figure | a\n//\n", []),
        ("```\n/// figure | a\n///\n```\n", []),
        ("<!--\n/// figure | a\n///\n-->\n", []),
        ("---\nx: |\n  a\n---\n/// figure | a\n///\n", [("figure", "a", "")]),
        # A text that begins with code, or a comment, is no option, though it is blank once those are masked.
        ("/// figure | a\n`code of a caption`: text.\n///\n", [("figure", "a", "`code of a caption`: text.\n")]),
        ("/// figure | a\n`图注开头的代码`：文字。\n///\n", [("figure", "a", "`图注开头的代码`：文字。\n")]),
        ("/// figure | a\n<!-- comment --> text.\n///\n", [("figure", "a", "<!-- comment --> text.\n")]),
        ("", []),
    ],
)
def test_where_blocks_stand(text: str, blocks: list[tuple[str, str, str]]) -> None:
    assert found(text) == blocks


@pytest.mark.parametrize("text", ["/// figure | a\nx", "//// figure | a\nx\n///\n", "/// figure | a\nx\n//// \n", "/// figure | a"])
def test_a_block_that_is_not_closed(text: str) -> None:
    (block,) = find_blocks(Source("p.md", text), KINDS)
    assert "not closed" in block.problem
    assert block.body_end <= len(text)
    assert block.body_start <= len(text)


@pytest.mark.parametrize(
    ("options", "value", "problem"),
    [
        ("    id: a\n    affects: [b, c]\n", {"id": "a", "affects": ["b", "c"]}, ""),
        ("\tid: a\n", {"id": "a"}, "its options are no YAML"),
        ("    5: a\n", {"5": "a"}, ""),
        ("    id: [\n", {}, "its options are no YAML"),
        ("    - a\n", {}, "its options must be 'key: value' lines"),
        ("    text\n", {}, "its options must be 'key: value' lines"),
        ("", {}, ""),
        ("    id: 2026-02-30\n", {}, "its options are no YAML"),
        ("    id: !!int a\n", {}, "its options are no YAML"),
        ("    id: " + "[" * 600 + "\n", {}, "its options are no YAML"),
    ],
)
def test_options(options: str, value: dict[str, object], problem: str) -> None:
    (block,) = find_blocks(Source("p.md", f"/// erratum | 2026-08-01\n{options}x\n///\n"), KINDS)
    assert block.problem.startswith(problem)
    assert bool(block.problem) is bool(problem)
    if not problem:
        assert block.options == value
