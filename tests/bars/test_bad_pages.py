"""Whatever pages, catalogues and configuration hold, a command answers with findings (1) or one line why it cannot run (2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.bars.answers import answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.copies import Copy

PAGE = "en/report.md"
CLAIM, KEY = "[75 %](claim:widest?contexts=1024,32768&is=at_most)", "claim:widest?contexts=1024,32768&is=at_most"
FRONTS = (
    *("date: 2026-02-30", "date: 2026-13-01", "date: 2026-01-01 25:00:00", "date: 0000-01-01", "date: soon", "title: !!int abc"),
    *("title: !!bool x", "title: !!timestamp x", "title: !!python/name:os.system", "title: &a [*a]", "title: *a", 'title: "\\ud800"'),
    *("title: a: b", "\ttitle: x", 'title: "x', "- a", "title: \x07", "? [a]\n: b", f"rows: {'9' * 5000}"),
)
SHOWN = (
    *("1e99999999 %", "9" * 5000 + " %", "75." + "0" * 40 + "1 %", "百千万 %", "十十十", "thirty thirty percent", "½", "−−75 %", ""),
    *("75 % 75 %", "75 pp", "75 ×", "75", "7 5 %", "75,0 %", "%75", "负75 %", "75 %\u200b", "\u202e% 57"),
)
KEYS = (
    *("widest", "Widest?contexts=1024", "widest?contexts=", "widest?contexts=1024,", "widest?contexts=1e3", "widest?self=1"),
    *("widest?contexts=%00", "widest?contexts=%ff", "widest?contexts=1024&contexts=1024", f"widest?contexts={'9' * 5000}"),
    *("ladder.tok_s?self=1", "ladder.tok_s?dataset=x", "ladder.tok_s", "ladder.arm?context=1024", "ladder.?x=1", ".tok_s"),
    *("widest?contexts=1024&unit=s**9**9**9", "widest?contexts=1024&is=atmost", "widest?contexts=1024&show=yes"),
    *("gain?ledger=1", "", "?", "%67ain"),
)
OPTIONS = ("id: 2026-02-30", "id: [", "id: <b>", "id: &a [*a]", "id: !!int x", "wrong: days-apart")
DATES = ("", "2026-02-30", "9999-01-01", "soon")


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def dated(line: str) -> Callable[[str], str]:
    """Return an edit that puts a line in place of the front matter's date."""
    return lambda text: re.sub(r"^date: .*$", lambda _: line, text, count=1, flags=re.MULTILINE)


PAGES: dict[str, Callable[[str], str | bytes]] = {
    **{f"front {line[:24]!r}": dated(line) for line in FRONTS},
    **{f"claim {shown[:16]!r}": swap(CLAIM, CLAIM.replace("75 %", shown)) for shown in SHOWN},
    **{f"key {key[:24]!r}": swap(KEY, f"claim:{key}") for key in KEYS},
    **{f"erratum {line!r}": swap("    id: days-apart", f"    {line}") for line in OPTIONS},
    **{f"dated {date!r}": swap("erratum | 2026-08-28", f"erratum | {date}") for date in DATES},
    "UTF-16": lambda text: text.encode("utf-16"),
    "not UTF-8": lambda text: text.encode() + b"\xe9",
    "figure without a name": swap("/// figure | rates", "/// figure"),
    "figure misspelt": swap("/// figure | rates", "/// figure | <script>"),
    "figure twice": swap("/// figure | rates", "/// figure | rates\n///\n\n/// figure | rates"),
    "figure never closed": swap("///\n\n## Calls", "## Calls"),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, tiny: Copy) -> None:
    content = PAGES[name](tiny.read(PAGE))
    assert content != tiny.read(PAGE), "the case changes nothing"
    tiny.write(PAGE, content)
    assert answers(tiny) == 1


@pytest.mark.parametrize("path", ["en/report.md", "zh/report.md"])
def test_page_in_one_language(path: str, tiny: Copy) -> None:
    tiny.remove(path)
    assert answers(tiny) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("part", [r"\[[^\]]*\]\(claim:gap\)", r"^/// figure .*?^///$", r"^/// erratum .*?^///$", r"\(given: [^)]*\)"])
