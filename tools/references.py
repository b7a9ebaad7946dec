"""What the files of a built site refer to, read with the parser of the standard library.

A reference is either asked for by the browser while it shows the page (a `request`: scripts, styles, pictures, our figure and evidence data)
or followed by a person or a search engine (a `link`). Both must exist; only a link may leave the site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final, Literal

Kind = Literal["request", "link"]

# Attributes whose address the browser fetches by itself, per element. `*` is any element: our scripts read the data attributes.
_REQUESTS: Final = {
    "*": ("data-src", "data-evidence"),
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src",),
    "input": ("src",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src",),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
# `rel` values of <link> that make the browser connect; the others (canonical, alternate, next, prev) only inform.
_CONNECTING_RELS: Final = frozenset(
    {"apple-touch-icon", "dns-prefetch", "icon", "manifest", "modulepreload", "preconnect", "prefetch", "preload", "prerender", "stylesheet"},
)
# Elements of a sitemap whose text is an address.
_ADDRESS_ELEMENTS: Final = frozenset({"loc"})
_META_PICTURES: Final = frozenset({"og:image", "twitter:image"})
_CSS_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_ADDRESS: Final = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Reference:
    """One address as it is written, and what holds it (such as `script src`)."""

    url: str
    holder: str
    kind: Kind


@dataclass
class Document:
    """What one file refers to, and the fragments that others may point at."""

    references: list[Reference] = field(default_factory=list)
    fragments: set[str] = field(default_factory=set)


def read_html(text: str) -> Document:
    """Return the references and fragments of an HTML page, an Atom feed or a sitemap."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.document


def read_css(text: str) -> Document:
    """Return the addresses of a style sheet: `url(...)` and `@import`."""
    document = Document()
    for match in _CSS_ADDRESS.finditer(_CSS_COMMENT.sub(" ", text)):
        url = next((group for group in match.groups() if group), "")
        if url:
            document.references.append(Reference(url, "css url", "request"))
    return document


class _Reader(HTMLParser):
    """Collects references while the parser walks; text matters only inside <style> and the address elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.document = Document()
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._open = tag
        for name in ("id", "name"):
            # A `name` is a target only on <a>; on form fields and <meta> it is something else.
            if values.get(name) and (name == "id" or tag == "a"):
                self.document.fragments.add(values[name])
        for name in (*_REQUESTS["*"], *_REQUESTS.get(tag, ())):
            self._add(values.get(name, ""), f"{tag} {name}", "request")
        for candidate in _srcset(values.get("srcset", "")):
            self._add(candidate, f"{tag} srcset", "request")
        for reference in read_css(values.get("style", "")).references:
            self._add(reference.url, f"{tag} style", "request")
        if tag in {"a", "area"}:
            self._add(values.get("href", ""), f"{tag} href", "link")
        elif tag == "link":
            rels = values.get("rel", "").lower().split()
            connects = not _CONNECTING_RELS.isdisjoint(rels)
            self._add(values.get("href", ""), f"link {' '.join(rels)}".rstrip(), "request" if connects else "link")
        elif tag == "meta" and values.get("property", values.get("name", "")) in _META_PICTURES:
            self._add(values.get("content", ""), "meta picture", "link")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "style":
            for reference in read_css(data).references:
                self._add(reference.url, "style element", "request")
        elif self._open in _ADDRESS_ELEMENTS:
            self._add(data.strip(), self._open, "link")

    def _add(self, url: str, holder: str, kind: Kind) -> None:
        if url.strip():
            self.document.references.append(Reference(url.strip(), holder, kind))


def _srcset(value: str) -> list[str]:
    """Return the addresses of a `srcset`, without their width or density."""
    return [words[0] for part in value.split(", ") if (words := part.split())]
