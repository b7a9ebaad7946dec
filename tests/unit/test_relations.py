"""Comparison words: read at a number in each language, and asked to agree with the link."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark import relations
from ledgermark.claims import RELATIONS
from ledgermark.pages import read_page
from ledgermark.passages import Reading, Span
from ledgermark.project import load_project
from ledgermark.relations import LEXICONS, check_relations, find_words
from ledgermark.source import Source
from ledgermark.tables import find_tables

if TYPE_CHECKING:
    from ledgermark.pages import Page

ROOT = Path(__file__).resolve().parents[2]
# What stands before and after a number (#), and what it says.
ENGLISH = [
    ("at most #", "at_most"),
    ("differ by at most #", "at_most"),
    ("at the very most #", "at_most"),
    ("by up to # of the rows", "at_most"),
    ("within # of the admitted arm", "at_most"),
    ("not more than #", "at_most"),
    ("no more than #", "at_most"),
    ("no rung moves by more than #", "at_most"),
    ("None is larger than #", "at_most"),
    ("it never exceeds #", "at_most"),
    ("does not exceed #", "at_most"),
    ("they don't differ by more than #", "at_most"),
    ("no rung rises and no rung falls by more than #", "at_most"),
    ("never between 8K and 32K by more than #", "at_most"),
    ("as much as # slower", "at_most"),
    ("# or less", "at_most"),
    ("# workgroups or fewer", "at_most"),
    ("# at most", "at_most"),
    ("repeats the first run to #", "at_most"),
    ("the two agree to #", "at_most"),
    ("≤ #", "at_most"),
    ("at least #", "at_least"),
    ("needs an a of at least #", "at_least"),
    ("must cost at least twice the #", "at_least"),
    ("no less than #", "at_least"),
    ("not fewer than #", "at_least"),
    ("never falls by less than #", "at_least"),
    ("as little as #", "at_least"),
    ("# or more", "at_least"),
    ("# and up", "at_least"),
    ("upwards of #", "at_least"),
    ("less than #", "less_than"),
    ("fewer than # rows", "less_than"),
    ("under #", "less_than"),
    ("below #", "less_than"),
    ("just short of #", "less_than"),
    ("more than #", "more_than"),
    ("moves by more than #", "more_than"),
    ("takes more than a #", "more_than"),
    ("over #", "more_than"),
    ("exceeds #", "more_than"),
    ("with no draft it is more than #", "more_than"),
    ("it does not split, and it takes more than #", "more_than"),
    ("it does not split and it takes more than #", "more_than"),
    ("nothing helps but it takes more than #", "more_than"),
    ("about #", "about"),
    ("roughly #", "about"),
    ("around # slower", "about"),
    ("close to #", "about"),
    ("nearly #", "about"),
    ("nearly #", "less_than"),
    ("# or so", "about"),
    ("≈ #", "about"),
    ("some #", "about"),
    # No comparison.
    ("falls by #", ""),
    ("from # to the stock rate", ""),
    ("moves the gain there from there to #", ""),
    ("# of the admitted arm", ""),
    ("the largest difference is #", ""),
    ("more than one row, # of time", ""),
    ("about the rows, #", ""),
    ("some of the # rows", ""),
    ("at most the rate that the second run had was #", ""),
    ("exceeds the stock rate by #", ""),
    ("two rows are faster than one by #", ""),
    ("at least 3 rows and #", ""),
    ("all that is left is what was over there, #", ""),
]
CHINESE = [
    ("不超过 #", "at_most"),
    ("两遍相差不超过 #", "at_most"),
    ("不会超过 #", "at_most"),
    ("没有超过 #", "at_most"),
    ("没有一档变动超过 #", "at_most"),
    ("没有哪一档的变动超过 #", "at_most"),
    ("无一超过 #", "at_most"),
    ("从未超过 #", "at_most"),
    ("都没有超过 #", "at_most"),
    ("至多 #", "at_most"),
    ("最多差到 #", "at_most"),
    ("最多就能差 #", "at_most"),
    ("差最大不过 #", "at_most"),
    ("高达 #", "at_most"),
    ("在 # 以内", "at_most"),
    ("# 之内", "at_most"),
    ("# 以下", "at_most"),
    ("≤ #", "at_most"),
    ("至少 #", "at_least"),
    ("至少得是平常一步的 #", "at_least"),
    ("a 就至少是 #", "at_least"),
    ("不低于 #", "at_least"),
    ("未下于 #", "at_least"),
    ("不少于 #", "at_least"),
    ("起码要 #", "at_least"),
    ("# 以上", "at_least"),
    ("# 个 workgroup 以上", "at_least"),
    ("低于 #", "less_than"),
    ("不到 #", "less_than"),
    ("不足 #", "less_than"),
    ("超过 #", "more_than"),
    ("变动超过了 #", "more_than"),
    ("高于 #", "more_than"),
    ("逾 #", "more_than"),
    ("# 多。", "more_than"),
    ("约 #", "about"),
    ("大约 #", "about"),
    ("约为 #", "about"),
    ("大概是原来的 #", "about"),
    ("# 左右", "about"),
    ("# 天左右", "about"),
    ("# 上下。", "about"),
    ("近 #", "about"),
    ("将近 #", "less_than"),
    # No comparison.
    ("亏 #", ""),
    ("节约 #", ""),
    ("附近 #", ""),
    ("得不到 #", ""),
    ("最大差是 #", ""),
    ("超过阈值时用 #", ""),
    ("# 上下文", ""),
    ("# 多少", ""),
    ("至少有两行，差 #", ""),
    ("最多 3 行时差 #", ""),
    ("不过是 #", ""),
]


def _around(text: str) -> tuple[str, str]:
    before, _, after = text.partition("#")
    return before, after


@pytest.mark.parametrize(("text", "relation"), ENGLISH)
def test_reads_english(text: str, relation: str) -> None:
    words = find_words(*_around(text), "en")
    assert relation in words.relations if words and relation else (words is None and not relation)


@pytest.mark.parametrize(("text", "relation"), CHINESE)
def test_reads_chinese(text: str, relation: str) -> None:
    words = find_words(*_around(text), "zh")
    assert relation in words.relations if words and relation else (words is None and not relation)


@pytest.mark.parametrize("language", sorted(LEXICONS))
@pytest.mark.parametrize("relation", RELATIONS)
def test_understands_the_words_it_suggests(language: str, relation: str) -> None:
    words = find_words(f"{LEXICONS[language].examples[relation]} ", "", language)
    assert words is not None
    assert relation in words.relations


def test_phrases_may_break_over_lines() -> None:
    words = find_words("differ by at\nmost\n", "", "en")
    assert words is not None
    assert words.relations == ("at_most",)


BITS = {
    "en": "at most|At Least|no more than|not|over|just under|up to|as many as|in excess of|agree to|within|something like|ca.|~|≤|<|>"
    "|(about|nearly|or so|or less|and up|a|the|of|to|twice|near-|mo\u017ft|\u212a|,|\n|\ufffc|.|exceeded|than|most|roughly|minimum of"
    "|xabout|around",
    "zh": "不超过|至少|最多|没有|约|大约|大致|将近|近|附近|不到|看不到|以内|左右|多|。|以上|的|数据|，"
    "|上限为|几乎|≥|＜| |<|是|3|逾|超|低至|差不多|\n|\ufffc|x",
}


@pytest.mark.parametrize("language", sorted(BITS))
@given(data=st.data())
def test_what_only_saves_time_hides_no_words(language: str, data: st.DataObject) -> None:
    """A text that says something to one who looks at every text is one that the questions asked first let through."""
    bits = st.lists(st.sampled_from(BITS[language].split("|")), max_size=7).map((" " if language == "en" else "").join)
    before, after = data.draw(bits), data.draw(bits)
    compiled = relations._compiled(language)  # noqa: SLF001
    assert compiled is not None
    every = re.compile("")
    patient = replace(compiled, reaches=every.search, after_hints=every)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relations, "_compiled", lambda _: patient)
        said = find_words(f"{before} ", f" {after}", language)
    assert find_words(f"{before} ", f" {after}", language) == said


def _codes(text: str, language: str = "en") -> list[str]:
    page = read_page(Source("page.md", text), "page.md", language)
    return [f"{finding.line}:{finding.column} {finding.code}" for finding in check_relations(page, Reading(page.source, page.claims), language)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("They differ by at most [2 %](claim:x?is=at_most).", "en", []),
        ("They differ by **at most** [2 %](claim:x?is=at_most).", "en", []),
        ("They differ by [2 %](claim:x?is=at_most).", "en", ["1:17 LM121"]),
        ("They differ by at least [2 %](claim:x?is=at_most).", "en", ["1:26 LM121"]),
        ("They differ by at most [2 %](claim:x).", "en", ["1:25 LM122"]),
        ("They differ by about [2 %](claim:x?is=about), at most [3 %](claim:y?is=at_most).", "en", []),
        ("At most [2 %](claim:x?is=at_most) and [3 %](claim:y).", "en", []),
        ("Between `a > 1` and [2 %](claim:x).", "en", []),
        ("> [2 %](claim:x) is a quotation.", "en", []),
        ("They are not over [2 %](claim:x?is=at_most).", "en", []),
        ("Measured over [1K to 32K](claim:x?context=1,32).", "en", []),
        ("相差不超过 [2 %](claim:x?is=at_most)。", "zh", []),
        ("相差 [2 %](claim:x?is=at_most)。", "zh", ["1:5 LM121"]),
        ("相差超过 [2 %](claim:x?is=at_most)。", "zh", ["1:7 LM121"]),
        ("相差约 [2 %](claim:x)。", "zh", ["1:6 LM122"]),
        ("---\ntitle: At most [2 %](claim:x?is=at_most)\n---\n", "en", []),
        ("| a | Change, at most |\n|---|--:|\n| b | [2 %](claim:x?is=at_most) |\n", "en", []),
        ("| a | Change, at most |\n|---|--:|\n| b | [2 %](claim:x) |\n", "en", ["3:8 LM122"]),
        ("| a | 变化（不超过） |\n|---|--:|\n| b | [2 %](claim:x?is=at_most) |\n", "zh", []),
        ("A page in another language: [2 %](claim:x?is=at_most).", "fr", []),
    ],
)
def test_asks_words_and_links_to_agree(text: str, language: str, expected: list[str]) -> None:
    assert _codes(text, language) == expected


def test_the_languages_relations_agree_since_they_share_the_key() -> None:
    """Claims are paired by key, `is` included, and each page's words must say what its key says: so both say the same, or one is a finding."""
    pair = {"en": "by at most [2 %](claim:x?is=at_most)", "zh": "相差约 [2 %](claim:x?is=at_most)"}
    assert [_codes(text, language) for language, text in pair.items()] == [[], ["1:6 LM121"]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_change_of_a_comparison_word_is_noticed(language: str) -> None:
    """Of all pairs of relations: the words of one with the link of another is a finding, except where a phrase means both."""
    examples = LEXICONS[language].examples
    for said, phrase in examples.items():
        for linked in ("", *RELATIONS):
            text = f"x {phrase} [2 %](claim:x{f'?is={linked}' if linked else ''})"
            assert bool(_codes(text, language)) == (linked != said), (phrase, linked)


# The site's own pages.


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    project = load_project(ROOT / "mkdocs.yml")
    return [page for page in project.all_pages if page.language]


def _alone(page: Page) -> list[Page]:
    """Return the passages and tables of a page that hold claims, each as a page."""
    reading = Reading(page.source, page.claims)
    tables = [Span(table.start, table.end) for table in find_tables(page.source)]
    spans = {
        next((table for table in tables if table.start <= claim.start < table.end), reading.passage(claim.start).span)
        for claim in page.claims.claims
    }
    texts = [page.source.text[span.start : span.end] for span in sorted(spans, key=lambda span: span.start)]
    return [read_page(Source(page.source.path, text), page.path, page.language) for text in texts]


def _with(page: Page, text: str) -> list[str]:
    changed = read_page(Source(page.source.path, text), page.path, page.language)
    return [finding.code for finding in check_relations(changed, Reading(changed.source, changed.claims), page.language)]


def test_the_site_has_no_false_alarm(pages: list[Page]) -> None:
    assert [(page.source.path, _with(page, page.source.text)) for page in pages if _with(page, page.source.text)] == []


def test_every_other_comparison_on_the_site_is_noticed(pages: list[Page]) -> None:
    """Each bound with each other relation in its link, or none; each plain number with a comparison word put before it."""
    survivors: list[tuple[str, str, str]] = []
    tried = 0
    for page in (passage for whole in pages for passage in _alone(whole)):
        text = page.source.text
        assert _with(page, text) == []
        for claim in page.claims.claims:
            if claim.relation:
                end = text.index(f"is={claim.relation}", claim.end) + len(f"is={claim.relation}")
                start = end - len(f"?is={claim.relation}")
                others = ["", *(f"{text[start]}is={other}" for other in RELATIONS if other != claim.relation)]
                mutants = [(other, text[:start] + other + text[end:]) for other in others]
            else:
                words = LEXICONS[page.language].examples.values()
                mutants = [(word, f"{text[: claim.start - 1]} {word} {text[claim.start - 1 :]}") for word in words]
            tried += len(mutants)
            survivors += [(page.source.path, claim.text, what) for what, mutant in mutants if not _with(page, mutant)]
    assert tried > 1000
    assert survivors == []
