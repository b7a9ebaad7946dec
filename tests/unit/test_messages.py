"""Every sentence for people can be said in Chinese, with the same places, and says the same of a project."""

from __future__ import annotations

import ast
import io
import json
import re
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po

from ledgermark.badge import MEANINGS
from ledgermark.findings import CODES, Finding, spoken
from ledgermark.messages import Message, joined, needs_words, say_in
from ledgermark.tongue import speaker, tongue

if TYPE_CHECKING:
    from tests.copies import Copy

PACKAGE = Path(__file__).resolve().parents[2] / "plugins/ledgermark"
DOMAINS = [PACKAGE / "locale/zh/LC_MESSAGES" / name for name in ("findings.po", "messages.po")]
# Messages whose template is no constant, by what they are made of: each of these is covered by the tables below.
TABLES = {"CODES", "MEANINGS", "answer"}


def templates() -> dict[str, str]:
    """Return the template of each message in the sources, and a place where it stands."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        named: dict[str, list[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    texts = [item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant) and isinstance(item.value, str)]
                    named.setdefault(target.id, []).extend(texts)
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message"):
                continue
            place, first = f"{path.name}:{node.lineno}", node.args[0]
            if isinstance(first, ast.Constant):
                found.setdefault(str(first.value), place)
            elif isinstance(first, ast.Name) and first.id in named:
                found.update((text, place) for text in named[first.id] if needs_words(text))
            else:
                assert {name.id for name in ast.walk(first) if isinstance(name, ast.Name)} & TABLES, f"{place}: what does this say?"
    return found


@lru_cache
def translations() -> dict[str, str]:
    """Return the Chinese of each sentence."""
    found: dict[str, str] = {}
    for path in DOMAINS:
        for item in read_po(io.BytesIO(path.read_bytes()), locale="zh", abort_invalid=True):
            if item.id:
                found.setdefault(str(item.id), str(item.string))
    return found


def places(template: str) -> set[str]:
    """Return the names in braces of a template that has values."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_each_message_has_its_chinese() -> None:
    needed = {**templates(), **{title: code for code, title in CODES.items()}, **{text: badge for badge, text in MEANINGS.items()}}
    assert [f"{place}: {text}" for text, place in needed.items() if needs_words(text) and not translations().get(text)] == []


def test_no_chinese_is_left_over() -> None:
    catalogue = read_po(io.BytesIO(DOMAINS[0].read_bytes()), locale="zh", abort_invalid=True)
    known = {*templates(), *CODES.values()}
    assert [item.id for item in catalogue if item.id and item.id not in known] == []
    assert [item.id for item in catalogue if item.fuzzy] == []


def test_places_agree() -> None:
    with_values = [text for text in templates() if re.search(r"\{[a-z_]+\}", text)]
    assert with_values
    assert [text for text in with_values if text in translations() and places(text) != places(translations()[text])] == []


def test_nothing_that_people_read_is_said_without_a_message() -> None:
    """What findings and errors are made of is never a text put together on the spot: it could be said in one language only."""
    loose = []
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            at = {
                "Finding": 4,
                "EvaluationError": 1,
                "Problem": 1,
                "LedgerError": 0,
                "UnitError": 0,
                "ConfigError": 0,
                "DisplayError": 0,
                "CannotRun": 0,
            }
            # A place is two arguments written as one star.
            index = at.get(node.func.id, -1) - sum(isinstance(item, ast.Starred) for item in node.args)
            said = node.args[index] if node.func.id in at and 0 <= index < len(node.args) else None
            if isinstance(said, ast.JoinedStr) or (isinstance(said, ast.Constant) and said.value):
                loose.append(f"{path.name}:{node.lineno}")
    assert loose == []


def test_a_message_is_its_english_and_remembers() -> None:
    inner = Message("no dataset '{dataset}'{hint}", dataset="x", hint=Message("; did you mean '{close}'?", close="y"))
    error = ValueError(Message("{called}: {error}", called="f()", error=inner))
    chinese = {"no dataset '{dataset}'{hint}": "没有数据集“{dataset}”{hint}", "; did you mean '{close}'?": "，是不是“{close}”？"}
    assert str(error) == "f(): no dataset 'x'; did you mean 'y'?"
    assert say_in(error, chinese) == "f(): 没有数据集“x”，是不是“y”？"
    assert say_in(inner + "!", chinese) == "没有数据集“x”，是不是“y”？!"
    assert say_in(joined([inner, "z"], Message(" or ")), {**chinese, " or ": "或"}) == "没有数据集“x”，是不是“y”？或z"
    assert joined([], ", ") == ""
    assert say_in("as it is {x}", chinese) == "as it is {x}"
    assert say_in(Message("{braces: too}"), {}) == "{braces: too}"
    finding = spoken(Finding("p.md", 1, 2, "LM105", inner), lambda text: say_in(text, chinese))
    assert str(finding) == "p.md:1:2: LM105 没有数据集“x”，是不是“y”？"


@pytest.mark.parametrize(
    ("asked", "variables", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "en_GB.UTF-8", "LC_ALL": "zh_TW"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        (None, {"LANG": "fr_FR.UTF-8"}, "en"),
        (None, {"LANG": "zh"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", {"LC_ALL": "C.UTF-8"}, "zh"),
    ],
)
def test_which_language_is_spoken(asked: str | None, variables: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert tongue(asked) == language


def test_english_costs_nothing() -> None:
    assert speaker("en") is str


def test_the_command_line_speaks_chinese(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny.check("--lang", "zh") == (0, ["ledgermark：没有问题（绑定：17 en, 17 zh）"])
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    tiny.edit("zh/report.md", "中位的调用", "第 7 次调用")
    tiny.edit("zh/report.md", "claim:gap)。", "claim:gpa)。")
    wrong = [
        "en/report.md:26:24: LM101 写的是 15.1，数据是 15.0（15.0476 ×），依 slowdown（data/trace.csv:2, data/trace.csv:3）",
        "zh/report.md:17:63: LM105 没有指标“gpa”，是不是想写“gap”？",
    ]
    status, lines = tiny.check("--lang", "zh")
    assert status == 1
    assert [line for line in lines if " LM101 " in line or " LM105 " in line] == wrong
    assert lines[-1].startswith("ledgermark：")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert tiny.check() == (1, lines)
    assert any(": LM101 shows 15.1, data gives 15.0 " in line for line in tiny.check("--lang", "en")[1])
    for form in ("json", "github", "sarif"):
        assert "写的是 15.1，数据是 15.0" in "\n".join(tiny.check("--format", form)[1])
    assert "写的数与数据不符" in {item["title"] for item in json.loads("\n".join(tiny.check("--format", "json")[1]))["findings"]}
    assert tiny.run("explain", "en/report.md:26:24")[1][2:4] == ["  中位的调用慢了几倍。", "  给出 15.04761905 ×"]
    assert tiny.run("explain", "en/report.md:1") == (2, ["Error: en/report.md:1 没有数，那里是“---”；最近的是 en/report.md:2:25 的“75.0 %”"])
    tiny.edit("mkdocs.yml", "stills: false", "stlls: false")
    assert tiny.check() == (2, ["Error: ledgermark：不认识选项“stlls”，是不是想写“stills”？"])


def test_a_build_speaks_the_locale(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    done = tiny.build("mkdocs", "-q")
    assert done.returncode == 1
    assert "LM101 写的是 15.1，数据是 15.0" in done.stderr
    assert "ledgermark：1 处问题；第一处：en/report.md:26:24" in done.stdout + done.stderr
