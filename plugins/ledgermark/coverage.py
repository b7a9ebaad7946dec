"""How many of the numbers a reader sees are bound, given, exempt by a rule, or unbound: per page and language."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Protocol

from ledgermark.exempt import RULE_NAMES
from ledgermark.findings import Finding, printable
from ledgermark.memory import Memory
from ledgermark.messages import Message
from ledgermark.near import unit_patterns
from ledgermark.spelling import ALIASES
from ledgermark.terms import compile_terms, spellings, term_problem
from ledgermark.unbound import BOUND, GIVEN, UNBOUND, Number, Reader, numbers_in, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ledgermark.ledger import Ledger
    from ledgermark.messages import Say
    from ledgermark.metrics import Metric
    from ledgermark.pages import Page
    from ledgermark.settings import Settings
    from ledgermark.source import Source
    from ledgermark.suggest import Suggestions


Placed = tuple[int, int, Number]
"""A number with its line and column."""


class Pages(Protocol):
    """What is needed of a project: see `check.Project`, which is one."""

    @property
    def settings(self) -> Settings:
        """Its settings."""

    @property
    def ledger(self) -> Ledger:
        """Its data."""

    @property
    def metrics(self) -> Mapping[str, Metric] | None:
        """Its metrics by name."""

    @property
    def chips(self) -> Mapping[str, list[dict[str, object]]]:
        """Page path to the chips of its masthead."""

    @property
    def texts(self) -> Mapping[str, Source]:
        """The settings' and the mastheads' file, by path."""

    @property
    def all_pages(self) -> Iterable[Page]:
        """Its pages."""


@dataclass(frozen=True)
class Counts:
    """Numbers by what answers for them.

    Attributes:
        exempt: rule to how many it let stand, only rules that did.
    """

    bound: int
    given: int
    exempt: Mapping[str, int]
    unbound: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.bound + self.given + sum(self.exempt.values()) + self.unbound

    def record(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return {
            "numbers": self.total,
            "bound": self.bound,
            "given": self.given,
            "exempt": sum(self.exempt.values()),
            "by_rule": dict(self.exempt),
            "unbound": self.unbound,
        }


@dataclass(frozen=True)
class Covered:
    """The numbers of one file in one language, each with its line and column.

    Attributes:
        path: the file.
        language: its language, or an empty text.
        page: the page's path without the language's folder; the masthead's page for chips.
    """

    path: str
    language: str
    page: str
    numbers: tuple[Placed, ...]

    @property
    def counts(self) -> Counts:
        """How many of each kind."""
        return count_numbers(number for _, _, number in self.numbers)


@dataclass(frozen=True)
class Coverage:
    """The numbers of a project.

    Attributes:
        files: by language, then by path.
        terms: each of the project's terms and how often it let a number stand.
    """

    files: tuple[Covered, ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict)

    def of_path(self, path: str) -> tuple[Covered, ...]:
        """Return what is known of a file, once for each language in it."""
        return self._by_path.get(path, ())

    @cached_property
    def _by_path(self) -> dict[str, tuple[Covered, ...]]:
        found: dict[str, tuple[Covered, ...]] = {}
        for file in self.files:
            found[file.path] = (*found.get(file.path, ()), file)
        return found

    def of_language(self, language: str) -> Counts:
        """Return the counts of a language, mastheads included."""
        return count_numbers(number for file in self.files if file.language == language for _, _, number in file.numbers)

    def of_page(self, language: str, page: str) -> Counts:
        """Return the counts of a page in a language, with its masthead."""
        files = (file for file in self.files if (file.language, file.page) == (language, page))
        return count_numbers(number for file in files for _, _, number in file.numbers)


def count_numbers(numbers: Iterable[Number]) -> Counts:
    """Return how many numbers there are of each kind, a rule's in the order of the documentation."""
    states = Counter(number.state for number in numbers)
    exempt = {rule: states[rule] for rule in RULE_NAMES if states[rule]}
    return Counts(states[BOUND], states[GIVEN], exempt, states[UNBOUND])


def reader_of(project: Pages) -> Reader:
    """Return how numbers are judged in a project."""
    settings = project.settings
    measure, unit = unit_patterns(tuple(sorted(settings.aliases.items())))
    units = {name: metric.unit for name, metric in (project.metrics or {}).items()}
    for dataset in project.ledger.datasets.values():
        units |= {f"{dataset.name}.{column.name}": column.unit for column in dataset.columns if column.unit}
    figures: dict[str, dict[str, tuple[str, ...]]] = {}
    for page in project.all_pages:
        figures.setdefault(page.language, {})[page.path] = tuple(block.argument for block in page.figures)
    return Reader(
        pattern=compile_terms(settings.terms),
        measure=measure,
        unit=unit,
        spellings=ALIASES | settings.aliases,
        counted={name: unit.dimensions[0][0] if unit.dimensions else "" for name, unit in units.items() if unit.counts},
        figures=figures,
        math=settings.math,
    )


def shared_reader(project: Pages, memory: Memory) -> Reader:
    """Return how numbers are judged in a project; the same one as in another project where that judges them alike."""
    made = reader_of(project)
    return memory.once("reader", (project.settings,), lambda: made, lambda known: known == made)


