"""Prompts of a measured number of tokens, each with a beginning that no other has."""

from __future__ import annotations

import math
import random
import secrets
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS = 16
"""Digits of a beginning: one in 10^16 is met twice, and a digit between spaces is as many tokens as any other."""
PROBES = 8
"""Counts that the search for a length may cost."""
GUESS = 1.35
"""Tokens of a word, before the first count."""
SINGLES = 8
"""Single tokens that may end a prompt, where words do not come out even."""
FILL = " a"
WORDS = (  # noqa: SIM905 - as a list it would fill the screen
    "river stone winter market window garden letter silver morning harbour engine valley paper forest mountain kitchen signal copper bridge"
    " candle station ribbon meadow anchor basket lantern compass orchard village pencil thunder blanket turtle saddle marble pepper"
    " moves holds carries follows answers measures turns opens keeps finds over under near beyond against along between"
    " slowly quietly often never again twice deep cold bright narrow old green heavy"
).split()


def tolerance_of(context: int) -> int:
    """Return by how many tokens a prompt may miss its length: two, or two in a thousand."""
    return max(2, context // 500)


def nonce(digit: Callable[[], int] = lambda: secrets.randbelow(10)) -> str:
    """Return a beginning that no other prompt has, so that a prefix cache finds nothing of it."""
    return " ".join(str(digit()) for _ in range(DIGITS)) + " :"


@cache
def _words(seed: int, number: int) -> tuple[str, ...]:
    """Return words in an order that a seed decides; fewer are the beginning of more."""
    chooser = random.Random(seed)  # noqa: S311 - a text to fill a context, no secret
    return tuple(chooser.choice(WORDS) for _ in range(number))


def _ratio(counted: dict[int, int], words: int, tokens: int) -> float:
    """Return the tokens of a word by the count before this one, or by this one alone; 0 when more words were no more tokens."""
    if not counted:
        return tokens / words
    before = next(reversed(counted))
    if before == words:
        return tokens / words
    return max(0.0, (tokens - counted[before]) / (words - before))


@dataclass(frozen=True)
class Prompt:
    """A text of known length, but for its beginning.

    Attributes:
        words: Words of filler.
        fills: Single tokens after them.
        tokens: Tokens that the server counted, beginning included.
        seed: Decides the words.
        tail: What ends it: the task, where there is one.
    """

    words: int
    fills: int
    tokens: int
    seed: int = 0
    tail: str = ""

    def text(self, begin: str | None = None) -> str:
        """Return the text with a beginning of its own, or the one that is given."""
        filler = " ".join(_words(self.seed, self.words))
        return f"{nonce() if begin is None else begin} {filler}{FILL * self.fills}{self.tail}"


def cut_prompt(context: int, count: Callable[[str], int], *, seed: int = 0, tail: str = "", ratio: float = GUESS) -> Prompt:
    """Return a prompt that the server counts ``context`` tokens in, give or take `tolerance_of`.

    Words are added or taken away by what the last count says of them; the rest is single tokens.

    Args:
        context: Tokens to have.
        count: Returns how many tokens the server makes of a text.
        seed: Decides the words.
        tail: What ends the prompt.
        ratio: Tokens of a word to begin with, as an earlier cut found it.

    Raises:
        MeasureError: It cannot be done; the message says how near it came.
    """
    words, fills = max(1, int(context / ratio)), 0
    counted: dict[int, int] = {}
    best: Prompt | None = None
    for _ in range(PROBES):
        tokens = count(Prompt(words, fills, 0, seed, tail).text())
        found = Prompt(words, fills, tokens, seed, tail)
        if best is None or abs(tokens - context) < abs(best.tokens - context):
            best = found
        missing = context - tokens
        if not missing or (words == 1 and missing < 0):
            break
        if 0 < missing <= max(SINGLES, tolerance_of(context)):
            fills += missing
            continue
        if not fills:
            ratio = _ratio(counted, words, tokens)
            if not ratio:
                raise MeasureError(f"the prompt was truncated: the server read {tokens} of {context} tokens", prompt_tokens=tokens)
            counted[words] = tokens
        # Rather too few, so that single tokens can make up for it.
        words, fills = max(1, words + math.floor((missing - SINGLES / 2) / ratio)), 0
    if best is not None and abs(best.tokens - context) <= tolerance_of(context):
        return best
    reached = best.tokens if best else 0
    raise MeasureError(f"no prompt of {context} tokens: the nearest that the server counts has {reached}", prompt_tokens=reached)
