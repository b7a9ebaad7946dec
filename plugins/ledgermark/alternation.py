"""A pattern that finds any of many words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SHARED: Final = 2  # letters by which words are grouped: a third tells hardly any more apart


def _nothing(_word: str) -> str:
    return ""


def one_of(words: Iterable[str], after: Callable[[str], str] = _nothing) -> str:
    """Return a pattern of some words, of which it takes the longest that fits.

    Words that begin alike are grouped, so that a search compares their first letters once for all of them, not once for each.

    Args:
        words: at least one, each as it is written.
        after: the pattern of what has to follow a word.
    """
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return f"(?:{_grouped({word: after(word) for word in ordered}, _SHARED)})"


def whole_words(words: Iterable[str], phrases: dict[str, str]) -> str:
    """Return a pattern of some words in small letters that stand alone, of which it takes the longest that fits.

    It begins with a set of letters, to which a search leaps, and tells words apart by their second letter, which differs most.

    Args:
        words: at least one, each of three letters or more.
        phrases: the patterns of more, by the two letters that they begin with and no word does: each of what follows these two.
    """
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:2], []).append(word[2:])
    endings = {begins: one_of(rest) for begins, rest in rests.items()} | phrases
    seconds: dict[str, list[str]] = {}
    for begins, ending in sorted(endings.items()):
        seconds.setdefault(begins[1], []).append(f"(?<={begins}){ending}")
    firsts = "".join(sorted({begins[0] for begins in endings}))
    told = "|".join(f"{second}(?:{'|'.join(rest)})" for second, rest in seconds.items())
    return rf"[{firsts}](?<![a-z0-9_].)(?:{told})\b"


def _grouped(endings: Mapping[str, str], shared: int) -> str:
    if not shared or len(endings) == 1:
        return "|".join(re.escape(ending) + after for ending, after in endings.items())
    groups: dict[str, dict[str, str]] = {}
    for ending, after in endings.items():
        groups.setdefault(ending[:1], {})[ending[1:]] = after
    return "|".join(f"{re.escape(first)}(?:{_grouped(rests, shared - 1)})" for first, rests in groups.items())
