"""Runs the mutants of a project on disk: reads it and the list of accepted survivors, and says how far it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ledgermark.clock import today
from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.examine import examine
from ledgermark.findings import ConfigError
from ledgermark.ground import Ground
from ledgermark.memory import Memory
from ledgermark.messages import Message
from ledgermark.mutants import read_accepted
from ledgermark.mutate import Judge, find_mutants, sample
from ledgermark.processes import processes, share_out
from ledgermark.project import load_project
from ledgermark.tally import SURVIVED, Outcome, Tally, tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIST: Final = "mutants.yml"
_BATCH: Final = 500  # mutants between two lines of progress; what a process learns from one mutant about the project helps with the next


def run_mutants(config: Path, size: int | None, seed: int, say: Callable[[str], None]) -> Tally:
    """Return what became of the mutants of a project.

    Args:
        config: its `mkdocs.yml`; the list of accepted survivors lies beside it.
        size: how many to try, of each kind in turn; None for all.
        seed: which ones.
        say: is told now and then how far the run has come.

    Raises:
        ConfigError: the project is not clean, or its set-up or the list is broken.
    """
    project = load_project(config)
    extensions, options = markdown_extensions(read_config(config))
    memory = Memory()
    clean = examine(project, today(), extensions, options, memory=memory)
    if clean.findings:
        msg = Message("the check has findings, so nothing would tell a mutant; mend them first: {first}", first=clean.findings[0])
        raise ConfigError(msg)
    root = config.resolve().parent
    listed = root / LIST
    accepted = read_accepted(LIST, listed.read_text(encoding="utf-8")) if listed.is_file() else {}
    ground = Ground(project, (root / project.settings.descriptor).read_text(encoding="utf-8"))
    mutants = find_mutants(ground, today())
    chosen = mutants if size is None else sample(mutants, size, seed)
    say(Message("{all} mutants, {tried} tried", all=len(mutants), tried=len(chosen)))
    judge = Judge(ground, today(), extensions, options, memory)
    outcomes: list[Outcome] = []
    while len(outcomes) < len(chosen):
        batch = chosen[len(outcomes) : len(outcomes) + _BATCH]
        outcomes += share_out(lambda mutants: [judge.judge(mutant) for mutant in mutants], batch, processes())
        survived = sum(outcome.state == SURVIVED for outcome in outcomes)
        say(Message("{done} of {all}, {survived} survived", done=len(outcomes), all=len(chosen), survived=survived))
    return tally(mutants, outcomes, accepted)
