"""What a check works out for each page by itself: its numbers, the verdicts on its claims, the words around them, its versions compared.

And its figures, each of which is drawn once for all pages in a language.

Each is worked out once, from the page and from what all pages share. Where there are many pages, several processes do it ahead: what they send
back goes where the check looks first, so that nothing else knows of them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ledgermark.coverage import numbers_on, shared_reader
from ledgermark.directions import check_directions
from ledgermark.doubt import is_doubtful
from ledgermark.figures import Drawn, draw
from ledgermark.heads import check_units
from ledgermark.labels import labels_apart
from ledgermark.metrics import EvaluationError
from ledgermark.naming import check_subjects
from ledgermark.parity import parity_of, parity_parts, versions_of
from ledgermark.passages import Reading
from ledgermark.portions import check_portions
from ledgermark.processes import MANY_PAGES, processes, share_out
from ledgermark.relations import check_relations
from ledgermark.series import check_series
from ledgermark.subjects import Owners, Words
from ledgermark.unbound import Number
from ledgermark.verify import Verdict, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledgermark.catalogue import Catalogue
    from ledgermark.claims import Claim
    from ledgermark.coverage import Pages, Placed
    from ledgermark.figures import Figure
    from ledgermark.findings import Finding
    from ledgermark.memory import Memory
    from ledgermark.metrics import Evaluator
    from ledgermark.pages import Page
    from ledgermark.parity import Versions
    from ledgermark.quantity import Quantity
    from ledgermark.subjects import Family

    _Found = tuple["_Numbers", list[Verdict], list[Finding], bool]
    _ToDraw = tuple[Figure, Catalogue]


class _Numbers:
    """The numbers of a page, which go to another process column by column: pickled so they take a fifth of the time."""

    def __init__(self, placed: tuple[Placed, ...]) -> None:
        self.placed = placed

    def __reduce__(self) -> tuple[Any, ...]:
        return _numbers_of_columns, tuple(zip(*[(line, column, *number) for line, column, number in self.placed], strict=True))


def _numbers_of_columns(lines: tuple[int, ...] = (), columns: tuple[int, ...] = (), *fields: tuple[Any, ...]) -> _Numbers:
    return _Numbers(tuple(zip(lines, columns, map(Number._make, zip(*fields, strict=True)), strict=True)))


class PageWork:
    """What can be said of each page of a project by itself."""

    def __init__(self, project: Pages, families: tuple[Family, ...], evaluator: Evaluator, memory: Memory) -> None:
        """Take what all pages share, and the memory of checks of projects that have parts of this one."""
        self._memory, self._evaluator, self._settings, self._ledger = memory, evaluator, project.settings, project.ledger
        self._aliases = project.settings.aliases
        self._unloaded = project.metrics is None
        self._reader = shared_reader(project, memory)
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        languages = project.settings.languages
        self._owners = memory.once(
            "owners", (families, project.ledger, project.metrics), lambda: Owners(families, project.ledger, project.metrics or {})
        )
        self._words = memory.once("words", (families, project.settings), lambda: {code: Words(families, code) for code in languages})

    def ahead(self, pages: Mapping[str, Mapping[str, Page]], figures: Sequence[_ToDraw]) -> None:
        """Work all of it out, several processes together, if there are many pages of which it is not known.

        Args:
            pages: by language and path; where their versions differ is worked out too.
            figures: those on the pages, each with the words of a language.
        """
        every = [versions for versions in versions_of(pages) if not self._knows(versions)]
        count = processes() if sum(len(_there(versions)) for versions in every) >= MANY_PAGES else 1
        if count == 1:
            return
        # The figures first: some take long, and what is left is then still enough for the other processes.
        items: list[_ToDraw | Versions] = [*figures, *every]
        answers = share_out(self._all, items, count)
        for (figure, catalogue), (drawn, missing) in zip(figures, answers, strict=False):
            catalogue.missing |= missing
            if drawn:
                self._memory.keep("drawn", (figure, catalogue), (drawn, self._ledger))
        for versions, (found, parity, labels) in zip(every, answers[len(figures) :], strict=True):
            there = _there(versions)
            for page, (numbers, verdicts, spoken, doubtful) in zip(there, found, strict=True):
                self._memory.keep("numbers", (page, self._reader), numbers.placed)
                self._memory.keep("verdicts", self._claimed(page), verdicts)
                self._memory.keep("spoken", self._said(page), spoken)
                self._memory.keep("doubtful", (page,), doubtful)
            self._memory.keep("parity", parity_parts(versions), parity)
            for ((page, (here, *_)), (other, (others, *_))), apart in zip(pairwise(zip(there, found, strict=True)), labels, strict=True):
                self._memory.keep("labels", (page, other, here.placed, others.placed), apart)

    def _knows(self, versions: Versions) -> bool:
        return self._memory.knows("parity", parity_parts(versions)) and all(
            self._memory.knows("numbers", (page, self._reader)) and self._memory.knows("verdicts", self._claimed(page))
            for page in _there(versions)
        )

    def _all(self, items: Sequence[_ToDraw | Versions]) -> list[Any]:
        return [self._sketched(*item) if isinstance(item, tuple) else self._found(item) for item in items]

    def _sketched(self, figure: Figure, catalogue: Catalogue) -> tuple[Drawn | None, set[str]]:
        """Return a figure and the messages without a translation; none for one that fails: whoever needs it then finds out why."""
        try:
            return self.drawn(figure, catalogue), catalogue.missing
        except EvaluationError:
            return None, set()

    def _found(self, versions: Versions) -> tuple[list[_Found], list[Finding], list[list[Finding]]]:
        # Page by page and not part by part: what one part has read of a page another finds remembered.
        there = _there(versions)
        found = [(_Numbers(self._numbers(page)), self._judged(page), self.spoken(page), is_doubtful(page)) for page in there]
        numbered = [(page, numbers.placed) for page, (numbers, *_) in zip(there, found, strict=True)]
        labels = [labels_apart(one, two, self._memory) for one, two in pairwise(numbered)]
        return found, parity_of(versions, self._memory), labels

    def drawn(self, figure: Figure, catalogue: Catalogue) -> Drawn:
        """Return a figure in the language of a catalogue. Raises `EvaluationError` where it fails."""
        # What it has drawn over another ledger holds over this one where all tables that it asked for are the same.
        made = self._memory.once(
            "drawn",
            (figure, catalogue),
            lambda: (draw(figure, self._ledger, catalogue), self._ledger),
            lambda known: known[1].shares(self._ledger, known[0].asked),
        )
        return made[0]

    def _numbers(self, page: Page) -> tuple[Placed, ...]:
        return self._memory.once("numbers", (page, self._reader), partial(numbers_on, page, self._reader))

    def verdicts(self, page: Page) -> list[tuple[Claim, Verdict]]:
        """Return the claims of a page that can be judged, each with its verdict."""
        return list(zip(self._judgeable(page), self._judged(page), strict=True))

    def _judgeable(self, page: Page) -> list[Claim]:
        # Without its metrics, of which there is a finding, a project has cells only.
        return [claim for claim in page.claims.claims if "." in claim.name] if self._unloaded else list(page.claims.claims)

    def _judged(self, page: Page) -> list[Verdict]:
        return self._memory.once("verdicts", self._claimed(page), lambda: [self._verdict(claim) for claim in self._judgeable(page)])

    def _verdict(self, claim: Claim) -> Verdict:
        """Return the verdict on a claim: the same wherever it shows the same."""
        place = claim.key, claim.text
        if place not in self._verdicts:
            self._verdicts[place] = verify(claim, self._evaluator, self._aliases)
        return self._verdicts[place]

    def spoken(self, page: Page) -> list[Finding]:
        """Return where the words around the claims of a page say something else than their links and rows."""
        return self._memory.once("spoken", self._said(page), partial(self._check_words, page)) if page.claims.claims else []

    def _check_words(self, page: Page) -> list[Finding]:
        words, reading = self._language(page), Reading(page.source, page.claims)
        values: dict[str, tuple[Quantity, ...]] = {claim.key: verdict.values for claim, verdict in self.verdicts(page)}
        found = [*check_relations(page, reading, words.language, words.pattern), *check_units(page, reading, self._aliases)]
        found += [*check_portions(page, reading, values), *check_series(page, reading)]
        if self._unloaded:  # then nobody knows whose subject a value's rows are
            return found
        found += check_directions(page, reading, words.language, self._evaluator.metrics, values)
        return [*found, *check_subjects(page, reading, words, self._owners, values)]

    def _language(self, page: Page) -> Words:
        words: Mapping[str, Words] = self._words
        return words[page.language or next(iter(words))]

    def _claimed(self, page: Page) -> tuple[object, ...]:
        return page, self._evaluator, self._settings

    def _said(self, page: Page) -> tuple[object, ...]:
        return page, self._language(page), self._owners, self._evaluator, self._settings


def _there(versions: Versions) -> list[Page]:
    return [page for page in versions.values() if page]
