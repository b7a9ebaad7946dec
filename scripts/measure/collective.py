"""Times all-reduce and all-gather by message size, over NCCL, RCCL or gloo, on any number of ranks.

    torchrun --nproc-per-node 2 -m scripts.measure collective --out data/collective.csv

One row is one round; FILE_sizes.csv has median and spread of each size's rounds. A result is compared with the right one before its size
is timed. Rank 0 alone writes. Needs torch and nothing else; NCCL_ variables are recorded as settings of the run, none is set.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .collective_table import COLLECTIVE, EAGER, FORMULA, GRAPH, MODES, OPERATIONS, SIZES, bandwidths, sizes
from .errors import MeasureError, SetupError
from .plan import FAILED, Cell, phase_of, render_plan
from .progress import Progress, say
from .provenance import Identity, Records
from .rows import RowFile, write_table
from .run_options import add_file, whole
from .runner import Runner

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from .collective_ranks import Message, Ranks
    from .world import World

HELP = "all-reduce and all-gather by message size, under torchrun"
BYTES = tuple(1024 * 4**step for step in range(10))
ITEM_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
GROUP = ("operation", "dtype", "mode", "message_bytes")
PREPARE_S = 0.2
"""Checking and capturing a size, for the plan."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=list(OPERATIONS), help="what to do (default both)")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=[], help="how (default graph and eager; on the processor eager)")
    parser.add_argument("--bytes", nargs="+", type=whole, default=list(BYTES), help="sizes (default 1 KiB to 256 MiB, each 4 times the last)")
    parser.add_argument("--dtype", choices=tuple(ITEM_BYTES), default="bfloat16", help="type of the elements (default bfloat16)")
    parser.add_argument("--rounds", type=whole, default=5, help="measured rounds, after one that warms up (default 5)")
    parser.add_argument("--round-ms", type=whole, default=50, help="how long a round should take (default 50)")
    parser.add_argument("--backend", choices=("nccl", "gloo"), default="", help="default nccl where there are GPUs, else gloo")
    parser.add_argument("--timeout-s", type=whole, default=120, help="how long a rank waits for the others (default 120)")
    parser.add_argument("--retry-failed", action="store_true", help="measure sizes that failed once more, as their next attempt")
    add_file(parser, "collective.csv", "the devices of the ranks", "versions of torch and of the library")


