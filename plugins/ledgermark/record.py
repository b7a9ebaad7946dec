"""The record of published values, `published.json`: a list of events that only grows.

A claim is published as the n-th of its kind on a page in a language; its value changes or ends only by an event that names an erratum.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledgermark.claims import Claim

NOTE: Final = "Every number published, with its date. Written by `ledgermark publish`; lines are added, never changed."
_VALUE_KEYS: Final = ("date", "page", "language", "claim", "nth", "shown", "erratum")
_ERRATUM_KEYS: Final = ("date", "page", "erratum", "dated")
_PRESENTATION: Final = ("show", "unit")


@dataclass(frozen=True)
class Event:
    """One line of the record.

    Attributes:
        on: when it was published.
        page: the page's path without the language's folder.
        erratum: the erratum it speaks of: the one by which a value changed or ended, or one that was itself published.
        dated: that erratum's date, where it was itself published; then the event is of no claim.
        language, claim, nth: which claim, by `identity`, counted from 1.
        shown: the text shown, or None for a claim that is gone.
    """

    on: date
    page: str
    erratum: str = ""
    dated: date | None = None
    language: str = ""
    claim: str = ""
    nth: int = 0
    shown: str | None = None

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Which published claim it is about."""
        return self.page, self.language, self.claim, self.nth


@dataclass(frozen=True)
class Change:
    """A published value that changed or ended by an erratum: the texts before and after, None for an end."""

    claim: str
    old: str
    new: str | None


@dataclass(frozen=True)
class History:
    """The record and what its file was at each commit.

    Attributes:
        path: of the file.
        text: of the file; None where there is none.
        committed: its committed versions; None where git does not answer.
    """

    path: str = ""
    text: str | None = None
    committed: tuple[str, ...] | None = None

    @property
    def unchecked(self) -> bool:
        """Whether there is a record and no git to compare it with."""
        return self.text is not None and self.committed is None


@dataclass(frozen=True)
class Record:
    """What has been published.

    Attributes:
        events: in order.
        current: place to what is shown now and since when; claims that are gone are left out.
        errata: page to the published errata on it, with their dates.
        changes: page, language and erratum to what changed by it.
    """

    events: tuple[Event, ...] = ()
    current: Mapping[tuple[str, str, str, int], tuple[str, date]] = field(default_factory=dict)
    errata: Mapping[str, Mapping[str, date]] = field(default_factory=dict)
    changes: Mapping[tuple[str, str, str], tuple[Change, ...]] = field(default_factory=dict)


def identity(claim: Claim) -> str:
    """Return what a claim is known by in the record: name, parameters and comparison, whatever their order and however it is shown."""
    _, _, query = claim.key.replace("&amp;", "&").partition("?")
    parts = sorted(part for part in query.split("&") if part and part.partition("=")[0] not in _PRESENTATION)
    return f"{claim.name}?{'&'.join(parts)}" if parts else claim.name


def read_record(path: str, text: str) -> tuple[Record, list[Finding]]:
    """Return the record in a file and what is wrong with it. A record with findings is empty."""
    try:
        content = json.loads(text)
    except ValueError as error:
        return Record(), [
            Finding(path, getattr(error, "lineno", 1), getattr(error, "colno", 1), "LM410", Message("not JSON: {error}", error=error))
        ]
    items = content.get("events") if isinstance(content, dict) else None
    if not isinstance(items, list):
        return Record(), [Finding(path, 1, 1, "LM410", Message("expected an object with a list 'events'"))]
    events: list[Event] = []
    for number, item in enumerate(items):
        event, problem = _event(item)
        if event is None:
            return Record(), [Finding(path, _line(text, number), 1, "LM410", problem)]
        events.append(event)
    record, number, problem = fold(events)
    if problem:
        return Record(), [Finding(path, _line(text, number), 1, "LM410", problem)]
    return record, []


def _event(item: Any) -> tuple[Event | None, str]:
    """Return the event of a JSON object, or what is wrong with it."""
    if not isinstance(item, dict):
        return None, Message("an event is an object")
    keys = _ERRATUM_KEYS if "dated" in item else _VALUE_KEYS
    unknown = next((str(key) for key in item if key not in keys), None)
    if unknown is not None:
        return None, Message("unknown '{unknown}'{hint}", unknown=unknown, hint=nearest(unknown, keys))
    try:
        return _read_event(item), ""
    except KeyError as error:
        return None, Message("the event has no {error}", error=error)
    except (TypeError, ValueError) as error:
        return None, Message("the event has a value of the wrong form: {error}", error=error)


