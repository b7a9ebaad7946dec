"""Whether the words around a number name what its rows are of: the same machine, context, arm."""

from __future__ import annotations

import bisect
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message
from ledgermark.passages import CLAUSE, PART, SENTENCE, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.claims import Claim
    from ledgermark.metrics import Metric
    from ledgermark.pages import Page
    from ledgermark.passages import Reading
    from ledgermark.quantity import Quantity
    from ledgermark.subjects import Family, Mention, Owners, Words

_FEW: Final = 8  # mentions in a passage: where there are no more, all are looked at before its sentences are told apart
# Before what a number is only compared with: "than the A100", "unlike 8K", 比 A100; and, with a word behind it, 与 A100 相比.
_COMPARED: Final = re.compile(
    r"(?:\b(?:(?<!less )(?<!more )(?<!fewer )(?<!shorter )(?<!longer )(?<!other )(?<!smaller )(?<!larger )than|(?<!not )unlike"
    r"|compared (?:with|to)|relative to|versus|instead of|rather than|as opposed to|in contrast (?:to|with))|\bvs\.?)"
    r"(?:\s+(?:the|an?|its|on|at|in|with|for|that of|those of)\b)*\s+$"
    r"|(?P<with>[与和跟同])\s*$|(?:(?<![占同配分价])比|相[较对比]于|相比|不像|不同于|而不是|而非|对比)起?\s*$",
    re.IGNORECASE,
)
_OWNED: Final = re.compile(r"\s*(?:['’]s|的|[(（])?\s*")  # between what is compared and a number of its own: "than the A100's [30]"
_JOINED: Final = re.compile(r"\s*(?:、|,?\s*(?:and|or)\b|[和与及或])\s*")
_COMPARISON: Final = re.compile(r"[^，。；！？]{0,4}?(?:相比|比较|比起来|相较|不同|对照)")
_REACH: Final = 32  # characters before words in which it says what they are compared with
_BETWEEN: Final = re.compile(r"\s*(?:[,、，]\s*)?(?:(?:and|or|to|和|与|及|或|到|至)\s*)?")


def check_declared(families: Iterable[Family], metrics: Mapping[str, Metric], path: str) -> list[Finding]:
    """Return the metrics that declare a family or subject nobody defined; `path` is the file that should define it."""
    known = {family.name: [subject.name for subject in family.subjects] for family in families}
    problems: list[str] = []
    for metric in metrics.values():
        for family, names in metric.subjects.items():
            if family not in known:
                problems.append(
                    Message("metric '{name}' names the family '{family}'{hint}", name=metric.name, family=family, hint=nearest(family, known))
                )
                continue
            strange = (name for name in names if name not in known[family])
            problems += [
                Message(
                    "metric '{name}': no '{subject}' in '{family}'{hint}",
                    name=metric.name,
                    subject=name,
                    family=family,
                    hint=nearest(name, known[family]),
                )
                for name in strange
            ]
    return [Finding(path, 1, 1, "LM123", problem) for problem in problems]


def check_subjects(page: Page, reading: Reading, words: Words, owners: Owners, values: Mapping[str, tuple[Quantity, ...]]) -> list[Finding]:
    """Return the words that name another subject than that of the number they stand at.

    The nearest stretch that names the family decides: what no other number claims of the clause, then the clause, the part of the sentence,
    and what the sentence said before. In a table the row's other cells and the column's header are asked each for itself. What another number
    there has for its own says nothing of this one, unless nothing else stands nearer.

    Args:
        page: the page.
        reading: its text.
        words: of its language.
        owners: tells the subjects of a claim.
        values: what the data gives, by claim key.
    """
    mentions = words.find(reading.text)
    if not mentions:
        return []
    named = _Named(reading, mentions, owners, values, page.claims.claims)
    findings: list[Finding] = []
    for index, claim in enumerate(page.claims.claims):
        for family, mention in named.foreign(index).items():
            shown = " ".join(page.source.text[mention.start : mention.end].split())
            owned = owners.of(claim, values.get(claim.key, ()), family)
            known = [subject.name for subject in owners.families[family].subjects if subject.name in owned]
            own = ", ".join([*known, *sorted(owned.difference(known))])
            message = Message(
                "'{shown}' stands at '{text}', whose rows are of {own} ({family}): {key}",
                shown=shown,
                text=claim.text,
                own=own,
                family=family,
                key=claim.key,
            )
            findings.append(Finding(page.source.path, *page.source.place(mention.start), "LM120", message, shown))
    return findings


