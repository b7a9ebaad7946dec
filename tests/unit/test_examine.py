"""Whatever Markdown makes of a page: a wrong number that a reader would see as checked is a finding."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import markdown
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgermark.findings import Finding

WRONG = "[99 %](claim:gain?context=1024)"
# As in mkdocs.yml, which is what pages are rendered with.
EXTENSIONS = [
    "abbr",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "pymdownx.superfences",
    "pymdownx.highlight",
    "pymdownx.inlinehilite",
    "ledgermark",
]
CheckPage = Callable[[str], list[Finding]]


class _Numbers(HTMLParser):
    """Collects the attributes of the elements that readers take for checked."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.found += [name for name, _ in attrs if name in ("data-claim", "data-figure", "data-erratum")]


def rendered(text: str) -> list[str]:
    """Return what a reader of a page takes for checked."""
    parser = _Numbers()
    parser.feed(markdown.markdown(text, extensions=EXTENSIONS))
    return parser.found


def about_numbers(findings: list[Finding]) -> list[str]:
    """Return the codes that stand for a number, figure or erratum that is wrong or cannot be checked."""
    return [finding.code for finding in findings if finding.code[:3] in ("LM1", "LM4", "LM6")]


SHOWN = [
    WRONG,
    f"` {WRONG} ``",
    f"`a\\`{WRONG}`",
    f"a `\n\n{WRONG} `",
    f"> q `\n\n{WRONG} `",
    f"```\n{WRONG}",
    f"<!-- a --> {WRONG} <!-- b -->",
    f"`<!--` {WRONG} `-->`",
    f"&lt;!-- {WRONG} -->",
    f"x[^1]\n\n[^1]: {WRONG}",
    f"<code>{WRONG}</code>",
    f"<div markdown>\n{WRONG}\n</div>",
    f"- a `\n- {WRONG} `",
    f"# h `\n{WRONG} `",
    f"```x``` {WRONG}\n\n```\ncode\n```",
    f"``` ```\n{WRONG}\n```\nx\n```",
    f"```\n{WRONG}\n````",
    f"    ```\n{WRONG}\n    ```",
    f"<!-- ` -->{WRONG}<!-- ` -->",
    f"<!-- a --!> {WRONG} -->",
    f"x <!-- a\n\n{WRONG} -->",
    f"``{WRONG}`{WRONG}{WRONG}`",
    "[99 %](&#99;laim:gain?context=1024)",
    "[99 %](claim&#58;gain?context=1024)",
    "[99 %](claim&colon;gain?context=1024)",
    "[99 %][r]\n\n[r]: claim:gain?context=1024",
    "[99 %][r]\n\n[r]: &#99;laim:gain?context=1024",
    " /// figure | nosuch\nx\n///\n",
    "- a\n\n    /// figure | nosuch\n    x\n    ///\n",
    "   /// erratum | 2029-01-01\n    id: a\n    affects: gain\n\nx\n   ///\n",
    "- a\n\n    /// erratum | 2029-01-01\n        id: a\n        affects: gain\n\n    x\n    ///\n",
    '<span data-claim="gain?context=1024">99 %</span>',
    '*99 %*{: data-claim="gain?context=1024"}',
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_a_reader_sees_is_checked(text: str, check_page: CheckPage) -> None:
    assert rendered(text)
    assert about_numbers(check_page(text))


@pytest.mark.parametrize("text", SHOWN[:27])
def test_it_is_checked_beside_a_right_one_of_the_same_name(text: str, check_page: CheckPage) -> None:
    right = "[25.3 %](claim:gain?context=1024)"
    assert about_numbers(check_page(right)) == []
    assert about_numbers(check_page(f"{right}\n\n{text}"))


FRAGMENTS = st.sampled_from(
    [
        *(WRONG, "`", "``", "```", "```\n", "\n```\n", "~~~\n", "````\n", "```py\n", "``` ```"),
        *("\n", "\n\n", "- ", "1. ", "    ", "> ", "# ", "| ", "|---|\n", "a", " ", "*", "\\", "[", "]("),
        *("<!--", "-->", "<!-- x -->", "<script>", "</script>", "<div markdown>", "</div>", "///\n", "/// abstract\n"),
    ]
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, min_size=1, max_size=12).map("".join))
def test_whatever_is_put_together(check_page: CheckPage, text: str) -> None:
    text = f"[25.3 %](claim:gain?context=1024)\n\n{text}"
    if len(rendered(text)) > 1:
        assert about_numbers(check_page(text))
