"""Errata drafted for published values that have changed: the same block in every language, true as it stands and to be told in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledgermark.pages import read_page
from ledgermark.published import find_gaps, uncovered_names
from ledgermark.record import read_record
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from ledgermark.check import Project
    from ledgermark.pages import Page


@dataclass(frozen=True)
class Draft:
    """An erratum to be put into a page.

    Attributes:
        page: the page.
        id: the erratum's.
        affects: what it names.
        offset: where it goes in the page's text, once that has been mended.
        text: the block.
    """

    page: Page
    id: str
    affects: tuple[str, ...]
    offset: int
    text: str

    def insert(self, text: str) -> str:
        """Return the mended text of the page with the erratum in it."""
        return text[: self.offset] + self.text + text[self.offset :]


def draft_errata(project: Project, mended: Mapping[Page, str], today: date) -> list[Draft]:
    """Return the errata that published values need once pages are mended, one for each language of a page.

    Args:
        project: as read.
        mended: the new text of each page that changes.
        today: the date of the errata.
    """
    history = project.history
    if history.text is None:
        return []
    record, problems = read_record(history.path, history.text)
    if problems:
        return []
    pages = {
        language: {path: _reread(page, mended) for path, page in by_path.items()} for language, by_path in project.pages.items() if language
    }
    gaps = tuple(find_gaps(pages, record, project.settings.aliases))
    drafts: list[Draft] = []
    for path in sorted({gap.path for gap in gaps}):
        names = uncovered_names(gaps, path)
        versions = {language: by_path[path] for language, by_path in pages.items() if path in by_path}
        if not names or not versions:
            continue
        taken = {erratum.id for page in versions.values() for erratum in page.errata} | set(record.errata.get(path, {}))
        stem = f"corrected-{today}"
        identifier = next(name for name in (stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))) if name not in taken)
        for language, page in versions.items():
            words = project.catalogues[language]
            title, body = words("Numbers corrected"), words("The data behind these numbers has changed.")
            block = (
                f'/// erratum | {today}\n    id: {identifier}\n    title: "{title}"\n    affects: "{", ".join(names)}"\n'
                f"{body}\n<!-- {words('Say here what the page said, what is right, and how it was found.')} -->\n///\n"
            )
            offset, text = _placed(page, block)
            drafts.append(Draft(project.pages[language][path], identifier, tuple(names), offset, text))
    return drafts


def _reread(page: Page, mended: Mapping[Page, str]) -> Page:
    return read_page(Source(page.source.path, mended[page]), page.path, page.language) if page in mended else page


def _placed(page: Page, block: str) -> tuple[int, str]:
    """Return where a block goes (behind the page's last erratum, else at its end) and the text with the blank lines it needs there."""
    text = page.source.text
    if not page.errata:
        return len(text), ("" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n") + block
    end = text.find("\n", max(erratum.body_end for erratum in page.errata))
    return (len(text), f"\n\n{block}") if end < 0 else (end + 1, f"\n{block}")
