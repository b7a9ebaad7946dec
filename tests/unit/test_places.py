"""`explain path:line:column` says what stands there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ledgermark.places import Place, parse_place

if TYPE_CHECKING:
    from tests.copies import Copy


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("en/gate.md:12:9", Place("en/gate.md", 12, 9)),
        ("en/gate.md:12", Place("en/gate.md", 12, None)),
        ("en/gate.md:12:9:", Place("en/gate.md", 12, 9)),
        ("C:\\a.md:3:4", Place("C:\\a.md", 3, 4)),
        ("gain?context=1024", None),
        ("gain?at=12:30", None),
        ("claim:gain", None),
        ("gain", None),
        (":3", None),
    ],
)
def test_what_is_a_place(text: str, place: Place | None) -> None:
    assert parse_place(text) == place


# Column to what stands there: in the text, in the brackets, in the link, between two links, at the end.
@pytest.mark.parametrize(
    ("column", "shown", "claim"),
    [
        (14, "40.00 tok/s", "ladder.tok_s?arm=base&context=1024"),
        (15, "40.00 tok/s", "ladder.tok_s?arm=base&context=1024"),
        (60, "40.00 tok/s", "ladder.tok_s?arm=base&context=1024"),
        (1, "40.00 tok/s", "ladder.tok_s?arm=base&context=1024"),
        (86, "+25.3 % and −75.0 %", "gain?context=1024,32768"),
        (100, "+25.3 % and −75.0 %", "gain?context=1024,32768"),
        (9999, "+25.3 % and −75.0 %", "gain?context=1024,32768"),
    ],
)
def test_the_claim_at_a_column(tiny: Copy, column: int, shown: str, claim: str) -> None:
    status, lines = tiny.run("explain", f"en/report.md:16:{column}", "--format", "json")
    answer = json.loads("\n".join(lines))
    assert (status, answer["shown"], answer["claim"], answer["also"]) == (0, shown, claim, [])
    assert tiny.read("en/report.md").split("\n")[15][answer["column"] - 1 :].startswith(shown)


def test_a_line_without_a_column(tiny: Copy) -> None:
    status, lines = tiny.run("explain", f"{tiny.root}/zh/report.md:16")
    assert status == 0
    assert lines[0] == "zh/report.md:16:10: '40.00 tok/s' is bound"
    assert lines[1] == "ladder.tok_s?arm=base&context=1024"
    assert lines[-1] == "  also on this line: '+25.3 %、−75.0 %' at column 70"


def test_other_numbers(tiny: Copy) -> None:
    assert tiny.run("explain", "en/report.md:18:115") == (0, ["en/report.md:18:109: '0.90 GiB' is given: model card"])
    tiny.edit("en/report.md", "The median call takes", "On 2026-08-26 and 7 times the median call takes")
    tiny.edit("zh/report.md", "中位的调用", "2026-08-26，中位的调用")
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    assert tiny.run("explain", "en/report.md:26:4") == (0, ["en/report.md:26:4: '2026-08-26' may stand unbound, by the rule 'date'"])
    status, lines = tiny.run("explain", "en/report.md:26:19")
    assert (status, lines[0]) == (1, "en/report.md:26:19: '7 times' is bound to nothing")
    assert lines[1].startswith("  LM201 '7 times' is bound to nothing; ")
    status, lines = tiny.run("explain", "en/report.md:26:60")
    assert (status, lines[1], lines[-1][:39]) == (1, "slowdown", "  LM101 shows 15.1, data gives 15.0 (15")
    tiny.edit("mkdocs.yml", "stills: false", "stills: false\n      terms: {7 times: a name}")
    assert tiny.run("explain", "en/report.md:26:19") == (0, ["en/report.md:26:19: '7 times' may stand unbound, by the rule 'term' '7 times'"])


def test_a_claim_without_a_value(tiny: Copy) -> None:
    tiny.edit("en/report.md", "(claim:slowdown)", "(claim:slowdwn)")
    status, lines = tiny.run("explain", "en/report.md:26:24")
    assert (status, lines) == (
        1,
        [
            "en/report.md:26:24: '15.0×' is bound",
            "slowdwn",
            "  LM105 no metric 'slowdwn'; did you mean 'slowdown'?",
            "  LM302 the claim 'slowdwn' stands here in the section 'calls' and not there, or less often, in zh/report.md",
        ],
    )


def test_chips_of_mastheads(tiny: Copy) -> None:
    tiny.edit("site_src/mastheads.yml", "en: A box, zh: 测试机", "en: 3 boxes, zh: 3 台测试机")
    status, lines = tiny.run("explain", "site_src/mastheads.yml:2:30")
    assert (status, lines[0]) == (1, "site_src/mastheads.yml:2:26: '3' is bound to nothing")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("en/report.md:14", "no number at en/report.md:14, there is '## Rates {#rates}'; the nearest is '40.00 tok/s' at en/report.md:16:15"),
        ("en/report.md:15:3", "no number at en/report.md:15, there is nothing; the nearest is '40.00 tok/s' at en/report.md:16:15"),
        ("en/report.md:99:1", "en/report.md has no line 99; it has 43"),
        ("en/report.md:0", "en/report.md has no line 0; it has 43"),
        ("en/none.md:1", "en/none.md is no page of this project"),
        ("data/ladder.csv:2:1", "data/ladder.csv is no page of this project"),
        ("site_src/mastheads.yml:2", "no number at site_src/mastheads.yml:2, there is '- {kind: hardware, en: A box, zh: 测试机}'"),
    ],
)
def test_places_without_a_number(tiny: Copy, place: str, message: str) -> None:
    assert tiny.run("explain", place) == (2, [f"Error: {message}"])
