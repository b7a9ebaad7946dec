"""Given numbers across the languages: nothing computes them, so the other language is what holds each to its word."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.display import DisplayError, Shown, read_numbers
from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.numberwords import find_tokens

if TYPE_CHECKING:
    from ledgermark.claims import Given
    from ledgermark.pages import Page

_WORDS: Final = {"twice": 2, "thrice": 3, "double": 2, "doubled": 2, "triple": 3, "tripled": 3, "dozen": 12}

Amounts = tuple[tuple[Decimal, object], ...]


def check_givens(page: Page, other: Page) -> list[Finding]:
    """Return the given numbers of a page that its other version does not give in the same section, or gives differently."""
    findings: list[Finding] = []
    for section in dict.fromkeys(page.source.section_at(given.start) for given in page.claims.given):
        here, there = _of(page, section), _of(other, section)
        # Equal texts first, so that one that nobody can read is not matched with what has a better match.
        for alike in (_equal, _like):
            for given in list(here):
                match = next((item for item in there if alike(given.text, item.text)), None)
                if match is not None:
                    here.remove(given)
                    there.remove(match)
        where = Message(" in the section '{section}'", section=section) if section else ""
        for given in here:
            others = " and ".join(f"'{item.text}'" for item in there)
            instead = Message("; it gives {others}", others=others) if there else ""
            message = Message(
                "the given number '{text}' stands here{where} and not there, or less often, in {path}{instead}",
                text=given.text,
                where=where,
                path=other.source.path,
                instead=instead,
            )
            findings.append(Finding(page.source.path, *page.source.place(given.start), "LM302", message))
    return findings


def _of(page: Page, section: str) -> list[Given]:
    return [given for given in page.claims.given if page.source.section_at(given.start) == section]


def _equal(left: str, right: str) -> bool:
    return left == right


def _like(left: str, right: str) -> bool:
    """Return whether two texts give the same amounts, however they are written; one that cannot be read is like any."""
    for reader in (_measures, _amounts):
        here, there = reader(left), reader(right)
        if here is not None and there is not None:
            return here == there
    return True


def _measures(text: str) -> Amounts | None:
    """Return the amounts of a text in base units; None where a number has no unit, for then the noun stands outside."""
    try:
        numbers: list[Shown] = read_numbers(text)
    except DisplayError:
        return None
    found = [(number.value * number.unit.factor, number.unit.dimensions) for number in numbers if number.unit]
    return tuple(sorted(found)) if len(found) == len(numbers) else None


@lru_cache(maxsize=512)
def _amounts(text: str) -> tuple[Decimal, ...] | None:
    """Return the numbers of a text in order of size; None where there is none or one cannot be read."""
    found: list[Decimal] = []
    for token in find_tokens(text):
        if token.text.lower() in _WORDS:
            found.append(Decimal(_WORDS[token.text.lower()]))
            continue
        try:
            found += [number.value for number in read_numbers(token.text)]
        except DisplayError:
            return None
    return tuple(sorted(found)) or None
