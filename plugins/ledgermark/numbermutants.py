"""Mutants of the numbers themselves: last digit, sign, order of magnitude, unit, and claims that go or lose their binding."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.display import fold
from ledgermark.fix import Edit
from ledgermark.ground import inner_edit, key_edit, link_of, rewritten
from ledgermark.spelling import ALIASES
from ledgermark.typeset import write_like
from ledgermark.unit_syntax import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.claims import Claim
    from ledgermark.display import Shown
    from ledgermark.ground import Ground
    from ledgermark.mutants import Mutant
    from ledgermark.pages import Page

# What a unit may be taken for, by its symbol: as English writes it, and as Chinese does.
_TAKEN_FOR: Final = {
    "%": (("×", " 倍"), (" percentage points", " 个百分点")),
    "pp": (("%", "%"),),
    "×": (("%", "%"),),
    "tok/s": (("chunk/s", "chunk/s"), ("tok/ms", "tok/ms")),
    "chunk/s": (("tok/s", "tok/s"),),
    "us": (("ms", "ms"), ("ns", "ns")),
    "ms": (("µs", "µs"), ("s", "秒")),
    "s": (("ms", "毫秒"), ("minutes", "分钟")),
    "day": ((" hours", "小时"), (" weeks", "周")),
    "token": ((" chunks", " 块"), (" rows", "行")),
    "GiB": (("GB", "GB"), ("MiB", "MiB")),
}
_ANYTHING: Final = ((" ms", " ms"),)
_NOUNS: Final = {"row": ("tokens", "个 token")}
_NOUN: Final = ("rows", "行")
_GAP: Final = " \u00a0\u202f\u2009"


def number_mutants(ground: Ground) -> Iterator[Mutant]:
    """Yield the mutants of what each claim shows."""
    for page, claim in ground.bound:
        numbers = ground.numbers(claim)
        for at, shown in enumerate(numbers):
            yield from _digits(page, claim, shown)
            yield from _signs(page, claim, shown)
            yield from _magnitudes(page, claim, shown)
            end = numbers[at + 1].start if at + 1 < len(numbers) else len(claim.text)
            yield from _units(ground, page, claim, shown, end)
        if numbers:
            yield from _outside(ground, page, claim)
        yield from _removals(ground, page, claim)


def _changed(kind: str, page: Page, claim: Claim, shown: Shown, new: str) -> Iterator[Mutant]:
    old = claim.text[shown.start : shown.end]
    if new != old:
        text = claim.text[: shown.start] + new + claim.text[shown.end :]
        edits = [inner_edit(page, claim, shown.start, shown.end, new)]
        yield rewritten(kind, page, claim.start, claim.key, f"'{old}' becomes '{new}'", edits, [(claim.key, text)])


def _digits(page: Page, claim: Claim, shown: Shown) -> Iterator[Mutant]:
    for step in (shown.place, -shown.place):
        yield from _changed("digit", page, claim, shown, write_like(shown, claim.text, shown.value + step))


def _signs(page: Page, claim: Claim, shown: Shown) -> Iterator[Mutant]:
    old = claim.text[shown.start : shown.end]
    if not shown.value:
        return
    body = re.sub(r"^[^0-9０-９]+(?=[0-9０-９])", "", old) if shown.form == "digits" else old.lstrip("-−+＋")
    if not shown.explicit_sign:
        yield from _changed("sign", page, claim, shown, f"−{body}")
    elif fold(old)[0] == "-":
        yield from _changed("sign", page, claim, shown, f"+{body}")
        yield from _changed("sign", page, claim, shown, body)
    else:
        yield from _changed("sign", page, claim, shown, f"−{body}")


def _magnitudes(page: Page, claim: Claim, shown: Shown) -> Iterator[Mutant]:
    old = claim.text[shown.start : shown.end]
    if not shown.value:
        return
    if shown.form != "digits":
        yield from _changed("magnitude", page, claim, shown, write_like(shown, claim.text, shown.value * 10))
        return
    sign = re.match(r"[^0-9０-９]*", old)
    head = sign.group() if sign else ""
    whole, _, rest = re.sub(r"[^0-9.]", "", fold(old)).partition(".")
    larger, smaller = (whole + (rest or "0")[0], rest[1:]), (whole[:-1] or "0", whole[-1:] + rest)
    for left, right in (larger, smaller):
        plain = (left.lstrip("0") or "0") + (f".{right}" if right else "")
        yield from _changed("magnitude", page, claim, shown, head + plain)


def _units(ground: Ground, page: Page, claim: Claim, shown: Shown, end: int) -> Iterator[Mutant]:
    """Yield another unit in place of the one written, none where the last number has one, and one where there is none."""
    tail = fold(claim.text[shown.end : end])
    written = ground_spelling(ground).search(tail)
    old, zh = claim.text[shown.end : end], page.language == "zh"

    def mutant(start: int, stop: int, new: str) -> Mutant:
        was = claim.text[start:stop].strip() or "no unit"
        edits = [inner_edit(page, claim, start, stop, new)]
        return rewritten("unit", page, claim.start, claim.key, f"'{claim.text}' with '{new.strip() or 'no unit'}' for '{was}'", edits)

    if written is None:
        if claim.text[:3] != "百分之" and not old.strip():
            yield mutant(shown.end, shown.end, " s" if claim.unit == "ms" else " ms")  # not the one it has
        return
    start, stop = shown.end + written.start(), shown.end + written.end()
    symbol = shown.unit.symbol if shown.unit else ""
    for pair in _TAKEN_FOR.get(symbol, _ANYTHING):
        yield mutant(start, stop, pair[zh])
    if stop == len(claim.text) and shown.unit and not shown.unit.counts:
        yield mutant(start, stop, "")


def ground_spelling(ground: Ground) -> re.Pattern[str]:
    """Return a pattern of any spelling of a unit, the longest first, with the space before it."""
    return _spelling(tuple(sorted(ALIASES | ground.project.settings.aliases, key=len, reverse=True)))


@lru_cache
def _spelling(spellings: tuple[str, ...]) -> re.Pattern[str]:
    parts = (re.escape(item) + ("(?![A-Za-z/])" if item[-1].isascii() and item[-1].isalpha() else "") for item in spellings)
    return re.compile(f"[{_GAP}]*(?:{'|'.join(parts)})")


def _outside(ground: Ground, page: Page, claim: Claim) -> Iterator[Mutant]:
    """Yield another unit where the unit stands outside the number: in the link, in the head of a column, as the noun that is counted."""
    twins = ground.twins(page, claim)
    zh = page.language == "zh"
    if claim.unit and (page, claim) == twins[0]:
        part = f"unit={claim.unit}"
        for pair in (*_TAKEN_FOR.get(claim.unit, _ANYTHING), ("", "")):
            unit = pair[0].strip().replace("µs", "us")
            key = claim.key.replace(part, f"unit={unit}") if unit else re.sub(rf"[&?]{re.escape(part)}", "", claim.key)
            edits = [key_edit(*twin, key) for twin in twins]
            yield rewritten("unit", page, claim.start, claim.key, f"'{unit}' in the link", edits, [(key, twin.text) for _, twin in twins])
    passage = ground.reading(page).passage(claim.start)
    if claim.unit and passage.above is not None:
        header = page.source.text[passage.above.start : passage.above.end]
        for match in re.finditer(ground_spelling(ground), header):
            if (ALIASES | ground.project.settings.aliases)[match.group().strip(_GAP)] == claim.unit:
                new = _TAKEN_FOR.get(claim.unit, _ANYTHING)[0][zh].strip()
                edit = Edit(passage.above.start + match.start(), match.group(), f" {new}")
                yield rewritten("unit", page, claim.start, claim.key, f"'{new}' in the column's head", [(page.source.path, edit)])
    after = link_of(page, claim)[1]
    noun = ground_spelling(ground).match(page.source.text, after)
    symbol = (ALIASES | ground.project.settings.aliases).get(noun.group().strip(_GAP), "") if noun else ""
    if noun and symbol in COUNTED:
        new = _NOUNS.get(symbol, _NOUN)[zh]
        edit = Edit(after, noun.group(), new if zh else f" {new}")
        yield rewritten("unit", page, claim.start, claim.key, f"counts '{new}' for '{noun.group().strip()}'", [(page.source.path, edit)])


def _removals(ground: Ground, page: Page, claim: Claim) -> Iterator[Mutant]:
    start, end = link_of(page, claim)
    edit = page.source.path, Edit(start, page.source.text[start:end], "")
    yield rewritten("deletion", page, claim.start, claim.key, f"'{claim.text}' is gone in this language", [edit])
    twins = ground.twins(page, claim)
    if (page, claim) == twins[0]:
        edits = []
        for other, twin in twins:
            start, end = link_of(other, twin)
            edits.append((other.source.path, Edit(start, other.source.text[start:end], twin.text)))
        yield rewritten("unbinding", page, claim.start, claim.key, f"'{claim.text}' without its link, in every language", edits)
