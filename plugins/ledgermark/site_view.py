"""What templates are told about a page: language, masthead, the same page in other languages, evidence, stamp."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import markdown
from markupsafe import Markup

from ledgermark.addresses import relative_url
from ledgermark.contexts import Contexts, checked_pairs
from ledgermark.feed import Entry, atom_feed
from ledgermark.markdown_ext import LedgermarkExtension
from ledgermark.outputs import counts
from ledgermark.render import RenderContext, written_date
from ledgermark.site import FONT_NAME, claims_in, errata_of, evidence_name
from ledgermark.stamp import NO_STAMP, Stamp

if TYPE_CHECKING:
    from ledgermark.pages import Page

_MARKUP: Final = re.compile(r"[\[\]*_`<>&\\]")
_CHIP_LABELS: Final = {"hardware": "Hardware", "model": "Model", "stack": "Stack", "scale": "Scale", "upstream": "Upstream", "date": "Measured"}


@dataclass(frozen=True)
class SiteView(Contexts):
    """A checked project as templates see it.

    Attributes:
        vendor: the names of the files that come out of packages.
        site_url: the site's address, or an empty text.
        built: the date of the build.
    """

    stamp: Stamp = NO_STAMP
    site_name: str = ""
    site_url: str = ""
    built: date = date.min
    vendor: frozenset[str] = frozenset()

    def with_files(self, *, stills: frozenset[str], vendor: frozenset[str]) -> SiteView:
        """Return the same view, knowing which pictures and vendor files the site has."""
        return replace(self, stills=stills, vendor=vendor)

    def inline(self, text: str, page: Page) -> Markup:
        """Return a line of a page's Markdown as HTML without its paragraph."""
        extension, converter = self._converter
        extension.rendered.context = RenderContext(self.words(page.language or self.language("")), {}, {}, checked_pairs(page.claims.claims))
        html = converter.reset().convert(text)
        return Markup(html.removeprefix("<p>").removesuffix("</p>"))  # noqa: S704  (made by Markdown from the project's own page)

    @cached_property
    def _converter(self) -> tuple[LedgermarkExtension, markdown.Markdown]:
        """What turns single lines into HTML: made once, since making it costs more than any line."""
        extension = LedgermarkExtension()
        return extension, markdown.Markdown(extensions=[extension])

    def plain(self, text: str, page: Page) -> str:
        """Return a line of a page's Markdown as plain text: claims as the numbers they show."""
        return str(self.inline(text, page).striptags()) if _MARKUP.search(text) else text

    def template_values(self, name: str, url: str, meta: dict[str, Any]) -> dict[str, Any]:
        """Return what templates know as `lm`.

        Args:
            name: the page's name in the site, such as `en/method.md`.
            url: its address from the site's root, such as `en/method/`.
            meta: its front matter.
        """
        language, page = self.language(name), self.page(name)
        inside = name.startswith(f"{language}/")
        return {
            "lang": language,
            "t": self.words(language),
            "kind": str(meta.get("kind") or "page"),
            "masthead": self._masthead(page) if page and page.meta.get("kicker") else self._data_masthead(name),
            "evidence_url": self._evidence_url(page, language, url, meta),
            "alternates": self._alternates(url),
            "home_url": relative_url(f"{language}/", url),
            "errata_url": relative_url(f"{language}/errata/", url),
            "feed_url": relative_url(f"{language}/errata/feed.xml", url),
            "base_url": relative_url(f"{language}/", url).rstrip("/") if inside else None,
            "font_url": relative_url(FONT_NAME, url) if FONT_NAME in self.vendor else None,
            "image": self._image(page, language),
            "stamp": self._stamp(page, url, language),
        }

    def errata_feed(self, language: str) -> str:
        """Return the Atom feed of a language's errata."""
        words = self.words(language)
        base = self.site_url.rstrip("/")
        entries = []
        for page, erratum in errata_of(self.checked, language):
            folder = page.path.removesuffix(".md").removesuffix("index").rstrip("/")
            url = f"{base}/{language}/{folder}/" if folder else f"{base}/{language}/"
            body = page.source.text[erratum.body_start : erratum.body_end].replace("](#", f"]({url}#")
            pairs = checked_pairs(page.claims.claims)
            html = markdown.markdown(
                body, extensions=["tables", "attr_list", LedgermarkExtension(context=RenderContext(words, {}, {}, pairs, asks=False))]
            )
            title = self.plain(erratum.title or _title(page), page)
            entries.append(Entry(title, f"{url}#erratum-{erratum.id}", erratum.date, html))
        home = f"{base}/{language}/errata/"
        return atom_feed(words("{site}: errata", site=self.site_name), home, f"{home}feed.xml", language, entries, self.built)

    def _masthead(self, page: Page) -> dict[str, Any]:
        words = self.words(page.language)
        chips = []
        for chip in self.checked.project.chips.get(page.path.removesuffix(".md"), ()):
            kind, dates = str(chip["kind"]), chip.get("dates")
            texts = [written_date(item, page.language) for item in dates] if isinstance(dates, list) else []
            text = ("、" if page.language == "zh" else ", ").join(texts) or str(chip.get(page.language) or "")
            chips.append({"kind": kind, "label": words(_CHIP_LABELS.get(kind, kind)), "text": text})
        return {
            "kicker": str(page.meta.get("kicker") or ""),
            "title": self.inline(_title(page), page),
            "dek": self.inline(str(page.meta.get("dek") or ""), page),
            "chips": chips,
        }

    def _data_masthead(self, name: str) -> dict[str, Any] | None:
        """Return the masthead of a page of the data, or None for another page that the build has made."""
        language = self.language(name)
        title = self.data_titles(language).get(name)
        return {"kicker": self.words(language)("Data"), "title": title, "dek": "", "chips": []} if title else None

    def _evidence_url(self, page: Page | None, language: str, url: str, meta: dict[str, Any]) -> str | None:
        if page and page.claims.claims and page.language:
            return relative_url(evidence_name(page), url)
        if meta.get("kind") == "errata" and any(claims_in(source, erratum) for source, erratum in errata_of(self.checked, language)):
            return "evidence.json"
        return None

    def _alternates(self, url: str) -> list[dict[str, Any]]:
        settings = self.checked.project.settings
        language, _, rest = url.partition("/")
        inside = language in settings.languages
        return [
            {
                "lang": code,
                "name": settings.names.get(code, code),
                "url": relative_url(f"{code}/{rest}" if inside else f"{code}/", url),
                "current": inside and code == language,
            }
            for code in settings.languages
        ]

    def _image(self, page: Page | None, language: str) -> str | None:
        if page is None or not self.site_url:
            return None
        first = next((block.argument for block in page.figures if f"{block.argument}.{language}" in self.stills), None)
        return f"{self.site_url.rstrip('/')}/assets/figures/{first}.{language}.light.png" if first else None

    def _stamp(self, page: Page | None, url: str, language: str) -> dict[str, Any]:
        site = counts(self.checked.project.all_pages)
        own = counts([page] if page else [])
        return {
            "commit": self.stamp.commit,
            "commit_short": self.stamp.commit_short,
            "data_short": self.checked.project.digest[:12],
            "built": written_date(self.built, language),
            **{name: site[name] for name in ("claims", "figures", "errata")},
            **{f"page_{name}": own[name] for name in ("claims", "figures", "errata")},
            "page_numbers": self.checked.coverage.of_page(language, page.path).record() if page and page.language else None,
            "url": relative_url("build.json", url),
        }


def _title(page: Page) -> str:
    return str(page.meta.get("title") or page.path)
