"""Numbers in words come back as they went in."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.numerals import CHINESE_NUMERAL, ENGLISH_NUMERAL, read_chinese, read_english, write_chinese, write_english


@given(st.integers(0, 999_999))
def test_english_words_come_back(number: int) -> None:
    words = write_english(Decimal(number)).replace(",", "")
    assert ENGLISH_NUMERAL.fullmatch(words)
    assert read_english(words) == number


@given(st.integers(0, 99_999_999))
def test_chinese_numerals_come_back(number: int) -> None:
    words = write_chinese(Decimal(number))
    assert CHINESE_NUMERAL.fullmatch(words)
    assert read_chinese(words) == number


@given(st.decimals(min_value=0, max_value=1000, places=2))
def test_chinese_decimals_come_back(number: Decimal) -> None:
    assert read_chinese(write_chinese(number)) == number


@pytest.mark.parametrize("words", ["百", "万", "点五", "一二三四十", "", "fish"])
def test_what_names_no_number_in_chinese(words: str) -> None:
    assert read_chinese(words) is None


@pytest.mark.parametrize("words", ["fish", "", "twenty fish", "and"])
def test_what_names_no_number_in_english(words: str) -> None:
    assert read_english(words) is None


@pytest.mark.parametrize("text", ["ones", "tenth", "someone", "eighth"])
def test_a_word_that_only_begins_like_a_number(text: str) -> None:
    assert not ENGLISH_NUMERAL.fullmatch(text)


def test_small_numerals_are_read_as_the_library_reads_them() -> None:
    import cn2an  # noqa: PLC0415  (as the module under test: a fifth of a second)

    texts = {str(cn2an.an2cn(number, "low")) for number in range(200)} | {write_chinese(Decimal(number)) for number in range(200)}
    texts |= {f"{tens}十{ones}" for tens in "一二九" for ones in ("", "一", "九")} | set("零〇一二两三四五六七八九十") | {"十一", "十九"}
    for text in texts:
        assert read_chinese(text) == Decimal(str(cn2an.cn2an(text.replace("〇", "零"), "smart"))), text
