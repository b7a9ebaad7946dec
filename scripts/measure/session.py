"""One run from its beginning to its end: who and where, the plan, the rows, what is computed from them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import SetupError
from .facts import machine_facts
from .plan import render_plan
from .power import Meter
from .progress import Progress, say
from .provenance import Identity, Records, Run
from .rows import RowFile, read_rows
from .runner import Runner, is_covered

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .place import Place
    from .plan import Cell
    from .table import Table
    from .world import World

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass
class Session:
    """A run under way.

    Attributes:
        file: Its rows.
        run: Its name and date.
        runner: Measures cells into the file.
        meter: Power of the devices.
        world: What comes from outside.
    """

    file: RowFile
    run: Run
    runner: Runner
    meter: Meter
    world: World

    def go(self, cells: Sequence[Cell], measure: Callable[[Cell], tuple[Mapping[str, object], str]]) -> None:
        """Measure what has no row yet, with progress. See `Runner.go`."""
        left = [cell for cell in cells if not self.runner.done(cell)]
        progress = Progress(len(left), sum(cell.seconds for cell in left), self.world.clock)
        self.runner.go(cells, measure, progress)

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of this run."""
        return [row for row in self.file.rows if row["run"] == self.run.name]


@contextmanager
def open_session(options: argparse.Namespace, table: Table, identity: Identity, place: Place, world: World, **fixed: str) -> Iterator[Session]:
    """Give the session of a run, new or gone on with; write down that it is complete when the body ends well.

    Args:
        options: As `options.add_run` has them.
        table: What the rows are.
        identity: What the run is.
        place: Where it is made.
        world: What comes from outside.
        **fixed: Cells that every row has.

    Raises:
        SetupError: The result file or its records cannot be used.
        OSError: The disk refuses.
    """
    date = read_date(options, world)
    with RowFile(options.out, table) as file:
        records = Records(options.out)
        run = records.find(identity, date, again=options.retry_failed)
        records.begin(run, identity, {**machine_facts(place.devices), **place.facts})
        count = sum(row["run"] == run.name for row in file.rows)
        say(f"run {run.name} on {run.machine}, {run.stack}" + (f": goes on after {count} rows" if count else ""))
        session = Session(file, run, Runner(file, run, retry=options.retry_failed, fixed=fixed), Meter(place.devices, world.clock), world)
        yield session
        records.finish(run)
        file.finish()


def read_date(options: argparse.Namespace, world: World) -> str:
    """Return the day of a new run; raises SetupError when the option is none."""
    date: str = options.date or world.today()
    if not DATE.fullmatch(date):
        raise SetupError(f"--date: found {date}, expected a day such as 2026-11-30")
    return date


def show_plan(out: Path, instrument: str, table: Table, cells: Sequence[Cell], notes: Sequence[str] = ()) -> list[str]:
    """Return the plan as lines, less what the last run left behind if it was interrupted. Asks no server, writes nothing."""
    records = Records(out)
    done: list[Cell] = []
    heads = list(notes)
    last = next((run for run in reversed(records.runs) if run["identity"]["instrument"] == instrument and not run["complete"]), None)
    if last is not None and out.exists():
        data = out.read_bytes()
        rows = [row for row in read_rows(out, table, data[: data.rfind(b"\n") + 1]) if row["run"] == last["run"]]
        done = [cell for cell in cells if is_covered(cell, rows)]
        heads.append(f"goes on with run {last['run']} of {last['date']}, when the server and the settings are the same")
    return render_plan(cells, done, heads)
