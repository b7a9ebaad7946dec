"""What stands in one order in both languages: two numbers of one metric that change places say something else, each bound as before."""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.claims import Claim
    from ledgermark.pages import Page


def check_order(page: Page, other: Page) -> list[Finding]:
    """Return where claims of one metric stand in another order than in the same section of the page in another language.

    Cells of tables are left out: each is compared with the one at its place (LM308).

    Args:
        page: the page to report on.
        other: the same page in another language.
    """
    findings: list[Finding] = []
    theirs = _by_metric(other)
    for (section, name), claims in _by_metric(page).items():
        keys, others = ([claim.key.replace("&amp;", "&") for claim in group] for group in (claims, theirs.get((section, name), [])))
        at = exchanged(keys, others)
        if at is not None:
            what = Message("the claims of '{name}'", name=name)
            place = page.source.place(claims[at].start)
            findings.append(order_finding(page.source.path, place, what, section, other.source.path, (keys[at], others[at])))
    return findings


def exchanged(here: Sequence[str], there: Sequence[str]) -> int | None:
    """Return the first place at which two sequences of the same things differ; None where they do not, or have other things in them."""
    if here == there or Counter(here) != Counter(there):
        return None
    return next(at for at, (mine, their) in enumerate(zip(here, there, strict=True)) if mine != their)


def order_finding(path: str, place: tuple[int, int], what: str, section: str, other: str, names: tuple[str, str]) -> Finding:
    """Return the finding that some things stand in another order here.

    Args:
        path: the file.
        place: line and column of the first of them that stands elsewhere there.
        what: what they are, in words.
        section: the section they stand in, or an empty text.
        other: what the other language's version is called.
        names: what stands at that place here, and what there.
    """
    message = Message(
        "{what} stand in another order here{where} than in {path}: '{here}' where '{there}' stands there;"
        " give both one order, or allow it with a reason",
        what=what,
        where=Message(" in the section '{section}'", section=section) if section else "",
        path=other,
        here=names[0],
        there=names[1],
    )
    return Finding(path, *place, "LM310", message)


def _by_metric(page: Page) -> dict[tuple[str, str], list[Claim]]:
    """Return the claims outside tables by section and name, in order."""
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    tables = find_tables(page.source)
    starts = [table.start for table in tables]
    for claim in page.claims.claims:
        before = bisect.bisect_right(starts, claim.start)
        if not before or claim.start >= tables[before - 1].end:
            found[page.source.section_at(claim.start), claim.name].append(claim)
    return found