class _Named:
    """The mentions on a page, and to which of its claims each belongs."""

    def __init__(
        self,
        reading: Reading,
        mentions: list[Mention],
        owners: Owners,
        values: Mapping[str, tuple[Quantity, ...]],
        claims: tuple[Claim, ...],
    ) -> None:
        self.reading, self.mentions, self.owners, self.values, self.claims = reading, mentions, owners, values, claims
        self.starts = [mention.start for mention in mentions]
        self.groups = _groups(mentions, reading.text)

    @cached_property
    def near(self) -> list[set[int]]:
        """What stands nearest to each claim."""
        return [set(self._inside(self.reading.nearest(claim.start, claim.end))) for claim in self.claims]

    @cached_property
    def taken(self) -> set[int]:
        """What some claim has for its own."""
        return {
            at
            for claim, near in zip(self.claims, self.near, strict=True)
            for at in (*near, *self._inside(Span(claim.end, self.reading.nearest(claim.start, claim.end, PART).end)))
            if self.mentions[at].subjects & self._own(claim, self.mentions[at].family)
        }

    @cached_property
    def aside(self) -> set[int]:
        """What a number is only compared with, as it seems, with all that is listed together with it."""
        found: set[int] = set()
        for at, mention in enumerate(self.mentions):
            compared = _COMPARED.search(self.reading.text, max(mention.start - _REACH, 0), mention.start)
            if compared is None:
                continue
            listed = [at]
            for member in self.groups.get(at, ()):
                # A comma alone may end the comparison: "Unlike 1K, 8K runs at".
                if member > at and _JOINED.fullmatch(self.reading.text, self.mentions[member - 1].end, self.mentions[member].start):
                    listed.append(member)
                elif member > at:
                    break
            if compared["with"] is None or _COMPARISON.match(self.reading.text, self.mentions[listed[-1]].end):
                found.update(listed)
        return found

    def _put_aside(self, claim: Claim, own: frozenset[str], named: set[int]) -> set[int]:
        """Return which mentions that are not of a claim's own it is only compared with."""
        if len(own) != 1 or self.reading.passage(claim.start).above is not None:
            return set()  # of a number of two subjects both are its own, and what heads a cell is no aside
        foreign = (at for at in named & self.aside if self.mentions[at].subjects.isdisjoint(own))
        return {at for at in foreign if not _OWNED.fullmatch(self.reading.text, self.mentions[at].end, max(claim.start, self.mentions[at].end))}

    def foreign(self, index: int) -> dict[str, Mention]:
        """Return, by family, the first mention at a claim that is not of its own."""
        claim = self.claims[index]
        wrong: dict[str, Mention] = {}
        if not self._any_foreign(claim):
            return wrong
        for ladder in _ladders(claim, self.reading):
            decided: set[str] = set()
            for spans in ladder:
                for family, named in self._by_family(spans).items():
                    own = self._own(claim, family)
                    if family in decided or not own:
                        continue
                    places = named - self._put_aside(claim, own, named)
                    owned = {at for at in places if self.mentions[at].subjects & own}
                    others = places - owned - (self.taken if owned else self.taken - self.near[index])
                    if owned or others:
                        decided.add(family)
                    if others:
                        wrong.setdefault(family, self.mentions[min(others)])
        return wrong

    def _any_foreign(self, claim: Claim) -> bool:
        """Return whether anything in reach of a claim is not of its own: if nothing is, there is no need to ask what is nearest."""
        passage = self.reading.passage(claim.start)
        said = self._inside(passage.span)
        if passage.above is None and len(said) <= _FEW and not self._foreign_among(claim, said):
            return False
        spans = (self.reading.around(claim.start, claim.end, SENTENCE), *passage.beside, *((passage.above,) if passage.above else ()))
        return any(self._foreign_among(claim, self._inside(span)) for span in spans)

    def _foreign_among(self, claim: Claim, places: range) -> bool:
        """Return whether any of some mentions, or of the enumerations they stand in, is not of a claim's own."""
        for near in places:
            own = self._own(claim, self.mentions[near].family)
            for at in self.groups.get(near, (near,)) if own else ():
                if self.mentions[at].subjects.isdisjoint(own):
                    return True
        return False

    def _own(self, claim: Claim, family: str) -> frozenset[str]:
        return self.owners.of(claim, self.values.get(claim.key, ()), family)

    def _inside(self, span: Span) -> range:
        return range(bisect.bisect_left(self.starts, span.start), bisect.bisect_left(self.starts, span.end))

    def _by_family(self, spans: tuple[Span, ...]) -> dict[str, set[int]]:
        """Return the mentions in some stretches, with the enumerations they stand in, by family."""
        found: dict[str, set[int]] = {}
        for span in spans:
            for at in self._inside(span):
                found.setdefault(self.mentions[at].family, set()).update(self.groups.get(at, (at,)))
        return found


def _ladders(claim: Claim, reading: Reading) -> list[list[tuple[Span, ...]]]:
    """Return the ladders of stretches in which a claim's subjects may be named; in each the first that names a family decides."""
    passage = reading.passage(claim.start)
    nearest = reading.nearest(claim.start, claim.end)
    clause, part, sentence = (reading.around(claim.start, claim.end, level) for level in (CLAUSE, PART, SENTENCE))
    steps: list[tuple[Span, ...]] = [(nearest,), (clause,), (part,), (Span(sentence.start, part.end),)]
    if passage.above is None:
        return [steps]
    return [[*steps, passage.beside], [*steps, (passage.above,)]]


def _groups(mentions: list[Mention], text: str) -> dict[int, tuple[int, ...]]:
    """Return, for each mention in an enumeration of one family ("8K, 16K and 32K"), all that stand in it."""
    groups: dict[int, tuple[int, ...]] = {}
    run: list[int] = []
    for at, mention in enumerate(mentions):
        if run and not (mentions[run[-1]].family == mention.family and _BETWEEN.fullmatch(text, mentions[run[-1]].end, mention.start)):
            groups.update((member, tuple(run)) for member in run if len(run) > 1)
            run = []
        run.append(at)
    groups.update((member, tuple(run)) for member in run if len(run) > 1)
    return groups
