"""The mutants of a project put to its check: which are killed, which survive, and which are no faults after all.

A mutant is shown first to the parts of the check that look at what it changed, the same functions `check` runs, and is killed by the first
finding; what they let pass is checked whole, as `check` would, before it counts as a survivor.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from ledgermark.blockmutants import block_mutants
from ledgermark.cellmutants import cell_mutants, nudged_ledger
from ledgermark.check import finding_of
from ledgermark.coverage import Covered, covered_findings, reader_of
from ledgermark.descriptor import read_descriptor
from ledgermark.directions import check_directions
from ledgermark.examine import examine
from ledgermark.fix import Edit, apply_edits
from ledgermark.heads import check_units
from ledgermark.ledger import Ledger
from ledgermark.memory import Memory
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.mutants import KINDS, Mutant, Nudged, Rewritten, Undrawn, numbered
from ledgermark.naming import check_subjects
from ledgermark.numbermutants import number_mutants
from ledgermark.pages import Page, apply_silences, read_page
from ledgermark.parity import check_parity
from ledgermark.passages import Reading
from ledgermark.rebindings import rebinding_mutants
from ledgermark.relations import check_relations
from ledgermark.source import Source
from ledgermark.subjects import Owners, Words
from ledgermark.suggest import suggestions_for
from ledgermark.table import read_table
from ledgermark.tally import EQUIVALENT, KILLED, SURVIVED, Outcome
from ledgermark.unbound import numbers_of
from ledgermark.verify import verify
from ledgermark.wordmutants import comparison_mutants, direction_mutants

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from ledgermark.check import Project
    from ledgermark.claims import Claim
    from ledgermark.findings import Finding
    from ledgermark.ground import Ground
    from ledgermark.quantity import Quantity


def find_mutants(ground: Ground, today: date) -> list[Mutant]:
    """Return every mutant of a project, by kind and place."""
    found = [
        *number_mutants(ground),
        *comparison_mutants(ground),
        *direction_mutants(ground),
        *rebinding_mutants(ground),
        *cell_mutants(ground),
        *block_mutants(ground, today),
    ]
    found.sort(key=lambda mutant: (KINDS.index(mutant.kind), mutant.path, mutant.line, mutant.column))
    return list(numbered(found))


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return some mutants, of each kind in turn so that the rare ones are not lost among the many; in their order."""
    kinds: dict[str, list[int]] = defaultdict(list)
    for at, mutant in enumerate(mutants):
        kinds[mutant.kind].append(at)
    random = Random(seed)  # noqa: S311  (a sample, not a secret)
    for places in kinds.values():
        random.shuffle(places)
    chosen: list[int] = []
    while len(chosen) < min(size, len(mutants)):
        for places in kinds.values():
            if places and len(chosen) < size:
                chosen.append(places.pop())
    return [mutants[at] for at in sorted(chosen)]


