"""Front matter and silences of a page."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.findings import Finding
from ledgermark.pages import Page, apply_silences, read_page
from ledgermark.source import Source


def page(text: str) -> Page:
    return read_page(Source("en/p.md", text), "p.md", "en")


@pytest.mark.parametrize(
    ("front", "published"),
    [
        ("date: 2026-08-01", date(2026, 8, 1)),
        ("date: 2026-08-01 12:00:00", date(2026, 8, 1)),
        ("title: a", None),
        ("date:", None),
        ("", None),
    ],
)
def test_the_date_of_a_page(front: str, published: date | None) -> None:
    made = page(f"---\n{front}\n---\n# A\n")
    assert made.published == published
    assert made.findings == ()


@pytest.mark.parametrize(
    ("front", "place"),
    [
        ("title: [a", (2, 10)),
        ("a: b\n\tc: d", (3, 1)),
        ("- a", (2, 1)),
        ("text", (2, 1)),
        ("date: soon", (2, 1)),
        ("title: a\ndate: '2026-08-01'", (3, 1)),
        ("? {a: b}\n: c", (2, 3)),
        ("date: 2026-02-30", (2, 1)),
        ("x: 2026-13-45", (2, 1)),
        ("x: 2026-08-01T25:00:00", (2, 1)),
        ("x: !!int a", (2, 1)),
        ("x: " + "[" * 600, (2, 1)),
    ],
)
def test_front_matter_that_cannot_be_read(front: str, place: tuple[int, int]) -> None:
    (finding,) = page(f"---\n{front}\n---\n# A\n").findings
    assert finding.code == "LM901"
    assert (finding.line, finding.column) == place


@given(st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,? \n\t0123456789T", max_size=40))
def test_any_front_matter(front: str) -> None:
    made = page(f"---\n{front}\n---\n# A\n")
    assert all(finding.line <= front.count("\n") + 4 for finding in made.findings)


@pytest.mark.parametrize(
    ("comment", "code", "reason", "lines"),
    [
        ("<!-- ledgermark: allow LM120 as published -->", "LM120", "as published", (3, 4)),
        ("<!--ledgermark:allow LM201 x-->", "LM201", "x", (3, 4)),
        ("<!-- ledgermark: allow LM305\n  a longer\n  reason -->", "LM305", "a longer\n  reason", (5, 6)),
    ],
)
def test_a_silence(comment: str, code: str, reason: str, lines: tuple[int, int]) -> None:
    made = page(f"# A\n\n{comment}\nx\n")
    (silence,) = made.silences
    assert (silence.code, silence.reason) == (code, reason)
    first, last = lines
    findings = [Finding("en/p.md", line, 1, code, "x") for line in range(1, 9)]
    assert [finding.line for finding in apply_silences(made, findings)] == [line for line in range(1, 9) if not first <= line <= last]


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- ledgermark: allow -->",
        "<!-- ledgermark: allow LM120 -->",
        *(f"<!-- ledgermark: allow {code} as it was published -->" for code in ("LM101", "LM103", "LM110", "LM112")),
        "<!-- ledgermark: allow lm101 x -->",
        "<!-- ledgermark: allow all x -->",
    ],
)
def test_a_silence_that_is_malformed(comment: str) -> None:
    (finding,) = page(f"# A\n\n{comment}\n").findings
    assert (finding.code, finding.line) == ("LM903", 3)


@pytest.mark.parametrize(
    "comment", ["<!-- ledgermark is good -->", "`<!-- ledgermark: allow -->`", "```\n<!-- ledgermark: allow -->\n```", "<!-- allow LM101 -->"]
)
def test_what_is_no_silence(comment: str) -> None:
    made = page(f"# A\n\n{comment}\n")
    assert made.silences == ()
    assert made.findings == ()


def test_a_silence_is_for_its_code_and_must_be_used() -> None:
    made = page("# A\n\n<!-- ledgermark: allow LM120 x -->\n")
    kept = apply_silences(made, [Finding("en/p.md", 4, 1, "LM102", "x")])
    assert sorted(finding.code for finding in kept) == ["LM102", "LM902"]


def test_a_page_knows_its_parts() -> None:
    text = (
        "---\ntitle: '[1](claim:a)'\n---\n# A {#a}\n\n[2](claim:b) and [3](given: 'x')\n\n/// figure | f\n[4](claim:c)\n///\n\n"
        "/// evidence | d\n///\n\n/// erratum | 2026-08-01\n    id: e\n    affects: a\n[5](claim:d)\n///\n\n/// figure | g\n"
    )
    made = page(text)
    assert [claim.name for claim in made.claims.claims] == ["a", "b", "c", "d"]
    assert [block.argument for block in made.figures] == ["f", "g"]
    assert [block.argument for block in made.evidence] == ["d"]
    assert [erratum.id for erratum in made.errata] == ["e"]
    assert [finding.code for finding in made.findings] == ["LM601"]
