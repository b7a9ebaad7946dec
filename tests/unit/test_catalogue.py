"""Words come from the catalogues; a catalogue that cannot be read is a finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.catalogue import Catalogue, read_catalogue

HEAD = 'msgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


def read(*texts: str) -> tuple[Catalogue, list[str]]:
    catalogue, findings = read_catalogue("zh", [(f"{index}.po", (HEAD + text).encode()) for index, text in enumerate(texts)])
    return catalogue, [f"{finding.path}:{finding.line} {finding.code}" for finding in findings]


def test_messages() -> None:
    words, findings = read('msgid "a"\nmsgstr "甲"\n\nmsgid "{n} rows"\nmsgstr "{n} 行"\n')
    assert findings == []
    assert words("a") == "甲"
    assert words("{n} rows", n="{n}") == "{n} 行"
    assert words.missing == set()
    assert words("b {n}", n=1) == "b 1"
    assert words.missing == {"b {n}"}


def test_a_later_file_wins() -> None:
    words, _ = read('msgid "a"\nmsgstr "甲"\n', 'msgid "a"\nmsgstr "乙"\n')
    assert words("a") == "乙"


@pytest.mark.parametrize("entry", ['#, fuzzy\nmsgid "a"\nmsgstr "甲"\n', 'msgid "a"\nmsgstr ""\n', '#~ msgid "a"\n#~ msgstr "甲"\n'])
def test_what_is_not_translated(entry: str) -> None:
    words, _ = read(entry)
    assert words("a") == "a"
    assert words.missing == {"a"}


def test_english_needs_no_catalogue() -> None:
    words = Catalogue("en", {})
    assert words("a {n}", n=1) == "a 1"
    assert words.missing == set()


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("msgstr[\n", None),
        ("hello\n", 6),
        ('msgid "{n} rows"\nmsgstr "行"\n', 6),
        ('msgid "rows"\nmsgstr "{n} 行"\n', 6),
        ('msgid "{n} rows"\nmsgstr "{m} 行"\n', 6),
        ('msgid "{n} rows"\nmsgstr "{n.__class__} 行"\n', 6),
        ('msgid "{n} rows"\nmsgstr "{n 行"\n', 6),
    ],
)
def test_a_catalogue_that_is_wrong(entry: str, line: int | None) -> None:
    words, findings = read(entry)
    assert [item.split()[1] for item in findings] == ["LM901"]
    assert line is None or findings[0].startswith(f"0.po:{line} ")
    assert words("{n} rows", n=3) == "3 rows"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=nope\\n"\n',
        b'msgid ""\nmsgstr "Plural-Forms: nplurals=x; plural=((\\n"\n',
        b'msgid ""\nmsgstr "POT-Creation-Date: never\\n"\n',
    ],
)
def test_a_head_that_is_wrong(data: bytes) -> None:
    _, findings = read_catalogue("zh", [("a.po", data)])
    assert all(finding.code == "LM901" for finding in findings)


@given(st.one_of(st.binary(max_size=60), st.text(alphabet='msgidtr[] "\\n:;{}~#,fuzzy\n', max_size=60).map(str.encode)))
def test_any_bytes(data: bytes) -> None:
    words, findings = read_catalogue("zh", [("a.po", HEAD.encode() + data)])
    assert all(finding.code == "LM901" for finding in findings)
    assert words("a")
