"""Whether one claim is right: the number shown against the value its binding gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.claims import BOUNDS, Claim
from ledgermark.display import DisplayError, Shown, agrees, holds, read_numbers
from ledgermark.messages import Message
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.quantity import Quantity, largest, smallest
from ledgermark.rounding import too_coarse
from ledgermark.typeset import show, write_like
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping


_LONG: Final = 80  # characters of a shown text that a message repeats


@dataclass(frozen=True)
class Problem:
    """What is wrong with a claim.

    Attributes:
        code, message: as in a finding.
        offset: where in the claim's text.
        shown: the digits as written, where one number is meant.
        expected: what they should be, in the same manner; None where digits alone cannot mend it.
        evidence: the values behind it.
    """

    code: str
    message: str
    offset: int = 0
    shown: Shown | None = None
    expected: str | None = None
    values: tuple[Quantity, ...] = ()


class Verdict(NamedTuple):
    """A claim's values and problems; no problems means it is right."""

    values: tuple[Quantity, ...]
    problems: tuple[Problem, ...]


def verify(claim: Claim, evaluator: Evaluator, aliases: Mapping[str, str]) -> Verdict:
    """Return what the data gives for a claim and everything wrong with what it shows."""
    try:
        values = evaluator.values(claim)
    except EvaluationError as error:
        return Verdict((), (Problem(error.code, str(error)),) if error.code else ())
    try:
        shown = read_numbers(claim.text, aliases)
        stated = parse_unit(claim.unit) if claim.unit else None
    except DisplayError as error:
        return Verdict(
            values, (Problem("LM103", Message("{error}; the data gives {values}", error=error, values=_all(values)), values=values),)
        )
    except UnitError as error:
        return Verdict(values, (Problem("LM106", Message("unit={unit}: {error}", unit=claim.unit, error=error)),))
    compared = tuple(abs(value) for value in values) if claim.show == "magnitude" else values
    if claim.relation in BOUNDS and len(compared) > len(shown) == 1:
        compared = (largest(compared) if claim.relation in ("at_most", "less_than") else smallest(compared),)
    if len(shown) != len(compared):
        message = Message(
            "shows {numbers}, {name} gives {count}: {values}",
            numbers=_numbers(len(shown)),
            name=claim.name,
            count=len(compared),
            values=_all(values),
        )
        return Verdict(values, (Problem("LM104", message, values=values),))
    problems: list[Problem] = []
    for number, value in zip(shown, compared, strict=True):
        problems += _compare(claim, number, value, stated)
    return Verdict(values, tuple(problems))


def _written(claim: Claim, shown: Shown) -> str:
    """Return a number as its claim shows it, short enough for a message."""
    text = claim.text[shown.start : shown.end]
    return text if len(text) <= _LONG else f"{text[: _LONG // 2]}…{text[-_LONG // 4 :]}"


def _compare(claim: Claim, shown: Shown, value: Quantity, stated: Unit | None) -> list[Problem]:
    unit = shown.unit or stated or (value.unit if value.unit.counts else None)

    def problem(code: str, message: str, expected: str | None = None) -> list[Problem]:
        return [Problem(code, message, shown.start, shown, expected, (value,))]

    if unit is None:
        message = Message(
            "shows '{written}' without a unit, {name} is in {symbol}; write it, or add unit={symbol} to the link",
            written=_written(claim, shown),
            name=claim.name,
            symbol=value.unit.symbol,
        )
        return problem("LM102", message)
    if unit is not value.unit and not value.unit.shown_as(unit):
        message = Message(
            "shows a number in '{symbol}', {name} is in '{unit_symbol}': {amount}",
            symbol=unit.symbol,
            name=claim.name,
            unit_symbol=value.unit.symbol,
            amount=show(value.value, value.unit),
        )
        return problem("LM102", message)
    if claim.show and shown.explicit_sign == (claim.show == "magnitude") and value.value:
        wanted = Message("a magnitude is written without a sign") if claim.show == "magnitude" else Message("show=signed asks for a sign")
        return problem("LM103", Message("shows '{text}'; {wanted}", text=claim.text, wanted=wanted))
    amount = value.to(unit).value
    bound = claim.relation if claim.relation in BOUNDS else ""
    # A relation that excludes equality, where nothing was rounded, is wrong by its own word.
    touches = claim.relation in ("less_than", "more_than") and amount == shown.value
    if agrees(shown, amount) and not touches:
        coarse = "" if bound else too_coarse(shown, claim.text, amount, unit)
        return problem("LM113", coarse) if coarse else []
    expected = write_like(shown, claim.text, amount)
    if bound and holds(shown, amount, bound) and not touches:
        message = Message(
            "bounds {amount} by '{written}', which is looser than its last place needs; write '{expected}'",
            amount=show(amount, unit),
            written=_written(claim, shown),
            expected=expected,
        )
        return problem("LM110", message, expected)
    gives = Message("data gives {expected}", expected=expected)
    if bound:
        gives += Message(" as the bound ({relation})", relation=claim.relation)
    exact = show(amount, unit)
    message = Message("shows {written}, {gives} ({exact}) by {key}", written=_written(claim, shown), gives=gives, exact=exact, key=claim.key)
    return problem("LM101", message, expected)


def _all(values: tuple[Quantity, ...]) -> str:
    return ", ".join(show(value.value, value.unit) for value in values)


def _numbers(count: int) -> str:
    return Message("1 number") if count == 1 else Message("{count} numbers", count=count)
