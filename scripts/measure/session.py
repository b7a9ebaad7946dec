"""One run from its beginning to its end: who and where, the plan, the rows, what is computed from them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import SetupError
from .facts import find_model, machine_facts, machine_name, model_digest, server_facts, stack_name
from .plan import render_plan
from .power import Meter, find_devices
from .progress import Progress, say
from .provenance import Identity, Records, Run
from .rows import RowFile, read_rows
from .runner import Runner, is_covered
from .server import ServerProcess, find_server, is_local

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from .client import Client
    from .plan import Cell
    from .power import Device
    from .table import Table
    from .world import World

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Place:
    """Where a run is made, as far as it can be found out.

    Attributes:
        server: The server's process; None where it is not on this machine, or not to be seen.
        devices: Devices it runs on; none where it is not on this machine.
        machine: Hardware, as rows name it.
        stack: Stack, as rows name it.
        model: The model as the server calls it.
        digest: Digest of its files; None where they are not here.
    """

    server: ServerProcess | None
    devices: list[Device]
    machine: str
    stack: str
    model: str
    digest: str | None

    @property
    def settings(self) -> dict[str, Any]:
        """What of it belongs to the identity of a run, besides machine and stack."""
        return {"model": self.model, "model_digest": self.digest, "flags": list(self.server.flags) if self.server else None}


def find_place(options: argparse.Namespace, client: Client) -> Place:
    """Return where the server runs and what it serves.

    Raises:
        SetupError: It does not answer, or neither it nor the options say what rows have to.
    """
    served = client.served()
    local = is_local(client.endpoint.url)
    server = find_server(client.endpoint.url)
    devices = find_devices(server.visible if server else None) if local else []
    machine = options.machine or (machine_name(devices) if local else "")
    if not machine:
        raise SetupError(f"{client.endpoint.url} is another machine: say which with --machine")
    stack = options.stack or stack_name(client, server)
    if not stack:
        raise SetupError(f"{client.endpoint.url}: the server does not tell its version: say what it is with --stack")
    folder = find_model(client, options.model_files)
    if options.model_files is not None and not options.model_files.is_dir():
        raise SetupError(f"{options.model_files}: no such folder; expected the model's files")
    digest = model_digest(folder, whole=options.digest == "whole") if folder else None
    return Place(server, devices, machine, stack, served.model, digest)


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

    def go(self, cells: Sequence[Cell], measure: Any) -> None:
        """Measure what has no row yet, with progress. See `Runner.go`."""
        left = [cell for cell in cells if not self.runner.done(cell)]
        progress = Progress(len(left), sum(cell.seconds for cell in left), self.world.clock)
        self.runner.go(cells, measure, progress)

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of this run."""
        return [row for row in self.file.rows if row["run"] == self.run.name]


@contextmanager
def open_session(
    options: argparse.Namespace, table: Table, identity: Identity, place: Place, client: Client, world: World, **fixed: str
) -> Iterator[Session]:
    """Give the session of a run, new or gone on with; write down that it is complete when the body ends well.

    Args:
        options: As `options.add_run` has them.
        table: What the rows are.
        identity: What the run is.
        place: Where it is made.
        client: A connection to its server.
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
        facts = {**machine_facts(place.devices), "server": server_facts(client, place.server)}
        records.begin(run, identity, facts)
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
