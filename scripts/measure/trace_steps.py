"""Steps of an engine in a trace: which annotation is one, what it did, at which depth of context."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DECODE, PREFILL, MIXED, STEP, OUTSIDE = "decode", "prefill", "mixed", "step", "outside"
PATTERNS = (
    # vLLM: requests and tokens of the context phase, then of generation.
    r"execute_context_(?P<prefills>[0-9]+)\([0-9]+\)_generation_(?P<decodes>[0-9]+)\([0-9]+\)",
    # What scripts/measure itself writes: `decode context=1024`.
    r"(?P<phase>[a-z][a-z_]*) context=(?P<context>[0-9]+)",
    r"execute_model",
    # What `torch.profiler.profile.step()` leaves; says nothing of what the step did.
    r"ProfilerStep#[0-9]+",
)
"""Names of a step, the most telling first. The first that any annotation of the trace has is taken, and the others are not."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step.

    Attributes:
        name: Its annotation.
        start_us: When it begins.
        end_us: When it ends.
        thread: Who ran it.
        phase: What it did: `DECODE`, `PREFILL`, `MIXED`, a name of the user's, or `STEP` where nothing says.
        context: Tokens of context; 0 where nothing says.
    """

    name: str
    start_us: float
    end_us: float
    thread: int
    phase: str = STEP
    context: int = 0


@dataclass(frozen=True)
class Rules:
    """How steps are known.

    Attributes:
        patterns: Expressions that the whole name of a step's annotation matches, the most telling first. Groups named ``phase`` and
            ``context`` say just that; of ``prefills`` and ``decodes``, counts of requests, the phase follows.
        phases: Phase to an expression that is searched in the name; the first that is found wins over the groups.
        phase_key: Argument of the annotation that says the phase; wins over both.
        context_key: Argument of the annotation that says the context.
        context: Tokens of context where neither name nor argument says.
    """

    patterns: Sequence[re.Pattern[str]] = tuple(re.compile(pattern) for pattern in PATTERNS)
    phases: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    phase_key: str = ""
    context_key: str = ""
    context: int = 0

    def rank(self, name: str) -> int | None:
        """Return which pattern knows a name, the lowest first; None for none."""
        return next((number for number, pattern in enumerate(self.patterns) if pattern.fullmatch(name)), None)

    def read(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, int]:
        """Return phase and context of a step.

        Raises:
            SetupError: The argument or group that says the context is no number.
        """
        rank = self.rank(name)
        match = self.patterns[rank].fullmatch(name) if rank is not None else None
        groups = match.groupdict() if match else {}
        phase = groups.get("phase") or _phase_of(groups)
        phase = next((title for title, pattern in self.phases.items() if pattern.search(name)), phase)
        phase = str(arguments.get(self.phase_key) or phase) if self.phase_key else phase
        said = arguments.get(self.context_key) if self.context_key else None
        said = groups.get("context") if said is None else said
        try:
            context = int(said) if said is not None else self.context
        except (TypeError, ValueError):
            raise SetupError(f"step {name}: found the context {said!r}, expected a number of tokens") from None
        return phase, context


def make_rules(patterns: Sequence[str], phases: Sequence[str], phase_key: str, context_key: str, context: int) -> Rules:
    """Return the rules that options ask for.

    Raises:
        SetupError: An expression is none, or a phase has no name.
    """
    named: dict[str, re.Pattern[str]] = {}
    for item in phases:
        title, sign, pattern = item.partition("=")
        if not sign or not title:
            raise SetupError(f"--phase: found {item}, expected NAME=EXPRESSION")
        named[title] = _compiled("--phase", pattern)
    found = tuple(_compiled("--step", pattern) for pattern in patterns or PATTERNS)
    return Rules(found, named, phase_key, context_key, context)


def _compiled(option: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SetupError(f"{option}: {pattern} is no regular expression: {error}") from None


def _phase_of(groups: Mapping[str, str | None]) -> str:
    """Return the phase that counts of requests give: a step that does both is neither."""
    if "prefills" not in groups or "decodes" not in groups:
        return STEP
    prefills, decodes = int(groups["prefills"] or 0), int(groups["decodes"] or 0)
    if prefills and decodes:
        return MIXED
    return PREFILL if prefills else DECODE if decodes else STEP


def outermost(steps: Sequence[Step]) -> list[Step]:
    """Return steps in the order of their beginning, less those inside another of the same thread.

    Raises:
        SetupError: Two of one thread cross: then neither is a step.
    """
    found: list[Step] = []
    last: dict[int, Step] = {}
    for step in sorted(steps, key=lambda item: (item.start_us, -item.end_us)):
        before = last.get(step.thread)
        if before is not None and step.start_us < before.end_us:
            if step.end_us <= before.end_us:
                continue
            raise SetupError(f"steps {before.name} and {step.name} cross; expected one after the other, or one inside the other")
        found.append(step)
        last[step.thread] = step
    return found
