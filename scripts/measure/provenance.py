"""The record of a run: where, with what and from which source its rows were measured.

It lies beside the result file as ``NAME.provenance.json``. A row names its run, a run names everything else.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import SetupError
from .rows import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RUN_DIGITS = 8


@dataclass(frozen=True)
class Identity:
    """What makes two runs the same run, interrupted: all that a row's number depends on.

    Attributes:
        instrument: Name of the subcommand.
        machine: The hardware, as rows name it.
        stack: The serving stack, as rows name it.
        settings: Model and its digest, flags of the server, lengths, arms: whatever the instrument can be told.
    """

    instrument: str
    machine: str
    stack: str
    settings: Mapping[str, Any]

    def data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return json.loads(json.dumps(vars(self), ensure_ascii=False, sort_keys=True, default=dict))  # type: ignore[no-any-return]

    def digest(self, date: str) -> str:
        """Return the name of the run that begins with this identity on a day."""
        text = json.dumps([self.data(), date], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:RUN_DIGITS]


@dataclass(frozen=True)
class Run:
    """A run that rows can name.

    Attributes:
        name: Eight hexadecimal digits.
        date: Day on which it began (ISO 8601); rows that are measured after a resume bear it too.
        machine: As in its identity.
        stack: As in its identity.
        resumed: Whether a process before this one began it.
    """

    name: str
    date: str
    machine: str
    stack: str
    resumed: bool

    @property
    def cells(self) -> dict[str, str]:
        """What each of its rows begins with."""
        return {"machine": self.machine, "stack": self.stack, "date": self.date, "run": self.name}


class Records:
    """The records beside one result file.

    Args:
        path: The result file.

    Raises:
        SetupError: The records are there and cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_suffix(".provenance.json")
        self.runs: list[dict[str, Any]] = []
        if self.path.exists():
            try:
                self.runs = json.loads(self.path.read_text("utf-8"))["runs"]
                for run in self.runs:
                    _ = run["run"], run["date"], run["identity"], run["complete"]
            except (ValueError, KeyError, TypeError):
                raise SetupError(f"{self.path}: not a record of runs; move it away, with its result file") from None

    def find(self, identity: Identity, date: str, *, again: bool) -> Run:
        """Return the run to go on with, or a new one; nothing is written.

        A run that was interrupted goes on on whatever day, with the date it began. A complete one is taken for the same run on its
        own day only, or when failed rungs are to be measured ``again``.
        """
        wanted = identity.data()
        for run in reversed(self.runs):
            if run["identity"] == wanted and (not run["complete"] or run["date"] == date or again):
                return Run(run["run"], run["date"], identity.machine, identity.stack, resumed=True)
        return Run(identity.digest(date), date, identity.machine, identity.stack, resumed=False)

    def begin(self, run: Run, identity: Identity, facts: Mapping[str, Any]) -> None:
        """Write down that a run begins or goes on, before its first row."""
        if run.resumed:
            record = next(record for record in self.runs if record["run"] == run.name)
            record["complete"] = False
            commit = facts.get("commit")
            if commit != record["facts"].get("commit"):
                record["resumed_with"] = [*record.get("resumed_with", []), {"commit": commit}]
        else:
            record = {"run": run.name, "date": run.date, "complete": False, "identity": identity.data(), "facts": dict(facts)}
            self.runs.append(record)
        self._write()

    def finish(self, run: Run) -> None:
        """Write down that a run has all its rows."""
        next(record for record in self.runs if record["run"] == run.name)["complete"] = True
        self._write()

    def _write(self) -> None:
        write_json(self.path, {"runs": self.runs})
