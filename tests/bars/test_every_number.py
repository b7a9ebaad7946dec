"""Each number of this repository's pages, spoiled in each way a hand can spoil it, is found, at its place.

Whether a spoiled number is wrong is worked out here with fractions and a pattern of three lines, not with the code under test.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from ledgermark.claims import Claim, parse_key
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.pages import Page
from ledgermark.units import Unit, UnitError, parse_unit
from ledgermark.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.check import Project
    from ledgermark.quantity import Quantity
    from tests.copies import Copy

NUMBER = re.compile(r"(?P<sign>[+\-−]?)(?P<digits>[0-9]{1,3}(?:[ ,\u202f\u2009\u00a0][0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)")
UNITS = {
    "KiB": "KiB",
    "MiB": "MiB",
    "%": "%",
    "×": "×",
    "倍": "×",
    "tok/s": "tok/s",
    "chunk/s": "chunk/s",
    "ms": "ms",
    "µs": "us",
    "天": "day",
    "days": "day",
}
# A number in this unit (left) is never right in that one (right), whatever the data says.
SWAPS = (
    ("%", "×"),
    ("%", "percentage points"),
    ("%", "个百分点"),
    ("×", "%"),
    ("倍", "%"),
    ("tok/s", "ms"),
    ("tok/s", "chunk/s"),
    ("chunk/s", "tok/s"),
    ("ms", "s"),
    ("ms", "µs"),
    ("天", "小时"),
    ("days", "weeks"),
    ("days", "%"),
    ("GiB", "GB"),
)
ADDED = ("%", " ×", " 倍", " ms", " tok/s", " GiB", " days", "万", " thousand", "e3", "00", ".5")

SCALES = {"thousand": 1000, "千": 1000, "万": 10_000}

Place = tuple[Page, Claim]


def claims_of(project: Project) -> list[Place]:
    return [(page, claim) for page in project.all_pages for claim in page.claims.claims]


def meaning(text: str, claim: Claim, value: Quantity) -> list[tuple[Fraction, Fraction]]:
    """Return what each number of a text says in the value's unit, and what a step of its last place is worth."""
    found = []
    for match in NUMBER.finditer(text):
        unit = _unit_of(text, claim) or value.unit
        scale = Fraction(unit.factor) / Fraction(value.unit.factor) * next((worth for word, worth in SCALES.items() if word in text), 1)
        digits = re.sub(r"[^0-9.]", "", match["digits"])
        sign = -1 if match["sign"] in ("-", "−") else 1
        found.append((sign * Fraction(digits) * scale, Fraction(1, 10 ** len(digits.partition(".")[2])) * scale))
    return found


def _unit_of(text: str, claim: Claim) -> Unit | None:
    names = [name for spelled, name in UNITS.items() if spelled in text and (spelled != "ms" or "µs" not in text)]
    return parse_unit(names[-1]) if names else parse_unit(claim.unit) if claim.unit else None


def values_shown(claim: Claim, evaluator: Evaluator) -> list[Quantity]:
    values = evaluator.values(claim)
    return [abs(value) if claim.show == "magnitude" else value for value in values]


def is_wrong(text: str, claim: Claim, evaluator: Evaluator) -> bool:
    """Return whether a text of digits says something else than the data, by more than half a unit in its last place."""
    values = values_shown(claim, evaluator)
    numbers = meaning(text, claim, values[0])
    if len(numbers) != len(values):
        return not (claim.relation and len(numbers) == 1)
    return any(abs(Fraction(value.value) - number) * 2 > place for value, (number, place) in zip(values, numbers, strict=True))


def other_digits(text: str) -> Iterator[str]:
    for at, char in enumerate(text):
        if char in "0123456789":
            for step in (1, 9):
                yield text[:at] + str((int(char) + step) % 10) + text[at + 1 :]


def other_signs(text: str) -> Iterator[str]:
    for match in NUMBER.finditer(text):
        sign, at = match["sign"], match.start()
        flipped = "−" if sign in ("", "+") else "+"
        yield text[:at] + flipped + text[at + len(sign) :]
        if sign in ("-", "−"):
            yield text[:at] + text[at + len(sign) :]


def found(page: Page, claim: Claim, text: str, project: Project, evaluator: Evaluator) -> bool:
    """Return whether a text in place of a claim's is a problem, each within the text."""
    problems = verify(claim._replace(text=text), evaluator, project.settings.aliases).problems
    assert all(0 <= problem.offset <= len(text) for problem in problems), (page.source.path, text)
    return bool(problems)


def test_every_number_is_right(own_project: Project, own_evaluator: Evaluator) -> None:
    places = claims_of(own_project)
    assert len(places) > 200
    digits = [(page, claim) for page, claim in places if NUMBER.search(claim.text)]
    assert [claim.key for _, claim in digits if is_wrong(claim.text, claim, own_evaluator)] == []


@pytest.mark.parametrize("spoil", [other_digits, other_signs])
def test_every_digit_and_every_sign(spoil: object, own_project: Project, own_evaluator: Evaluator) -> None:
    missed = []
    count = 0
    for page, claim in claims_of(own_project):
        for text in spoil(claim.text):  # type: ignore[operator]
            if is_wrong(text, claim, own_evaluator):
                count += 1
                if not found(page, claim, text, own_project, own_evaluator):
                    missed.append((page.source.path, page.source.place(claim.start), claim.text, text))
    assert missed == []
    assert count > 200


