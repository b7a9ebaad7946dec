"""The check: everything wrong with a project, sorted; nothing is raised for an author's mistake."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ledgermark.catalogue import DOMAINS
from ledgermark.coverage import Coverage, coverage_of, covered_findings, term_findings
from ledgermark.datafacts import words_of
from ledgermark.dated import Behind, check_chips, check_published
from ledgermark.errata import check_errata
from ledgermark.evidence import check_captions, check_evidence
from ledgermark.figures import Drawn, check_placed
from ledgermark.findings import Finding, nearest
from ledgermark.labels import check_labels
from ledgermark.memory import Memory
from ledgermark.messages import Message, joined
from ledgermark.metrics import Evaluator
from ledgermark.naming import check_declared
from ledgermark.pages import Page, apply_silences
from ledgermark.pagework import PageWork
from ledgermark.parity import check_parity
from ledgermark.published import Comparison, compare
from ledgermark.record import History
from ledgermark.suggest import Suggestions, suggestions_for
from ledgermark.units import parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from ledgermark.catalogue import Catalogue
    from ledgermark.claims import Claim
    from ledgermark.figures import Figure
    from ledgermark.ledger import Ledger
    from ledgermark.metrics import Metric
    from ledgermark.quantity import Quantity
    from ledgermark.settings import Settings
    from ledgermark.source import Source
    from ledgermark.subjects import Family
    from ledgermark.verify import Problem, Verdict

_MANY: Final = 6  # rows that a message names


@dataclass(frozen=True)
class Project:
    """A project as read from disk.

    Attributes:
        pages: language code to page path to page; shared pages are under the empty code.
        metrics, figures: by name; None when the file that defines them could not be loaded, which is a finding.
        catalogues: language code to its words.
        findings: what went wrong in reading.
        digest: SHA-256 over the descriptor and the data files.
        digests: of each of these, by path.
        chips: page path to the chips of its masthead.
        texts: the files besides pages whose words readers see, or whose options are judged, by path.
        families: what rows speak of, and the words for it.
        history: the record of published values.
    """

    settings: Settings
    ledger: Ledger
    metrics: Mapping[str, Metric] | None
    figures: Mapping[str, Figure] | None
    pages: Mapping[str, Mapping[str, Page]]
    catalogues: Mapping[str, Catalogue]
    findings: tuple[Finding, ...]
    digest: str
    chips: Mapping[str, list[dict[str, object]]] = field(default_factory=dict)
    texts: Mapping[str, Source] = field(default_factory=dict)
    families: tuple[Family, ...] = ()
    history: History = field(default_factory=History)
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_pages(self) -> Iterable[Page]:
        """Every page of every language, and the shared ones."""
        return (page for by_path in self.pages.values() for page in by_path.values())


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes:
        findings: sorted by place.
        values: what the data gives for each claim, by its key.
        drawn: each figure used, by name and language.
        published: the pages compared with what was published.
        coverage: every number that readers see, and what answers for it.
    """

    project: Project
    findings: tuple[Finding, ...]
    values: Mapping[str, tuple[Quantity, ...]]
    drawn: Mapping[tuple[str, str], Drawn]
    published: Comparison = field(default_factory=Comparison)
    coverage: Coverage = field(default_factory=Coverage)


