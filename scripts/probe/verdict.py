"""From what a log says to one sentence: is the 3D path serving verify steps, and if not, what has to change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .log import Summary

TRITON = "TRITON_ATTN"
ACTIVE, IDLE, NOT_A_LOG = 0, 1, 2
FIRST_ADMITTING = (0, 33)


class Case(Enum):
    """Which case a system is in."""

    ACTIVE = "active"
    PARTLY = "active in some workers"
    NATIVE = "not needed"
    NO_SPECULATION = "no speculation"
    ELSEWHERE = "routed elsewhere"
    REFUSED = "patch refused"
    NOT_INSTALLED = "patch not installed"
    SILENT = "patch silent"
    UNDECIDED = "log too short"
    NOT_A_LOG = "not a vLLM log"


@dataclass(frozen=True)
class Verdict:
    """The answer.

    Attributes:
        case: Which case it is.
        sentence: The same for a reader, with what to change.
    """

    case: Case
    sentence: str

    @property
    def exit_code(self) -> int:
        """0 active, 1 idle, 2 not a vLLM log."""
        if self.case is Case.NOT_A_LOG:
            return NOT_A_LOG
        return ACTIVE if self.case in {Case.ACTIVE, Case.PARTLY} else IDLE


def count_workers(summary: Summary) -> int:
    """Return how many workers there are: by configuration, by the backends chosen, by the probes, whichever is most."""
    return max(summary.ranks, len(summary.workers), len(summary.fired))


def admits_by_itself(version: str) -> bool:
    """Say whether a release admits verify steps without a patch."""
    numbers = re.match(r"([0-9]+)\.([0-9]+)", version)
    return bool(numbers) and tuple(map(int, numbers.groups())) >= FIRST_ADMITTING if numbers else False


def judge(summary: Summary) -> Verdict:  # noqa: PLR0911  # a table of cases, in the order in which they rule each other out
    """Return the verdict on a log."""
    workers, fired = count_workers(summary), len(summary.fired)
    speculation, backends = summary.speculation, list(summary.target)
    if not summary.seen:
        return Verdict(Case.NOT_A_LOG, "This is no vLLM serve log: no line of it is one that vLLM writes.")
    if fired:
        case = Case.ACTIVE if fired >= workers else Case.PARTLY
        return Verdict(case, f"Active: the 3D path serves steps of up to {summary.rows} rows in {fired} of {workers} {_plural(workers)}.")
    if speculation is not None and speculation.tokens == 0:
        return Verdict(Case.NO_SPECULATION, "Idle: no speculation is configured, so no step has a second row; there is nothing to admit.")
    if backends and TRITON not in backends:
        return Verdict(
            Case.ELSEWHERE,
            f"Idle: routed to {', '.join(backends)}: change the backend, not the patch (--attention-backend {TRITON}).",
        )
    if admits_by_itself(summary.version):
        return Verdict(Case.NATIVE, f"Idle: vLLM {summary.version} already admits up to 8 rows by itself; no patch is needed.")
    if summary.refused:
        return Verdict(Case.REFUSED, f"Idle: the patch was refused: {summary.refused}.")
    if not backends:
        return Verdict(Case.UNDECIDED, "Idle as far as this log goes: it ends before a backend is chosen.")
    if speculation is None:
        return Verdict(Case.UNDECIDED, "Idle as far as this log goes: it does not say whether speculation is configured.")
    if not summary.patch:
        return Verdict(Case.NOT_INSTALLED, f"Idle: {TRITON} serves verify steps in 2D; no trace of the patch: install it and ask for it.")
    when = "verify steps ran" if summary.verified else "no verify step has run in this log yet"
    return Verdict(
        Case.SILENT,
        f"Idle: patch, backend and speculation are in place, but the probe is silent; {when}"
        + (": look at batch size, batch invariance and causality." if summary.verified else "."),
    )


def _plural(workers: int) -> str:
    return "worker" if workers == 1 else "workers"


def describe(summary: Summary, verdict: Verdict) -> dict[str, Any]:
    """Return the whole answer as data."""
    speculation = summary.speculation
    return {
        "case": verdict.case.value,
        "verdict": verdict.sentence,
        "exit_code": verdict.exit_code,
        "vllm": summary.version or None,
        "model": summary.model or None,
        "patch": "refused" if summary.refused else "installed" if summary.patch or summary.fired else "not seen",
        "patch_refused": summary.refused or None,
        "backend": {"target": summary.target, "drafter": summary.drafter},
        "speculation": None if speculation is None else {"method": speculation.method or None, "tokens": speculation.tokens},
        "probe": {"workers": len(summary.fired), "of": count_workers(summary), "rows": summary.rows or None},
        "starts": summary.starts,
    }


def render(answer: dict[str, Any]) -> list[str]:
    """Return the answer as lines for a reader; the verdict comes last."""
    speculation, probe = answer["speculation"], answer["probe"]
    told = "not in this log" if speculation is None else "off" if speculation["tokens"] == 0 else _tell_speculation(speculation)
    drafter = _tell_backends(answer["backend"]["drafter"]) or ("as the target's, or not in this log" if told != "off" else "none")
    return [
        f"vLLM         {answer['vllm'] or 'version not in this log'}" + (f", {answer['model']}" if answer["model"] else ""),
        f"patch        {answer['patch']}",
        f"backend      {_tell_backends(answer['backend']['target']) or 'not in this log'}",
        f"drafter      {drafter}",
        f"speculation  {told}",
        f"probe        fired in {probe['workers']} of {probe['of']} {_plural(probe['of'])}",
        *([f"starts       {answer['starts']} in this log; this is about the last"] if answer["starts"] > 1 else []),
        answer["verdict"],
    ]


def _tell_backends(backends: dict[str, str]) -> str:
    return ", ".join(f"{name} ({how})" for name, how in backends.items())


def _tell_speculation(speculation: dict[str, Any]) -> str:
    tokens = "?" if speculation["tokens"] is None else speculation["tokens"]
    return f"{speculation['method'] or 'on'}, {tokens} token{'' if tokens == 1 else 's'}"
