"""Errata: dated corrections, written as blocks in the page they correct."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ledgermark.blocks import Block
    from ledgermark.source import Source

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_COUNT: Final = re.compile(r"[1-9]|1[0-9]|20")
_OPTIONS: Final = ("id", "affects", "title")


@dataclass(frozen=True)
class Erratum:
    """A dated correction.

    Attributes:
        id: the same in every language.
        date: when the correction was made.
        affects: the names it touches: metrics, datasets, `dataset.column`, `fig-NAME`, `#section`.
        title: a few words for lists and feeds.
        start: the offset of its block; `body_start` and `body_end` those of its text.
    """

    id: str
    date: date
    affects: tuple[str, ...]
    title: str
    start: int
    body_start: int
    body_end: int


def read_errata(source: Source, blocks: Collection[Block]) -> tuple[tuple[Erratum, ...], list[Finding]]:
    """Return the errata of a page and what is wrong with how they are written."""
    found: list[Erratum] = []
    findings: list[Finding] = []

    def finding(offset: int, code: str, message: str) -> None:
        findings.append(Finding(source.path, *source.place(offset), code, message))

    for block in blocks:
        if block.problem:
            finding(block.start, "LM406", block.problem)
            continue
        for message in _wrong_options(block):
            finding(block.start, "LM406", message)
        identifier = str(block.options.get("id") or "")
        if not _ID.fullmatch(identifier):
            message = Message(
                "id is '{identifier}', expected a word such as 'five-weeks' in small letters, digits and hyphens", identifier=identifier
            )
            finding(block.start, "LM406", message)
            continue
        when = _read_date(block.argument)
        if when is None:
            finding(block.argument_start, "LM401", Message("the date is '{date}', expected one such as 2026-08-29", date=block.argument))
            continue
        if any(other.id == identifier for other in found):
            finding(block.start, "LM405", Message("the id '{identifier}' stands twice on this page", identifier=identifier))
        affects = block.options.get("affects") or ()
        listed = [str(item) for item in affects] if isinstance(affects, list) else re.split(r"[,\s]+", str(affects)) if affects else []
        names = tuple(name for name in (item.strip() for item in listed) if name)
        if not names:
            message = Message("'{identifier}' says nothing of what it affects; expected 'affects: NAME, …'", identifier=identifier)
            finding(block.start, "LM406", message)
        title = block.options.get("title") or ""
        found.append(Erratum(identifier, when, names, str(title), block.start, block.body_start, block.body_end))
    return tuple(found), findings


def count_of(argument: str) -> int:
    """Return how many corrections a block `/// corrections | N` lists; 0 when it does not say it as a number up to 20."""
    return int(argument) if _COUNT.fullmatch(argument) else 0


def check_corrections(source: Source, blocks: Iterable[Block]) -> list[Finding]:
    """Return the lists of corrections that do not say how many they list."""
    findings: list[Finding] = []
    for block in blocks:
        if not count_of(block.argument):
            message = Message("'{argument}' is no number of corrections; expected one from 1 to 20", argument=block.argument)
            findings.append(Finding(source.path, *source.place(block.argument_start), "LM406", message))
    return findings


def _wrong_options(block: Block) -> list[str]:
    """Return what is wrong with an erratum's options, apart from id and date."""
    wrong: list[str] = [
        Message("unknown option '{option}'{hint}", option=option, hint=nearest(option, _OPTIONS))
        for option in block.options
        if option not in _OPTIONS
    ]
    if not isinstance(block.options.get("title", ""), str):
        wrong.append(Message("the title must be a text; put it in quotes"))
    return wrong


def _read_date(text: str) -> date | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def check_errata(source: Source, errata: Collection[Erratum], published: date | None, today: date, known: Collection[str]) -> list[Finding]:
    """Return what is wrong with the dates and targets of a page's errata.

    Args:
        source: the page.
        errata: its errata.
        published: the date in the page's front matter.
        today: the date of the build.
        known: every name an erratum may affect, sections as `#id`, figures as `fig-NAME`.
    """
    findings: list[Finding] = []
    for erratum in errata:
        place = source.place(erratum.start)
        if erratum.date > today:
            message = Message("'{id}' is dated {date}, after the build's date {today}", id=erratum.id, date=erratum.date, today=today)
            findings.append(Finding(source.path, *place, "LM402", message))
        if published is not None and erratum.date < published:
            message = Message(
                "'{id}' is dated {date}, before the page's own date {published}", id=erratum.id, date=erratum.date, published=published
            )
            findings.append(Finding(source.path, *place, "LM403", message))
        for target in erratum.affects:
            name = target.partition("?")[0]
            if name not in known:
                message = Message(
                    "'{id}' affects '{target}', which is no metric, dataset, column, figure (fig-NAME) or section (#id) here",
                    id=erratum.id,
                    target=target,
                )
                findings.append(Finding(source.path, *place, "LM404", message + nearest(name, known)))
    return findings
