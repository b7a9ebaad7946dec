"""The two languages say the same: pages, sections, claims, figures, errata."""

from __future__ import annotations

import pytest

from ledgermark.pages import Page, read_page
from ledgermark.parity import check_parity
from ledgermark.source import Source


def page(language: str, text: str, path: str = "p.md") -> Page:
    return read_page(Source(f"{language}/{path}", text), path, language)


def codes(english: str, chinese: str) -> list[tuple[str, str]]:
    findings = check_parity({"en": {"p.md": page("en", english)}, "zh": {"p.md": page("zh", chinese)}})
    return sorted((finding.path[:2], finding.code) for finding in findings)


TABLE = "| a | b |\n|---|---|"
ERRATUM = "/// erratum | 2026-08-01\n    id: a\n    affects: {affects}\nx\n///\n"


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("a", "b", []),
        ("[1](claim:a) [2](claim:b)", "[2](claim:b) [1](claim:a)", []),
        ("[1](claim:a?x=1) [2](claim:a?x=2)", "[1](claim:a?x=1)、[2](claim:a?x=2)", []),
        ("[1](claim:a?x=1) [2](claim:a?x=2)", "[2](claim:a?x=2)、[1](claim:a?x=1)", [("en", "LM310")]),
        ("[1](claim:d.c?x=1) [2](claim:d.c?x=2)", "[2](claim:d.c?x=2)、[1](claim:d.c?x=1)", [("en", "LM310")]),
        ("[1](claim:a?x=1) [3](claim:b) [2](claim:a?x=2)", "[3](claim:b) [1](claim:a?x=1) [2](claim:a?x=2)", []),
        ("[1](claim:a?x=1) [2](claim:a?x=2)", "[2](claim:a?x=2)", [("en", "LM302")]),
        ("# A {#a}\n[1](claim:a?x=1)\n# B {#b}\n[2](claim:a?x=2)", "# 甲 {#a}\n[1](claim:a?x=1)\n# 乙 {#b}\n[2](claim:a?x=2)", []),
        (f"{TABLE}\n| [1](claim:a?x=1) | [2](claim:a?x=2) |\n", f"{TABLE}\n| [2](claim:a?x=2) | [1](claim:a?x=1) |\n", [("en", "LM308")] * 2),
        ("[1](claim:a?x=1&y=2)", "[1](claim:a?x=1&amp;y=2)", []),
        ("[1](claim:a)", "b", [("en", "LM302")]),
        ("a", "[1](claim:a)", [("zh", "LM302")]),
        ("[1](claim:a) [1](claim:a)", "[1](claim:a)", [("en", "LM302")]),
        ("[1](claim:a?x=1)", "[1](claim:a?x=2)", [("en", "LM302"), ("zh", "LM302")]),
        ("[1](claim:a)", "[1](claim:a?show=magnitude)", [("en", "LM302"), ("zh", "LM302")]),
        ("[1](claim:a?is=at_most)", "[1](claim:a?is=at_least)", [("en", "LM302"), ("zh", "LM302")]),
        ("[1](given: 'x')", "[1](given: '甲')", []),
        ("[1](given: 'x')", "b", [("en", "LM302")]),
        ("# A {#a}", "# 甲 {#a}", []),
        ("# A {#a}\n\n# B {#b}", "# 甲 {#a}", [("en", "LM305")]),
        ("# A {#a}", "# 甲 {#b}", [("en", "LM305"), ("zh", "LM305")]),
        ("# A {#a}\n[1](claim:a)\n# B {#b}", "# 甲 {#a}\n# 乙 {#b}\n[1](claim:a)", [("en", "LM302"), ("zh", "LM302")]),
        ("/// figure | f\n///", "/// figure | f\n///", []),
        ("/// figure | f\n///", "", [("en", "LM303")]),
        ("/// evidence | d\n///", "/// evidence | e\n///", [("en", "LM303"), ("zh", "LM303")]),
        (ERRATUM.format(affects="b, c"), ERRATUM.format(affects="c, b"), []),
        (ERRATUM.format(affects="b"), "", [("en", "LM304")]),
        ("", ERRATUM.format(affects="b"), [("zh", "LM304")]),
        (ERRATUM.format(affects="b"), ERRATUM.format(affects="c"), [("en", "LM304")]),
        (ERRATUM.format(affects="b"), ERRATUM.format(affects="b").replace("08-01", "08-02"), [("en", "LM304")]),
        ("---\ndate: 2026-08-01\n---\n", "---\ndate: 2026-08-01\n---\n", []),
        ("---\ndate: 2026-08-01\n---\n", "---\ndate: 2026-08-02\n---\n", [("en", "LM305")]),
        ("---\ndate: 2026-08-01\n---\n", "", [("en", "LM305")]),
    ],
)
def test_two_pages(english: str, chinese: str, expected: list[tuple[str, str]]) -> None:
    assert codes(english, chinese) == expected


def test_a_page_in_one_language() -> None:
    findings = check_parity(
        {
            "en": {"a.md": page("en", "", "a.md"), "b.md": page("en", "", "b.md")},
            "zh": {"b.md": page("zh", "", "b.md"), "c.md": page("zh", "", "c.md")},
        }
    )
    assert [(finding.path, finding.code) for finding in findings] == [("en/a.md", "LM301"), ("zh/c.md", "LM301")]
    assert "'zh'" in findings[0].message


def test_the_surplus_is_the_last_one() -> None:
    (finding,) = check_parity({"en": {"p.md": page("en", "[1](claim:a)\n\n[1](claim:a)")}, "zh": {"p.md": page("zh", "[1](claim:a)")}})
    assert (finding.line, finding.column) == (3, 2)


def test_says_which_claim_stands_where_another_does() -> None:
    english, chinese = "# A {#a}\n[1](claim:m?x=1) [2](claim:m?x=2)", "# 甲 {#a}\n[2](claim:m?x=2) [1](claim:m?x=1)"
    (finding,) = check_parity({"en": {"p.md": page("en", english)}, "zh": {"p.md": page("zh", chinese)}})
    expected = (
        "the claims of 'm' stand in another order here in the section 'a' than in zh/p.md: 'm?x=1' where 'm?x=2' stands there;"
        " give both one order, or allow it with a reason"
    )
    assert (finding.line, finding.column, finding.message) == (2, 2, expected)


def test_three_languages_are_compared_in_pairs() -> None:
    pages = {language: {"p.md": page(language, "[1](claim:a)" if language != "zh" else "")} for language in ("de", "en", "zh")}
    assert [(finding.path, finding.code) for finding in check_parity(pages)] == [("en/p.md", "LM302")]


def test_one_language_alone() -> None:
    assert check_parity({"en": {"p.md": page("en", "[1](claim:a)")}}) == []
