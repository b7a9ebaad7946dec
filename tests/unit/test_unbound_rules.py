"""The closed list of what may stand unbound: each rule lets its own pass, in both languages, and no measurement with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledgermark.exempt import RULE_NAMES, RULES
from ledgermark.references import references
from ledgermark.terms import term_problem
from tests.unit.numbers_of_text import findings, numbers, reader

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/numbers.md"

PASS = {
    "date": [
        *("on 2026-08-29 it", "2026-08-29 09:30 UTC", "29 August 2026", "August 29, 2026", "in August 2026", "at 09:30 UTC", "2026-08"),
        *("2026年8月29日", "2026 年 8 月", "8月29日", "2026年", "六月就开着", "十二月"),
    ],
    "version": ["vLLM 0.33.0", "v2.11.0rc1", "0.22.1 through 0.32.0", "2.9.0+cu130", "驱动 570.12.4", "从0.22.1到0.32.0"],
    "issue": ["vllm#45450", "vllm-project/vllm#45450", "issue 12", "PR #7", "commit 3e75178ab", "见vllm#45450。"],
    "identifier": ["gfx1100", "an A100", "bf16", "gemma-4-31B", "w4a16", "RDNA3", "2D and 3D", "2D形态", "一张A100上", "MI300X"],
    "ordinal": ["the 1st and 3rd", "10th", "第一次", "第 2 个", "第三"],
    "list": ["1. a\n2. b\n3. c", "x\n\n1. a\n\n   more\n\n2. b", "1) 甲\n2) 乙", "> 1. a\n> 2. b", "1. a\n1. b"],
    "address": ["https://x.y/pull/45450?a=2", "见 https://x.y/12 。"],
    "one": [
        *("one configuration at one context", "the one that the page names", "one run per cell", "each one", "no one", "an ordinary one."),
        *("one of the runs", "One model a side", "from one cell", "a draft and one sequence more"),
        *(
            "一次运行",
            "一张图",
            "一个 token 的代价",
            "这一天",
            "哪一天",
            "另一个量级",
            "数一数",
            "一开投机解码就慢",
            "上下文一深，投机就亏",
            "一小段",
            "没有一档",
        ),
    ],
    "term": [
        "at 32K",
        "at\n32K and",
        "on\nbatch 1",
        "32K 处",
        "在32K上下文",
        "RX 7900 XT",
        "RX 7900\nXT",
        "batch 1 and",
        "两张卡上",
        "32K, 32K and 32K",
    ],
}

SMUGGLED = {
    "date": [
        *(
            "2026-08-29 %",
            "2026-13-45",
            "May 28 %",
            "May 32",
            "28 May %",
            "may 28",
            "in May 28 workgroups",
            "in 2048",
            "in 2026",
            "12:30",
            "9:30 faster",
        ),
        *("32:10 UTC", "0.2026-08-29", "12026-08-29", "2026-08-29.5", "May 28.5"),
        *("13月1日", "8月32日", "3个月", "8月份", "29日", "1990年代快 3 倍", "三月之一", "2026年%"),
    ],
    "version": [
        *("3.70", "v3.70", "version 3.7", "0.33.0×", "0.33.0 ms", "1.234.567", "v1.234.567", "-0.33.0", "0.33.0 times", "0.33.0 tok/s"),
        *("0.33.0 倍", "版本 0.33", "0.33.0毫秒", "1.234.567 个"),
    ],
    "issue": [
        *("#70", "token #35", "PR 70 %", "issue 70.8", "issue 12 rows", "7e10", "70e0000", "1234567", "vllm#70.8", "vllm#70 %", "PR 3 runs"),
        *("第 #35 个", "问题 70", "#70 倍"),
    ],
    "identifier": [
        *(
            "about70",
            "by-70",
            "by-70-percent",
            "USD70",
            "x3",
            "x3.70",
            "A70.8",
            "p70.8",
            "A100 ms",
            "A100 %",
            "perf3x",
            "lat70ms",
            "gpu-70-percent",
        ),
        *("A100 70", "2D×", "4.2D", "12D", "5D", "2x", "70B", "80G", "gain-70", "only1", "70-fold", "faster-by-70x", "A100,5", "A100.5"),
        *("A100倍", "A100 毫秒", "快x3", "2D 倍", "降至about70"),
    ],
    "ordinal": [
        "35th",
        "the 99th percentile",
        "1st percentile",
        "10th of it",
        "5th %",
        "11th",
        "1.5th",
        "第 35 个 token",
        "第十一",
        "第 1 百分位",
        "第99",
        "第二倍",
        "第1.5",
    ],
    "list": ["70. more", "text\n70. more", "text\n2. more", "2. a\n3. b", "1. a\n3. b", "128. workgroups", "text\n2) 八", "1. 70"],
    "address": ["http://a.b 70.8", "www 70.8", "见 https://x.y/12 ，慢 70.8"],
    "one": [
        *(
            "at most one",
            "only one",
            "exactly one run",
            "than one",
            "up to one",
            "about one",
            "one percent",
            "one ms",
            "one day",
            "one row",
            "one GiB",
        ),
        *(
            "one workgroup",
            "one order of magnitude",
            "one in four",
            "one of 128",
            "one or two",
            "one, two",
            "one to two",
            "one-third",
            "one half",
        ),
        *(
            "a batch of one would",
            "takes one.",
            "two and one",
            "one hundredth",
            "one bf16 ULP",
            "= one",
            "one token",
            "one percentage point",
            "one more row",
            "one whole day",
            "one month",
        ),
        *(
            "只有一个",
            "仅一次",
            "不超过一个",
            "至多一次",
            "减到一个 workgroup",
            "快一倍",
            "一倍",
            "一天",
            "一周",
            "一秒",
            "一成",
            "一成三",
            "一半",
        ),
        *(
            "一个百分点",
            "一个数量级",
            "一个 bf16 ULP",
            "一、二、四行",
            "一到两次",
            "三或一个",
            "多一行",
            "一百",
            "一万",
            "二十一个",
            "差一个",
            "一个半",
            "约一次",
        ),
    ],
    "term": [
        *(
            "32K tok/s",
            "32K ms",
            "32K×",
            "32K %",
            "32K tokens",
            "32K-token",
            "+32K",
            "−32K",
            "by 32K",
            "~32K",
            "$32K",
            "32K faster",
            "32K more",
            "32K+",
            "32K/s",
        ),
        *(
            "about\n32K",
            "about\nbatch 1",
            "132K",
            "0.32K",
            "32K.5",
            "32Ks",
            "x32K",
            "batch 12",
            "batch 1.5",
            "batch 1 ms",
            "RX 7900 XT %",
            "RX 7900 XTX",
        ),
        *("32K 倍", "32K毫秒", "快 32K", "快了32K", "多32K", "两张卡倍", "两张卡 %", "约 32K", "32K 个", "快至32K"),
    ],
}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in PASS.items() for text in texts])
def test_each_rule_lets_its_own_pass(rule: str, text: str) -> None:
    found = numbers(text)
    assert findings(text) == []
    assert {number.state for number in found if number.state != "one" or rule == "one"} <= {rule}
    assert found


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in SMUGGLED.items() for text in texts])
def test_no_rule_lets_a_measurement_pass(rule: str, text: str) -> None:
    assert findings(text), f"smuggled through {rule}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[Figure 1](#fig-a) and [Figure 2](#fig-b)", []),
        ("[图 1](#fig-a) 与[图 2](#fig-b)", []),
        ("Figures [1](#fig-a) and [2](#fig-b)", []),
        ("Figure 1 and [Figure 2](#fig-b)", ["LM205 Figure 1"]),
        ("Figures [1](#fig-a) and [2](#fig-a)", ["LM205 Figures 1 and 2"]),
        ("Figures [1](#fig-a) and 3", ["LM205 Figures 1 and 3"]),
        ("图 1", ["LM205 图 1"]),
        ("Figure 3", ["LM205 Figure 3"]),
        ("图 70", ["LM205 图 70"]),
        ("Figure 0", ["LM205 Figure 0"]),
        ("[Figure 1](#fig-b)", ["LM205 Figure 1"]),
        ("[图 2](#fig-a)", ["LM205 图 2"]),
        ("[Figure 1](#fig-none)", ["LM205 Figure 1"]),
        ("[Figure 1](other.md#fig-a)", ["LM205 Figure 1"]),
        ("Section 1, §1, 第 1 节, [Section 1](#one)", []),
        ("Section 2", ["LM205 Section 2"]),
        ("[第 2 章](#one)", ["LM205 第 2 章"]),
        ("Figure 1×", ["1×"]),
        ("Figure 1.5", ["1.5"]),
        ("Figure 1 rows", ["1 rows"]),
        ("Figure 1 higher", ["1"]),
        ("Figure 1K", ["1K"]),
        ("图 1 倍", ["1 倍"]),
        ("图 2 行", ["2 行"]),
        ("a figure 1", ["1"]),
        ("Table 1", ["1"]),
    ],
)
def test_a_reference_gives_the_right_number(text: str, found: list[str]) -> None:
    page = f"## The start {{#one}}\n\n/// figure | a\nx\n///\n\n/// figure | b\nx\n///\n\n{text}\n"
    assert findings(page, figures=("a", "b")) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[vllm#45450](https://github.com/vllm-project/vllm/pull/45450)", []),
        ("见 [vllm#45450](https://github.com/vllm-project/vllm/pull/45450/files#r1234)。", []),
        ("[vllm#45450](https://github.com/vllm-project/vllm/issues/45450#issuecomment-99)", []),
        ("[issue 12](https://gitlab.com/a/b/-/issues/12)", []),
        ("[bug#12](https://bugs.x.org/show_bug.cgi?id=12)", []),
        ("[a1b2c3d](https://github.com/a/b/commit/a1b2c3d4e5f6)", []),
        ("[vllm#45450](gate.md#admission)", []),
        ("[vllm#45450][i]\n\n[i]: https://github.com/a/vllm/pull/45450", []),
        ("[the post on vllm#45450](https://x.org/2026/post)", []),
        ("vllm#45450, [which](https://github.com/a/vllm/pull/45405)", []),
        ("[vllm#45450](https://github.com/a/vllm/pull/45405)", ["LM205 vllm#45450"]),
        ("[vllm#45450](https://github.com/a/vllm/pull/454501)", ["LM205 vllm#45450"]),
        ("[提案 vllm#45450](https://github.com/a/vllm/pull/45405)", ["LM205 vllm#45450"]),
        ("[PR #7](https://github.com/a/b/pull/8)", ["LM205 PR #7"]),
        ("[vllm#45450](https://x.org/2026/post)", ["LM205 vllm#45450"]),
        ("[a1b2c3d](https://github.com/a/b/commit/a1b2c3e4e5f6)", ["LM205 a1b2c3d"]),
        ("[vllm#45450][i]\n\n[i]: https://github.com/a/vllm/pull/45405", ["LM205 vllm#45450"]),
    ],
)
def test_a_link_leads_to_the_issue_that_it_names(text: str, found: list[str]) -> None:
    assert findings(text) == found


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        ("RX 7900 XT", ""),
        ("two Radeons", ""),
        ("两张 Radeon", ""),
        ("vLLM 0.28", ""),
        ("Radeon", "has no number"),
        ("70.8", "bare number"),
        ("七十", "bare number"),
        ("70.8 %", "unit"),
        ("two rows", "unit"),
        ("falls by 70.8 % at", "unit"),
        ("两次", "unit"),
        ("3 倍于", "unit"),
        ("about 70 at", "how much"),
        ("70 faster", "how much"),
        ("快 70 点", "how much"),
        ("loses 70", "loses"),
        ("costs 70 at", "costs"),
        ("rate of 43", "rate"),
        ("half the time", "half"),
        ("an order of magnitude up", "order of magnitude"),
        ("a couple of runs", "couple"),
        ("twice as slow as B", "twice"),
        ("nine tenths of it", "tenths"),
        ("a third of it", "a third"),
        ("one-third of it", "one-third"),
        ("tenfold gap", "tenfold"),
        ("9 of 10 cells", "9 of 10"),
        ("nine out of ten cells", "nine out of ten"),
        ("13 个里有 9 个", "13 个里有 9"),
        ("丢掉一半", "半"),
        ("丢掉七成", "七成"),
        ("三分之一的时间", "分之"),
        ("翻两番", "两番"),
        ("损失 ½ 速度", "½"),
        ("降 70 点", "降"),
        ("half precision", ""),
        ("double buffering", ""),
        ("半精度浮点", ""),
        ("power of two", ""),
        ("2 的幂", ""),
        ("batch 1 of run 7", ""),
        ("Qwen3.6-27B", ""),
        ("third run 7", ""),
    ],
)
def test_a_term_is_a_name(term: str, problem: str) -> None:
    found = term_problem(term, reader().unit)
    assert problem in found if problem else found == ""


def test_each_rule_has_a_section_that_begins_with_its_sentence() -> None:
    text = DOCUMENT.read_text("utf-8")
    sections = dict(re.findall(r"^### (\w+)\n\n(.*?)(?=\n#|\Z)", text, re.MULTILINE | re.DOTALL))
    assert tuple(sections) == RULE_NAMES
    for rule, function in {**RULES, "reference": references}.items():
        sentence = " ".join(str(function.__doc__).split("\n\n")[0].split())
        assert " ".join(sections[rule].split()).startswith(sentence.rstrip(".")), rule


def test_the_lists_of_this_test_are_the_rules() -> None:
    assert set(PASS) == set(SMUGGLED) == set(RULE_NAMES) - {"reference"}


def test_a_term_may_begin_a_sentence() -> None:
    terms = ("two cards", "batch 1", "RX 7900 XT")
    assert [number.state for number in numbers("Two cards, and Batch 1.", terms)] == ["term", "term"]
    assert [number.state for number in numbers("Two Cards, BATCH 1, rx 7900 XT.", terms)].count("term") == 0
