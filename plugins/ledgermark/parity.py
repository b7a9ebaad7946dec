"""Whether the languages say the same: the same pages, and on each the same sections, claims, figures and errata."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.givens import check_givens
from ledgermark.listings import check_listings
from ledgermark.memory import Memory
from ledgermark.messages import Message
from ledgermark.order import check_order
from ledgermark.tables import check_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.pages import Page

    Versions = Mapping[str, Page | None]


def check_parity(pages: Mapping[str, Mapping[str, Page]], memory: Memory | None = None) -> list[Finding]:
    """Return where the languages differ.

    Args:
        pages: language code to page path (without the language's folder) to page.
        memory: of projects that have pages of this one.
    """
    memory = memory or Memory()
    return [finding for versions in versions_of(pages) for finding in parity_of(versions, memory)]


def versions_of(pages: Mapping[str, Mapping[str, Page]]) -> list[Versions]:
    """Return the versions of each page, by language; None for one that is not there."""
    paths = sorted({path for by_path in pages.values() for path in by_path})
    return [{language: by_path.get(path) for language, by_path in pages.items()} for path in paths]


def parity_of(versions: Versions, memory: Memory) -> list[Finding]:
    """Return where the versions of one page differ."""
    return memory.once("parity", parity_parts(versions), partial(_check_versions, versions))


def parity_parts(versions: Versions) -> tuple[object, ...]:
    """Return what the differences of the versions of one page are worked out from."""
    return (*versions, *versions.values())


def _check_versions(versions: Versions) -> list[Finding]:
    """Return where the versions of one page differ."""
    findings: list[Finding] = []
    ordered = [page for page in versions.values() if page]
    for language, page in versions.items():
        if page is None:
            message = Message("the page has no version in '{language}'; expected one at the same path", language=language)
            findings.append(Finding(ordered[0].source.path, 1, 1, "LM301", message))
    inventories = [_inventory(page) for page in ordered]
    for (page, here), (other, there) in pairwise(zip(ordered, inventories, strict=True)):
        findings += _compare(page, other, here, there)
        findings += _compare(other, page, there, here)
        findings += check_order(page, other)
        findings += check_listings(page, other)
    return findings


def _compare(page: Page, other: Page, here: _Inventory, there: _Inventory) -> list[Finding]:
    """Return what stands on one page and not on its other version, section by section."""
    findings: list[Finding] = []
    for (code, what), mine, theirs in zip(_KINDS, here, there, strict=True):
        if mine.names != theirs.names:
            findings += _surplus(page, other, code, what, mine, theirs)
    findings += check_givens(page, other)
    findings += check_tables(page, other)
    counterparts = {erratum.id: erratum for erratum in other.errata}
    for erratum in page.errata:
        place = page.source.place(erratum.start)
        counterpart = counterparts.get(erratum.id)
        if counterpart is None:
            message = Message("the erratum '{id}' is not in {path}", id=erratum.id, path=other.source.path)
            findings.append(Finding(page.source.path, *place, "LM304", message))
        elif page.language < other.language and counterpart.date != erratum.date:
            message = Message(
                "'{id}' is dated {date} here and {counterpart_date} in {path}",
                id=erratum.id,
                date=erratum.date,
                counterpart_date=counterpart.date,
                path=other.source.path,
            )
            findings.append(Finding(page.source.path, *place, "LM304", message))
        elif page.language < other.language and set(counterpart.affects) != set(erratum.affects):
            differing = ", ".join(sorted(set(counterpart.affects) ^ set(erratum.affects)))
            message = Message("'{id}' affects other names in {path}: {differing}", id=erratum.id, path=other.source.path, differing=differing)
            findings.append(Finding(page.source.path, *place, "LM304", message))
    if page.language < other.language and page.published != other.published:
        message = Message(
            "the page is dated {published} here and {other_published} in {path}",
            published=page.published,
            other_published=other.published,
            path=other.source.path,
        )
        findings.append(Finding(page.source.path, 1, 1, "LM305", message))
    return findings


@dataclass(frozen=True)
class _Items:
    """Things of one kind that both languages must have, in order: the name of each with the section it stands in, and where it stands."""

    names: list[tuple[str, str]]
    offsets: list[int]


_Inventory = tuple[_Items, ...]
# What an inventory lists, in its order.
_KINDS: Final = (
    ("LM305", Message("section")),
    ("LM302", Message("claim")),
    ("LM303", Message("figure")),
    ("LM303", Message("evidence block")),
)


def _inventory(page: Page) -> _Inventory:
    section_at = page.source.section_at
    sections, claims = page.source.sections, page.claims.claims
    return (
        _Items([(section.id, "") for section in sections], [section.offset for section in sections]),
        _Items([(claim.key.replace("&amp;", "&"), section_at(claim.start)) for claim in claims], [claim.start for claim in claims]),
        *(
            _Items([(block.argument, section_at(block.start)) for block in blocks], [block.start for block in blocks])
            for blocks in (page.figures, page.evidence)
        ),
    )


def _surplus(page: Page, other: Page, code: str, what: str, here: _Items, there: _Items) -> list[Finding]:
    """Return a finding for each item that stands more often in its section here than there, at its last places here."""
    left = Counter(there.names)
    findings: list[Finding] = []
    for (name, section), offset in zip(here.names, here.offsets, strict=True):
        if left[name, section] > 0:
            left[name, section] -= 1
            continue
        where = Message(" in the section '{section}'", section=section) if section else ""
        named = Message("the {what} '{name}'", what=what, name=name) if name else Message("a {what}", what=what)
        message = Message(
            "{named} stands here{where} and not there, or less often, in {path}", named=named, where=where, path=other.source.path
        )
        findings.append(Finding(page.source.path, *page.source.place(offset), code, message))
    return findings
