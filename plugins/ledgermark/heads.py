"""Whether the unit that a claim's link gives is also said to the reader: by the head of its column or row, or in its sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.display import DisplayError, read_numbers
from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.passages import SENTENCE
from ledgermark.spelling import ALIASES
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.claims import Claim
    from ledgermark.pages import Page
    from ledgermark.passages import Reading

_SHORT: Final = 60  # characters of a head that a message repeats


def check_units(page: Page, reading: Reading, aliases: Mapping[str, str]) -> list[Finding]:
    """Return the claims whose unit stands in the link alone, or beside another one: a reader would take the number for something else.

    Args:
        page: the page.
        reading: its text.
        aliases: the project's spellings of units.
    """
    findings: list[Finding] = []
    extra = tuple(sorted(aliases.items()))
    for claim in page.claims.claims:
        if not claim.unit:
            continue
        try:
            unit = parse_unit(claim.unit)
        except UnitError:
            continue  # said elsewhere
        passage = reading.passage(claim.start)
        spans = (passage.above, *passage.beside[:1]) if passage.above else (reading.around(claim.start, claim.end, SENTENCE),)
        texts = [reading.text[span.start : span.end] for span in spans]
        if any(_same(unit, found) for text in texts for found in _units_in(text, extra)) or _shows_units(claim, aliases):
            continue
        said = " ".join(texts[0].split()) if passage.above else ""
        where = (
            Message("the head of its column says '{said}'", said=said[:_SHORT]) if passage.above else Message("no word in its sentence does")
        )
        message = Message(
            "the link says unit={unit}, {where}; write the unit where readers see it, or mend the link", unit=claim.unit, where=where
        )
        findings.append(Finding(page.source.path, *page.source.place(claim.start), "LM124", message, claim.text))
    return findings


def _shows_units(claim: Claim, aliases: Mapping[str, str]) -> bool:
    try:
        return all(number.unit for number in read_numbers(claim.text, dict(aliases)))
    except DisplayError:
        return True  # said elsewhere


def _same(left: Unit, right: Unit) -> bool:
    return left.symbol == right.symbol or (left.dimensions == right.dimensions != () and left.factor == right.factor)


def units_in(text: str, aliases: Mapping[str, str]) -> list[Unit]:
    """Return the units a text names, in order."""
    return [*_units_in(text, tuple(sorted(aliases.items())))]


@lru_cache(maxsize=512)  # the same head stands over many columns
def _units_in(text: str, extra: tuple[tuple[str, str], ...]) -> tuple[Unit, ...]:
    pattern, units = _spellings(extra)
    return tuple(units[match.group()] for match in pattern.finditer(text))


@lru_cache(maxsize=8)
def _spellings(extra: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, Unit]]:
    """Return a pattern of every spelling of a unit as a word of its own, the longest first, and the unit of each."""
    units = {spelling: parse_unit(symbol) for spelling, symbol in (ALIASES | dict(extra)).items()}
    parts = []
    for spelling in sorted(units, key=len, reverse=True):
        before = "(?<![A-Za-z/])" if spelling[0].isascii() and spelling[0].isalpha() else ""
        after = "(?![A-Za-z/])" if spelling[-1].isascii() and spelling[-1].isalpha() else ""
        parts.append(f"{before}{re.escape(spelling)}{after}")
    return re.compile("|".join(parts)), units
