"""The patterns that find numbers and their rules leap over what is none; they find what plainer ones find."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from ledgermark.alternation import one_of, whole_words
from ledgermark.exempt import dates
from ledgermark.near import Near, unit_patterns
from ledgermark.numberwords import find_tokens

RAISED = "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
DIGITS = re.compile(
    r"[0-9](?:[0-9]{0,2}(?:[ ,'’\u00a0\u2009\u202f][0-9]{3}(?![0-9]))+|[0-9]*)(?:\.[0-9]+)*(?:[eE][+-]?[0-9]+(?![0-9A-Za-z]))?"
    rf"(?:[ ]?[×x][ ]?10(?:\^[+-]?[0-9]+|{RAISED}))?(?:\^[+-]?[0-9]+|{RAISED})?(?:[ ]?[十百千万亿半]+)?"
)
TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?: ?(?:Z|UTC|GMT))?"
SHAPES = (
    re.compile(rf"2[0-9]{{3}}-(?P<month>[0-9]{{2}})(?:-(?P<day>[0-9]{{2}}))?(?:[T ]{TIME})?(?![0-9-]|\.[0-9])"),
    re.compile(r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})? ?(?:Z|UTC|GMT)\b"),
    re.compile(r"(?P<day>[0-9]{1,2}) (?:May|August)\b(?:,? [12][0-9]{3}\b)?"),
    re.compile(r"20[0-9]{2} ?年(?: ?(?P<month>[0-9]{1,2}) ?月(?: ?(?P<day>[0-9]{1,2}) ?日)?)?"),
    re.compile(r"(?P<month>[0-9]{1,2}) ?月 ?(?P<day>[0-9]{1,2}) ?日"),
    re.compile("(?:十[一二]?|[一二三四五六七八九])月"),
)
LIMITS = {"month": (1, 12), "day": (1, 28), "hour": (0, 23), "minute": (0, 59)}
WORDS = ("two", "twofold", "three", "ten", "seven", "seventeen", "sevenths", "half", "halves", "one", "hundred", "third", "thirds")
LEAPING = re.compile(whole_words(WORDS, {"or": "ders? of magnitude"}))
PLAIN = re.compile(rf"(?:{one_of(WORDS)}|orders? of magnitude)\b")
DATED = ("2026", "08", "1", "12", "31", "-", "-", " ", ":", "30", " UTC", "年", "月", "日", "August", "May", ",", "十", "二", "，", "x", ".")


@given(st.text(alphabet="012345. ,'’\u00a0eE+-×x^⁻⁵十百万半z\n", max_size=24))
@example("12,345 1,2345 1e5x 1e-5 × 10⁻³ 3 x 10^2^4 5 万 1.2.3. 7 ×")
def test_digits_are_those_of_the_plain_pattern(text: str) -> None:
    found = [(token.start, token.text) for token in find_tokens(text) if token.form == "digits"]
    assert found == [(match.start(), match.group()) for match in DIGITS.finditer(text)]


@given(st.lists(st.sampled_from([*WORDS, "order of magnitude", "of", "s", "_", "é", "7", " ", " ", "-", "\n", ", "]), max_size=12).map("".join))
@example("often two, someone_two two_ seventhone oftwo\ntwo orders of magnitude")
def test_words_are_those_that_no_longer_word_holds(text: str) -> None:
    found: list[tuple[int, int]] = []
    position = 0
    while match := PLAIN.search(text, position):
        within = re.match("[a-z0-9_]", text[match.start() - 1 : match.start()])
        position = match.start() + 1 if within else match.end()
        found += [] if within else [match.span()]
    assert [match.span() for match in LEAPING.finditer(text)] == found


@given(st.lists(st.sampled_from(DATED), max_size=9).map("".join))
@example("2026-08-01 and 09:30 UTC, 20 August 2026, 2026年8月1日, 2026 年, 8 月 1 日, 十二月")
def test_no_date_is_passed_over(text: str) -> None:
    near = Near(text, *unit_patterns(()))
    for token in find_tokens(text):
        if token.form not in ("digits", "han") or re.match("[0-9.,:+/_A-Za-z-]", text[token.start - 1 : token.start]):
            continue
        found = next((match for shape in SHAPES if (match := shape.match(text, token.start))), None)
        if found and all(low <= int(found[name]) <= high for name, (low, high) in LIMITS.items() if found.groupdict().get(name)):
            assert dates(token, near) == found.span()


@given(st.text(alphabet="012. ,eE×^⁻⁵十百万半三分之点倍½Ⅳtwo hundred\n", max_size=24))
@example("3万五千 6 万")
@example("1 ½ 2 万半 三分之二")
def test_numbers_stand_side_by_side(text: str) -> None:
    end = 0
    for token in find_tokens(text):
        assert end <= token.start < token.end <= len(text)
        assert text[token.start : token.end] == token.text
        end = token.end
