"""Any page, however its constructs are nested: no error, no hang, and each finding points at what it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Final

import markdown
from hypothesis import HealthCheck, given, settings

from ledgermark.check import Checked, Project
from ledgermark.findings import CODES, Finding
from ledgermark.fix import apply_edits, find_edits
from ledgermark.metrics import Evaluator
from ledgermark.pages import read_page
from ledgermark.source import Source
from tests.fuzz.documents import PAGES, WRONG

Check = Callable[[Mapping[str, str]], Checked]
# As in mkdocs.yml, which is what pages are rendered with.
EXTENSIONS: Final = ("attr_list", "def_list", "footnotes", "md_in_html", "tables", "pymdownx.superfences", "pymdownx.highlight", "ledgermark")
# What these show is the number as written; others show words, joined over the ends of lines.
EXACT: Final = ("LM101", "LM102", "LM103", "LM110", "LM121", "LM122", "LM124")
BOUND: Final = [text[1:].partition("](claim:")[0] for text in WRONG]
together = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def misplaced(finding: Finding, text: str) -> str:
    """Return what is wrong with a finding's place, or an empty text."""
    lines = text.split("\n")
    if not 1 <= finding.line <= len(lines) or not 1 <= finding.column <= len(lines[finding.line - 1]) + 1:
        return "no such place"
    after = "\n".join([lines[finding.line - 1][finding.column - 1 :], *lines[finding.line :]])
    if finding.code in EXACT and finding.shown and not after.startswith(finding.shown):
        return f"'{after[:30]}' is not '{finding.shown}'"
    return ""


@together
@given(PAGES, PAGES)
def test_any_pair_of_pages_is_checked(check: Check, en: str, zh: str) -> None:
    texts = {"en/p.md": en, "zh/p.md": zh}
    checked = check({"en": en, "zh": zh})
    for finding in checked.findings:
        assert finding.code in CODES
        assert finding.message.strip()
        if finding.path in texts:
            assert misplaced(finding, texts[finding.path]) == "", finding


class _Wrong(HTMLParser):
    """Collects the wrong numbers of which a page says that they are checked."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._depth = 0
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if any(name == "data-claim" for name, _ in attrs):
            self._depth, self._text = 1, ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._depth and tag == "span":
            self._depth = 0
            self.found += [self._text] if self._text in BOUND else []


def wrong_ones(text: str) -> list[str]:
    """Return the wrong numbers that a reader of a page would take for checked."""
    parser = _Wrong()
    parser.feed(markdown.markdown(text, extensions=list(EXTENSIONS)))
    return parser.found


@together
@given(PAGES)
def test_a_wrong_number_that_is_rendered_is_found(check: Check, text: str) -> None:
    body = text[Source("p.md", text).body_start :]
    if wrong_ones(body):
        assert {finding.code for finding in check({"en": text}).findings} & {"LM101", "LM109", "LM901"}


@together
@given(PAGES)
def test_fixing_ends(project: Project, text: str) -> None:
    evaluator = Evaluator(project.ledger, project.metrics or {})
    page = read_page(Source("en/p.md", text), "p.md", "en")
    fixed = apply_edits(text, find_edits(page, project, evaluator))
    again = read_page(Source("en/p.md", fixed), "p.md", "en")
    assert find_edits(again, project, evaluator) == []
    assert len(again.claims.claims) == len(page.claims.claims)
