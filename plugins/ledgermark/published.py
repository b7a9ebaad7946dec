"""Published values against the pages as they are: what changed or went, whether an erratum says so, and what `publish` adds to the record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledgermark.display import DisplayError, Shown, read_numbers
from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.record import Change, Event, History, Record, check_history, identity, read_record
from ledgermark.units import UnitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from ledgermark.claims import Claim
    from ledgermark.errata import Erratum
    from ledgermark.pages import Page


@dataclass(frozen=True)
class Gap:
    """A difference between a page and the record.

    Attributes:
        language, path: the page.
        key: the claim's identity; `nth` counts those of one identity.
        old, since: the text published and when; None for a claim that is new.
        claim: as it stands now; None for one that is gone.
        erratum: the one that covers the difference, if any.
    """

    language: str
    path: str
    key: str
    nth: int
    old: str | None
    since: date | None
    claim: Claim | None
    erratum: Erratum | None = None


def find_gaps(pages: Mapping[str, Mapping[str, Page]], record: Record, aliases: Mapping[str, str]) -> Iterator[Gap]:
    """Yield how pages differ from the record: claims new, changed and gone.

    Of several claims with one identity, those that show what was published are matched first, so that moving one or adding another before it
    changes nothing.
    """
    published: dict[tuple[str, str], dict[str, list[tuple[int, str, date]]]] = {}
    last: dict[tuple[str, str, str], int] = {}
    for (path, language, key, nth), (shown, since) in record.current.items():
        published.setdefault((language, path), {}).setdefault(key, []).append((nth, shown, since))
    for event in record.events:
        if event.dated is None:
            place = event.page, event.language, event.claim
            last[place] = max(last.get(place, 0), event.nth)
    standing = {(language, path) for language, by_path in pages.items() for path in by_path}
    for language, path in sorted(standing | published.keys()):
        page = pages.get(language, {}).get(path)
        claims: dict[str, list[Claim]] = {}
        for claim in page.claims.claims if page else ():
            claims.setdefault(identity(claim), []).append(claim)
        before = published.get((language, path), {})
        for key in dict.fromkeys((*claims, *before)):
            gaps = _gaps(language, path, key, claims.get(key, []), before.get(key, []), last.get((path, language, key), 0), aliases)
            yield from (_covered(gap, page, pages, record) for gap in gaps)


def _gaps(
    language: str, path: str, key: str, claims: list[Claim], before: list[tuple[int, str, date]], last: int, aliases: Mapping[str, str]
) -> Iterator[Gap]:
    left = list(before)
    unmatched: list[Claim] = []
    for claim in claims:
        same = next((item for item in left if same_value(item[1], claim.text, aliases)), None)
        if same is None:
            unmatched.append(claim)
        else:
            left.remove(same)
    for index, (nth, old, since) in enumerate(left):
        yield Gap(language, path, key, nth, old, since, unmatched[index] if index < len(unmatched) else None)
    for index, claim in enumerate(unmatched[len(left) :], 1):
        yield Gap(language, path, key, last + index, None, None, claim)


def same_value(old: str, new: str, aliases: Mapping[str, str]) -> bool:
    """Return whether two texts show the same numbers, however they are written: 0.65 ms is 650 µs, 70.8％ is 70.8 %."""
    if old == new:
        return True
    try:
        before, after = read_numbers(old, dict(aliases)), read_numbers(new, dict(aliases))
    except (DisplayError, UnitError):
        return False
    return len(before) == len(after) and all(_same(left, right) for left, right in zip(before, after, strict=True))


def _same(left: Shown, right: Shown) -> bool:
    if left.unit is None or right.unit is None or left.unit == right.unit:
        return left.value == right.value
    from ledgermark.quantity import Quantity  # noqa: PLC0415  (only a change of unit pays)

    try:
        return Quantity(left.value, left.unit).to(right.unit).value == right.value
    except UnitError:
        return False


def _covered(gap: Gap, page: Page | None, pages: Mapping[str, Mapping[str, Page]], record: Record) -> Gap:
    """Return the gap with the erratum that covers it: one not published yet, not older than the value, that names the claim.

    It stands on the claim's own page; for a page that is gone, on any page of the language.
    """
    if gap.since is None:
        return gap
    hosts = {gap.path: page} if page else pages.get(gap.language, {})
    name = gap.key.partition("?")[0]
    for path, host in hosts.items():
        known = record.errata.get(path, {})
        for erratum in host.errata:
            names = {name, gap.key, *([gap.claim.key.replace("&amp;", "&")] if gap.claim else [])}
            if erratum.id not in known and erratum.date >= gap.since and names & set(erratum.affects):
                return Gap(gap.language, gap.path, gap.key, gap.nth, gap.old, gap.since, gap.claim, erratum)
    return gap


@dataclass(frozen=True)
class Comparison:
    """The pages compared with the record.

    Attributes:
        findings: by the path of the file they are about.
        gaps: every difference.
        changes: language, page path and erratum to what changed by it, published or about to be.
    """

    record: Record = field(default_factory=Record)
    findings: tuple[Finding, ...] = ()
    gaps: tuple[Gap, ...] = ()
    changes: Mapping[tuple[str, str, str], tuple[Change, ...]] = field(default_factory=dict)


def compare(pages: Mapping[str, Mapping[str, Page]], history: History, aliases: Mapping[str, str]) -> Comparison:
    """Return how the pages stand to what was published.

    Args:
        pages: language code to page path to page.
        history: the record's file and its committed versions.
        aliases: the project's spellings of units.
    """
    findings = check_history(history)
    pages = _named(pages)
    if history.text is None:
        return Comparison(findings=tuple(findings))
    record, problems = read_record(history.path, history.text)
    findings += problems
    if problems:
        return Comparison(record, tuple(findings), (), {})
    gaps = tuple(find_gaps(pages, record, aliases))
    findings += [_finding(gap, pages, history.path) for gap in gaps if gap.since is not None and gap.erratum is None]
    findings += _lost_errata(pages, record)
    changes = {(language, page, erratum): found for (page, language, erratum), found in record.changes.items()}
    for gap in gaps:
        if gap.erratum is not None and gap.old is not None:
            place = gap.language, gap.path, gap.erratum.id
            change = Change(gap.key, gap.old, gap.claim.text if gap.claim else None)
            changes[place] = tuple(dict.fromkeys((*changes.get(place, ()), change)))
    return Comparison(record, tuple(findings), gaps, changes)


def _named(pages: Mapping[str, Mapping[str, Page]]) -> dict[str, dict[str, Page]]:
    """Return the pages by the names the record has for them: those of no language have a slash before, as they may be named like others."""
    return {language: {path if language else f"/{path}": page for path, page in by_path.items()} for language, by_path in pages.items()}


def _finding(gap: Gap, pages: Mapping[str, Mapping[str, Page]], record_path: str) -> Finding:
    page = pages.get(gap.language, {}).get(gap.path)
    name = gap.key.partition("?")[0]
    needed = Message("add an erratum dated {since} or later with 'affects: {name}', one that is not published yet", since=gap.since, name=name)
    if page is None:
        message = Message(
            "'{old}' ({key}) was published on {path} ({language}), and the page is gone; {needed}, on another page",
            old=gap.old,
            key=gap.key,
            path=gap.path,
            language=gap.language,
            needed=needed,
        )
        return Finding(record_path, 1, 1, "LM408", message)
    if gap.claim is None:
        message = Message(
            "'{old}' ({key}), published on {since}, is gone from the page; {needed}", old=gap.old, key=gap.key, since=gap.since, needed=needed
        )
        return Finding(page.source.path, 1, 1, "LM408", message)
    message = Message("shows {text}, published as {old} on {since}; {needed}", text=gap.claim.text, old=gap.old, since=gap.since, needed=needed)
    return Finding(page.source.path, *page.source.place(gap.claim.start), "LM407", message, gap.claim.text)


def _lost_errata(pages: Mapping[str, Mapping[str, Page]], record: Record) -> Iterator[Finding]:
    for by_path in pages.values():
        for path, page in by_path.items():
            standing = {erratum.id: erratum for erratum in page.errata}
            for identifier, dated in record.errata.get(path, {}).items():
                if identifier not in standing:
                    message = Message(
                        "the erratum '{identifier}' of {dated} was published here and is gone; it stays", identifier=identifier, dated=dated
                    )
                    yield Finding(page.source.path, 1, 1, "LM409", message)
                elif standing[identifier].date != dated:
                    place = page.source.place(standing[identifier].start)
                    message = Message(
                        "'{identifier}' is dated {date}, published with the date {dated}",
                        identifier=identifier,
                        date=standing[identifier].date,
                        dated=dated,
                    )
                    yield Finding(page.source.path, *place, "LM409", message)


def new_events(comparison: Comparison, pages: Mapping[str, Mapping[str, Page]], aliases: Mapping[str, str], today: date) -> list[Event]:
    """Return what publishing today adds to the record. Raises ValueError for a change that no erratum covers."""
    gaps = comparison.gaps if comparison.record.events else find_gaps(_named(pages), comparison.record, aliases)
    errata: dict[tuple[str, str], Erratum] = {
        (path, erratum.id): erratum for by_path in _named(pages).values() for path, page in by_path.items() for erratum in page.errata
    }
    events = [
        Event(today, path, identifier, erratum.date)
        for (path, identifier), erratum in errata.items()
        if identifier not in comparison.record.errata.get(path, {})
    ]
    for gap in gaps:
        if gap.since is not None and gap.erratum is None:
            msg = Message(
                "{key} on {path} ({language}) was published as {old}; no erratum says what became of it",
                key=gap.key,
                path=gap.path,
                language=gap.language,
                old=gap.old,
            )
            raise ValueError(msg)
        shown = gap.claim.text if gap.claim else None
        events.append(Event(today, gap.path, gap.erratum.id if gap.erratum else "", None, gap.language, gap.key, gap.nth, shown))
    return events


def uncovered_names(gaps: Iterable[Gap], path: str) -> list[str]:
    """Return the names of the claims on a page whose values changed without an erratum, in order, each once."""
    return list(
        dict.fromkeys(gap.key.partition("?")[0] for gap in gaps if gap.path == path and gap.since and gap.claim is not None and not gap.erratum)
    )
