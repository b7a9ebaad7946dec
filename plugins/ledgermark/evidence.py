"""Whether the badge over a table, or of a figure, is that of the data its numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledgermark.badge import BADGES, badge_of
from ledgermark.findings import Finding
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.ledger import Ledger
    from ledgermark.pages import Page
    from ledgermark.quantity import Cell, Quantity


def check_captions(page: Page, values: Mapping[str, tuple[Quantity, ...]], drawn: Mapping[str, frozenset[Cell]]) -> list[Finding]:
    """Return the figures whose caption has numbers, none of them from the data that the figure draws: another figure was meant.

    Args:
        page: the page.
        values: what the data gives, by claim key.
        drawn: the cells that each figure of the page has read.
    """
    findings: list[Finding] = []
    for block in page.figures:
        inside = [claim for claim in page.claims.claims if block.body_start <= claim.start < block.body_end]
        if not inside or block.argument not in drawn or not all(values.get(claim.key) for claim in inside):
            continue  # nothing to compare, or said elsewhere
        made = {cell.dataset for claim in inside for value in values[claim.key] for cell in value.evidence}
        if made.isdisjoint(cell.dataset for cell in drawn[block.argument]):
            sources = Message("they come from {names}", names=", ".join(sorted(made)))
            message = Message("no number in the caption comes from what '{name}' draws; {sources}", name=block.argument, sources=sources)
            findings.append(Finding(page.source.path, *page.source.place(block.argument_start), "LM605", message))
    return findings


def check_evidence(page: Page, values: Mapping[str, tuple[Quantity, ...]], ledger: Ledger) -> list[Finding]:
    """Return the evidence blocks whose dataset made none of the numbers in them, or whose badge is stronger than that of a number there.

    Args:
        page: the page.
        values: what the data gives, by claim key.
        ledger: the data.
    """
    findings: list[Finding] = []
    for block in page.evidence:
        inside = [claim for claim in page.claims.claims if block.body_start <= claim.start < block.body_end]
        if block.argument not in ledger.datasets or not all(values.get(claim.key) for claim in inside):
            continue  # said elsewhere
        made = {cell.dataset for claim in inside for value in values[claim.key] for cell in value.evidence}
        badge = badge_of([ledger.datasets[block.argument]])
        weaker = [name for name in sorted(made) if BADGES.index(badge_of([ledger.datasets[name]])) < BADGES.index(badge)]
        if block.argument not in made:
            sources = Message("they come from {names}", names=", ".join(sorted(made))) if made else Message("none is bound")
            message = Message("no number in the block comes from '{name}'; {sources}", name=block.argument, sources=sources)
        elif weaker:
            message = Message(
                "numbers in the block come from {names}, of weaker evidence than '{name}'; name it instead",
                names=", ".join(weaker),
                name=block.argument,
            )
        else:
            continue
        findings.append(Finding(page.source.path, *page.source.place(block.argument_start), "LM605", message))
    return findings
