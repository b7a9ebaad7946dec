"""Mutants of words: of comparison and of direction at a number, and the comparison in its link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ledgermark.claims import RELATIONS
from ledgermark.directionlexicons import LEXICONS as DIRECTIONS
from ledgermark.directions import directed
from ledgermark.fix import Edit
from ledgermark.ground import key_edit, rewritten
from ledgermark.passages import CLAUSE
from ledgermark.relations import LEXICONS, said_of
from ledgermark.subjects import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.claims import Claim
    from ledgermark.ground import Ground
    from ledgermark.mutants import Mutant
    from ledgermark.pages import Page

_NEGATED: Final = {"more_than": "at_most", "less_than": "at_least", "at_least": "less_than", "at_most": "more_than"}
_SPACE: Final = r"[\s\u00a0]+"


def comparison_mutants(ground: Ground) -> Iterator[Mutant]:
    """Yield other comparison words at each claim, or some where there are none, and other comparisons in its link."""
    neutral = {language: Words(ground.project.families, language).pattern for language in ground.project.settings.languages}
    for page, claim in ground.bound:
        twins = ground.twins(page, claim)
        if (page, claim) == twins[0]:
            for relation in ("", *RELATIONS):
                if relation != claim.relation:
                    key = with_option(claim.key, "is", relation)
                    edits = [key_edit(*twin, key) for twin in twins]
                    change = f"the link says {f'is={relation}' if relation else 'equality'} in every language"
                    yield rewritten("comparison", page, claim.start, claim.key, change, edits)
        language = page.language or next(iter(ground.project.settings.languages))
        if language in LEXICONS:
            yield from _worded(ground, page, claim, language, neutral[language])


def direction_mutants(ground: Ground) -> Iterator[Mutant]:
    """Yield the opposite of each word of direction that the data has a say in: "gains" for "loses"."""
    for page in ground.project.all_pages:
        language = page.language or next(iter(ground.project.settings.languages))
        swaps = DIRECTIONS[language].swaps if language in DIRECTIONS else {}
        for claim, said in directed(page, ground.reading(page), language, ground.project.metrics or {}):
            opposite, found = swaps.get(said.word.lower()), _place_of(ground, page, claim, said.word)
            if opposite and found:
                start, end = found
                edit = Edit(start, page.source.text[start:end], opposite)
                yield rewritten(
                    "direction", page, claim.start, claim.key, f"'{opposite}' for '{said.word}' at '{claim.text}'", [(page.source.path, edit)]
                )


def with_option(key: str, name: str, value: str) -> str:
    """Return a key with one of its parameters set, or taken out where the value is empty."""
    head, _, query = key.partition("?")
    parts = [part for part in query.replace("&amp;", "&").split("&") if part and part.partition("=")[0] != name]
    parts += [f"{name}={value}"] if value else []
    return f"{head}?{'&'.join(parts)}" if parts else head


def _worded(ground: Ground, page: Page, claim: Claim, language: str, neutral: re.Pattern[str] | None) -> Iterator[Mutant]:
    examples = LEXICONS[language].examples
    words = said_of(claim, ground.reading(page), language, neutral)
    gap = "" if language == "zh" else " "
    if words is None:
        for phrase in examples.values():
            edit = Edit(claim.start - 1, "[", f"{phrase}{gap}[")
            yield rewritten("comparison", page, claim.start, claim.key, f"'{phrase}' put before '{claim.text}'", [(page.source.path, edit)])
        return
    negator, _, phrase_there = words.text.rpartition(" … ")
    found = _place_of(ground, page, claim, phrase_there)
    if found is None:
        return
    start, end = found
    old = page.source.text[start:end]
    for relation, phrase in ((None, ""), *examples.items()):
        # "None is larger than" and "none is more than" say the same.
        if (_NEGATED.get(relation or "", relation) if negator else relation) not in words.relations:
            new = phrase.capitalize() if old[:1].isupper() else phrase
            change = f"'{new}' for '{' '.join(old.split())}' at '{claim.text}'" if new else f"no '{' '.join(old.split())}' at '{claim.text}'"
            yield rewritten("comparison", page, claim.start, claim.key, change, [(page.source.path, Edit(start, old, new))])


def _place_of(ground: Ground, page: Page, claim: Claim, phrase: str) -> tuple[int, int] | None:
    """Return where a phrase stands that compares a claim: last before it in its clause, first behind it, or in a header of its cell."""
    reading = ground.reading(page)
    clause, passage = reading.around(claim.start, claim.end, CLAUSE), reading.passage(claim.start)
    pattern = re.compile(_SPACE.join(map(re.escape, phrase.split())), re.IGNORECASE)
    before = list(pattern.finditer(reading.text, clause.start, claim.start))[-1:]
    spans = [(claim.end, clause.end)]
    spans += [(span.start, span.end) for span in (passage.above, *passage.beside[:1]) if span]
    found = next((match for match in (*before, *(pattern.search(reading.text, *span) for span in spans)) if match), None)
    return found.span() if found else None
