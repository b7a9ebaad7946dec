"""Mutants of figures, the references to them, errata, badges and given numbers."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from ledgermark.badge import BADGES
from ledgermark.descriptor import EVIDENCE
from ledgermark.display import DisplayError, read_numbers
from ledgermark.fix import Edit
from ledgermark.ground import link_of, pages_of, rewritten
from ledgermark.mutants import Mutant, Rewritten, Undrawn
from ledgermark.numberwords import find_tokens
from ledgermark.source import Source
from ledgermark.typeset import write_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ledgermark.blocks import Block
    from ledgermark.claims import Given
    from ledgermark.errata import Erratum
    from ledgermark.ground import Ground
    from ledgermark.pages import Page

_REFERENCE: Final = re.compile(r"(?:Figures?|图)[ \u00a0]?(?P<number>[0-9]+)")
_CLOSING: Final = re.compile(r"^/{3,}[ \t]*(?:\n|\Z)", re.MULTILINE)
_SPOILT: Final = "no-such-thing"


def block_mutants(ground: Ground, today: date) -> Iterator[Mutant]:
    """Yield the mutants of figures, references, errata, badges and given numbers."""
    for page in ground.project.all_pages:
        for block in page.figures:
            yield from _block(ground, page, block, "figure")
        for block in page.evidence:
            yield from _block(ground, page, block, "badge")
        for match in _REFERENCE.finditer(page.source.masked, page.source.body_start):
            for number in (int(match["number"]) + 1, int(match["number"]) - 1):
                edit = page.source.path, Edit(match.start("number"), match["number"], str(number))
                yield rewritten("reference", page, match.start(), match.group(), f"number {number}", [edit])
        for erratum in page.errata:
            yield from _erratum(ground, page, erratum, today)
        for given in page.claims.given:
            yield from _given(page, given)
    yield from _undrawn(ground)
    yield from _evidence(ground)


def _given(page: Page, given: Given) -> Iterator[Mutant]:
    """Yield a given number gone, without its source, and another in one language: nothing computes it, so the other language must tell."""
    path = page.source.path
    start, end = link_of(page, given)
    text = page.source.text[start:end]
    changes = {"gone in this language": "", "without its source": f"[{given.text}](given:)"}
    for token in find_tokens(given.text):
        try:
            (shown,) = read_numbers(token.text)
        except (DisplayError, ValueError):
            continue
        for step in (shown.place, -shown.place):
            new = token.text[: shown.start] + write_like(shown, token.text, shown.value + step) + token.text[shown.end :]
            other = f"{given.text[: token.start]}{new}{given.text[token.end :]}"
            changes[f"'{other}' in this language"] = text.replace(given.text, other, 1)
    for change, new in changes.items():
        yield rewritten("given", page, given.start, f"'{given.text}'", change, [(path, Edit(start, text, new))])


def _span(page: Page, start: int, body_end: int) -> tuple[int, int]:
    closing = _CLOSING.search(page.source.text, body_end)
    return start, closing.end() if closing else len(page.source.text)


def _block(ground: Ground, page: Page, block: Block, kind: str) -> Iterator[Mutant]:
    """Yield the block gone in one language, named otherwise in one and in all, and a badge beside it that somebody typed."""
    path, text, name = page.source.path, page.source.text, block.argument
    start, end = _span(page, block.start, block.body_end)
    if kind == "figure":
        yield rewritten(kind, page, block.start, name, "gone in this language", [(path, Edit(start, text[start:end], ""))])
    bare = Edit(start, text[start:end], text[block.body_start : block.body_end])
    yield rewritten(kind, page, block.start, name, "gone in this language, its text stays", [(path, bare)])
    others = [item for item in ((ground.project.figures or {}) if kind == "figure" else ground.project.ledger.datasets) if item != name]
    yield rewritten(kind, page, block.start, name, f"called {_SPOILT}", [(path, Edit(block.argument_start, name, _SPOILT))])
    for other in others:
        yield rewritten(kind, page, block.start, name, f"called {other} in this language", [(path, Edit(block.argument_start, name, other))])
        twins = [(twin, found) for twin in pages_of(ground.project, page.path) for found in (*twin.figures, *twin.evidence)]
        twins = [(twin, found) for twin, found in twins if (found.kind, found.argument) == (block.kind, name)]
        if twins and twins[0] == (page, block):
            edits = [(twin.source.path, Edit(found.argument_start, name, other)) for twin, found in twins]
            yield rewritten(kind, page, block.start, name, f"called {other} in every language", edits)
    typed = f'<span class="lm-badge lm-badge--{BADGES[-1]}" data-badge="{BADGES[-1]}">{BADGES[-1]}</span>\n\n'
    fence = text[start : start + 3]
    yield rewritten("badge", page, block.start, name, "a badge typed before it", [(path, Edit(start, fence, typed + fence))])


def _erratum(ground: Ground, page: Page, erratum: Erratum, today: date) -> Iterator[Mutant]:
    path, text = page.source.path, page.source.text
    start, end = _span(page, erratum.start, erratum.body_end)

    def mutant(change: str, *edits: tuple[str, Edit]) -> Mutant:
        return rewritten("erratum", page, erratum.start, erratum.id, change, edits)

    yield mutant("gone in this language", (path, Edit(start, text[start:end], "")))
    yield mutant("gone in this language, its text stays", (path, Edit(start, text[start:end], text[erratum.body_start : erratum.body_end])))
    for days in (1, -1):
        when = (erratum.date + timedelta(days=days)).isoformat()
        yield mutant(f"dated {when} in this language", _dated(page, erratum, when))
    yield mutant("another id in this language", _option(page, erratum, "id", erratum.id, f"{erratum.id}-x"))
    for name in erratum.affects:
        yield mutant(f"affects not '{name}' but '{_SPOILT}' in this language", _option(page, erratum, "affects", name, _SPOILT))
    twins = [(twin, item) for twin in pages_of(ground.project, page.path) for item in twin.errata if item.id == erratum.id]
    if twins[:1] not in ([], [(page, erratum)]):
        return
    for change, edit in _everywhere(page, erratum, today):
        yield mutant(f"{change} in every language", *(edit(*twin) for twin in twins or [(page, erratum)]))


def _everywhere(page: Page, erratum: Erratum, today: date) -> Iterator[tuple[str, Callable[[Page, Erratum], tuple[str, Edit]]]]:
    """Yield what may be wrong with an erratum in every language at once, and the edit of one of them."""
    day = timedelta(days=1)
    for when in (str(today + day), str((page.published or date.min + day) - day), "2026-13-01", "soon", "29 August 2026"):
        yield f"dated '{when}'", partial(_dated, when=when)
    for name in erratum.affects:
        yield f"affects not '{name}' but '{_SPOILT}'", partial(_option, name="affects", old=name, new=_SPOILT)
    for other in [item.id for item in page.errata if item.id != erratum.id][:1]:
        yield f"called {other}", partial(_option, name="id", old=erratum.id, new=other)


def _dated(page: Page, erratum: Erratum, when: str) -> tuple[str, Edit]:
    old = erratum.date.isoformat()
    return page.source.path, Edit(page.source.text.index(old, erratum.start), old, when)


def _option(page: Page, erratum: Erratum, name: str, old: str, new: str) -> tuple[str, Edit]:
    line = page.source.text.index(f"{name}:", erratum.start)
    return page.source.path, Edit(page.source.text.index(old, line), old, new)


def _undrawn(ground: Ground) -> Iterator[Mutant]:
    for page in ground.project.all_pages:
        for block in page.figures:
            place = page.source.place(block.start)
            section = page.source.section_at(block.start)
            yield Mutant("figure", page.source.path, *place, section, block.argument, "gone from the figures", Undrawn(block.argument))


def _evidence(ground: Ground) -> Iterator[Mutant]:
    """Yield each dataset said to be of other evidence: its badge would change."""
    path = ground.project.settings.descriptor
    source = Source(path, ground.descriptor)
    for name, dataset in ground.project.ledger.datasets.items():
        named = re.search(rf'"name"\s*:\s*{re.escape(json.dumps(name))}', source.text)
        said = re.compile(r'"evidence"\s*:\s*"(?P<word>[a-z]+)"').search(source.text, named.end()) if named else None
        if said is None or said["word"] != dataset.evidence:
            continue
        for other in EVIDENCE:
            if other != dataset.evidence:
                edit = path, Edit(said.start("word"), said["word"], other)
                place = source.place(said.start("word"))
                yield Mutant("badge", path, *place, "", name, f"evidence '{other}' for '{dataset.evidence}'", Rewritten((edit,)))
