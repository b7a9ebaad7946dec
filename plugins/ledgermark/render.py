"""Claims, figures, evidence and errata as HTML elements. Everything that comes from data or Markdown goes in as text, never as markup."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from markdown.util import AtomicString

from ledgermark.badge import MEANINGS, WORDS, badge_of
from ledgermark.catalogue import SOURCE_LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from ledgermark.catalogue import Catalogue
    from ledgermark.descriptor import Dataset
    from ledgermark.figures import Drawn

SCHEMES: Final = ("light", "dark")
_SHORT: Final = 20  # characters up to which a number is kept on one line with its unit
_STILL_SIZE: Final = (720, 360)
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f]")


@dataclass(frozen=True)
class Correction:
    """An erratum in a list of them.

    Attributes:
        title: its own as plain text, or that of its page.
        page: the title of its page as plain text.
        link: the way to it, from file to file, such as `report.md#erratum-five-weeks`.
    """

    date: date
    title: str
    page: str
    link: str


@dataclass
class RenderContext:
    """What a page needs to render: made anew for each page.

    Attributes:
        words: the page's language.
        drawn: the figures by name, in this language.
        datasets: by name.
        checked: key and text of each claim that was checked on this page.
        unchecked: what is wrong with claims that were rendered and are not among them; the host must not publish such a page.
        base: the way from the page's address to the site's root, such as `../../`.
        asks: whether numbers can be asked for their evidence; a feed is read elsewhere.
        links: the same from the page's file, for links and images, which hosts resolve from file to file; such as `../`.
        stills: the names of the figures of which still pictures exist.
        figures: how many figures have been rendered so far.
        late: takes HTML that is put in when other plugins have read the page, by the comment that holds its place; None puts it in at once.
        parts: HTML by the comment in the page whose place it takes, for the pages that the build makes.
        heavy: the same for what a search should not read; it goes through `late`.
        corrections: the errata of all pages, newest first.
        changes: erratum to the published values that changed by it: what they are, old text, new text or None for one that is gone.
    """

    words: Catalogue
    drawn: Mapping[str, Drawn]
    datasets: Mapping[str, Dataset]
    checked: frozenset[tuple[str, str]]
    base: str = ""
    links: str = ""
    asks: bool = True
    stills: frozenset[str] = frozenset()
    figures: int = 0
    unchecked: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    late: dict[str, str] | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    heavy: Mapping[str, str] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    changes: Mapping[str, tuple[tuple[str, str, str | None], ...]] = field(default_factory=dict)


def plain(text: str) -> AtomicString:
    """Return text that Markdown neither interprets nor mistakes for its own placeholders."""
    return AtomicString(_visible(text).replace("&", "&amp;"))


def _visible(text: str) -> str:
    return _UNSEEN.sub("", text)


def element(parent: ET.Element | None, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """Return a new element with a text; attribute names take `_` for `-`, and a trailing one for Python's words."""
    # Python-Markdown leaves what looks like an entity in an attribute alone; from data it is text.
    named = {name.rstrip("_").replace("_", "-"): _visible(value).replace("&", "&amp;") for name, value in attributes.items()}
    made = ET.Element(tag, named) if parent is None else ET.SubElement(parent, tag, named)
    if text:
        made.text = plain(text)
    return made


def claim_attributes(key: str, text: str) -> dict[str, str]:
    """Return the attributes of the element that shows a claim."""
    kind = "lm-claim" if len(text) <= _SHORT else "lm-claim lm-long"
    return {"class": kind, "data-claim": key, "tabindex": "0", "role": "button", "aria-haspopup": "dialog"}


def given_attributes(source: str, text: str) -> dict[str, str]:
    """Return the attributes of the element that shows a number from outside, with its source."""
    kind = "lm-given" if len(text) <= _SHORT else "lm-given lm-long"
    return {"class": kind, "data-given": source, "tabindex": "0", "role": "button", "aria-haspopup": "dialog"}


def badge_element(parent: ET.Element, badge: str, words: Catalogue) -> ET.Element:
    """Return a badge, with what it means as its title."""
    return element(parent, "span", words(WORDS[badge]), class_=f"lm-badge lm-badge--{badge}", title=words(MEANINGS[badge]))


def figure_element(parent: ET.Element, name: str, context: RenderContext, keep: Callable[[str], str]) -> ET.Element | None:
    """Append a figure's card and return the element its caption goes into; None when it could not be drawn (a finding already).

    Args:
        parent: what the card is appended to.
        name: the figure's.
        context: what the page needs.
        keep: takes finished HTML and returns a text that Markdown replaces by it at the end.
    """
    drawn = context.drawn.get(name)
    if drawn is None:
        return None
    context.figures += 1
    context.numbers[name] = context.figures
    words = context.words
    stem = f"assets/figures/{name}.{drawn.language}"
    card = element(
        parent,
        "figure",
        class_="lm-figure",
        id=f"fig-{name}",
        data_figure=name,
        data_badge=drawn.badge,
        data_src=f"{context.base}{stem}.json",
        data_failed=words("The chart could not be loaded; the table below holds the same numbers."),
    )
    head = element(card, "header", class_="lm-figure__head")
    title = element(head, "p", class_="lm-figure__title")
    number = element(title, "span", words("Figure {number}", number=context.figures), class_="lm-figure__number")
    number.tail = plain(f" {drawn.title}")
    badge_element(head, drawn.badge, words)
    if drawn.views:
        element(card, "div", class_="lm-figure__views", role="radiogroup", aria_label=words("What the chart shows"))
    element(card, "div", class_="lm-figure__legend", role="group", aria_label=words("Series shown"))
    plot = element(card, "div", class_="lm-figure__plot", role="group", tabindex="0", aria_label=drawn.alt)
    if name in context.stills:
        width, height = _STILL_SIZE
        for scheme in SCHEMES:
            element(
                plot,
                "img",
                class_="lm-figure__still",
                src=f"{context.links}{stem}.{scheme}.svg",
                alt=drawn.alt,
                width=str(width),
                height=str(height),
                loading="lazy",
                data_scheme=scheme,
            )
    caption = element(card, "figcaption", class_="lm-figure__caption")
    data = figure_data(drawn, f"{context.base}{stem}", words)
    if context.late is not None:
        mark = f"<!--ledgermark: data of {name}-->"
        context.late[mark], data = data, mark
    ET.SubElement(card, "p").text = AtomicString(keep(data))
    return caption


