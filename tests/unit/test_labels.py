"""What is named and not measured stands in both languages: versions, issues, dates, names, code, links, chips."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from ledgermark.coverage import coverage_of
from ledgermark.labels import check_labels
from ledgermark.memory import Memory
from ledgermark.pages import read_page
from ledgermark.project import load_project
from ledgermark.source import Source
from tests.unit.conftest import BASE

if TYPE_CHECKING:
    from ledgermark.check import Project
    from ledgermark.findings import Finding

TERMS = {"32K": "x", "16K": "x", "RX 7900 XT": "x", "two RX 7900 XT": "x", "两张 RX 7900 XT": "x", "8 GPUs": "x"}
TABLE = "## T {#t}\n\n| kernel | 2D | 3D |\n|---|---|---|\n| `a` | 32K | 0.33.0 |\n| `b` | 16K | [x](p.md) |\n"


@lru_cache
def base() -> Project:
    """Return the site in miniature, with some terms."""
    project = load_project(BASE / "mkdocs.yml")
    return replace(project, settings=replace(project.settings, terms=TERMS))


def found(english: str, chinese: str, chips: tuple[str, str] = ("", "")) -> list[Finding]:
    """Return the findings of a project of one page."""
    pages = {code: {"p.md": read_page(Source(f"{code}/p.md", text), "p.md", code)} for code, text in (("en", english), ("zh", chinese))}
    shown: dict[str, list[dict[str, object]]] = {"p": [{"kind": "stack", "en": chips[0], "zh": chips[1]}]} if any(chips) else {}
    texts = {"site_src/mastheads.yml": Source("site_src/mastheads.yml", f"p:\n  - en: {chips[0]}\n    zh: {chips[1]}\n")}
    project = replace(base(), pages=pages, chips=shown, texts=texts)
    return check_labels(pages, coverage_of(project), project.settings.mastheads, Memory())


def told(findings: list[Finding]) -> list[str]:
    return [f"{finding.path[:2]} {name_in(finding)}" for finding in findings]


def name_in(finding: Finding) -> str:
    """Return which label a finding is about."""
    if finding.code == "LM310":
        return finding.message.rpartition(": '")[2].split("'")[0]
    return finding.message.split("'")[1]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("vLLM relaxed it in v0.33.0.", "vLLM 在 0.33.0 里放宽了。"),
        ("Since vllm#45450, and PR #7.", "从 vllm#45450 和 PR 7 起。"),
        ("On 2026-08-29 and 29 August 2026.", "2026-08-29，以及 2026年8月29日。"),
        ("vLLM 0.28.0 was run; it has a bug.", "跑的是 vLLM 0.28.0；0.28.0 有个错。"),
        ("In August 2026, in May 2026 and on Sept 3, 2026.", "2026 年 8 月、2026-05、2026年9月3日。"),
        ("In July.", "七月。"),
        ("On 28 August.", "那天。"),
        ("An A100-class card; the A100s and one A100.", "A100 一级的卡；A100。"),
        ("The kernels.", "2D 与 3D 内核。"),
        ("Two cards: two RX 7900 XT.", "两张卡：两张 RX 7900 XT。"),
        ("An RX 7900 XT.", "两张 RX 7900 XT。"),
        ("`k=3` and again `k=3`, then `C`.", "`C`，`k=3`。"),
        ("[a](q.md#b) and [c](https://x.org/en/d).", "[丙](https://x.org/zh-cn/d)，[甲](q.md#b)。"),
        ("[a](q.md), [b](q.md)", "[甲](q.md)"),
        ("[a](https://en.wikipedia.org/wiki/Cache)", "[甲](https://zh.wikipedia.org/wiki/缓存)"),
        ("![a](a.en.png)", "![甲](a.zh.png)"),
        ("[1](claim:a) `x`", "[2](claim:b) `x`"),
        ("Of 8 GPUs.", "共八张卡。"),
        (TABLE, TABLE.replace("kernel", "内核")),
    ],
)
def test_the_same_in_both(english: str, chinese: str) -> None:
    assert told(found(english, chinese)) == []


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("In 0.33.0.", "在 0.23.0 里。", ["en 0.33.0", "zh 0.23.0"]),
        ("vllm#45450", "vllm#45405", ["en vllm#45450", "zh vllm#45405"]),
        ("At a1b2c3d.", "在 a1b2c3e。", ["en a1b2c3d", "zh a1b2c3e"]),
        ("On 2026-08-29.", "2026年8月28日。", ["en 2026-08-29", "zh 2026-08-28"]),
        ("In August 2026.", "2026 年 7 月。", ["en 2026-08", "zh 2026-07"]),
        ("An A100.", "一张 H200。", ["en A100", "zh H200"]),
        ("At 32K.", "在 16K。", ["en 32K", "zh 16K"]),
        ("`k=3`", "`k=4`", ["en k=3", "zh k=4"]),
        ("[a](q.md#b)", "[甲](q.md#c)", ["en q.md#b", "zh q.md#c"]),
        ("[a](q.md)", "甲", ["en q.md"]),
        ("[a][b]\n\n[b]: https://x.org/1", "[甲][b]\n\n[b]: https://x.org/2", ["en https://x.org/1", "zh https://x.org/2"]),
        ("See <https://x.org/a>.", "见 <https://x.org/b>。", ["en https://x.org/a", "zh https://x.org/b"]),
        ("---\ntitle: Since `k=3`\n---\n", "---\ntitle: 自 `k=4`\n---\n", ["en k=3", "zh k=4"]),
        ("# A {#a}\n\n0.33.0\n\n# B {#b}\n", "# 甲 {#a}\n\n# 乙 {#b}\n\n0.33.0\n", ["en 0.33.0", "zh 0.33.0"]),
        (TABLE, TABLE.replace("| 2D | 3D |", "| 3D | 2D |"), ["en 2D", "en 3D", "zh 3D", "zh 2D"]),
        (TABLE, TABLE.replace("`a`", "`c`").replace("`b`", "`a`").replace("`c`", "`b`"), ["en a", "en b", "zh b", "zh a"]),
        (TABLE, TABLE.replace("16K", "8K").replace("32K", "16K"), ["en 32K", "en 16K", "zh 16K"]),
    ],
)
def test_what_differs(english: str, chinese: str, expected: list[str]) -> None:
    findings = found(english, chinese)
    assert told(findings) == expected
    assert {finding.code for finding in findings} == {"LM309"}


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("# A {#a}\n\n0.33.0\n\n# B {#b}\n\n`x`\n", "# 甲 {#a}\n\n0.33.0\n\n`x`\n"),
        ("# A {#a}\n\n0.33.0\n", "# 甲 {#b}\n\n0.33.0\n"),
        ("0.33.0", "0.33.0\n\n# 甲 {#a}\n\n`x`"),
        (TABLE, TABLE.replace("| `a` | 32K | 0.33.0 |\n", "")),
        (TABLE, f"{TABLE}\n| `z` |\n|---|\n"),
        (TABLE, "## T {#t}\n"),
    ],
)
def test_what_another_finding_says_is_not_said_again(english: str, chinese: str) -> None:
    assert told(found(english, chinese)) == []
    assert told(found(chinese, english)) == []


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("From 0.32.0 to 0.33.0.", "从 0.33.0 到 0.32.0。", ["LM310 0.32.0"]),
        ("vllm#1 after vllm#2.", "vllm#1 在 vllm#2 之后。", []),
        ("vllm#2 after vllm#1.", "vllm#1 在 vllm#2 之后。", []),
        ("2026-08-01, then 2026-08-02.", "2026-08-02，然后 2026-08-01。", ["LM310 2026-08-01"]),
        ("An A100, then an H200.", "H200 之前是 A100。", []),
        ("`a` before `b`", "`b` 在 `a` 之后", []),
        ("0.32.0, 0.33.0, 0.34.0", "0.33.0、0.32.0", ["LM309 0.34.0"]),
        ("# A {#a}\n\n0.32.0\n\n# B {#b}\n\n0.33.0", "# 甲 {#a}\n\n0.32.0\n\n# 乙 {#b}\n\n0.33.0", []),
    ],
)
def test_order(english: str, chinese: str, expected: list[str]) -> None:
    findings = found(english, chinese)
    assert [f"{finding.code} {name_in(finding)}" for finding in findings] == expected


def test_one_language_alone() -> None:
    page = read_page(Source("en/p.md", "0.33.0"), "p.md", "en")
    project = replace(base(), pages={"en": {"p.md": page}, "zh": {}}, chips={})
    assert check_labels({"en": {"p.md": page}, "zh": {}}, coverage_of(project), "m.yml", Memory()) == []


@pytest.mark.parametrize(
    ("chips", "expected"),
    [
        (("vLLM 0.22.1 to 0.33.0 · A100", "vLLM 0.22.1 至 0.33.0 · A100"), []),
        (("two RX 7900 XT, 32K", "两张 RX 7900 XT，32K"), []),
        (("vLLM 0.22.1", "vLLM 0.12.1"), ["2:14 0.22.1", "3:14 0.12.1"]),
        (("a 2D kernel", "3D 内核"), ["2:11 2D", "3:9 3D"]),
        (("on an A100", "A100"), []),
        (("A100 · H200", "H200 · A100"), ["2:10 A100 LM310"]),
    ],
)
def test_chips(chips: tuple[str, str], expected: list[str]) -> None:
    findings = found("", "", chips)
    found_at = [f"{finding.line}:{finding.column} {name_in(finding)}" for finding in findings]
    assert found_at == [item.removesuffix(" LM310") for item in expected]
    assert all((finding.code == "LM310") == item.endswith("LM310") for finding, item in zip(findings, expected, strict=True))
    assert {finding.path for finding in findings} <= {"site_src/mastheads.yml"}


def test_says_addresses_as_they_are_written() -> None:
    finding, _ = found("# A {#a}\n\n[x](https://a.example/en/one)", "# 甲 {#a}\n\n[x](https://a.example/zh/two)")
    assert "link to 'https://a.example/en/one'" in finding.message
    assert finding.message.endswith("only there: 'https://a.example/zh/two'")


def test_says_what_stands_there_instead() -> None:
    finding, _ = found("# A {#a}\n\nIn 0.33.0.", "# 甲 {#a}\n\n在 0.23.0。")
    expected = "the version '0.33.0' stands here in the section 'a' and not in zh/p.md; only there: '0.23.0'"
    assert finding.message == expected
    finding = found(TABLE, TABLE.replace("0.33.0", ""))[0]
    assert finding.message == "the version '0.33.0' stands here in row 2, column 3 of the table and not, or less often, in zh/p.md"
    finding = found("", "", ("0.22.1", "x"))[0]
    assert finding.message == "the version '0.22.1' stands here and not, or less often, in the chips of 'p' in 'zh'"
