"""Every number a reader can see, and what answers for it: a claim, a source, a rule that lets it stand, or nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.exempt import exemption_of
from ledgermark.messages import Message
from ledgermark.near import Near, text_before
from ledgermark.numberwords import find_tokens
from ledgermark.terms import find_terms
from ledgermark.tuples import made
from ledgermark.visible import plain_text, visible_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ledgermark.markup import Link, Visible
    from ledgermark.numberwords import Token
    from ledgermark.pages import Page

BOUND: Final = "bound"
GIVEN: Final = "given"
UNBOUND: Final = "unbound"
_REST: Final = re.compile("[0-9A-Za-z]*")  # what is run together with a number


class Number(NamedTuple):
    """A number a reader can see.

    Attributes:
        text: as shown, with the unit after it.
        offset: where it stands in the file.
        state: `bound`, `given`, `unbound`, or the rule that lets it stand.
        detail: the term, for the rule `term`.
        problem: what is wrong with it although something answers for it.
        code: the code of that.
    """

    text: str
    offset: int
    state: str
    detail: str = ""
    problem: str = ""
    code: str = ""


@dataclass(frozen=True)
class Reader:
    """How numbers are judged in a project: made once, used for every page.

    Attributes:
        pattern: finds the project's terms.
        measure, unit: find a unit of measure, or any unit, after a number.
        spellings: how units are written, to the units.
        counted: the names of claims that count, to what they count; an empty text for a plain number.
        figures: language to page path to the names of the page's figures, in order.
        math: whether `$…$` is math.
    """

    pattern: re.Pattern[str] | None
    measure: re.Pattern[str]
    unit: re.Pattern[str]
    spellings: Mapping[str, str]
    counted: Mapping[str, str]
    figures: Mapping[str, Mapping[str, tuple[str, ...]]]
    math: bool = False


def numbers_of(page: Page, reader: Reader) -> list[Number]:
    """Return every number of a page that readers see."""
    headings = tuple([section.id for section in page.source.sections if section.level == 2])  # noqa: PLR2004  (the page's chapters)
    elsewhere = reader.figures.get(page.language, {})
    figures = elsewhere.get(page.path, ())
    found: list[Number] = []
    for part in visible_parts(page, math=reader.math):
        tokens = find_tokens(part.text)
        if tokens or part.links:
            near = Near(part.text, reader.measure, reader.unit, part.links, figures, headings, elsewhere)
            found += _judge(part, tokens, near, reader)
        if part.codes:
            found += _code(part, reader)
    return found


def numbers_in(text: str, reader: Reader) -> list[Number]:
    """Return every number of a text that carries no markup, such as a chip of a masthead."""
    part = plain_text(text)
    return _judge(part, find_tokens(part.text), Near(part.text, reader.measure, reader.unit), reader)


class _Answer(NamedTuple):
    """A link that answers for the numbers in it."""

    start: int
    end: int
    state: str
    key: str


def _judge(part: Visible, tokens: Sequence[Token], near: Near, reader: Reader) -> list[Number]:
    links = _answers(part.links)
    starts = [link.start for link in links]
    terms = find_terms(near, reader.pattern) if tokens else []
    term_starts = [term.start for term in terms]
    passed = 0
    shown: set[int] = set()
    found: list[Number] = []
    for token in tokens:
        start, end, text, _ = token
        if start < passed:
            continue
        index = bisect_left(starts, end) - 1
        if index < 0 or start >= links[index].end:
            at = bisect_right(term_starts, start) - 1
            term = terms[at] if at >= 0 and end <= terms[at].end else None
            exemption = term or exemption_of(token, near)
            if exemption and end <= exemption.end:
                begins, passed, rule, said, problem = exemption
                shown_text, code = part.text[begins:passed], "LM205" if problem else ""
                found.append(made(Number, (shown_text, part.offset(start), rule, said, problem, code)))
            else:
                found.append(_loose(part, token, near))
                passed = end
            continue
        shown.add(index)
        link = links[index]
        if start < link.start or end > link.end:
            whole = part.text[min(start, link.start) : max(end, link.end)]
            found.append(Number(whole, part.offset(start), UNBOUND, problem=_edge(whole), code="LM204"))
        else:
            found.append(made(Number, (text, part.offset(start), link.state, "", "", "")))
    found += _edges(part, links, shown, reader)
    return found


_SCHEMES: Final = {"claim": BOUND, "given": GIVEN}


def _answers(links: Iterable[Link]) -> list[_Answer]:
    """Return the links of a text that answer for numbers, in order."""
    found: list[_Answer] = []
    for start, end, target in links:
        scheme, _, key = target.partition(":")
        state = _SCHEMES.get(scheme.lower())
        if state and start < end:
            found.append(made(_Answer, (start, end, state, key)))
    found.sort(key=attrgetter("start"))
    return found


def _edge(text: str) -> str:
    return Message("the number '{text}' is only in part inside its link; put all of it between the brackets", text=text)


def _loose(part: Visible, token: Token, near: Near) -> Number:
    """Return a number that nothing answers for, with its sign, its unit and what is run together with it."""
    text = part.text
    unit = near.unit.match(text, token.end)
    end = unit.end() if unit else token.end
    if token.form == "digits" and (rest := _REST.match(text, end)):
        end = rest.end()
    sign = 1 if text_before(text, token.start) in _SIGNS else 0
    return Number(" ".join(text[token.start - sign : end].split()), part.offset(token.start), UNBOUND)


def _edges(part: Visible, links: Sequence[_Answer], shown: set[int], reader: Reader) -> list[Number]:
    """Return what stands beside a bound number and changes what it says: a sign before it, a unit after it that is not its own."""
    text = part.text
    found: list[Number] = []

    def add(start: int, end: int, problem: str, code: str = "LM204") -> None:
        found.append(Number(text[start:end], part.offset(start), UNBOUND, problem=problem, code=code))

    for index, (start, end, state, key) in enumerate(links):
        if state == GIVEN:
            if index not in shown:
                add(start, end, Message("'{text}' shows no number; a source is given for a number", text=text[start:end]), "LM202")
            continue
        if text_before(text, start) in _SIGNS and not text_before(text, start - 1).isalnum():
            add(start - 1, end, _edge(text[start - 1 : end]))
        unit = reader.unit.match(text, end)
        if unit is None:
            continue
        if after := reader.measure.match(text, end):
            problem = Message("the unit in '{text}' stands outside the link, where nothing checks it", text=text[start : after.end()])
            add(start, after.end(), problem)
        elif (name := key.partition("?")[0]) in reader.counted:
            written, counted = unit.group().strip(_GAP), reader.counted[name]
            noun = reader.spellings.get(written)
            if noun not in (None, counted) and written not in _ANY_NOUN:
                instead = (
                    Message("{name} counts in {counted}", name=name, counted=counted)
                    if counted
                    else Message("{name} is a plain number: give it that unit", name=name)
                )
                shown_text = text[start : unit.end()]
                add(start, unit.end(), Message("'{text}' counts in {noun}, {instead}", text=shown_text, noun=noun, instead=instead))
    return found


_SIGNS: Final = frozenset("+-±")
_ANY_NOUN: Final = ("次", "组")  # counts runs, calls and launches alike
_GAP: Final = " \n-\u00a0\u2009\u202f"


def _code(part: Visible, reader: Reader) -> Iterator[Number]:
    """Yield pieces of inline code that are nothing but a measurement: code is not where a result goes to hide."""
    for code, offset in part.codes:
        inner = code.strip("` ") if code.startswith("`") else ""
        if not inner or (not inner[-1:].isdigit() and not reader.measure.search(inner)):
            continue
        tokens = list(find_tokens(inner))
        if len(tokens) == 1 and (unit := reader.measure.match(inner, tokens[0].end)) and unit.end() == len(inner) and tokens[0].start <= 1:
            message = Message("'{inner}' is a measurement in code, where nothing checks it", inner=inner)
            yield Number(inner, offset, UNBOUND, problem=message, code="LM203")
