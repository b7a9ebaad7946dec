"""Ways to ask what answers for the numbers of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledgermark.near import unit_patterns
from ledgermark.pages import read_page
from ledgermark.source import Source
from ledgermark.spelling import ALIASES
from ledgermark.terms import compile_terms
from ledgermark.unbound import Number, Reader, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable

TERMS = ("32K", "RX 7900 XT", "batch 1", "两张卡")


def reader(terms: Iterable[str] = TERMS, *, math: bool = False, figures: tuple[str, ...] = ()) -> Reader:
    """Return how numbers are judged with some terms."""
    measure, unit = unit_patterns(())
    counted = {"workgroups": "workgroup"}
    return Reader(compile_terms(dict.fromkeys(terms, "a name")), measure, unit, ALIASES, counted, {"en": {"p.md": figures}}, math)


def numbers(text: str, terms: Iterable[str] = TERMS, *, math: bool = False, figures: tuple[str, ...] = ()) -> list[Number]:
    """Return the numbers of a page with this text."""
    return list(numbers_of(read_page(Source("en/p.md", text), "p.md", "en"), reader(terms, math=math, figures=figures)))


def findings(text: str, *, math: bool = False, figures: tuple[str, ...] = ()) -> list[str]:
    """Return what is reported of a page: each number's text, with its code where that is not LM201."""
    found = [number for number in numbers(text, math=math, figures=figures) if number.code or number.state == "unbound"]
    return [f"{number.code} {number.text}".strip() for number in found]


def states(text: str) -> list[str]:
    """Return what answers for each number of a page."""
    return [number.state for number in numbers(text)]