def make_cells(options: argparse.Namespace, ranks: int, modes: list[str]) -> list[Cell]:
    """Return the plan. A size that ranks cannot share evenly is made larger until they can."""
    unit = ITEM_BYTES[options.dtype] * ranks
    cells = []
    for operation in dict.fromkeys(options.operations):
        for mode in dict.fromkeys(modes):
            for size in dict.fromkeys(-(-size // unit) * unit for size in options.bytes):
                for number in range(options.rounds + 1):
                    key = {"operation": operation, "dtype": options.dtype, "mode": mode, "message_bytes": str(size), "round": str(number)}
                    title = f"{operation}, {mode}, {size} bytes, {f'round {number} of {options.rounds}' if number else 'warm-up'}"
                    cost_s = options.round_ms / 1e3 + (0 if number else PREPARE_S)
                    cells.append(Cell(key, GROUP, cost_s, title, {"phase": phase_of(number)}))
    return cells


def run(options: argparse.Namespace, world: World) -> int:
    """Measure; return 0 when all sizes were measured, 1 when one failed."""
    if options.dry_run:
        if os.environ.get("RANK", "0") == "0":
            cells = make_cells(options, int(os.environ.get("WORLD_SIZE", "1")), options.modes or [GRAPH, EAGER])
            print("\n".join(render_plan(cells, (), [FORMULA])))  # noqa: T201 - a plan is a result
        return 0
    try:
        from .collective_ranks import Ranks  # noqa: PLC0415 - a plan needs no torch
    except ImportError as error:
        raise SetupError(f"torch cannot be imported: {error}; pip install torch") from None
    with Ranks(options.backend, options.timeout_s) as ranks:
        modes = options.modes or ([EAGER] if ranks.device.type == "cpu" else [GRAPH, EAGER])
        if GRAPH in modes and ranks.device.type == "cpu":
            raise SetupError("--modes graph: a processor has no graphs; expected eager or sync")
        cells = make_cells(options, ranks.count, modes)
        place = ranks.place()
        bench = _Bench(ranks, options.round_ms / 1e3)
        try:
            return bench.follow(cells) if ranks.rank else _lead(options, world, bench, cells, place)
        finally:
            # A communicator waits at its end for the graphs that it was captured in.
            bench.ready = None
            if not ranks.rank:
                ranks.tell(None)


class _Bench:
    """Measures cells on all ranks: rank 0 names one, the others follow.

    Args:
        ranks: The processes.
        round_s: How long a round should take.
    """

    def __init__(self, ranks: Ranks, round_s: float) -> None:
        self.ranks = ranks
        self.round_s = round_s
        self.ready: tuple[tuple[str, ...], Message] | None = None

    def follow(self, cells: list[Cell]) -> int:
        """Measure what rank 0 names until it names nothing."""
        while (number := self.ranks.tell(None)) is not None:
            try:
                self._measure(cells[number])
            except MeasureError:
                continue  # rank 0 has heard it too, and writes it down
        return 0

    def measure(self, cells: list[Cell], cell: Cell) -> tuple[Mapping[str, object], str]:
        """Return the measured cells of a row; raises MeasureError where one rank failed."""
        self.ranks.tell(cells.index(cell))
        message, us = self._measure(cell)
        algorithm, bus = bandwidths(cell.key["operation"], int(cell.key["message_bytes"]), self.ranks.count, us)
        measured = {"calls": message.calls, "us_per_call": us, "algorithm_gb_s": algorithm, "bus_gb_s": bus}
        return measured, f"{us:.2f} us, bus {bus:.2f} GB/s"

    def _measure(self, cell: Cell) -> tuple[Message, float]:
        from .collective_ranks import Message  # noqa: PLC0415 - as in `run`

        if self.ready is None or self.ready[0] != cell.rung:
            self.ready = None  # its memory is free before the next takes its own
            operation, dtype, mode, size = cell.rung
            self.ready = (cell.rung, Message(self.ranks, operation, dtype, mode, int(size), self.round_s))
        message = self.ready[1]
        return message, message.time_us()


def _lead(options: argparse.Namespace, world: World, bench: _Bench, cells: list[Cell], place: dict[str, Any]) -> int:
    """Measure on rank 0, and write."""
    machine, stack = options.machine or place["machine"] or _processor(), options.stack or place["stack"]
    shared = {"backend": bench.ranks.backend, "ranks": str(bench.ranks.count), "hosts": str(place["hosts"]), "link": place["link"]}
    identity = Identity("collective", machine, stack, {**shared, "dtype": options.dtype, "environment": place["environment"]})
    facts = {**place["facts"], "formula": FORMULA, "commit": _commit()}
    with RowFile(options.out, COLLECTIVE) as file:
        records = Records(options.out)
        made = records.find(identity, options.date or world.today(), again=options.retry_failed)
        records.begin(made, identity, facts)
        runner = Runner(file, made, retry=options.retry_failed, fixed=shared)
        left = [cell for cell in cells if not runner.done(cell)]
        say(f"run {made.name} on {machine}, {stack}, {shared['ranks']} ranks, link {place['link']}")
        progress = Progress(len(left), sum(cell.seconds for cell in left), world.clock)
        runner.go(cells, lambda cell: bench.measure(cells, cell), progress)
        records.finish(made)
        file.finish()
        summary = sizes(file.rows)
        write_table(options.out.with_name(f"{options.out.stem}_sizes.csv"), SIZES, summary)
        own = [row for row in summary if row["run"] == made.name]
    for row in own:
        if row["status"] == FAILED:
            say(f"failed: {row['operation']}, {row['mode']}, {row['message_bytes']} bytes: {row['reason']}")
        elif not row["chart_grade"]:
            say(
                f"rounds do not agree: {row['operation']}, {row['mode']}, {row['message_bytes']} bytes, spread {row.get('spread_pct', 0):.0f} %"
            )
    return 1 if any(row["status"] == FAILED for row in own) else 0


def _processor() -> str:
    """Return the processor as rows name it; without the library that other instruments ask, by what the system says."""
    try:
        from .facts import machine_name  # noqa: PLC0415 - it needs psutil, which a bare machine lacks
    except ImportError:
        import platform  # noqa: PLC0415 - as above

        return f"{platform.processor() or platform.machine()}, {os.cpu_count()} threads, no GPU"
    return machine_name([])


def _commit() -> dict[str, Any] | None:
    try:
        from .facts import commit  # noqa: PLC0415 - as in `_processor`
    except ImportError:
        return None
    return commit()