def _read_event(item: dict[str, Any]) -> Event:
    """Return the event of an object with known keys. Raises KeyError, TypeError or ValueError for a key missing or a value that is none."""
    when = date.fromisoformat(item["date"])
    page, erratum = str(item["page"]), str(item.get("erratum", ""))
    if "dated" in item:
        return Event(when, page, str(item["erratum"]), date.fromisoformat(item["dated"]))
    shown, nth = item["shown"], item["nth"]
    if not isinstance(nth, int) or isinstance(nth, bool) or nth < 1 or not isinstance(shown, str | None):
        msg = Message("nth is {nth} and shown {shown}, expected a count from 1 and a text or null", nth=repr(nth), shown=repr(shown))
        raise ValueError(msg)
    return Event(when, page, erratum, None, str(item["language"]), str(item["claim"]), nth, shown)


def fold(events: Sequence[Event]) -> tuple[Record, int, str]:
    """Return what events add up to; or the number of the first that cannot follow those before it, and why."""
    current: dict[tuple[str, str, str, int], tuple[str, date]] = {}
    errata: dict[str, dict[str, date]] = {}
    changes: dict[tuple[str, str, str], list[Change]] = {}
    latest = date.min
    for number, event in enumerate(events):
        if event.on < latest:
            return Record(), number, Message("dated {on}, after an event of {latest}; events are added at the end", on=event.on, latest=latest)
        latest = event.on
        if event.dated is not None:
            if event.erratum in errata.setdefault(event.page, {}):
                return Record(), number, Message("the erratum '{erratum}' of {page} stands twice", erratum=event.erratum, page=event.page)
            errata[event.page][event.erratum] = event.dated
            continue
        before = current.get(event.place)
        if before is None:
            if event.shown is None or event.erratum:
                return Record(), number, Message("{named} was not published before, so it cannot change", named=_named(event))
            current[event.place] = event.shown, event.on
            continue
        dated = next((found[event.erratum] for found in (errata.get(event.page, {}), *errata.values()) if event.erratum in found), None)
        if dated is None or dated < before[1]:
            message = Message(
                "{named} changes by no erratum of {since} or later that was published before it", named=_named(event), since=before[1]
            )
            return (Record(), number, message)
        changes.setdefault((event.page, event.language, event.erratum), []).append(Change(event.claim, before[0], event.shown))
        if event.shown is None:
            del current[event.place]
        else:
            current[event.place] = event.shown, event.on
    return Record(tuple(events), current, errata, {place: tuple(dict.fromkeys(found)) for place, found in changes.items()}), 0, ""


def _named(event: Event) -> Message:
    return Message("{claim} ({language}, number {nth}) on {page}", claim=event.claim, language=event.language, nth=event.nth, page=event.page)


def record_text(events: Iterable[Event]) -> str:
    """Return the record as a file: one event a line, so that a difference shows what was added."""
    lines = ",\n".join(f"    {json.dumps(event_item(event), ensure_ascii=False)}" for event in events)
    return f'{{\n  "note": {json.dumps(NOTE, ensure_ascii=False)},\n  "events": [\n{lines}\n  ]\n}}\n'


def event_item(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object."""
    head: dict[str, Any] = {"date": event.on.isoformat(), "page": event.page}
    if event.dated is not None:
        return {**head, "erratum": event.erratum, "dated": event.dated.isoformat()}
    body = {"language": event.language, "claim": event.claim, "nth": event.nth, "shown": event.shown}
    return {**head, **body, **({"erratum": event.erratum} if event.erratum else {})}


def check_history(history: History) -> list[Finding]:
    """Return where the record does not begin with every version of it that was committed."""
    if not history.committed:
        return []
    if history.text is None:
        return [Finding(history.path, 1, 1, "LM411", Message("the record of published values is gone; git has it"))]
    differing = [text for text in history.committed if text != history.text]
    now = _items(history.text) if differing else []
    for text in differing:
        before = _items(text)
        kept = next((number for number, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), min(len(before), len(now)))
        if kept < len(before):
            message = Message(
                "event {number} is not what was committed: {event}; events are added, never changed",
                number=kept + 1,
                event=json.dumps(before[kept], ensure_ascii=False),
            )
            return [Finding(history.path, _line(history.text, min(kept, max(len(now) - 1, 0))), 1, "LM411", message)]
    return []


def _items(text: str) -> list[Any]:
    try:
        content = json.loads(text)
    except ValueError:
        return []
    items = content.get("events") if isinstance(content, dict) else None
    return items if isinstance(items, list) else []


def _line(text: str, number: int) -> int:
    """Return the line of an event, as `record_text` writes them; the first line where it is written otherwise."""
    lines = [index for index, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith('{"')]
    return lines[number] if number < len(lines) else 1
