"""What Markdown makes of a page, against what the check has read from its source: nothing may reach a reader that was not checked.

Most pages need no rendering for that: when every `claim:` and `given:` in the text, entities and escapes undone, is one the check has found,
none can be hidden. Only a page where the two counts differ (code that shows the syntax, a mask that may hide too much, raw HTML that imitates
what the library writes) is rendered, and the elements that come out are compared.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import markdown

from ledgermark.badge import badge_of
from ledgermark.contexts import checked_pairs
from ledgermark.findings import Finding, in_words
from ledgermark.markdown_ext import LedgermarkExtension, plain_text
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown.extensions import Extension

    from ledgermark.contexts import Contexts
    from ledgermark.pages import Page

# Each begins with one of a few characters, in both cases, which is what makes looking for it fast.
_SCHEME: Final = re.compile(r"[cCgG](?i:(?<=c)laim|(?<=g)iven)\s*:")
_IMITATION: Final = re.compile(r"[dDlL](?i:(?<=d)ata-(?:claim|given|figure|badge|dataset|erratum)|(?<=l)(?<![\w-]l)m-)")
_BLOCK: Final = re.compile(r"///(?<!////)/*+[ \t]*(?:figure|erratum|evidence)\b")  # from the first slash of a row only
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# What may stand for another character. Not the & of a claim's parameters: no entity without its semicolon gives a letter or a colon.
_ENCODED: Final = re.compile(
    r"[&%\x00-\x08\x0b-\x1f\x7f](?i:(?<=&)(?:(?![A-Za-z_]\w*=)|(?:amp|lt|gt|quot))|(?<=%)[0-9A-F]{2}|(?<![&%]))",
)
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


def is_doubtful(page: Page) -> bool:
    """Return whether the source alone cannot tell that everything Markdown would render has been found."""
    text = page.source.text
    plain = _CONTROL.sub("", unquote(html.unescape(html.unescape(text)))) if _ENCODED.search(text) else text
    written = len(_SCHEME.findall(plain))
    found = len(page.claims.claims) + len(page.claims.given)
    blocks = len(page.figures) + len(page.errata) + len(page.evidence)
    return written != found or len(_BLOCK.findall(plain)) != blocks or bool(_IMITATION.search(plain)) or _front_is_doubtful(page)


def _front_is_doubtful(page: Page) -> bool:
    """Return whether the values of the front matter, decoded (YAML has escapes of its own), hold more than its source shows."""
    values = [html.unescape(value) for value in texts_in(page.meta)]
    starts = [claim.start for claim in page.claims.claims] + [given.start for given in page.claims.given]
    bound = sum(start < page.source.body_start for start in starts)
    return sum(len(_SCHEME.findall(value)) for value in values) != bound or any(_IMITATION.search(value) for value in values)


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a YAML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


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