def check_project(project: Project, today: date, only: frozenset[str] | None = None, memory: Memory | None = None) -> Checked:
    """Return everything wrong with a project.

    Args:
        project: as read.
        today: the date no erratum may be after.
        only: the pages to report on, as paths; None for all. What these share with the rest (data, metrics) is always reported.
        memory: of checks of projects that have parts of this one.
    """
    memory = memory or Memory()
    evaluator = _evaluator(project, memory)
    findings, aliases = list(project.findings), project.settings.aliases
    values: dict[str, tuple[Quantity, ...]] = {}
    drawn: dict[tuple[str, str], Drawn] = {}
    published = compare(project.pages, project.history, aliases)
    work = PageWork(project, project.families, evaluator, memory)
    languages = {language: project.pages.get(language, {}) for language in project.settings.languages}
    work.ahead(languages, _placed(project))
    findings += check_declared(project.families, project.metrics or {}, project.settings.subjects)
    # No comment silences these: a published number changes only with an erratum.
    always = (project.history.path, *(only or ()))
    findings += [finding for finding in published.findings if only is None or finding.path in always]
    keys = (claim.key for page in project.all_pages for claim in page.claims.claims)
    coverage, suggestions = coverage_of(project, memory), suggestions_for(keys, evaluator, aliases)
    mastheads = project.settings.mastheads
    shared: dict[str, list[Finding]] = defaultdict(list)
    for finding in [*check_parity(languages, memory), *check_labels(languages, coverage, mastheads, memory)]:
        shared[finding.path].append(finding)
    for page in project.all_pages:
        found = [*page.findings, *shared[page.source.path]]
        found += _check_claims(page, project, work.verdicts(page), values, suggestions)
        found += work.spoken(page)
        found += _check_figures(page, project, drawn, work)
        found += check_evidence(page, values, project.ledger)
        language = page.language or next(iter(project.settings.languages))
        found += check_captions(page, values, {name: item.evidence for (name, at), item in drawn.items() if at == language})
        found += _check_errata(page, project, today)
        found += check_published(page, today)
        found += [item for file in coverage.of_path(page.source.path) for item in covered_findings(file, suggestions)]
        if only is None or page.source.path in only:
            findings += apply_silences(page, found)
    findings += _untranslated(project, values)
    if only is None:
        findings += shared[mastheads]
        findings += [item for file in coverage.of_path(mastheads) for item in covered_findings(file, suggestions)]
        findings += term_findings(project, coverage)
        first = next(iter(project.settings.languages))
        cells = {name: item.evidence for (name, at), item in drawn.items() if at == first}
        behind = Behind(project.pages.get(first, {}), values, cells, project.ledger)
        findings += check_chips(behind, project.chips, project.texts.get(project.settings.mastheads), today)
    return Checked(project, tuple(sorted(set(findings))), values, drawn, published, coverage)


def _evaluator(project: Project, memory: Memory) -> Evaluator:
    metrics = project.metrics or {}
    known = memory.once("evaluator", (project.metrics,), lambda: Evaluator(project.ledger, metrics))
    return known if known.ledger is project.ledger else Evaluator(project.ledger, metrics, known)


def _check_claims(
    page: Page,
    project: Project,
    verdicts: list[tuple[Claim, Verdict]],
    values: dict[str, tuple[Quantity, ...]],
    suggestions: Suggestions,
) -> list[Finding]:
    findings: list[Finding] = []
    for claim, verdict in verdicts:
        values[claim.key] = verdict.values
        findings += [finding_of(page, claim, problem, project.ledger, _hint(claim, problem, suggestions)) for problem in verdict.problems]
    return findings


def _hint(claim: Claim, problem: Problem, suggestions: Suggestions) -> str:
    """Return which other claims give the number that this one shows, where it may be the link that is wrong."""
    if problem.code != "LM101" or problem.shown is None:
        return ""
    unit = problem.shown.unit or (parse_unit(claim.unit) if claim.unit else problem.values[0].unit)
    found = suggestions.instead(problem.shown, unit, claim.key)
    written = claim.text[problem.shown.start : problem.shown.end]
    if not found:
        return ""
    claims = joined([f"claim:{key}" for key in found], Message(" and "))
    if len(found) == 1:
        return Message("; {claims} gives {written}", claims=claims, written=written)
    return Message("; {claims} give {written}", claims=claims, written=written)


