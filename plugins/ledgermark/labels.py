"""What stands where a number could and measures nothing, across the languages: versions, issues, dates, names, code and where links lead.

Nothing computes these, so the other language is what holds each to its word, as with given numbers. Each that is in one version of a section
is in the other, however often: one language repeats where the other says `it`. Versions and dates that stand as often in both stand in one
order. In a table each cell has its own, and so have the chips of a masthead.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.dates import iso_date
from ledgermark.findings import Finding
from ledgermark.messages import Message, joined
from ledgermark.numberwords import find_tokens
from ledgermark.order import exchanged, order_finding
from ledgermark.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ledgermark.coverage import Coverage, Placed
    from ledgermark.memory import Memory
    from ledgermark.pages import Page
    from ledgermark.unbound import Number

    Numbered = tuple[Page, tuple[Placed, ...]]

_WHAT: Final = {
    "version": Message("version"),
    "issue": Message("issue"),
    "date": Message("date"),
    "name": Message("name"),
    "code": Message("code"),
    "link": Message("link to"),
}
_PLURAL: Final = {
    "version": Message("the versions"),
    "issue": Message("the issues"),
    "date": Message("the dates"),
    "name": Message("the names"),
}
_LABELLED: Final = frozenset({"version", "issue", "date", "identifier", "term"})
_ORDERED: Final = ("version", "date")
_KIND_OF_ISSUE: Final = re.compile(r"(?:issue|pr|mr|pull request|merge request)[ \u00a0]#?")
_DIMENSION: Final = re.compile("[1-4]D")
_ENDING: Final = re.compile(r"(?<=[0-9A-Za-z])(?:-[a-z]{2,})+$|(?<=[0-9])s$")  # `A100-class`, `A100s`
_WORDY: Final = re.compile(r"[^\x00-\x7f]|(?<![A-Za-z0-9])(?:[a-z]{2,}|[A-Z]+s)(?![A-Za-z0-9])")
_LINK: Final = re.compile(
    r"""(?:\]\(\s*<?|<(?=https?:)|^\ {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*)"""
    r"""(?!(?:claim|given|mailto):)(?P<target>[^\s()<>"']+(?:\([^\s()<>"']*\)[^\s()<>"']*)*)""",
    re.MULTILINE | re.IGNORECASE,
)
_SPOKEN: Final = re.compile("([A-Za-z]{2,3})(?:[-_][A-Za-z]{2,4})?")
_PICTURE: Final = re.compile(r"\.(?:png|svg|webp|jpe?g|gif|avif)(?:[?#]|$)", re.IGNORECASE)

Cell = tuple[int, int, int]
"""Which table of its section, row and column, each from 0."""
CHIP: Final = (-1, -1, -1)


class Label(NamedTuple):
    """Something that is named and not measured.

    Attributes:
        kind: a key of `_WHAT`.
        name: what it is, however it is written.
        section: the id of the section it stands in.
        cell: the cell it stands in, if any.
        line, column: where it stands.
    """

    kind: str
    name: str
    section: str
    cell: Cell | None
    line: int
    column: int


Groups = dict[tuple[str, str, Cell | None], list[tuple[str, Label]]]
"""Labels by kind, section and cell, each with the name it is compared by."""


@dataclass(frozen=True)
class Labels:
    """The labels of a page, or of its chips.

    Attributes:
        found: in their order, kind by kind.
        phrases: the terms that are words of one language; one may have in it what the other language writes by itself.
        sections: the ids of the sections, in order.
        shapes: section to the numbers of columns and rows of its tables.
    """

    found: tuple[Label, ...]
    phrases: tuple[str, ...]
    sections: tuple[str, ...]
    shapes: Mapping[str, list[tuple[int, int]]]


def check_labels(pages: Mapping[str, Mapping[str, Page]], coverage: Coverage, mastheads: str, memory: Memory) -> list[Finding]:
    """Return the labels that stand in one language and not in another, or in another order there.

    Args:
        pages: language code to page path (without the language's folder) to page.
        coverage: the numbers of these pages.
        mastheads: the file of mastheads.
        memory: of projects that have pages of this one.
    """
    findings: list[Finding] = []
    for path in sorted({path for by_path in pages.values() for path in by_path}):
        versions = [page for page in (by_path.get(path) for by_path in pages.values()) if page]
        numbered = [(page, next((file.numbers for file in coverage.of_path(page.source.path)), ())) for page in versions]
        findings += [finding for one, two in pairwise(numbered) for finding in labels_apart(one, two, memory)]
    chips: dict[str, list[tuple[str, tuple[Placed, ...]]]] = defaultdict(list)
    for file in coverage.of_path(mastheads):
        chips[file.page].append((file.language, file.numbers))
    for name, told in chips.items():
        for (language, numbers), (another, others) in pairwise(told):
            where, there = (
                Message("the chips of '{page}' in '{language}'", page=name.removesuffix(".md"), language=code) for code in (language, another)
            )
            findings += _compare(_of_chips(numbers), _of_chips(others), (mastheads, where), (mastheads, there), (language, another))
    return findings


def labels_apart(one: Numbered, two: Numbered, memory: Memory) -> list[Finding]:
    """Return where two versions of a page, each with its numbers, do not have the same labels."""
    (page, numbers), (other, others) = one, two

    def apart() -> list[Finding]:
        here, there = (memory.once("labels of", told, partial(labels_of, *told)) for told in (one, two))
        return _compare(here, there, (page.source.path,) * 2, (other.source.path,) * 2, (page.language, other.language))

    return memory.once("labels", (page, other, numbers, others), apart)


def labels_of(page: Page, numbers: Iterable[Placed]) -> Labels:
    """Return the labels of a page.

    Args:
        page: the page.
        numbers: every number that readers of it see.
    """
    source = page.source
    cells: list[tuple[int, int, Cell]] = []
    shapes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for table in find_tables(source):
        tables = shapes[source.section_at(table.start)]
        cells += [(cell.start, cell.end, (len(tables), row, column)) for row, column, cell in table.cells]
        tables.append((len(table.header), len(table.rows)))

    starts = [start for start, _, _ in cells]

    def label(kind: str, name: str, offset: int, line: int, column: int) -> Label:
        index = bisect.bisect_right(starts, offset) - 1
        cell = cells[index][2] if index >= 0 and offset < cells[index][1] else None
        return Label(kind, name, source.section_at(offset), cell, line, column)

    links = [match for match in _LINK.finditer(source.masked) if not _PICTURE.search(match["target"])]
    found = (
        *[label(*named, number.offset, line, column) for line, column, number in numbers if (named := _label_of(number))],
        *[label("code", text, offset, *source.place(offset)) for offset, text in source.codes],
        *[label("link", match["target"], match.start("target"), *source.place(match.start("target"))) for match in links],
    )
    return Labels(found, _phrases(number for _, _, number in numbers), tuple([section.id for section in source.sections]), shapes)


def _of_chips(numbers: Iterable[Placed]) -> Labels:
    found = tuple(Label(*named, "", CHIP, line, column) for line, column, number in numbers if (named := _label_of(number)))
    return Labels(found, _phrases(number for _, _, number in numbers), (), {})


def _phrases(numbers: Iterable[Number]) -> tuple[str, ...]:
    return tuple(sorted({number.detail for number in numbers if number.state == "term" and not _is_name(number.detail)}))


def _label_of(number: Number) -> tuple[str, str] | None:
    """Return kind and name of what a rule lets stand; None for what the languages write each in its own way."""
    state = number.state
    if state not in _LABELLED:
        return None
    if state == "term":
        return ("name", number.detail) if _is_name(number.detail) else None
    text = " ".join(number.text.split())
    if state == "version":
        return "version", text.removeprefix("v")
    if state == "issue":
        return "issue", _KIND_OF_ISSUE.sub("#", text.lower())
    if state == "identifier":
        return "name", _ENDING.sub("", text)
    written = iso_date(text)
    return ("date", written) if written else None


@lru_cache(maxsize=512)
def _is_name(term: str) -> bool:
    """Return whether a term is written the same in each language: no words in it, and no number in words."""
    return not _WORDY.search(term) and all(token.form == "digits" for token in find_tokens(term))


def _compare(here: Labels, there: Labels, place: tuple[str, str], other: tuple[str, str], languages: tuple[str, str]) -> list[Finding]:
    """Return where two versions differ in their labels; of each version are given its file and what to call it."""
    if [label[:4] for label in here.found] == [label[:4] for label in there.found]:
        return []  # all but the lines: nearly always so
    groups, others = _grouped(here, there, languages), _grouped(there, here, languages)
    findings = [
        *_surplus(groups, others, there.phrases, place[0], other[1]),
        *_surplus(others, groups, here.phrases, other[0], place[1]),
    ]
    for group, labels in groups.items():
        kind, section, cell = group
        names, counterparts = ([name for name, _ in found] for found in (labels, others.get(group, [])))
        at = exchanged(names, counterparts) if cell == CHIP or (cell is None and kind in _ORDERED) else None
        if at is not None:
            where = labels[at][1].line, labels[at][1].column
            findings.append(order_finding(place[0], where, _PLURAL[kind], section, other[1], (names[at], counterparts[at])))
    return findings


def _surplus(here: Groups, there: Groups, phrases: tuple[str, ...], path: str, other: str) -> Iterator[Finding]:
    for group, labels in here.items():
        kind, section, cell = group
        counterparts = there.get(group, [])
        once = cell is None  # in prose each language names a thing as often as it needs
        missing = [
            label
            for name, label in _without(labels, counterparts, once=once)
            if kind != "name" or not any(name in phrase for phrase in phrases)
        ]
        only_there = dict.fromkeys(label.name for _, label in _without(counterparts, labels, once=once))
        instead = joined((Message("'{name}'", name=name) for name in only_there), Message(", "))
        where = Message(" in the section '{section}'", section=section) if section else ""
        if cell and cell != CHIP:
            where = Message(" in row {row}, column {column} of the table", row=cell[1] + 1, column=cell[2] + 1)
        for label in missing:
            message = Message(
                "the {what} '{name}' stands here{where} and {not_in} {path}{instead}",
                what=_WHAT[kind],
                name=label.name,
                where=where,
                not_in=Message("not in") if once else Message("not, or less often, in"),
                path=other,
                instead=Message("; only there: {names}", names=instead) if instead else "",
            )
            yield Finding(path, label.line, label.column, "LM309", message)


def _without(labels: list[tuple[str, Label]], others: list[tuple[str, Label]], *, once: bool) -> list[tuple[str, Label]]:
    """Return what is among some labels and not among others, or, unless it is enough to be there once, less often."""
    counts = Counter(name for name, _ in others)
    found: list[tuple[str, Label]] = []
    for name, label in dict(labels).items() if once else labels:
        if not counts[name]:
            found.append((name, label))
        elif not once:
            counts[name] -= 1
    return found


def _grouped(here: Labels, there: Labels, languages: tuple[str, str]) -> Groups:
    """Return the labels of a version that are to be compared with another's."""
    unsure = _unsure(here.sections, there.sections) | _unsure(there.sections, here.sections)
    groups: Groups = defaultdict(list)
    for label in here.found:
        name = label.name if label.kind != "link" else _address(label.name, languages)
        apart = label.section in unsure or (label.cell and here.shapes.get(label.section) != there.shapes.get(label.section))
        # `The two kernels` in one language are `2D 和 3D` in the other; what heads a column is another matter.
        if name and not apart and (label.cell or not _DIMENSION.fullmatch(name)):
            groups[label.kind, label.section, label.cell].append((name, label))
    return groups


def _unsure(sections: tuple[str, ...], others: tuple[str, ...]) -> set[str]:
    """Return the sections that only one version has, and those before them, which may have taken them in there."""
    found: set[str] = set()
    known = set(others)
    for before, section in pairwise(("", *sections)):
        if section not in known:
            found |= {before, section}
    return found


@lru_cache(maxsize=512)
def _address(target: str, languages: tuple[str, str]) -> str:
    """Return where a link leads, whatever the language of the page there; empty for a site that has a host for each."""
    scheme, apart, rest = target.rpartition("://")
    parts = rest.split("/")
    if apart and parts[0].partition(".")[0] in languages:
        return ""
    spoken = [_SPOKEN.fullmatch(part) for part in parts]
    return scheme + apart + "/".join("*" if code and code[1].lower() in languages else part for part, code in zip(parts, spoken, strict=True))
