"""What a check works out for each page by itself: its numbers, the verdicts on its claims, the words around them, its versions compared.

Each is worked out once, from the page and from what all pages share. Where there are many pages, several processes do it ahead: what they send
back goes where the check looks first, so that nothing else knows of them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from ledgermark.coverage import numbers_on, shared_reader
from ledgermark.directions import check_directions
from ledgermark.doubt import is_doubtful
from ledgermark.heads import check_units
from ledgermark.labels import labels_apart
from ledgermark.naming import check_subjects
from ledgermark.parity import parity_of, parity_parts, versions_of
from ledgermark.passages import Reading
from ledgermark.portions import check_portions
from ledgermark.processes import MANY_PAGES, processes, share_out
from ledgermark.relations import check_relations
from ledgermark.series import check_series
from ledgermark.subjects import Owners, Words
from ledgermark.verify import Verdict, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledgermark.claims import Claim
    from ledgermark.coverage import Pages, Placed
    from ledgermark.findings import Finding
    from ledgermark.memory import Memory
    from ledgermark.metrics import Evaluator
    from ledgermark.pages import Page
    from ledgermark.parity import Versions
    from ledgermark.quantity import Quantity
    from ledgermark.subjects import Family

    _Found = tuple[tuple[Placed, ...], list[Verdict], list[Finding], bool]


class PageWork:
    """What can be said of each page of a project by itself."""

    def __init__(self, project: Pages, families: tuple[Family, ...], evaluator: Evaluator, memory: Memory) -> None:
        """Take what all pages share, and the memory of checks of projects that have parts of this one."""
        self._memory, self._evaluator, self._settings = memory, evaluator, project.settings
        self._aliases = project.settings.aliases
        self._unloaded = project.metrics is None
        self._reader = shared_reader(project, memory)
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        languages = project.settings.languages
        self._owners = memory.once(
            "owners", (families, project.ledger, project.metrics), lambda: Owners(families, project.ledger, project.metrics or {})
        )
        self._words = memory.once("words", (families, project.settings), lambda: {code: Words(families, code) for code in languages})

    def ahead(self, pages: Mapping[str, Mapping[str, Page]]) -> None:
        """Work all of it out for pages by language and path, and where their versions differ, several processes together if they are many."""
        every = versions_of(pages)
        count = processes() if sum(map(len, pages.values())) >= MANY_PAGES else 1
        if count == 1:
            return
        for versions, (found, parity, labels) in zip(every, share_out(self._all, every, count), strict=True):
            there = _there(versions)
            for page, (numbers, verdicts, spoken, doubtful) in zip(there, found, strict=True):
                self._memory.keep("numbers", (page, self._reader), numbers)
                self._memory.keep("verdicts", self._claimed(page), verdicts)
                self._memory.keep("spoken", self._said(page), spoken)
                self._memory.keep("doubtful", (page,), doubtful)
            self._memory.keep("parity", parity_parts(versions), parity)
            for ((page, (here, *_)), (other, (others, *_))), apart in zip(pairwise(zip(there, found, strict=True)), labels, strict=True):
                self._memory.keep("labels", (page, other, here, others), apart)

    def _all(self, every: Sequence[Versions]) -> list[tuple[list[_Found], list[Finding], list[list[Finding]]]]:
        # Page by page and not part by part: what one part has read of a page another finds remembered.
        made = []
        for versions in every:
            there = _there(versions)
            found = [(self._numbers(page), self._judged(page), self.spoken(page), is_doubtful(page)) for page in there]
            numbered = [(page, numbers) for page, (numbers, *_) in zip(there, found, strict=True)]
            labels = [labels_apart(one, two, self._memory) for one, two in pairwise(numbered)]
            made.append((found, parity_of(versions, self._memory), labels))
        return made

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
