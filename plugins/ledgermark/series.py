"""A series beside the contexts that its sentence lists: `1K, 8K and 32K` over values asked for in that order."""

from __future__ import annotations

import bisect
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.passages import SENTENCE

if TYPE_CHECKING:
    from ledgermark.pages import Page
    from ledgermark.passages import Reading, Span

# Begins with a digit, to which a search jumps.
_LENGTH: Final = re.compile(r"([0-9](?<![A-Za-z0-9.+-][0-9])(?<![0-9],[0-9])[0-9]{0,3})K(?![A-Za-z0-9])")
_BETWEEN: Final = re.compile(r"(?:[ ]?、[ ]?|，|,[ \n]?(?:and[ \n]|or[ \n])?|[ \n](?:and|or)[ \n]|[ \n]?[和与及或][ \n]?)")
_SHORTEST: Final = 500  # what is smaller counts rows or rounds, and no list of `K` speaks of it

Listed = tuple[int, int, tuple[int, ...]]
"""Where a list starts and ends, and its numbers of thousands."""


def check_series(page: Page, reading: Reading) -> list[Finding]:
    """Return where a sentence lists as many contexts as a claim asks for, and others, or in another order.

    A claim is held to the one list of that length in its sentence, unless another claim with a list of its own stands between them.

    Args:
        page: the page.
        reading: its text as it is read.
    """
    if "K" not in reading.text:
        return []
    asked = [
        (claim, name, lengths)
        for claim in page.claims.claims
        for name, value in claim.params.items()
        if "," in value and (lengths := _lengths(value))
    ]
    places = [claim.start for claim, _, _ in asked]
    listed_in: dict[Span, list[Listed]] = {}
    findings: list[Finding] = []
    for claim, name, lengths in asked:
        sentence = reading.around(claim.start, claim.end, SENTENCE)
        if sentence not in listed_in:
            listed_in[sentence] = _lists(reading.text, sentence.start, sentence.end)
        lists = [found for found in listed_in[sentence] if len(found[2]) == len(lengths)]
        if len(lists) != 1:
            continue
        start, end, thousands = lists[0]
        after, before = (end, claim.start) if start < claim.start else (claim.end, start)
        if bisect.bisect_left(places, before) > bisect.bisect_left(places, after):
            continue
        alike = [length in (number * 1024, number * 1000) for length, number in zip(lengths, thousands, strict=True)]
        if not all(alike):
            listed = " ".join(page.source.text[start:end].split())
            message = Message(
                "'{listed}' stands at '{text}', whose link asks for {name}={lengths}, in that order",
                listed=listed,
                text=claim.text,
                name=name,
                lengths=",".join(map(str, lengths)),
            )
            findings.append(Finding(page.source.path, *page.source.place(start), "LM120", message, listed))
    return findings


def _lengths(value: str) -> list[int]:
    """Return the lengths that a parameter lists, or nothing where it lists something else."""
    parts = value.split(",")
    return [int(part) for part in parts] if all(part.isdecimal() and part.isascii() and int(part) >= _SHORTEST for part in parts) else []


def _lists(text: str, start: int, end: int) -> list[Listed]:
    """Return the lists of lengths in a stretch of text, in order."""
    matches = list(_LENGTH.finditer(text, start, end))
    found: list[Listed] = [(match.start(), match.end(), (int(match[1]),)) for match in matches[:1]]
    for before, match in pairwise(matches):
        length = int(match[1])
        if _BETWEEN.fullmatch(text, before.end(), match.start()):
            found[-1] = (found[-1][0], match.end(), (*found[-1][2], length))
        else:
            found.append((match.start(), match.end(), (length,)))
    return [item for item in found if len(item[2]) > 1]