def coverage_of(project: Pages, memory: Memory | None = None) -> Coverage:
    """Return every number that readers of a project's pages see, and what answers for each.

    Args:
        project: the project.
        memory: of projects that have pages of this one.
    """
    memory = memory or Memory()
    reader = shared_reader(project, memory)
    files: list[Covered] = []
    for page in project.all_pages:
        numbers = memory.once("numbers", (page, reader), partial(numbers_on, page, reader))
        files.append(Covered(page.source.path, page.language, page.path, numbers))
    for language in project.settings.languages:
        for name, chips in _chips(project, language).items():
            shown = _chip_numbers(project, chips, reader)
            files.append(Covered(project.settings.mastheads, language, f"{name}.md", tuple(sorted(shown, key=_place))))
    order = {language: at for at, language in enumerate((*project.settings.languages, ""))}
    files.sort(key=lambda file: (order[file.language], file.path, file.page))
    used = Counter(number.detail for file in files for _, _, number in file.numbers if number.state == "term")
    return Coverage(tuple(files), {term: sum(used[said] for said in spellings(term)) for term in project.settings.terms})


def numbers_on(page: Page, reader: Reader) -> tuple[Placed, ...]:
    """Return the numbers of a page in their order."""
    place = page.source.place
    return tuple([(*place(number.offset), number) for number in sorted(numbers_of(page, reader), key=_offset)])


_offset: Final = attrgetter("offset")


def _place(item: tuple[int, int, Number]) -> tuple[int, int]:
    return item[:2]


def _chips(project: Pages, language: str) -> dict[str, list[str]]:
    return {name: [str(chip[language]) for chip in chips if chip.get(language)] for name, chips in project.chips.items()}


def _chip_numbers(project: Pages, chips: list[str], reader: Reader) -> Iterator[Placed]:
    source = project.texts.get(project.settings.mastheads)
    for text in chips:
        start = source.text.find(text) if source else -1
        for number in numbers_in(text, reader):
            line, column = source.place(start + number.offset) if source and start >= 0 else (1, 1)
            yield line, column, number


def covered_findings(file: Covered, suggestions: Suggestions) -> Iterator[Finding]:
    """Yield a finding for each number of a file that nothing answers for."""
    for line, column, number in file.numbers:
        if number.code or number.state == UNBOUND:
            message = number.problem or suggestions.message(number.text)
            yield Finding(file.path, line, column, number.code or "LM201", message, number.text)


def term_findings(project: Pages, coverage: Coverage) -> Iterator[Finding]:
    """Yield a finding for each term in the settings that names nothing or is used nowhere."""
    config = project.texts.get("mkdocs.yml")
    _, unit = unit_patterns(tuple(sorted(project.settings.aliases.items())))
    for term, uses in coverage.terms.items():
        place = config.place(max(config.text.find(term, max(config.text.find("terms:"), 0)), 0)) if config else (1, 1)
        if problem := term_problem(term, unit):
            yield Finding("mkdocs.yml", *place, "LM207", Message("the term '{term}' {problem}", term=term, problem=problem))
        elif not uses:
            yield Finding("mkdocs.yml", *place, "LM206", Message("the term '{term}' lets no number stand anywhere; remove it", term=term))


def coverage_text(coverage: Coverage, languages: Iterable[str], *, verbose: bool, say: Say = str) -> str:
    """Return the coverage for a terminal: a line per file, a total per language, and on demand each number."""
    lines: list[str] = []
    for file in coverage.files:
        if file.numbers:
            lines.append(f"{file.path}{f' ({file.language})' if file.path.endswith('.yml') else ''}: {say(_words(file.counts))}")
        if verbose:
            lines += [f"  {line}:{column} {number.state} {say(_described(number))}" for line, column, number in file.numbers]
    lines += [f"{language}: {say(_words(coverage.of_language(language)))}" for language in languages]
    if verbose and coverage.terms:
        lines += [say(Message("term '{term}': {uses}", term=term, uses=uses)) for term, uses in coverage.terms.items()]
    return "\n".join(printable(line) for line in lines)


def _described(number: Number) -> str:
    shown, code = f"'{' '.join(number.text.split())}'", f" {number.code}" if number.code else ""
    if number.detail and number.detail != number.text:
        return Message("{shown} by '{term}'{code}", shown=shown, term=number.detail, code=code)
    return f"{shown}{code}"


def _words(counts: Counts) -> str:
    rules = ", ".join(f"{rule} {count}" for rule, count in counts.exempt.items())
    exempt = sum(counts.exempt.values())
    return Message(
        "{total} numbers: {bound} bound, {given} given, {exempt} exempt{rules}, {unbound} unbound",
        total=counts.total,
        bound=counts.bound,
        given=counts.given,
        exempt=exempt,
        rules=f" ({rules})" if rules else "",
        unbound=counts.unbound,
    )


def coverage_json(coverage: Coverage, languages: Iterable[str], *, verbose: bool) -> str:
    """Return the coverage as JSON, with each number on demand."""
    files = []
    for file in coverage.files:
        record: dict[str, Any] = {"path": file.path, "language": file.language, **file.counts.record()}
        if verbose:
            record["list"] = [
                {"line": line, "column": column, "text": number.text, "state": number.state, "term": number.detail, "code": number.code}
                for line, column, number in file.numbers
            ]
        files.append(record)
    totals = {language: coverage.of_language(language).record() for language in languages}
    return json.dumps({"languages": totals, "files": files, "terms": dict(coverage.terms)}, ensure_ascii=False, indent=2)
