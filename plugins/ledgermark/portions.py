"""Whether a part is smaller than its whole, where the words between two claims count the one out of the other: `[9] of its [13] cells`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.typeset import show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.claims import Claim
    from ledgermark.pages import Page
    from ledgermark.passages import Reading
    from ledgermark.quantity import Quantity

_OUT_OF: Final = re.compile(r"\s*+(?:out\s+)?of\s+(?:(?:the|its|their|all|these|those|our)\s+){0,2}")
# 十三格里的九格, 十三格，其中九格: the whole first, both in one measure word, for four rounds may well have eight calls.
_WITHIN: Final = re.compile(
    r"\s*+(?P<measure>[\u4e00-\u9fff])[^。；：！？，\ufffc]{0,40}?(?:(?:里面|里头|之中|当中|里|中)(?:，\s*)?(?:只?有|的)|，\s*其中(?:只?有)?)\s*"
)


def check_portions(page: Page, reading: Reading, values: Mapping[str, tuple[Quantity, ...]]) -> list[Finding]:
    """Return the parts that are larger than their wholes.

    Args:
        page: the page.
        reading: its text as it is read.
        values: what the data gives, by claim key.
    """
    findings: list[Finding] = []
    for left, right in pairwise(page.claims.claims):
        pair = _portion(reading.text, left, right) if right.start - left.end < _FAR else None
        if pair is None:
            continue
        part, whole = (_count(values.get(claim.key, ())) for claim in pair)
        if part is None or whole is None or not part.unit.measures_like(whole.unit) or part.value <= whole.value:
            continue
        message = Message(
            "{part} ({key}) cannot be counted out of {whole} ({other})",
            part=show(part.value, part.unit),
            key=pair[0].key,
            whole=show(whole.value, whole.unit),
            other=pair[1].key,
        )
        findings.append(Finding(page.source.path, *page.source.place(pair[0].start), "LM114", message, pair[0].text))
    return findings


_FAR: Final = 400  # characters between two claims, a link's target among them, beyond which nothing is looked at


def _portion(text: str, left: Claim, right: Claim) -> tuple[Claim, Claim] | None:
    """Return which of two neighbours is counted out of which, part first, or None."""
    if left.relation or right.relation:
        return None
    if _OUT_OF.fullmatch(text, left.end, right.start):
        return left, right
    within = _WITHIN.fullmatch(text, left.end, right.start)
    return (right, left) if within and text[right.end : right.end + _FAR].lstrip().startswith(within["measure"]) else None


def _count(values: tuple[Quantity, ...]) -> Quantity | None:
    return values[0] if len(values) == 1 and values[0].unit.counts else None
