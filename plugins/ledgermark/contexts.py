"""Which page of the site a text is, and what it needs to render: the same answer for every host."""

from __future__ import annotations

import hashlib
import posixpath
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ledgermark.claims import without_links
from ledgermark.markdown_ext import plain_text
from ledgermark.outputs import sentence_of
from ledgermark.render import RenderContext
from ledgermark.site import claims_in, errata_markdown, errata_of
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.catalogue import Catalogue
    from ledgermark.check import Checked
    from ledgermark.claims import Claim
    from ledgermark.pages import Page


def relative_url(target: str, url: str) -> str:
    """Return the way from the address of one page to another of the same site, both from its root; a folder keeps its slash.

    Args:
        target: such as `en/method/`, `build.json`, or empty for the root.
        url: the page's own, such as `zh/`.
    """
    way = posixpath.relpath(f"/{target}", posixpath.dirname(f"/{url}"))
    return f"{way}/" if target.endswith("/") or not target else way


@dataclass(frozen=True)
class Contexts:
    """The pages of a checked project, and what each needs to render.

    Attributes:
        stills: `NAME.LANG` of the figures of which still pictures exist.
    """

    checked: Checked
    stills: frozenset[str] = frozenset()

    def words(self, language: str) -> Catalogue:
        """Return the words of a language."""
        return self.checked.project.catalogues[language]

    def language(self, name: str) -> str:
        """Return the language of the page with that name in the site (`zh/method.md`); the first for a page that belongs to none."""
        languages = self.checked.project.settings.languages
        first = name.partition("/")[0]
        return first if first in languages else next(iter(languages))

    def page(self, name: str) -> Page | None:
        """Return the page with that name in the site, or None when it was made by the build."""
        language, _, path = name.partition("/")
        pages = self.checked.project.pages
        return pages.get(language, {}).get(path) or pages.get("", {}).get(name)

    def context(self, name: str, url: str) -> RenderContext:
        """Return what the Markdown of a page needs to render."""
        language, page = self.language(name), self.page(name)
        claims = page.claims.claims if page else ()
        if name == f"{language}/errata.md":
            claims = tuple(claim for source, erratum in errata_of(self.checked, language) for claim in claims_in(source, erratum))
        drawn = {figure: item for (figure, of), item in self.checked.drawn.items() if of == language}
        return RenderContext(
            words=self.words(language),
            drawn=drawn,
            datasets=self.checked.project.ledger.datasets,
            checked=checked_pairs(claims),
            base=relative_url("", url),
            links="../" * name.count("/"),
            stills=frozenset(figure for figure in drawn if f"{figure}.{language}" in self.stills),
            changes=self.changes(language, page),
        )

    def changes(self, language: str, page: Page | None) -> dict[str, tuple[tuple[str, str, str | None], ...]]:
        """Return, by erratum, the published values it changed, each with the sentence of what it is; of all pages when none is named."""
        words, project = self.words(language), self.checked.project
        found: dict[str, tuple[tuple[str, str, str | None], ...]] = {}
        for (of, path, erratum), changes in self.checked.published.changes.items():
            if of == language and (page is None or path == page.path):
                lines = tuple((sentence_of(change.claim, project, words), change.old, change.new) for change in changes)
                found[erratum] = (*found.get(erratum, ()), *lines)
        return found

    def errata_page(self, language: str) -> str:
        """Return the Markdown of the page that lists a language's errata."""
        pages = self.checked.project.pages[language].values()
        titles = {page.path: without_links(str(page.meta.get("title") or page.path)) for page in pages}
        return errata_markdown(self.checked, language, self.words(language), titles)

    def name_of(self, text: str) -> str | None:
        """Return the name of the page whose Markdown, without front matter, this is: some hosts do not say which page they render."""
        return self._names.get(_fingerprint(text))

    @cached_property
    def _names(self) -> dict[str, str]:
        names = {}
        for language, pages in self.checked.project.pages.items():
            for path, page in pages.items():
                names[_fingerprint(page.source.text[page.source.body_start :])] = f"{language}/{path}" if language else path
            if language:
                listed = Source("", self.errata_page(language))
                names[_fingerprint(listed.text[listed.body_start :])] = f"{language}/errata.md"
        return names


def checked_pairs(claims: Iterable[Claim]) -> frozenset[tuple[str, str]]:
    """Return key and text of claims, as a rendered page shows them."""
    return frozenset((claim.key.replace("&amp;", "&"), plain_text(claim.text)) for claim in claims)


def address_of(name: str) -> str:
    """Return the address of a page in the site, from its root: `en/method.md` is at `en/method/`."""
    folder = name.removesuffix(".md")
    folder = "" if folder == "index" else folder.removesuffix("/index")
    return f"{folder}/" if folder else ""


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()
