"""Claims are found where they stand, with their bindings; what is malformed is a finding."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.claims import _STRAY, find_claims, parse_key
from ledgermark.source import Source


def found(text: str) -> list[tuple[str, str]]:
    """Return key and text of each claim; each must stand where it says."""
    page = find_claims(Source("p.md", text))
    for claim in page.claims:
        assert text[claim.start : claim.end] == claim.text
        assert text[claim.start - 1] == "["
        assert text[claim.end : claim.end + 2] == "]("
    return [(claim.key, claim.text) for claim in page.claims]


def codes(text: str) -> list[tuple[str, int, int]]:
    return [(finding.code, finding.line, finding.column) for finding in find_claims(Source("p.md", text)).findings]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("[70.8 %](claim:gain)", [("gain", "70.8 %")]),
        ("a [70.8 %](claim:gain?context=1) b", [("gain?context=1", "70.8 %")]),
        ("[1](claim:a) and [2](claim:b)", [("a", "1"), ("b", "2")]),
        ("[1](claim:a)[2](claim:a)", [("a", "1"), ("a", "2")]),
        ("*[1](claim:a)*, **[1](claim:b)**", [("a", "1"), ("b", "1")]),
        ("[**1** %](claim:a)", [("a", "**1** %")]),
        ("[`1`](claim:a)", [("a", "`1`")]),
        ("> - [1](claim:a)", [("a", "1")]),
        ("| [1](claim:a) | [2](claim:b) |", [("a", "1"), ("b", "2")]),
        ("# [1](claim:a) {#x}", [("a", "1")]),
        ("---\ntitle: falls by [1](claim:a)\n---\n", [("a", "1")]),
        ("[1\n%](claim:a)", [("a", "1\n%")]),
        ("[1](<claim:a?b=c>)", [("a?b=c", "1")]),
        ("[1]( claim:a )", [("a", "1")]),
        ('[1](claim:a "title")', [("a", "1")]),
        ("[1](CLAIM:a)", [("a", "1")]),
        ("[see [1](claim:a) there](x.md)", [("a", "1")]),
        ("![alt [1](claim:a)](x.png)", [("a", "1")]),
        ("[^1]: [1](claim:a)", [("a", "1")]),
        ("[x] [1](claim:a)", [("a", "1")]),
        ("[1](claim:a?b=x_(y))", [("a?b=x_(y)", "1")]),
        ("[[1]](claim:a)", [("a", "[1]")]),
        ("[1](http://claim.example/)", []),
        ("disclaim: nothing", []),
        ("reclaim:er", []),
        ("[1](x.md)", []),
        ("", []),
    ],
)
def test_where_claims_stand(text: str, claims: list[tuple[str, str]]) -> None:
    assert found(text) == claims
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x [1](claim:a", [("LM109", 1, 7)]),
        ("x [1](claim:a b)", [("LM109", 1, 7)]),
        ("x 1](claim:a)", [("LM109", 1, 6)]),
        ("[1\n\n2](claim:a)", [("LM109", 3, 4)]),
        ("\\[1](claim:a)", [("LM109", 1, 6)]),
        ("x\n\nclaim:a", [("LM109", 3, 1)]),
        ("<claim:a>", [("LM109", 1, 2)]),
        ("[1][r]\n\n[r]: claim:a", [("LM109", 3, 6)]),
        ('<a href="claim:a">1</a>', [("LM109", 1, 10)]),
        ("[1] (claim:a)", [("LM109", 1, 6)]),
        ("[1](claim:)", [("LM109", 1, 1)]),
        ("[1](claim:?a=b)", [("LM109", 1, 1)]),
        ("[1](claim:a.b.c)", [("LM109", 1, 1)]),
        ("[1](claim:1a)", [("LM109", 1, 1)]),
        ("[1](claim:a?b)", [("LM109", 1, 1)]),
        ("[1](claim:a?b=)", [("LM109", 1, 1)]),
        ("[1](claim:a?=b)", [("LM109", 1, 1)]),
        ("[1](claim:a?b=1&b=2)", [("LM109", 1, 1)]),
        ("[1](claim:a?b=1&)", [("LM109", 1, 1)]),
        ("[1](claim:a?show=all)", [("LM109", 1, 1)]),
        ("[1](claim:a?is=most)", [("LM109", 1, 1)]),
        ("[1](given:)", [("LM111", 1, 1)]),
        ('[1](given: "")', [("LM111", 1, 1)]),
        ('[1](given: " ")', [("LM111", 1, 1)]),
        ('[1](given:x "y")', [("LM111", 1, 1)]),
        ("[1](given:source)", [("LM111", 1, 1)]),
        ("[1](given", []),
    ],
)
def test_what_is_malformed(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert codes(text) == expected
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ('[1](given: "model card")', "model card"),
        ("[1](given: 'model card')", "model card"),
        ('[1](given:"model card")', None),
        ('[1](given: "a \\"b\\" c")', 'a \\"b\\" c'),
        ('[1](given: "log (line 3), 2026")', "log (line 3), 2026"),
        ('[1](GIVEN: "x")', "x"),
    ],
)
def test_given(text: str, source: str | None) -> None:
    page = find_claims(Source("p.md", text))
    assert [item.source for item in page.given] == ([source] if source else [])
    assert bool(page.findings) is (source is None)
    assert all(text[item.start : item.end] == item.text == "1" for item in page.given)


def test_a_claim_is_taken_apart() -> None:
    claim = parse_key("ladder.tok_s?arm=a%20b&context=1,2&is=at_most&show=magnitude&unit=tok/s")
    assert claim.name == "ladder.tok_s"
    assert claim.params == {"arm": "a b", "context": "1,2"}
    assert (claim.relation, claim.show, claim.unit) == ("at_most", "magnitude", "tok/s")
    assert parse_key("a?b=1&amp;c=2").params == {"b": "1", "c": "2"}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "is no name"),
        ("a?is=at_mots", "did you mean 'at_most'?"),
        ("a?b", "is no parameter"),
        ("a b", "is no name"),
        ("a&is=at_most", "has its first parameter after '&'; expected NAME?parameter=value"),
    ],
)
def test_a_bare_key_that_is_wrong(key: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        parse_key(key)


PIECES = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "claim:",
        "given:",
        "a",
        "?b=1",
        "&",
        "&amp;",
        "\\",
        "`",
        "<",
        ">",
        '"',
        "'",
        " ",
        "\n",
        "\n\n",
        "1 %",
        "<!--",
        "-->",
        "claim",
        ":",
        "%zz",
    ]
)


@given(st.lists(PIECES, max_size=16).map("".join))
def test_any_text_is_found_in_or_not(text: str) -> None:
    found(text)
    assert all(line >= 1 and column >= 1 for _, line, column in codes(text))


@given(st.text(max_size=30))
def test_any_key_is_a_claim_or_a_value_error(key: str) -> None:
    try:
        parse_key(key)
    except ValueError as error:
        message = str(error)
    else:
        return
    assert message


@given(st.lists(st.sampled_from(["claim:", "CLAIM:", "Claım:", "claİm:", "c", "laim", ":", "m", "_", "中", "(", " ", "1", "é"])).map("".join))
def test_a_stray_is_a_word_of_its_own_before_a_name(text: str) -> None:
    plainly = re.finditer(r"(?<!\w)[cC](?i:laim):(?=[A-Za-z_])", text)
    assert [match.start() - len("claim") for match in _STRAY.finditer(text)] == [match.start() for match in plainly]


def test_claims_can_be_kept_in_sets_and_sent_to_another_process() -> None:
    claim = parse_key("gain?before=1&after=2&is=at_most")
    again = pickle.loads(pickle.dumps(claim, pickle.HIGHEST_PROTOCOL))  # noqa: S301
    assert {again} == {claim}
    assert again != parse_key("gain?before=1&after=2")