def test_part_in_one_language(part: str, language: str, tiny: Copy) -> None:
    path = f"{language}/report.md"
    text, count = re.subn(part, "", tiny.read(path), count=1, flags=re.MULTILINE | re.DOTALL)
    assert count == 1
    tiny.write(path, text)
    assert answers(tiny) == 1


CATALOGUE = "site_src/locale/zh/LC_MESSAGES/messages.po"
TRANSLATIONS = ("图 {nummer}", "图 {", "图 {0}", "图 {number.__class__}", "图")


def added(entry: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data + b"\n" + entry


CATALOGUES: dict[str, Callable[[bytes], bytes]] = {
    **{f"places {text!r}": added(f'msgid "Figure {{number}}"\nmsgstr "{text}"\n'.encode()) for text in TRANSLATIONS},
    "open quote": added(b'msgid "x'),
    "not UTF-8": added(b'msgid "a"\nmsgstr "\xe9"\n'),
    "unknown charset": lambda data: data.replace(b"UTF-8", b"nope").replace(b"utf-8", b"nope"),
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("name", CATALOGUES)
def test_catalogue(name: str, tiny: Copy) -> None:
    tiny.write(CATALOGUE, CATALOGUES[name](tiny.read(CATALOGUE).encode()))
    assert answers(tiny) == 1


MASTHEADS = ("report: [", "- a", "report: x", "report: [x]", "report: [{en: a}]", "report: [{kind: date, dates: [soon]}]", "report: &a [*a]")


@pytest.mark.parametrize("text", MASTHEADS)
def test_mastheads(text: str, tiny: Copy) -> None:
    tiny.write("site_src/mastheads.yml", text)
    assert answers(tiny) == 1


PLUGINS = ("5", "[5]", "[{}]", "[search]", "[{ledgermark: 5}]", "[{ledgermark: [1]}]", "[{ledgermark: x}]")
SETTINGS = (
    *("still: false", "metrics: 5", "metrics: ../x.py", 'metrics: "\\0"', "languages: 5", "languages: {en: nope}", "languages: {en: /en}"),
    *("stills: 5", "units: 5", 'units: {"%": [""]}', "units: {furlong: [x]}", "navigation: 5", "navigation: [5]"),
)
TEXTS = ("", "- a", "a: [", "x: 2026-02-30", "a: " + "[" * 1500, "INHERIT: mkdocs.yml", "INHERIT: nope.yml")
CONFIGURATIONS = {
    **{f"plugins {plugins}": f"site_name: x\nplugins: {plugins}" for plugins in PLUGINS},
    **{f"setting {setting}": f"site_name: x\nplugins: [{{ledgermark: {{{setting}}}}}]" for setting in SETTINGS},
    **{f"text {text[:20]!r}": text for text in TEXTS},
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration(name: str, tiny: Copy) -> None:
    tiny.write("mkdocs.yml", CONFIGURATIONS[name])
    assert answers(tiny) == 2


def test_no_configuration(tiny: Copy) -> None:
    tiny.remove("mkdocs.yml")
    assert answers(tiny) == 2


def test_date_of_the_build_that_is_none(tiny: Copy) -> None:
    tiny.epoch = "soon"
    assert answers(tiny) == 2


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "a\u202eb", "a%0A::error::b"])
def test_file_name_that_steers(name: str, tiny: Copy) -> None:
    tiny.write(f"en/{name}.md", "# Page [76.0 %](claim:gain?context=32768)\n")
    for form in ("text", "github"):
        status, lines = tiny.check("--format", form)
        assert status == 1
        assert not any(char in line for line in lines for char in "\x1b\u202e")
        assert all("LM" in line for line in lines if not line.startswith("ledgermark: "))
    dry, lines = tiny.run("fix", "--check")
    assert dry == 1
    assert not any(char in line for line in lines for char in "\x1b\u202e")
