"""What a rule may look at around a number, and what it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.alternation import one_of
from ledgermark.spelling import ALIASES
from ledgermark.unit_syntax import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.markup import Link

Span = tuple[int, int]
# After a number or a phrase with one: it was an amount after all.
COMPARED: Final = re.compile(r"[ \n](?:faster|slower|higher|lower|more|less|fewer|larger|smaller|longer|shorter|greater|better|worse)\b")

# Units that no claim is shown in here, and that make an amount of a number all the same.
_FURTHER: Final = (
    *("‰", "‱", "month", "months", "year", "years", "dollar", "dollars", "euro", "euros", "cents", "°", "degrees", "Hz", "kHz", "MHz", "GHz"),
    *("J", "kJ", "Wh", "kWh", "V", "FLOPS", "GFLOPS", "TFLOPS", "TFLOP/s", "req/s", "fps", "it/s", "Gb/s", "Mb/s", "TB", "TiB", "PB"),
    *("个月", "个星期", "星期", "美元", "欧元", "赫兹", "摄氏度", "焦耳"),
)


@dataclass(frozen=True)
class Near:
    """What a rule may look at besides the number itself.

    Attributes:
        text: the visible text.
        links: the links of the text.
        figures: the figures of the page, in order.
        sections: the ids of its chapters (headings of the second level), in order.
        elsewhere: the figures of other pages, by the page's path.
        measure: finds a unit of measure right after a number.
        unit: finds any unit, counting nouns too.
    """

    text: str
    measure: re.Pattern[str]
    unit: re.Pattern[str]
    links: tuple[Link, ...] = ()
    figures: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Exemption(NamedTuple):
    """A stretch of text whose numbers may stand unbound.

    Attributes:
        rule: a key of `RULES`, or `term` or `reference`.
        term: the term, for the rule of that name.
        problem: what is wrong with it all the same (a reference to the wrong figure), or an empty text.
    """

    start: int
    end: int
    rule: str
    term: str = ""
    problem: str = ""


def text_before(text: str, start: int) -> str:
    """Return the character before a place, or an empty text."""
    return text[start - 1 : start] if start else ""


@lru_cache(maxsize=8)
def unit_patterns(own: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a unit of measure, and for any unit, right after a number.

    Args:
        own: the project's spellings and their units.
    """
    spellings = {**ALIASES, **dict.fromkeys(_FURTHER, ""), **dict(own)}
    return _after(spelling for spelling, unit in spellings.items() if unit not in COUNTED), _after(spellings)


def _after(spellings: Iterable[str]) -> re.Pattern[str]:
    every = list(spellings)
    # Hardly any number has a unit after it: the first letter tells as much before any unit is tried.
    firsts = re.escape("".join(sorted({spelling[0] for spelling in every})))
    return re.compile(rf"[ \u00a0\u2009\u202f\n]{{0,2}}-?(?=[{firsts}]){one_of(every, _word_end)}")


def _word_end(spelling: str) -> str:
    return "(?![A-Za-z0-9])" if spelling[-1].isascii() and spelling[-1].isalpha() else ""
