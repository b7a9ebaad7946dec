"""Every number a reader can see is found, in both scripts, at its place; and nothing else is."""

from __future__ import annotations

import sys
import unicodedata

import jieba
import jieba.posseg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledgermark.numberwords import LEXICAL, find_tokens
from ledgermark.pages import read_page
from ledgermark.source import Source
from ledgermark.visible import visible_parts
from tests.unit.numbers_of_text import findings, numbers, states


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # English, digits.
        ("It takes 70.8 % of it.", ["70.8 %"]),
        ("It fell by -70.8 % then", ["-70.8 %"]),
        ("8–16 ms and ±0.3", ["8", "16 ms", "±0.3"]),
        ("32 768 and 32,768 and 32\u2009768", ["32 768", "32,768", "32 768"]),
        ("1e-3, 10^6, 2×10⁻³", ["1e-3", "10^6", "2×10⁻³"]),
        ("2x and 10k and 1/3", ["2x", "10k", "1", "3"]),
        ("$70 and 0x1", ["70", "0x1", "1"]),
        ("2048 tokens in 2048", ["2048 tokens", "2048"]),
        # English, words.
        ("twenty-five days", ["twenty-five days"]),
        ("one hundred and five", ["one hundred and five"]),
        ("three point five times", ["three point five times"]),
        ("four thousand rows, a dozen, hundreds", ["four thousand rows", "dozen", "hundreds"]),
        ("half of it, a third, two thirds, one-tenth", ["half", "third", "two thirds", "one-tenth"]),
        ("twice, thrice, doubled, tenfold, 3-fold", ["twice", "thrice", "doubled", "tenfold", "3-fold"]),
        ("often two runs, attention twenty percent, someone three", ["two runs", "twenty percent", "three"]),
        ("Two, TEN, zero", ["Two", "TEN", "zero"]),
        ("A third of it.", ["third"]),
        ("(a third of it) “a fifth” —an eighth", ["third", "fifth", "eighth"]),
        ("It lost a\nthird, a\u00a0quarter, a  tenth, a\u2009sixth, a\n  ninth", ["third", "quarter", "tenth", "sixth", "ninth"]),
        ("- a third\n- an\n  eighth", ["third", "eighth"]),
        ("> It lost a\n> third.", ["third"]),
        ("two\u00a0thirds, four\u202fhundred and\nfive", ["two thirds", "four hundred and five"]),
        ("an order of magnitude, two orders of magnitude, orders of\nmagnitude", ["order of magnitude", "two", *["orders of magnitude"] * 2]),
        ("a couple of runs; a trio; the quartet and a duo", ["couple", "trio", "quartet", "duo"]),
        (
            "quintupled, sextupled, elevenfold, twentyfold, eighteenfold",
            ["quintupled", "sextupled", "elevenfold", "twentyfold", "eighteenfold"],
        ),
        # Chinese.
        ("甲耗时12.5毫秒", ["12.5毫秒"]),
        ("快７０．８％", ["70.8%"]),
        ("3.2万个", ["3.2万"]),
        ("七成、一半、三倍、八折", ["七", "一半", "三倍", "八"]),
        ("百分之七十，百分之70，十分之三，千分之三点五", ["百分之七十", "百分之70", "十分之三", "千分之三点五"]),
        ("二十五天，廿五天，十二点五秒", ["二十五天", "廿五天", "十二点五秒"]),
        ("翻倍，翻两番，加倍，减半，成倍", ["翻倍", "两", "加倍", "减半", "成倍"]),
        ("数十倍，上百个，成百上千，两个半", ["十倍", "百", "百", "千", "两个半"]),
        ("半天，半小时", ["半天", "半小时"]),
        ("俩，两个，壹佰", ["俩", "两", "壹佰"]),
        ("价格腰斩，貳佰，貮个，弍拾", ["腰斩", "貳佰", "貮", "弍拾"]),
        # One character each, and other scripts.
        ("½ ① Ⅳ 10² 🔟", ["10²", "½", "①", "Ⅳ", "🔟"]),
        ("٣٤ ५ 𝟕𝟎", ["٣٤", "५", "𝟕𝟎"]),
        # The text of a block that begins with code is text, not an option of the block.
        ("/// erratum | 2026-08-29\n    id: a\n    affects: b\n`mean` said 41 ms.\n///", ["41 ms"]),
        ("/// erratum | 2026-08-29\n    id: a\n    affects: b\n`mean` 写作 41 ms。\n///", ["41 ms"]),
    ],
)
def test_numbers_are_found(text: str, shown: list[str]) -> None:
    assert sorted(findings(text)) == sorted(shown)


