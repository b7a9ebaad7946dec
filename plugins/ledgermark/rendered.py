"""What Markdown makes of a page, against what the check has read from its source: nothing may reach a reader that was not checked.

Most pages need no rendering for that (see `doubt`). Of those that do, the elements that come out are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final

import markdown

from ledgermark.badge import badge_of
from ledgermark.contexts import checked_pairs
from ledgermark.doubt import texts_in
from ledgermark.findings import Finding, in_words
from ledgermark.markdown_ext import LedgermarkExtension, plain_text
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown.extensions import Extension

    from ledgermark.contexts import Contexts
    from ledgermark.pages import Page

_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass
class _Element:
    tag: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects the elements that carry one of our attributes, each with its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Element] = []
        self._open: list[_Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = _Element(tag, {name: value or "" for name, value in attrs})
        if any(name.startswith("data-") for name in element.attributes):
            self.found.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].tag == tag:
                del self._open[index:]
                break

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text.append(data)


def check_rendered(page: Page, contexts: Contexts, extensions: Sequence[str], configs: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """Return what Markdown renders of a page and the check has not read, as findings.

    Args:
        page: the page.
        contexts: of the checked project.
        extensions: the names of the Markdown extensions of the site.
        configs: their options.
    """
    name = f"{page.language}/{page.path}" if page.language else page.path
    context = contexts.context(name, "")
    others = [item for item in extensions if item not in ("ledgermark", "ledgermark.standalone")]
    options = {key: dict(value) for key, value in configs.items() if key in others}
    body = page.source.text[page.source.body_start :]
    findings: list[Finding] = []
    texts: list[tuple[str, list[str | Extension], dict[str, dict[str, Any]]]] = [
        (body, [*others, LedgermarkExtension(context=context)], options)
    ]
    texts += [(text, [LedgermarkExtension(context=context)], {}) for text in texts_in(page.meta)]
    for text, used, configured in texts:
        try:
            rendered = markdown.markdown(text, extensions=used, extension_configs=configured)
        except Exception as error:  # noqa: BLE001  (any extension of the site may fail in any way on a page)
            return [Finding(page.source.path, 1, 1, "LM901", Message("Markdown cannot render the page: {error}", error=in_words(error)))]
        reader = _Reader()
        reader.feed(rendered)
        reader.close()
        findings += [
            Finding(page.source.path, *page.source.place(_offset(page, "".join(element.text))), "LM109", problem)
            for element in reader.found
            if (problem := _problem(element, page, contexts))
        ]
    if findings:
        return findings
    # What the reader of the HTML did not see, such as a claim in a script, but Markdown made all the same.
    return [
        Finding(page.source.path, 1, 1, "LM109", Message("{message}; write it plainly as [number](claim:…)", message=message))
        for message in context.unchecked
    ]


def _problem(element: _Element, page: Page, contexts: Contexts) -> str:
    """Return why an element must not be there, or an empty text."""
    attributes = element.attributes
    shown = plain_text("".join(element.text))
    unchecked = Message("is rendered but could not be checked")
    if "data-claim" in attributes:
        known = (attributes["data-claim"], shown) in checked_pairs(page.claims.claims)
        return (
            ""
            if known
            else Message(
                "'{shown}' as the claim '{key}' {unchecked}; write it plainly as [number](claim:…)",
                shown=shown,
                key=attributes["data-claim"],
                unchecked=unchecked,
            )
        )
    if "data-given" in attributes:
        known = (attributes["data-given"], shown) in {(given.source, plain_text(given.text)) for given in page.claims.given}
        return (
            ""
            if known
            else Message(
                "'{shown}' as a given number {unchecked}; write it plainly as [number](given: \"source\")", shown=shown, unchecked=unchecked
            )
        )
    if "data-figure" in attributes:
        name = attributes["data-figure"]
        drawn = contexts.checked.drawn.get((name, page.language or contexts.language("")))
        known = name in {block.argument for block in page.figures} and (drawn is None or attributes.get("data-badge") == drawn.badge)
        return (
            ""
            if known
            else Message("the figure '{name}' {unchecked}; begin its block '/// figure' at the margin", name=name, unchecked=unchecked)
        )
    if "data-erratum" in attributes:
        name = attributes["data-erratum"]
        return (
            ""
            if name in {erratum.id for erratum in page.errata}
            else Message("the erratum '{name}' {unchecked}; begin its block at the margin", name=name, unchecked=unchecked)
        )
    return _typed_badge(attributes, page, contexts)


def _typed_badge(attributes: Mapping[str, str], page: Page, contexts: Contexts) -> str:
    if "data-badge" not in attributes and "data-dataset" not in attributes:
        return ""
    dataset = contexts.checked.project.ledger.datasets.get(attributes.get("data-dataset", ""))
    written = attributes.get("data-dataset") in {block.argument for block in page.evidence}
    if dataset is not None and written and badge_of([dataset]) == attributes.get("data-badge"):
        return ""
    return Message("a badge is typed by hand; badges are computed: write '/// evidence | DATASET'")


def _offset(page: Page, text: str) -> int:
    plain = text.replace("\u00a0", " ").strip()  # rendering ties a number to its unit
    return max(page.source.text.find(plain, page.source.body_start), 0) if plain else 0
