"""Numbers as people write them, in both languages, are read as what they say, with the place they claim to be right to."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.display import _FOLD, DisplayError, Shown, agrees, fold, holds, read_numbers

# text, then value, place and unit of each number in it
ONE = [
    # signs and units
    ("70.8 %", "70.8", "0.1", "%"),
    ("−70.8 %", "-70.8", "0.1", "%"),
    ("-70.8%", "-70.8", "0.1", "%"),
    ("‑70.8 %", "-70.8", "0.1", "%"),
    ("﹣70.8 %", "-70.8", "0.1", "%"),
    ("+36.9 %", "36.9", "0.1", "%"),
    ("＋36.9 %", "36.9", "0.1", "%"),
    ("− 5 %", "-5", "1", "%"),
    ("70.8％", "70.8", "0.1", "%"),
    ("－７０．８％", "-70.8", "0.1", "%"),
    ("3 percent", "3", "1", "%"),
    ("1.5 percentage points", "1.5", "0.1", "pp"),
    ("1.5 个百分点", "1.5", "0.1", "pp"),
    ("9.46×", "9.46", "0.01", "×"),
    ("9.46 ×", "9.46", "0.01", "×"),
    ("9.46x", "9.46", "0.01", "×"),
    ("9.46 倍", "9.46", "0.01", "×"),
    ("9.46倍", "9.46", "0.01", "×"),
    ("3-fold", "3", "1", "×"),
    ("43.42 tok/s", "43.42", "0.01", "tok/s"),
    ("43.42 tokens per second", "43.42", "0.01", "tok/s"),
    ("43.42 chunk/s", "43.42", "0.01", "chunk/s"),
    ("43.42 块/秒", "43.42", "0.01", "chunk/s"),
    ("10 µs", "10", "1", "us"),
    ("10 μs", "10", "1", "us"),
    ("10 微秒", "10", "1", "us"),
    ("12.5 ms/token", "12.5", "0.1", "ms/tok"),
    ("0.90 GiB", "0.90", "0.01", "GiB"),
    ("5 s", "5", "1", "s"),
    ("8 workgroups", "8", "1", "workgroup"),
    ("8 个工作组", "8", "1", "workgroup"),
    ("18 组", "18", "1", "case"),
    ("25 days", "25", "1", "day"),
    ("25 天", "25", "1", "day"),
    ("0", "0", "1", None),
    ("007", "7", "1", None),
    ("4.50", "4.50", "0.01", None),
    # spaces: no-break, thin, narrow, ideographic, as an entity, at the ends, across a line end
    ("70.8\u00a0%", "70.8", "0.1", "%"),
    ("70.8\u2009%", "70.8", "0.1", "%"),
    ("70.8\u202f%", "70.8", "0.1", "%"),
    ("70.8\u3000%", "70.8", "0.1", "%"),
    ("70.8&nbsp;%", "70.8", "0.1", "%"),
    ("70.8&thinsp;%", "70.8", "0.1", "%"),
    ("70.8&#8239;%", "70.8", "0.1", "%"),
    (" 70.8 % ", "70.8", "0.1", "%"),
    ("70.8\n%", "70.8", "0.1", "%"),
    ("**70.8** %", "70.8", "0.1", "%"),
    ("`70.8 %`", "70.8", "0.1", "%"),
    # groups
    ("10 095.188", "10095.188", "0.001", None),
    ("10\u2009095.188", "10095.188", "0.001", None),
    ("10\u202f095", "10095", "1", None),
    ("10,095.188", "10095.188", "0.001", None),
    ("10'095", "10095", "1", None),
    ("10’095", "10095", "1", None),
    ("1 234 567", "1234567", "1", None),
    ("１０ ０９５", "10095", "1", None),
    # scales and exponents
    ("3.2万", "32000", "1000", None),
    ("3.2 万", "32000", "1000", None),
    ("3.2万 tok/s", "32000", "1000", "tok/s"),
    ("1.5亿", "150000000", "10000000", None),
    ("3千", "3000", "1000", None),
    ("2百万", "2000000", "1000000", None),
    ("3.5 million", "3500000", "100000", None),
    ("2 thousand tokens", "2000", "1000", "token"),
    ("1.5e3", "1500", "100", None),
    ("9.8E-4", "0.00098", "0.00001", None),
    ("9.8×10⁻⁴", "0.00098", "0.00001", None),
    ("9.8 × 10^-4", "0.00098", "0.00001", None),
    ("5 x 10^3 ms", "5000", "1000", "ms"),
    # words
    ("twenty-five days", "25", "1", "day"),
    ("Twenty-five days", "25", "1", "day"),
    ("twenty five", "25", "1", None),
    ("one hundred and twenty", "120", "1", None),
    ("two thousand", "2000", "1", None),
    ("zero", "0", "1", None),
    ("eight workgroups", "8", "1", "workgroup"),
    ("二十五天", "25", "1", "day"),
    ("十二", "12", "1", None),
    ("两天", "2", "1", "day"),
    ("一百二十", "120", "1", None),
    ("一千零二十四", "1024", "1", None),
    ("二〇二六", "2026", "1", None),
    ("一万二千", "12000", "1", None),
    ("零点五", "0.5", "0.1", None),
    ("三点七倍", "3.7", "0.1", "×"),
    ("−二十五", "-25", "1", None),
    ("百分之三十", "30", "1", "%"),
    ("百分之三十点五", "30.5", "0.1", "%"),
    ("百分之30.5", "30.5", "0.1", "%"),
]


def read(text: str) -> list[tuple[str, str, str | None]]:
    return [(format(item.value, "f"), format(item.place, "f"), item.unit.symbol if item.unit else None) for item in read_numbers(text)]


@pytest.mark.parametrize(("text", "value", "place", "unit"), ONE)
def test_one_number(text: str, value: str, place: str, unit: str | None) -> None:
    assert read(text) == [(value, place, unit)]


SERIES = [
    ("+36.9 %, −14.0 %", ["36.9", "-14.0"], ["%", "%"]),
    ("36.9, 14.0 and 32.4 %", ["36.9", "14.0", "32.4"], ["%", "%", "%"]),
    ("1.19× and 15.4×", ["1.19", "15.4"], ["×", "×"]),
    ("1.19 倍、15.4 倍", ["1.19", "15.4"], ["×", "×"]),
    ("1.19、15.4 和 9.2 倍", ["1.19", "15.4", "9.2"], ["×", "×", "×"]),
    ("36.9 %；14.0 %", ["36.9", "14.0"], ["%", "%"]),
    ("1.5 / 2.5 ms", ["1.5", "2.5"], ["ms", "ms"]),
    ("1 024 to 32 768 tokens", ["1024", "32768"], ["token", "token"]),
    ("from", None, None),
    ("1,024, 8,192", ["1024", "8192"], [None, None]),
    ("1.5 ms, 6 %, 7", ["1.5", "6", "7"], ["ms", "%", None]),
    ("two, four, eight rows", ["2", "4", "8"], ["row", "row", "row"]),
    ("二、四、八行", ["2", "4", "8"], ["row", "row", "row"]),
    ("10 000 then 20 000", ["10000", "20000"], [None, None]),
    ("1 → 2", ["1", "2"], [None, None]),
    ("3 至 5 天", ["3", "5"], ["day", "day"]),
    ("128 与 8", ["128", "8"], [None, None]),
    ("8、128", ["8", "128"], [None, None]),
    ("100、200、300 行", ["100", "200", "300"], ["row", "row", "row"]),
    ("100，200", ["100", "200"], [None, None]),
]


@pytest.mark.parametrize(("text", "values", "units"), SERIES)
def test_series(text: str, values: list[str] | None, units: list[str | None] | None) -> None:
    if values is None:
        with pytest.raises(DisplayError):
            read_numbers(text)
        return
    assert [value for value, _, _ in read(text)] == values
    assert [unit for _, _, unit in read(text)] == units


UNREADABLE = [
    "",
    " ",
    "%",
    "half",
    "nearly all",
    "半",
    "第二",
    "百",
    "万",
    "~4",
    "4 of 5",
    "70.8 % faster",
    "快 70.8 %",
    "70.8 % %",
    "百分之三十 %",
    "70,8.5.6",
    ".5",
    "5.",
    "1.2.3",
    "1_000",
    "0x10",
    "2^10",
    "5 bogus",
    "5 st",
    "5 ms/tokens",
    "5 tok/s/W",
    "5e",
    "7\u200b0.8 %",
    "7٠.8 %",
    "٧٠",
    "७०",
    "7𝟎.8 %",
    "70.8 \u202e%",
    "NaN",
    "inf",
    "1.5–2.5 ms",
    "±5 %",
    "&minus;5 %",
    "70\\.8 %",
    "<b>70.8</b> %",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(DisplayError) as caught:
        read_numbers(text)
    assert text.strip() in str(caught.value) or not text.strip()


@pytest.mark.parametrize(
    "text", ["1e99999999 %", "1e999999999999999999999", f"1e-{'9' * 5000}", "9" * 5000, "1×10^99999999", "0." + "0" * 5000 + "1"]
)
def test_a_monstrous_number_is_read_or_refused(text: str) -> None:
    try:
        numbers = read_numbers(text)
    except DisplayError:
        return
    assert all(item.value.is_finite() for item in numbers)


@given(st.text(alphabet="0123456789.,' -+−eE×x^⁻⁴%万亿千百十两零一二〇点分之天个token/s、，；to and", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        numbers = read_numbers(text)
    except DisplayError:
        return
    assert numbers
    ends = [0]
    for item in numbers:
        assert ends[-1] <= item.start < item.end <= len(text)
        assert item.place > 0
        ends.append(item.end)


@given(st.text(max_size=40))
def test_folding_keeps_places(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.lists(st.sampled_from([*_FOLD, *range(0x20, 0x7F), ord("约"), 0x1F600])).map(lambda codes: "".join(map(chr, codes))))
def test_folding_leaves_nothing_to_fold(text: str) -> None:
    plain = text.replace("&", "")  # an entity is more than one character
    assert fold(plain) == plain.translate(_FOLD)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("−70.8 %", ["−70.8"]),
        ("+1, −2 %", ["+1", "−2"]),
        ("百分之七十六", ["七十六"]),
        ("3.2万", ["3.2"]),
        (" 二十五天", ["二十五"]),
        ("**70.8** %", ["70.8"]),
        ("9.8×10⁻⁴", ["9.8"]),
        ("1 024 to 32 768 tokens", ["1 024", "32 768"]),
    ],
)
def test_the_digits_are_where_they_stand(text: str, spans: list[str]) -> None:
    assert [text[item.start : item.end] for item in read_numbers(text)] == spans


def test_a_project_adds_spellings() -> None:
    with pytest.raises(DisplayError):
        read_numbers("4 rates")
    (shown,) = read_numbers("4 rates", {"rates": "row"})
    assert shown.unit is not None
    assert shown.unit.symbol == "row"


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("70.8", "70.8", True),
        ("70.8", "70.75", True),  # a tie, either way
        ("70.8", "70.85", True),
        ("70.8", "70.7499999999999999999999999999", False),
        ("70.8", "70.8500000000000000000000000001", False),
        ("70.80", "70.806", False),
        ("70.80", "70.804", True),
        ("3.2万", "32499", True),
        ("3.2万", "32501", False),
        ("1.0e3", "1049", True),
        ("1.0e3", "1051", False),
        ("−14.0", "-13.96", True),
        ("−14.0", "13.96", False),
        ("0", "0.5", True),
        ("0", "0.51", False),
        ("0.0009765625", "0.0009765625", True),
    ],
)
def test_half_a_unit_in_the_last_place(text: str, value: str, right: bool) -> None:  # noqa: FBT001
    (shown,) = read_numbers(text)
    assert agrees(shown, Decimal(value)) is right


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=3), st.decimals(min_value=-1, max_value=1, places=6))
def test_agreement_is_half_a_step(value: Decimal, off: Decimal) -> None:
    shown = Shown(value, Decimal("0.001"), None, 0, 1, explicit_sign=False)
    assert agrees(shown, value + off) is (abs(off) <= Decimal("0.0005"))


@pytest.mark.parametrize(
    ("bound", "below", "equal", "above"),
    [("at_most", True, True, False), ("less_than", True, True, False), ("at_least", False, True, True), ("more_than", False, True, True)],
)
def test_bounds(bound: str, below: bool, equal: bool, above: bool) -> None:  # noqa: FBT001
    (shown,) = read_numbers("5")
    assert [holds(shown, Decimal(value), bound) for value in (4, 5, 6)] == [below, equal, above]