@pytest.mark.parametrize(
    "text",
    [
        "7**0.8** %",
        "7*0*.8 %",
        "&#55;0.8 %",
        "7<b>0</b>.8 %",
        "7<!-- no -->0.8 %",
        "7\u200b0.8 %",
        "７０．８ ％",
        "\\70.8 %",
        "_70.8 %_",
        "<span title='x'>70.8 %</span>",
        "![70.8 %](a.png)",
        "<img src=a alt='70.8 %'>",
        "[it](x.md '70.8 %')",
        "[it][x]\n\n[x]: y.md '70.8 %'",
        "# 70.8 % {#a}",
        "| a |\n|---|\n| 70.8 % |",
        "x[^1]\n\n[^1]: 70.8 %",
        "*[KV]: 70.8 %",
        "/// details | 70.8 %\nx\n///",
        '!!! note "70.8 %"',
        "---\ntitle: 70.8 %\n---\n",
        '---\ndek: "\\u00370.8 %"\n---\n',
        "---\nkicker: >\n  70.8\n  %\n---\n",
        "---\ntags: [a, 70.8 %]\n---\n",
        "/// figure | x\n70.8 %\n///",
        '/// erratum | 2026-08-29\n    id: a\n    affects: b\n    title: "70.8 %"\nText.\n///',
        "[70.8 %][nowhere]",
        "[70.8 %]: not a definition",
    ],
)
def test_a_reader_reads_one_number(text: str) -> None:
    assert findings(text)[-1:] in (["70.8 %"], ["70.8%"])
    assert len(findings(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "`max_seqlen_q > 1` and `BLOCK_M = 32`",
        "```\n70.8 %\n```",
        "<!-- 70.8 % -->",
        "[a](x70.md) and [b](https://x.y/70.8)",
        "# Head {#h-70}",
        "/// figure | rows_32\nCaption.\n///",
        "<div data-n='70'>x</div>",
        "a | b\n---|---\nc | d",
        "x[^70]\n\n[^70]: note",
        "[it][70]\n\n[70]: y70.md",
        "---\ndate: 2026-08-29\nkind: article\n---\n",
        "一样 统一 万一 半导体 百分比 十分 四舍五入 两者之间 不一致",
        "someone, often, quarterly, the second, the tenth, a second run",
        "a third-party tool, a third card, for a third time, an eighth rank",
        "the third, its\nthird, Banana third, extra third, the couple, decoupled, scaffold, manifold, the order of magnitude, in order of size",
        "每一个都一样；折腰，腰部，斩断",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert findings(text) == []


def test_each_han_character_that_is_a_number_is_found() -> None:
    # What Unicode counts with and nearly everybody else says something else with, or nobody writes.
    others = set("什兆参幺廾漆阡陌㐅㒃㠪㭍")
    han = [char for char in map(chr, range(0x3400, 0xA000)) if unicodedata.numeric(char, None) is not None and char not in others]
    assert [char for char in han if not find_tokens(f"有{char}个")] == []


def test_each_character_that_is_a_number_is_found() -> None:
    signs = [char for char in map(chr, range(0x80, sys.maxunicode + 1)) if unicodedata.category(char)[0] == "N"]
    assert [char for char in signs if not find_tokens(f"a {char} b")] == []


@pytest.mark.parametrize("text", ["{}", "{}th", "Figure {}", "issue {}", "第 {} 节"])
def test_a_number_may_have_more_digits_than_a_program_counts_with(text: str) -> None:
    assert len(findings(text.format("1" * 5000))) <= 1


def test_math_is_left_alone_only_where_there_is_math() -> None:
    assert findings("$70.8$ and $$E = 2$$") == ["70.8", "2"]
    assert findings("$70.8$ and $$E = 2$$", math=True) == []


def test_bound_and_given_numbers_are_answered_for() -> None:
    assert states("[+1 %, −2 %](claim:m?a=1,2), [0.9 GiB](given: 'card'), [one ULP](given: 'x')") == ["bound", "bound", "given", "given"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1[20](claim:m)", "LM204 120"),
        ("[70.8](claim:m)5 %", "LM204 70.85"),
        ("[8](claim:m)万", "LM204 8万"),
        ("[8](claim:m).5", "LM204 8.5"),
        ("[8](claim:m)e3", "LM204 8e3"),
        ("**1**[20](claim:m)", "LM204 120"),
        ("百分之[七十](claim:m)", "LM204 百分之七十"),
        ("[eight](claim:m) thousand", "LM204 eight thousand"),
        ("−[70.8 %](claim:m)", "LM204 -70.8 %"),
        ("± [3](claim:m)", ""),
        ("[8](claim:m) %", "LM204 8 %"),
        ("[8](claim:m) ms", "LM204 8 ms"),
        ("[八](claim:m)倍", "LM204 八倍"),
        ("[8](claim:workgroups) rows", "LM204 8 rows"),
        ("[8](claim:workgroups) 行", "LM204 8 行"),
        ("[8](claim:workgroups) workgroups", ""),
        ("[8](claim:workgroups) 个 workgroup", ""),
        ("[8](claim:m)/10", "10"),
        ("[8](claim:m) and a half", "half"),
        ("[none](given: 's')", "LM202 none"),
        ("`70.8 %`", "LM203 `70.8 %`"),
        ("`3.70×`", "LM203 `3.70×`"),
        ("`8.85 tok/s` 与 `１２毫秒`", "LM203 `8.85 tok/s`"),
    ],
)
def test_what_stands_beside_a_bound_number(text: str, shown: str) -> None:
    found = [item.replace("`", "") for item in findings(text)]
    assert found[:1] == ([shown.replace("`", "")] if shown else [])


def test_places_are_exact() -> None:
    text = '---\ntitle: "By 70 %"\n---\n\n## A *12* {#a}\n\nx &nbsp; **7**0 [ok](b.md) 八倍\n'
    page = read_page(Source("en/p.md", text), "p.md", "en")
    places = {number.text: page.source.place(number.offset) for number in numbers(text)}
    assert places == {"70 %": (2, 12), "12": (5, 7), "70": (7, 12), "八倍": (7, 28)}


def test_words_that_count_nothing_are_words() -> None:
    jieba.setLogLevel(60)
    jieba.initialize()
    own = {"一开始", "四分位", "孤零零", "二叉树", "二分法", "不一致", "百分率", "一目了然", "二进制", "八进制", "十六进制", "十进制"}
    assert {word for word in LEXICAL if not jieba.dt.FREQ.get(word)} <= own
    assert not [word for word in LEXICAL if word[-1] in "倍成折个次天行秒%" and word != "三番两次"]


@given(st.text(alphabet="ab 12.,%[]()*_`~<>&;#!{}|\\-−一二百倍半　１\n$^:/'\"", max_size=60))
@example("[[1](claim:m)](x) ![2][3]")
def test_any_text_is_read_and_places_point_into_it(text: str) -> None:
    source = Source("en/p.md", text)
    page = read_page(source, "p.md", "en")
    for part in visible_parts(page):
        for token in find_tokens(part.text):
            assert 0 <= part.offset(token.start) <= len(text)
    for number in numbers(text):
        assert 0 <= number.offset <= len(text)


@given(
    st.lists(st.sampled_from(["12", "70.8 %", "七成", "twenty", "½"]), min_size=1, max_size=5), st.sampled_from([" x ", "，", " | ", "\n\n"])
)
def test_numbers_are_found_wherever_they_stand(items: list[str], between: str) -> None:
    assert len(findings(between.join(items))) == len(items)
