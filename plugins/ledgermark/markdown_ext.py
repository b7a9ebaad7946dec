"""The Python-Markdown extension: claims, given numbers, figures, evidence and errata in any host that renders Markdown."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, Final

from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block, type_any, type_string

from ledgermark.blocks import Block as SourceBlock
from ledgermark.errata import count_of, read_errata
from ledgermark.messages import Message
from ledgermark.render import (
    RenderContext,
    claim_attributes,
    corrections_list,
    element,
    erratum_affects,
    erratum_changes,
    erratum_element,
    evidence_element,
    figure_element,
    given_attributes,
)
from ledgermark.source import Source

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

    from markdown import Markdown

# After inline patterns (20) have made the links, before the table of contents (5) reads the headings.
_PRIORITY: Final = 15
_BEFORE_INLINE: Final = 25
# After raw HTML (30), comments among it, is back in its place.
_AFTER_RAW: Final = 5


def plain_text(text: str) -> str:
    """Return a text as a reader sees it, however it is marked up or spaced: to compare source with what was rendered."""
    return " ".join(re.sub(r"[*_~`\\]", "", html.unescape(text)).split())


class RenderedPage:
    """What the page being rendered needs: given by the host, or found out from its text."""

    def __init__(self, context: RenderContext | None) -> None:
        self.context = context


class _Numbers(Treeprocessor):
    """Turns links to `claim:` and `given:` into the elements readers ask for evidence."""

    def __init__(self, md: Markdown, page: RenderedPage) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: ET.Element) -> None:
        """Visit the links."""
        for link in root.iter("a"):
            href = html.unescape(link.get("href", ""))
            scheme, _, key = href.partition(":")
            text = "".join(link.itertext())
            if scheme.lower() == "claim":
                self._note(key, text)
                self._become(link, claim_attributes(key, text))
            elif scheme.lower() == "given":
                self._become(link, given_attributes(html.unescape(link.get("title", "")), text))

    def _note(self, key: str, text: str) -> None:
        context = self.page.context
        if context is not None and (key, plain_text(text)) not in context.checked:
            context.unchecked.append(Message("'{value}' is rendered as the claim '{key}' but was not checked", value=plain_text(text), key=key))

    def _become(self, link: ET.Element, attributes: dict[str, str]) -> None:
        link.tag = "span"
        for name in ("href", "title"):
            link.attrib.pop(name, None)
        if self.page.context is not None and not self.page.context.asks:
            return
        for name, value in attributes.items():
            link.set(name, value.replace("&", "&amp;") if name.startswith("data-") else value)
        if "lm-long" not in attributes["class"] and "," not in attributes.get("data-claim", ""):
            return  # the style sheet keeps a short one on its line
        for part in link.iter():
            # A series may break between its numbers, never between a number and its unit or within a number.
            part.text = _INSIDE.sub("\u00a0", part.text) if part.text else part.text
            if part is not link and part.tail:
                part.tail = _INSIDE.sub("\u00a0", part.tail)


_INSIDE: Final = re.compile(r"(?<=[0-9]) (?=[%×A-Za-zµ0-9])")
_HAN: Final = r"\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60"
_BROKEN: Final = re.compile(rf"(?<=[{_HAN}])[ \t]*\n(?=[{_HAN}])|(?<=[\u3001-\u3011\uff01-\uff0f\uff1a-\uff1f])[ \t]*\n")


class _Lines(Treeprocessor):
    """Joins lines that end and begin with Han: browsers show a line break there as a space."""

    def run(self, root: ET.Element) -> None:
        for item in root.iter():
            if item.tag in ("pre", "code"):
                continue
            if item.text and not isinstance(item.text, AtomicString):
                item.text = _BROKEN.sub("", item.text)
            for child in item:
                if child.tail and not isinstance(child.tail, AtomicString):
                    child.tail = _BROKEN.sub("", child.tail)


class _Parts(Postprocessor):
    """Puts the HTML that the build has made for a page in the place of its marks."""

    def __init__(self, md: Markdown, page: RenderedPage) -> None:
        super().__init__(md)
        self.page = page

    def run(self, text: str) -> str:
        """Return the page with its parts; heavy ones are left to whoever takes what comes late."""
        context = self.page.context
        if context is None:
            return text
        if context.late is None:
            parts = {**context.parts, **context.heavy}
        else:
            parts = dict(context.parts)
            context.late.update(context.heavy)
        for mark, part in parts.items():
            text = text.replace(mark, part, 1)
        return text


class _Block(Block):  # type: ignore[misc]
    """A block that knows what the page needs."""

    @property
    def context(self) -> RenderContext | None:
        page: RenderedPage = self.config["page"]
        return page.context


class FigureBlock(_Block):
    """`/// figure | NAME`: the figure's card; the block's text is its caption."""

    NAME = "figure"
    ARGUMENT = True

    def on_create(self, parent: ET.Element) -> ET.Element:
        """Return the card."""
        caption = figure_element(parent, self.argument, self.context, self.md.htmlStash.store) if self.context else None
        if caption is None:
            # Without a ledger (a viewer that only has the text) the caption still stands, under the same id.
            card = element(parent, "figure", class_="lm-figure", id=f"fig-{self.argument}", data_figure=self.argument)
            self.caption = element(card, "figcaption", class_="lm-figure__caption")
            return card
        self.caption = caption
        return parent[-1]

    def on_add(self, _block: ET.Element) -> ET.Element:
        """Return the caption: where the block's text goes."""
        return self.caption


