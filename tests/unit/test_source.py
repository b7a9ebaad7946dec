"""What Markdown renders is what the check reads: nothing that a reader sees is masked, and places are those of the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.claims import find_claims
from ledgermark.source import Source

CLAIM = "[99 %](claim:gain)"


def read(text: str) -> int:
    """Return how many claims the source shows."""
    return len(find_claims(Source("p.md", text)).claims)


# What the check makes of a page where source and rendering may differ is in test_examine.py.
SHOWN = [
    CLAIM,
    f"a `b` {CLAIM}",
    f"` {CLAIM} ``",
    f"`{CLAIM}",
    f"\\`{CLAIM}`",
    f"`a`{CLAIM}`b`",
    f"a `\n\n{CLAIM} `",
    f"```\n{CLAIM}",
    f"```\ncode\n```\n{CLAIM}\n```\ncode\n```",
    f"~~~\ncode\n```\n~~~\n\n{CLAIM}",
    f"<!-- a --> {CLAIM} <!-- b -->",
    f"`<!--` {CLAIM} `-->`",
    f"- x\n\n    {CLAIM}",
    f"> {CLAIM}",
    f"| a |\n|---|\n| {CLAIM} |",
    f"# {CLAIM} {{#a}}",
    f"Term\n:   {CLAIM}",
    f"/// abstract\n{CLAIM}\n///",
]


@pytest.mark.parametrize("text", SHOWN)
def test_prose_is_read(text: str) -> None:
    assert read(text) == 1


HIDDEN = [
    f"`{CLAIM}`",
    f"`` ` {CLAIM} ``",
    f"``{CLAIM}``",
    f"```\n{CLAIM}\n```",
    f'``` {{.python title="a"}}\n{CLAIM}\n```',
    f"````\n{CLAIM}\n```\n{CLAIM}\n````",
    f"~~~\n{CLAIM}\n~~~",
    f"~~~ x\n{CLAIM}\n```\n~~~",
    f"> ```\n> {CLAIM}\n> ```",
    f"- x\n\n    ```\n    {CLAIM}\n    ```",
    f"<!-- {CLAIM} -->",
    f"<!-- a\n\n{CLAIM} -->",
    f"<script>{CLAIM}</script>",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_code_and_comments_are_left_alone(text: str) -> None:
    assert read(text) == 0


@given(st.text(alphabet="`~<!->ab \n\\|#", max_size=60))
def test_masking_keeps_every_place(text: str) -> None:
    source = Source("p.md", text)
    assert len(source.masked) == len(text)
    assert [index for index, char in enumerate(source.masked) if char == "\n"] == [index for index, char in enumerate(text) if char == "\n"]
    assert all(masked in (char, " ") for masked, char in zip(source.masked, text, strict=True))


@given(st.text(alphabet="ab中\n\r\u2028\t", max_size=60))
def test_a_place_is_line_and_column(text: str) -> None:
    source = Source("p.md", text)
    for offset in range(len(text) + 1):
        line, column = source.place(offset)
        before = text[:offset].split("\n")
        assert (line, column) == (len(before), len(before[-1]) + 1)


@pytest.mark.parametrize(
    ("text", "front", "body"),
    [
        ("---\na: b\n---\nbody", "a: b", "body"),
        ("---\na: b\n...\nbody", "a: b", "body"),
        ("---\n---\nbody", "", "body"),
        ("\ufeff---\na: b\n---\nbody", "a: b", "body"),
        ("---\na: b\n---", "a: b", ""),
        ("--- \na: b\n---\t\nbody", "a: b", "body"),
        ("---\na: b\nbody", "", "---\na: b\nbody"),
        ("body\n---\na: b\n---\n", "", "body\n---\na: b\n---\n"),
        ("\n---\na: b\n---\nbody", "", "\n---\na: b\n---\nbody"),
        ("", "", ""),
    ],
)
def test_front_matter(text: str, front: str, body: str) -> None:
    source = Source("p.md", text)
    assert source.front == front
    assert text[source.body_start :] == body


def test_sections() -> None:
    text = (
        "---\na: '## no {#front}'\n---\n# One {#one}\n\n## Two { .x #two }\n\n```\n## no {#code}\n```\n"
        "## No id\n\n### Three {#three} ###\n<!-- ## no {#comment} -->\n"
    )
    source = Source("p.md", text)
    assert [(section.id, section.level) for section in source.sections] == [("one", 1), ("two", 2), ("three", 3)]
    assert source.section_at(0) == ""
    assert source.section_at(text.index("No id")) == "two"
    assert source.section_at(len(text)) == "three"


def test_comments() -> None:
    text = "<!-- one --> `<!-- code -->` <!--two\nlines-->\n```\n<!-- fence -->\n```\n"
    assert [(text[offset : offset + 4], comment) for offset, comment in Source("p.md", text).comments] == [
        ("<!--", "one"),
        ("<!--", "two\nlines"),
    ]
