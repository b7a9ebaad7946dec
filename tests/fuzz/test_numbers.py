"""Numbers as people write them: read as what was meant, and taken whole wherever they stand in a sentence."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from ledgermark.display import agrees, read_numbers
from ledgermark.numberwords import find_tokens
from ledgermark.numerals import write_chinese, write_english
from ledgermark.typeset import write, write_like
from ledgermark.units import parse_unit

VALUES = st.decimals(min_value=0, max_value=10**7, places=3)
UNITS = st.sampled_from(["%", "×", "pp", "tok/s", "us", "ms", "ms/tok", "GiB", "day", "1"])
WIDE = str.maketrans("0123456789.%", "０１２３４５６７８９．％")


def grouped(text: str, separator: str) -> str:
    """Return a number with its thousands apart."""
    whole, dot, rest = text.partition(".")
    return f"{int(whole):,}".replace(",", separator) + dot + rest


@given(
    VALUES,
    st.integers(0, 3),
    st.sampled_from(["", "-", "−", "+", "－", "＋"]),
    st.sampled_from(["", ",", " ", "\u00a0", "\u202f", "\u2009", "'"]),
)
def test_signs_and_groups(value: Decimal, places: int, sign: str, separator: str) -> None:
    rounded = round(value, places)
    plain = format(rounded, f".{places}f")
    text = sign + (grouped(plain, separator) if separator else plain)
    (shown,) = read_numbers(f"{text} ms")
    assert shown.value == (-rounded if sign in ("-", "−", "－") else rounded)
    assert shown.place == Decimal(1).scaleb(-places)
    assert shown.explicit_sign is bool(sign)
    assert shown.unit == parse_unit("ms")


@given(VALUES, st.integers(0, 3))
def test_full_width(value: Decimal, places: int) -> None:
    text = format(round(value, places), f".{places}f")
    (wide,) = read_numbers(f"{text}%".translate(WIDE))
    (plain,) = read_numbers(f"{text}%")
    assert (wide.value, wide.place, wide.unit) == (plain.value, plain.place, plain.unit)


@given(st.integers(0, 9_999), st.integers(0, 9_999))
def test_words_agree_with_digits(number: int, other: int) -> None:
    for words in (write_english(Decimal(number)), write_chinese(Decimal(number)), f"{number:,}"):
        (shown,) = read_numbers(words)
        assert shown.value == number
        assert agrees(shown, Decimal(other)) is (number == other)


@given(st.lists(st.tuples(VALUES, st.integers(0, 3)), min_size=2, max_size=5), UNITS, st.sampled_from(["en", "zh"]), st.booleans())
def test_a_series_as_a_language_writes_it(items: list[tuple[Decimal, int]], symbol: str, language: str, each: bool) -> None:  # noqa: FBT001
    unit = parse_unit(symbol)
    texts = [write(value, unit if each or at == len(items) - 1 else None, places, language) for at, (value, places) in enumerate(items)]
    shown = read_numbers(("、" if language == "zh" else ", ").join(texts))
    assert len(shown) == len(items)
    for number, (value, places) in zip(shown, items, strict=True):
        assert agrees(number, value)
        assert number.place == Decimal(1).scaleb(-places)
        assert number.unit == (None if unit.counts else unit)


@given(VALUES, VALUES, st.integers(0, 3), UNITS, st.sampled_from(["en", "zh"]))
def test_what_is_fixed_is_right_and_stays(old: Decimal, new: Decimal, places: int, symbol: str, language: str) -> None:
    text = write(old, parse_unit(symbol), places, language, signed=True)
    (shown,) = read_numbers(text)
    fixed = text[: shown.start] + write_like(shown, text, new) + text[shown.end :]
    (again,) = read_numbers(fixed)
    assert agrees(again, new)
    assert write_like(again, fixed, new) == fixed[again.start : again.end]


SENTENCES = ("The run took {} in all.", "甲耗时{}。", "（{}）", "from {}, then", "它是{}，", "| {} |", "= {}", "“{}”")


@given(VALUES, st.integers(0, 3), UNITS, st.sampled_from(SENTENCES), st.sampled_from(["en", "zh"]))
def test_a_number_is_found_whole_in_a_sentence(value: Decimal, places: int, symbol: str, sentence: str, language: str) -> None:
    text = write(value, parse_unit(symbol), places, language)
    whole = sentence.format(text)
    start = sentence.index("{}")
    tokens = [token for token in find_tokens(whole) if start <= token.start < start + len(text)]
    (shown,) = read_numbers(text)
    assert len(tokens) == 1
    assert tokens[0].start <= start + shown.start
    assert tokens[0].end >= start + shown.end