def figure_data(drawn: Drawn, files: str, words: Catalogue) -> str:
    """Return a figure's data table and where to get it, as HTML: as text, since a tree of all its cells would cost more than the article.

    Args:
        drawn: the figure.
        files: the way from the page to the figure's files, without their extension.
        words: the page's language.
    """
    # Where the search of a host reads it after all: the numbers are found under the caption, and every cell would drown the words.
    head = "".join(f'<th scope="col">{_escaped(column)}</th>' for column in drawn.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in cells)}</tr>\n" for cells in drawn.rows)
    label = _escaped(words("Data table: {title}", title=drawn.title))
    name, digest = _escaped(drawn.name), drawn.digest
    return (
        f'<details class="lm-figure__data" data-search-exclude=""><summary>{_escaped(words("Data table"))}</summary>\n'
        f'<div class="lm-scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
        f'<p class="lm-figure__files"><a href="{_escaped(files)}.csv" download="{name}.{_escaped(drawn.language)}.csv">'
        f"{_escaped(words('Download CSV'))}</a> · <code>ledgermark recompute {name}</code> · "
        f'<span class="lm-digest" title="sha256:{digest}">sha256:{digest[:16]}</span></p></details>'
    )


def _escaped(text: str) -> str:
    return html.escape(_visible(text))


def evidence_element(parent: ET.Element, dataset: str, context: RenderContext) -> ET.Element:
    """Append the frame of a table whose rows come from one dataset, with its badge, and return the element the table goes into."""
    described = context.datasets[dataset]
    badge = badge_of([described])
    frame = element(parent, "div", class_="lm-evidence", data_badge=badge, data_dataset=dataset)
    line = element(frame, "p", class_="lm-evidence__head")
    badge_element(line, badge, context.words)
    if described.note and (context.words.language == SOURCE_LANGUAGE or described.note in context.words.messages):
        element(line, "span", context.words.messages.get(described.note, described.note), class_="lm-evidence__note")
    return frame


def erratum_element(parent: ET.Element, identifier: str, when: date, title: str, words: Catalogue) -> ET.Element:
    """Append an erratum's frame, dated, and return it."""
    aside = element(parent, "aside", class_="lm-erratum", id=f"erratum-{identifier}", data_erratum=identifier)
    head = element(aside, "header", class_="lm-erratum__head")
    label = element(head, "span", words("Erratum"), class_="lm-erratum__label")
    label.tail = " "
    element(head, "time", written_date(when, words.language), datetime=when.isoformat()).tail = " "
    if title:
        element(head, "strong", title, class_="lm-erratum__title")
    return aside


def erratum_changes(aside: ET.Element, changes: tuple[tuple[str, str, str | None], ...], words: Catalogue) -> None:
    """Append the published values that an erratum changed: the old one struck, the new one beside it."""
    if not changes:
        return
    listed = element(aside, "ul", class_="lm-erratum__changes")
    for what, old, new in changes:
        item = element(listed, "li", f"{what} ")
        struck = element(item, "del", old, class_="lm-erratum__old")
        struck.tail = " "
        if new is None:
            element(item, "span", words("removed"), class_="lm-erratum__gone")
        else:
            element(item, "ins", new, class_="lm-erratum__new")


def erratum_affects(aside: ET.Element, affects: tuple[str, ...], words: Catalogue) -> None:
    """Append the line that says what an erratum touches."""
    line = element(aside, "p", class_="lm-erratum__affects")
    element(line, "span", words("Affects:")).tail = " "
    for index, name in enumerate(affects):
        code = element(line, "code", name)
        code.tail = "" if index == len(affects) - 1 else " "


def corrections_list(parent: ET.Element, corrections: tuple[Correction, ...], words: Catalogue) -> None:
    """Append a list of corrections: date and way to each, and its page where they are of several; or a sentence that there are none."""
    if not corrections:
        element(parent, "p", words("Nothing has been corrected yet."))
        return
    several = len({item.page for item in corrections}) > 1
    listed = element(parent, "ul", class_="lm-corrections__list")
    for item in corrections:
        entry = element(listed, "li")
        element(entry, "time", written_date(item.date, words.language), datetime=item.date.isoformat()).tail = " "
        element(entry, "a", item.title, href=item.link)
        if several and item.page != item.title:
            entry[-1].tail = " "
            element(entry, "span", item.page, class_="lm-corrections__page")


def written_date(when: date, language: str) -> str:
    """Return a date in a language's long form: 29 August 2026, 2026年8月29日."""
    from babel.dates import format_date  # noqa: PLC0415  (only pages with dates pay)

    return format_date(when, format="long", locale="en_GB" if language == "en" else language).replace(" ", "\u00a0")