def test_every_unit(own_project: Project, own_evaluator: Evaluator) -> None:
    missed = []
    for page, claim in claims_of(own_project):
        texts = [claim.text.replace(old, new) for old, new in SWAPS if old in claim.text and not (old == "ms" and "µs" in claim.text)]
        if claim.text[-1:].isdigit() and any(value.value for value in own_evaluator.values(claim)):
            # "106.6" + "00" claims more digits than the data has, and may be right: only what changes the number counts.
            own = UNITS.get(claim.unit, claim.unit) or own_evaluator.values(claim)[0].unit.symbol
            texts += [claim.text + added for added in ADDED if (added != "00" or "." not in claim.text) and UNITS.get(added.strip()) != own]
        missed += [(page.source.path, claim.text, text) for text in texts if not found(page, claim, text, own_project, own_evaluator)]
    assert missed == []


def test_every_series_too_short_or_too_long(own_project: Project, own_evaluator: Evaluator) -> None:
    missed = []
    for page, claim in claims_of(own_project):
        texts = [f"{claim.text}, {claim.text}"]
        numbers = list(NUMBER.finditer(claim.text))
        if len(numbers) > 1:
            texts += [claim.text[numbers[1].start() :], claim.text[: numbers[-1].start()].rstrip(" ,、和与and")]
        missed += [(page.source.path, text) for text in texts if not found(page, claim, text, own_project, own_evaluator)]
    assert missed == []


def bound_to(claim: Claim, name: str, params: dict[str, str]) -> Claim:
    """Return a claim as it would read with another name and other parameters in its link."""
    reserved = {"show": claim.show, "is": claim.relation, "unit": claim.unit}
    pairs = [*params.items(), *((word, value) for word, value in reserved.items() if value)]
    query = "&".join(f"{parameter}={quote(value, safe=',')}" for parameter, value in pairs)
    return parse_key(f"{name}?{query}" if query else name)._replace(text=claim.text)


def rebound(claim: Claim, project: Project, known: dict[str, set[str]]) -> Iterator[Claim]:
    """Yield a claim bound to each sibling: other metrics and columns, other and missing and invented parameters."""
    dataset, dot, column = claim.name.partition(".")
    if dot:
        names = {f"{dataset}.{item.name}" for item in project.ledger.datasets[dataset].columns}
        names |= {f"{other}.{column}" for other in project.ledger.datasets}
    else:
        names = set(project.metrics or ())
    yield from (bound_to(claim, name, claim.params) for name in sorted(names - {claim.name}))
    for parameter, value in claim.params.items():
        yield from (bound_to(claim, claim.name, {**claim.params, parameter: other}) for other in sorted(known[parameter] - {value}))
        yield bound_to(claim, claim.name, {name: kept for name, kept in claim.params.items() if name != parameter})
    yield bound_to(claim, claim.name, {**claim.params, "invented": "1"})


def test_every_binding(own_project: Project, own_evaluator: Evaluator) -> None:
    known: dict[str, set[str]] = {}
    places = [(page, claim) for page, claim in claims_of(own_project) if page.language == "en" and NUMBER.search(claim.text)]
    for _, claim in places:
        for parameter, value in claim.params.items():
            known.setdefault(parameter, set()).update([value, *value.split(",")])
    missed = []
    caught = 0
    for page, claim in places:
        for other in rebound(claim, own_project, known):
            if verify(other, own_evaluator, own_project.settings.aliases).problems:
                caught += 1
                continue
            try:
                wrong = is_wrong(claim.text, other, own_evaluator)
            except (EvaluationError, UnitError):
                wrong = True
            if wrong:
                missed.append((page.source.path, claim.text, claim.key, other.name, other.params))
    assert missed == []
    assert caught > len(places)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("[70.8 %](claim:mtp_gain?context=32768&show=magnitude)", "[70.9 %](claim:mtp_gain?context=32768&show=magnitude)", "LM101"),
        ("[70.8 %](claim:mtp_gain?context=32768&show=magnitude)", "[70.8 ×](claim:mtp_gain?context=32768&show=magnitude)", "LM102"),
        ("[70.8 %](claim:mtp_gain?context=32768&show=magnitude)", "[70.8 %](claim:mtp_gain?context=16384&show=magnitude)", "LM101"),
        ("[70.8 %](claim:mtp_gain?context=32768&show=magnitude)", "[70.8 %](claim:mtp_gian?context=32768&show=magnitude)", "LM105"),
    ],
)
def test_the_command_says_where(old: str, new: str, code: str, copy_of_project: Copy) -> None:
    page = "en/speculative-decoding-gate.md"
    before = copy_of_project.read(page).partition(old)[0]
    copy_of_project.edit(page, old, new)
    status, lines = copy_of_project.check()
    place = f"{page}:{before.count(chr(10)) + 1}:{len(before) - (before.rfind(chr(10)) + 1) + 2}: {code} "
    assert status == 1
    assert [line for line in lines if line.startswith(place)], (place, lines)
