"""A pattern of many words finds what the plain one would, the longest word that fits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.alternation import one_of


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["s"], "s", "s"),
        (["s", "seconds", "second"], "seconds", "seconds"),
        (["s", "seconds", "second"], "sec", "s"),
        (["一", "一样", "一模一样"], "一模一样", "一模一样"),
        (["ns/tok^2", "ns", "%"], "ns/tok^2", "ns/tok^2"),
        (["a b", "a+"], "a+b", "a+"),
    ],
)
def test_the_longest_word_is_taken(words: list[str], text: str, found: str) -> None:
    match = re.match(one_of(words), text)
    assert match is not None
    assert match.group() == found


def test_what_has_to_follow_may_differ_from_word_to_word() -> None:
    pattern = re.compile(one_of(["m", "ms", "ms/s"], lambda word: "(?![a-z])" if word == "ms" else ""))
    assert [match.group() for match in map(pattern.match, ("ms", "msx", "ms/s", "x")) if match] == ["ms", "m", "ms/s"]


@given(st.sets(st.text("abc+", min_size=1, max_size=4), min_size=1), st.text("abc+"))
def test_a_pattern_in_groups_finds_what_a_plain_one_finds(words: set[str], text: str) -> None:
    plain = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    assert re.findall(one_of(words), text) == re.findall(plain, text)
