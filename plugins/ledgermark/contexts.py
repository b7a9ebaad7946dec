"""Which page of the site a text is, and what it needs to render: the same answer for every host."""

from __future__ import annotations

import hashlib
import posixpath
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ledgermark.addresses import data_index, data_page, relative_url
from ledgermark.claims import without_links
from ledgermark.datafacts import DataFacts, data_facts
from ledgermark.datafiles import forms_of
from ledgermark.datapages import DataSheet, index_markdown, index_parts, page_markdown, page_parts, title_of
from ledgermark.datauses import DataUse, data_uses
from ledgermark.markdown_ext import plain_text
from ledgermark.outputs import sentence_of
from ledgermark.render import Correction, RenderContext
from ledgermark.site import claims_in, errata_markdown, errata_of
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.catalogue import Catalogue
    from ledgermark.check import Checked
    from ledgermark.claims import Claim
    from ledgermark.descriptor import Dataset
    from ledgermark.pages import Page


@dataclass(frozen=True)
class Contexts:
    """The pages of a checked project, and what each needs to render.

    Attributes:
        stills: `NAME.LANG` of the figures of which still pictures exist.
        data: the names in the site of the datasets' files.
    """

    checked: Checked
    stills: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()

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
        parts, heavy = self.data_parts(name)
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
            parts=parts,
            corrections=self.corrections(page) if page else (),
            heavy=heavy,
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

    def corrections(self, page: Page) -> tuple[Correction, ...]:
        """Return the errata of a page's language, newest first, as that page lists them."""
        language = page.language or self.language("")
        folder = posixpath.dirname(page.path) or "."
        found = self._corrections[language]
        return tuple(replace(item, link=posixpath.relpath(item.link if page.language else f"{language}/{item.link}", folder)) for item in found)

    @cached_property
    def _corrections(self) -> dict[str, tuple[Correction, ...]]:
        """The errata by language, with the ways to them from the language's folder."""
        found: dict[str, tuple[Correction, ...]] = {}
        for language in self.checked.project.settings.languages:
            items = [
                (page, erratum, without_links(str(page.meta.get("title") or page.path))) for page, erratum in errata_of(self.checked, language)
            ]
            found[language] = tuple(
                Correction(erratum.date, without_links(erratum.title) or title, title, f"{page.path}#erratum-{erratum.id}")
                for page, erratum, title in items
            )
        return found

    def errata_page(self, language: str) -> str:
        """Return the Markdown of the page that lists a language's errata."""
        pages = self.checked.project.pages[language].values()
        titles = {page.path: without_links(str(page.meta.get("title") or page.path)) for page in pages}
        return errata_markdown(self.checked, language, self.words(language), titles)

    def data_pages(self, language: str) -> dict[str, str]:
        """Return the Markdown of a language's pages of the data, by their names in the site; a page of the project goes before one of these."""
        if not self.checked.project.settings.data_pages:
            return {}
        words = self.words(language)
        pages = {data_index(language): index_markdown(language, words)}
        pages |= {data_page(language, name): page_markdown(item, language, words) for name, item in sorted(self._datasets.items())}
        return {name: text for name, text in pages.items() if self.page(name) is None}

    def data_titles(self, language: str) -> dict[str, str]:
        """Return the titles of the datasets' pages of a language, by their names in the site."""
        words = self.words(language)
        return {data_page(language, name): title_of(item, words) for name, item in self._datasets.items()}

    def data_parts(self, name: str) -> tuple[dict[str, str], dict[str, str]]:
        """Return what stands at the marks of a page of the data: what a search should find, and what not."""
        language = self.language(name)
        if name == data_index(language):
            return index_parts([self._sheet(item, language) for item in self._datasets], language, self.words(language)), {}
        dataset = next((item for item in self._datasets if name == data_page(language, item)), None)
        return page_parts(self._sheet(dataset, language), language, self.words(language)) if dataset is not None else ({}, {})

    @property
    def _datasets(self) -> dict[str, Dataset]:
        return self.checked.project.ledger.datasets if self.checked.project.settings.data_pages else {}

    def _sheet(self, dataset: str, language: str) -> DataSheet:
        project = self.checked.project
        table = project.ledger.table(dataset)
        uses = self._uses[language].get(dataset, ())
        return DataSheet(table, self._facts[dataset], project.digests.get(table.dataset.path, ""), forms_of(dataset, self.data), uses)

    @cached_property
    def _facts(self) -> dict[str, DataFacts]:
        ledger = self.checked.project.ledger
        return {name: data_facts(ledger.table(name)) for name in ledger.datasets}

    @cached_property
    def _uses(self) -> dict[str, dict[str, tuple[DataUse, ...]]]:
        return {language: data_uses(self.checked, language) for language in self.checked.project.settings.languages}

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
                for name, text in self.data_pages(language).items():
                    made = Source("", text)
                    names[_fingerprint(made.text[made.body_start :])] = name
        return names


def checked_pairs(claims: Iterable[Claim]) -> frozenset[tuple[str, str]]:
    """Return key and text of claims, as a rendered page shows them."""
    return frozenset((claim.key.replace("&amp;", "&"), plain_text(claim.text)) for claim in claims)


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()