class Judge:
    """Puts mutants to the check of a project that is clean."""

    def __init__(
        self,
        ground: Ground,
        today: date,
        extensions: Sequence[str],
        configs: Mapping[str, Mapping[str, Any]],
        memory: Memory | None = None,
    ) -> None:
        """Take a project, the date and the Markdown extensions of its check, and the memory of its check where there was one."""
        self._ground, self._project = ground, ground.project
        self._today, self._extensions, self._configs = today, extensions, configs
        self._memory = (memory or Memory()).frozen()

    def _whole(self, project: Project) -> tuple[Finding, ...]:
        """Return what the whole check finds in a project."""
        return examine(project, self._today, self._extensions, self._configs, memory=self._memory).findings

    def judge(self, mutant: Mutant) -> Outcome:
        """Return what becomes of a mutant."""
        match mutant.alteration:
            case Nudged() as nudged:
                found = self._nudged(nudged)
            case Undrawn(figure):
                left = {name: item for name, item in (self._project.figures or {}).items() if name != figure}
                found = iter(self._whole(replace(self._project, figures=left)))
            case Rewritten() as rewritten:
                if rewritten.shows and all(self._ground.fits(*pair) for pair in rewritten.shows):
                    return Outcome(mutant, EQUIVALENT)
                found = self._rewritten(rewritten)
        if found is None:
            return Outcome(mutant, EQUIVALENT)
        first = next(found, None)
        return Outcome(mutant, KILLED, first.code) if first else Outcome(mutant, SURVIVED)

    def _rewritten(self, alteration: Rewritten) -> Iterator[Finding]:
        edits: dict[str, list[Edit]] = defaultdict(list)
        for path, edit in alteration.edits:
            edits[path].append(edit)
        descriptor = self._project.settings.descriptor
        if descriptor in edits:
            yield from self._described(apply_edits(self._ground.descriptor, edits.pop(descriptor)))
            return
        changed: list[Page] = []
        pages = {language: dict(by_path) for language, by_path in self._project.pages.items()}
        for page in self._project.all_pages:
            if page.source.path in edits:
                text = apply_edits(page.source.text, edits[page.source.path])
                changed.append(read_page(Source(page.source.path, text), page.path, page.language))
                pages[page.language][page.path] = changed[-1]
        mutated = replace(self._project, pages=pages)
        by_path = {page.source.path: page for page in mutated.all_pages}
        for finding in (finding for part in self._parts for page in changed for finding in part(page, mutated)):
            place = by_path.get(finding.path)
            if place is None or _unsilenced(place, [finding]):
                yield finding
        yield from self._whole(mutated)

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        return (lambda page, _: page.findings, self._claims, self._parity, self._words, self._numbers)

    @cached_property
    def _right(self) -> set[tuple[str, str]]:
        """The claims of the project as it is, by key and text: it is clean, so they are right."""
        return {(claim.key, claim.text) for _, claim in self._ground.bound}

    def _claims(self, page: Page, project: Project) -> Iterator[Finding]:
        for claim in page.claims.claims:
            if (claim.key, claim.text) not in self._right:
                for problem in verify(claim, self._ground.evaluator, project.settings.aliases).problems:
                    yield finding_of(page, claim, problem, project.ledger)

    def _parity(self, page: Page, project: Project) -> Iterator[Finding]:
        languages = {language: project.pages.get(language, {}) for language in project.settings.languages}
        same = {language: {path: item for path, item in by_path.items() if path == page.path} for language, by_path in languages.items()}
        yield from check_parity(same) if page.language else ()

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self._project.families, self._project.ledger, self._project.metrics or {})

    @cached_property
    def _subject_words(self) -> dict[str, Words]:
        return {language: Words(self._project.families, language) for language in self._project.settings.languages}

    def _words(self, page: Page, project: Project) -> Iterator[Finding]:
        if not page.claims.claims:
            return
        reading = Reading(page.source, page.claims)
        words = self._subject_words[page.language or next(iter(self._subject_words))]
        aliases = project.settings.aliases
        yield from check_relations(page, reading, words.language, words.pattern)
        yield from check_units(page, reading, aliases)
        values = {claim.key: self._values(claim) for claim in page.claims.claims}
        yield from check_directions(page, reading, words.language, self._project.metrics or {}, values)
        yield from check_subjects(page, reading, words, self._owners, values)

    def _values(self, claim: Claim) -> tuple[Quantity, ...]:
        try:
            return self._ground.evaluator.values(claim)
        except EvaluationError:
            return ()

    def _numbers(self, page: Page, project: Project) -> Iterator[Finding]:
        numbers = tuple((*page.source.place(number.offset), number) for number in numbers_of(page, reader_of(project)))
        suggestions = suggestions_for((), self._ground.evaluator, project.settings.aliases)
        yield from covered_findings(Covered(page.source.path, page.language, page.path, numbers), suggestions)

    def _described(self, text: str) -> Iterator[Finding]:
        described, problems = read_descriptor(self._project.settings.descriptor, text.encode())
        yield from problems
        by_name = {dataset.name: dataset for dataset in described}
        tables = []
        for name, dataset in self._project.ledger.datasets.items():
            if name in by_name:
                said = replace(by_name[name], path=dataset.path)
                table = self._project.ledger.table(name)
                tables.append(table if said == dataset else replace(table, dataset=said))
        yield from self._whole(replace(self._project, ledger=Ledger(tables)))

    def _nudged(self, alteration: Nudged) -> Iterator[Finding] | None:
        nudged = nudged_ledger(self._ground, alteration)
        return None if nudged is None else self._over(nudged[0], alteration)

    def _over(self, ledger: Ledger, alteration: Nudged) -> Iterator[Finding]:
        """Yield what is wrong over another ledger: the claim it was changed for, then all, the changed file as it would be read."""
        evaluator = Evaluator(ledger, self._project.metrics or {})
        for page, claim in self._ground.bound:
            if claim.key == alteration.key:
                wrong = verify(claim, evaluator, self._project.settings.aliases).problems
                found = [finding_of(page, claim, problem, ledger) for problem in wrong]
                yield from _unsilenced(page, found)
        table = ledger.table(alteration.cell.dataset)
        _, problems = read_table(table.dataset, table.dataset.path, csv_of(table.columns))
        yield from problems
        yield from self._whole(replace(self._project, ledger=ledger))


def _unsilenced(page: Page, findings: list[Finding]) -> list[Finding]:
    """Return those findings of a page that no comment on it silences."""
    return [finding for finding in apply_silences(page, findings) if finding in findings]


def csv_of(columns: Mapping[str, Sequence[str]]) -> bytes:
    """Return a table as the file it would be."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode()