def finding_of(page: Page, claim: Claim, problem: Problem, ledger: Ledger, hint: str = "") -> Finding:
    """Return a claim's problem as a finding with its place, the rows the answer comes from, and a hint."""
    rows = rows_of(problem.values, ledger)
    shown = claim.text[problem.shown.start : problem.shown.end] if problem.shown else claim.text
    where = Message(" ({rows})", rows=", ".join(rows)) if rows else ""
    if len(rows) > _MANY:
        where = Message(" ({rows} and {count} more rows)", rows=", ".join(rows[:_MANY]), count=len(rows) - _MANY)
    return Finding(
        page.source.path,
        *page.source.place(claim.start + problem.offset),
        problem.code,
        Message("{problem}{where}{hint}", problem=problem.message, where=where, hint=hint),
        shown,
        problem.expected,
        tuple(rows),
    )


def rows_of(values: Iterable[Quantity], ledger: Ledger) -> list[str]:
    """Return `file:line` of the rows some values come from, each once, sorted."""
    places = sorted({(ledger.datasets[cell.dataset].path, cell.line) for value in values for cell in value.evidence})
    return [f"{path}:{line}" for path, line in places]


def _placed(project: Project) -> list[tuple[Figure, Catalogue]]:
    """Return each figure that stands on a page, in its order, with the words of the page's language."""
    figures = project.figures or {}
    placed = ((block.argument, page) for page in project.all_pages for block in page.figures if block.argument in figures)
    found = {(name, page.language): (figures[name], _words_on(page, project)) for name, page in placed}
    return list(found.values())


def _words_on(page: Page, project: Project) -> Catalogue:
    return project.catalogues[page.language or next(iter(project.settings.languages))]


def _check_figures(page: Page, project: Project, drawn: dict[tuple[str, str], Drawn], work: PageWork) -> list[Finding]:
    findings: list[Finding] = []
    datasets = project.ledger.datasets
    for block in page.evidence:
        if block.argument not in datasets and not any(block.argument in finding.path for finding in project.findings):
            message = Message("no dataset '{dataset}'{hint}", dataset=block.argument, hint=nearest(block.argument, datasets))
            findings.append(Finding(page.source.path, *page.source.place(block.argument_start), "LM601", message))
    if project.figures is None:
        return findings
    catalogue = _words_on(page, project)
    return [*findings, *check_placed(page, catalogue.language, project.figures, drawn, lambda chosen: work.drawn(chosen, catalogue))]


def _check_errata(page: Page, project: Project, today: date) -> list[Finding]:
    if not page.errata:
        return []
    datasets = project.ledger.datasets
    known = {
        *(project.metrics or ()),
        *datasets,
        *(f"{name}.{column.name}" for name, dataset in datasets.items() for column in dataset.columns),
        *(f"fig-{name}" for name in project.figures or ()),
        *(f"#{section.id}" for section in page.source.sections),
    }
    findings = check_errata(page.source, page.errata, page.published, today, known)
    broken = project.metrics is None or project.figures is None or any(finding.code.startswith("LM5") for finding in project.findings)
    return [finding for finding in findings if not (broken and finding.code == "LM404")]


def _untranslated(project: Project, values: Mapping[str, object]) -> list[Finding]:
    """Return the messages readers would see in English on a page of another language."""
    used = {key.partition("?")[0] for key in values}
    described = {text for dataset in project.ledger.datasets.values() for text in words_of(dataset)} if project.settings.data_pages else set()
    for catalogue in project.catalogues.values():
        for name, metric in (project.metrics or {}).items():
            if name in used:
                catalogue(metric.sentence)
        for text in described:
            catalogue(text)
    return [
        Finding(
            f"{project.settings.locale}/{language}/LC_MESSAGES/{DOMAINS[message in described]}",
            1,
            1,
            "LM306",
            Message("no translation of '{message}'", message=message),
        )
        for language, catalogue in project.catalogues.items()
        if not any(f"locale/{language}" in finding.path for finding in project.findings)  # a catalogue that cannot be read lacks all
        for message in sorted(catalogue.missing)
    ]