class EvidenceBlock(_Block):
    """`/// evidence | DATASET`: a table with the badge of the dataset its numbers come from."""

    NAME = "evidence"
    ARGUMENT = True

    def on_create(self, parent: ET.Element) -> ET.Element:
        """Return the frame."""
        if self.context and self.argument in self.context.datasets:
            return evidence_element(parent, self.argument, self.context)
        return element(parent, "div", class_="lm-evidence")


class AbstractBlock(_Block):
    """`/// abstract`: the card that says what was found."""

    NAME = "abstract"
    ARGUMENT = False

    def on_create(self, parent: ET.Element) -> ET.Element:
        """Return the card."""
        card = element(parent, "div", class_="lm-abstract")
        label = self.context.words("Abstract") if self.context else "Abstract"
        element(card, "p", label, class_="lm-abstract__label")
        return card


class ErratumBlock(_Block):
    """`/// erratum | DATE`: a dated correction."""

    NAME = "erratum"
    ARGUMENT = True
    OPTIONS: Final = {"id": ["", type_string], "affects": ["", type_any], "title": ["", type_string]}

    def on_create(self, parent: ET.Element) -> ET.Element:
        """Return the erratum with its head."""
        options = {name: self.options[name] for name in self.OPTIONS}
        source = SourceBlock("erratum", self.argument, 0, 0, 0, 0, options)
        errata, _ = read_errata(Source("", ""), [source])
        self.affects: tuple[str, ...] = ()
        if not errata or self.context is None:
            return element(parent, "aside", class_="lm-erratum", id=f"erratum-{options['id']}", data_erratum=str(options["id"]))
        self.affects = errata[0].affects
        return erratum_element(parent, errata[0].id, errata[0].date, errata[0].title, self.context.words)

    def on_end(self, block: ET.Element) -> None:
        """Append what the erratum touches."""
        if self.affects and self.context:
            erratum_changes(block, self.context.changes.get(str(self.options["id"]), ()), self.context.words)
            erratum_affects(block, self.affects, self.context.words)


class CorrectionsBlock(_Block):
    """`/// corrections | 5`: the five newest errata of all pages, with their dates and the way to each."""

    NAME = "corrections"
    ARGUMENT = True

    def on_create(self, parent: ET.Element) -> ET.Element:
        """Return the frame."""
        return element(parent, "div", class_="lm-corrections")

    def on_end(self, block: ET.Element) -> None:
        """Append the list, after whatever the block says itself."""
        if self.context:
            corrections_list(block, self.context.corrections[: count_of(self.argument)], self.context.words)


class LedgermarkExtension(BlocksExtension):  # type: ignore[misc]
    """Registers the blocks and the treatment of links."""

    def __init__(self, **options: Any) -> None:
        # The default is an empty text because Python-Markdown takes any option whose default is None for a truth value.
        self.config = {"context": ["", "What the page needs to render; made by the host for each page."]}
        super().__init__(**options)

    rendered: RenderedPage

    def page(self, md: Markdown) -> RenderedPage:  # noqa: ARG002  (other hosts need it)
        """Return what is known of the page that a Markdown instance will render."""
        return RenderedPage(self.getConfig("context") or None)

    def extendMarkdownBlocks(self, md: Markdown, block_mgr: Any) -> None:  # noqa: N802  (pymdownx's name)
        """Register with a Markdown instance."""
        page = self.rendered = self.page(md)
        for block in (FigureBlock, EvidenceBlock, AbstractBlock, ErratumBlock, CorrectionsBlock):
            block_mgr.register(block, {"page": page})
        md.treeprocessors.register(_Numbers(md, page), "ledgermark", _PRIORITY)
        md.treeprocessors.register(_Lines(md), "ledgermark-lines", _BEFORE_INLINE)
        md.postprocessors.register(_Parts(md, page), "ledgermark-parts", _AFTER_RAW)


def makeExtension(**options: Any) -> LedgermarkExtension:  # noqa: N802  (Python-Markdown's name)
    """Return the extension."""
    return LedgermarkExtension(**options)
