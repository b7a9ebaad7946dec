"""Whether the badge over a table is that of the data its numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledgermark.badge import BADGES, badge_of
from ledgermark.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.ledger import Ledger
    from ledgermark.pages import Page
    from ledgermark.quantity import Quantity


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
            sources = f"they come from {', '.join(sorted(made))}" if made else "none is bound"
            message = f"no number in the block comes from '{block.argument}'; {sources}"
        elif weaker:
            message = f"numbers in the block come from {', '.join(weaker)}, of weaker evidence than '{block.argument}'; name it instead"
        else:
            continue
        findings.append(Finding(page.source.path, *page.source.place(block.argument_start), "LM605", message))
    return findings
