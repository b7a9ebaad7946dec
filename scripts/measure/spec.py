"""Measures speculation: draft methods and proposal lengths over a set of prompts, against none in the same run.

    python -m scripts.measure spec spec.toml --contexts 1024 8192 32768 --api chat --out data/spec.csv

Beside the rows: FILE_points.csv (ratio, mean acceptance length), FILE_positions.csv (acceptance by position) and FILE_best.csv (the best
length of each method, and the depth at which it turns into a loss, brought together by bisection between the rungs).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import columns
from .client import Client
from .crossing import RESOLUTION, best_tokens, next_depth
from .options import add_run, add_server, endpoint, positive, speed
from .place import find_place
from .plan import OK, Cell, Speed, phase_of
from .progress import say
from .provenance import Identity
from .rows import write_table
from .session import open_session, show_plan
from .spec_file import Proposal, SpecFile, read_spec_file
from .spec_points import BEST, METHOD, POINTS, POSITIONS, TOKENS, best, points, positions, ratios_of
from .spec_take import SpecTaker
from .speculation import NONE
from .table import Column, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from .decode import Taken
    from .session import Session
    from .world import World

HELP = "draft methods and proposal lengths against no speculation"
CONTEXTS = (1024, 8192, 32768)
ANSWER_TOKENS = 256
SPEC = Table(
    title="Decode with speculation, by prompt",
    row="One answer: a method, a length, a context, a prompt, a round.",
    description="One row is one answer: batch 1, greedy, streamed, one method with one proposal length, the prompt filled up in front to the"
    " context's length by the server's own count, with a beginning that no other prompt has. The order of the methods is reversed in each"
    " round. Steps and accepted tokens are the differences of the server's counters before and after.",
    columns=(
        *columns.RUN,
        Column("model", "The model, as the server calls it.", required=True),
        METHOD,
        TOKENS,
        columns.CONTEXT,
        Column("prompt", "Name of the task.", required=True),
        columns.ROUND,
        *columns.STATE,
        Column("identity", "What said that the server speculates so."),
        *columns.COUNTS,
        *columns.STREAM,
        *columns.DECODE,
        Column("drafts", "Steps that drafted.", "step", "number", minimum=0),
        Column("draft_tokens", "Tokens drafted.", "tok", "number", minimum=0),
        Column("accepted_tokens", "Of these, tokens accepted.", "tok", "number", minimum=0),
        Column("accepted_per_position", "Tokens accepted at each position, the first first, with spaces between."),
        columns.POWER,
    ),
    key=(
        "machine", "stack", "date", "run", "model", "method", "num_speculative_tokens", "context", "prompt", "round", "attempt",
    ),
    instrument="scripts/measure/spec.py",
)  # fmt: skip
GROUP = ("method", "num_speculative_tokens", "context")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="TOML file with tables [[method]]; see scripts/measure/README.md")
    parser.add_argument("--contexts", nargs="+", type=positive, default=list(CONTEXTS), help="tokens of context (default 1024 8192 32768)")
    parser.add_argument("--rounds", type=positive, default=2, help="measured rounds, after one that warms up (default 2)")
    parser.add_argument("--tokens", type=positive, default=ANSWER_TOKENS, help="tokens of an answer (default 256)")
    parser.add_argument("--resolution", type=float, default=RESOLUTION, help="width of the depth of loss, of its upper end (default 1/16)")
    parser.add_argument("--no-bisection", action="store_true", help="leave the depth of loss between two rungs")
    add_server(parser)
    add_run(parser, "spec.csv")


def make_cells(
    proposals: Sequence[Proposal], contexts: Iterable[int], prompts: Iterable[str], rounds: int, tokens: int, cost: Speed
) -> list[Cell]:
    """Return the cells of all rounds: the methods in turn, in the reverse order in each odd round."""
    cells = []
    depths, names = list(dict.fromkeys(contexts)), list(prompts)
    for number in range(rounds + 1):
        for proposal in reversed(proposals) if number % 2 else proposals:
            for context in depths:
                for name in names:
                    key = {"method": proposal.method, "num_speculative_tokens": str(proposal.tokens), "context": str(context)}
                    title = f"{proposal.title} at {context}, {name}, {f'round {number}' if number else 'warm-up'}"
                    key |= {"prompt": name, "round": str(number)}
                    cells.append(Cell(key, GROUP, cost.seconds(context, tokens), title, {"phase": phase_of(number)}, proposal))
    return cells


def bisect(session: Session, file: SpecFile, options: argparse.Namespace, taker: SpecTaker) -> None:
    """Measure between the rungs until the depth at which each method turns into a loss is known well enough."""

    def measure(cell: Cell) -> Taken:
        return taker.measure(cell, session.meter)

    none = file.proposals[0]
    for method in dict.fromkeys(each.method for each in file.proposals if each.method != NONE):
        while True:
            ratios = ratios_of(points(session.file.rows), session.run.name, method)
            tokens = best_tokens(ratios)
            depth = next_depth(ratios[tokens], options.resolution) if tokens else None
            if tokens is None or depth is None:
                break
            proposal = next(each for each in file.proposals if (each.method, each.tokens) == (method, tokens))
            cells = make_cells((none, proposal), [depth], file.prompts, options.rounds, options.tokens, speed(options))
            if all(session.runner.done(cell) for cell in cells):
                break  # it failed there: no ratio will come of it
            say(f"{proposal.title}: the loss begins nearer than the rungs tell; measuring at {depth}")
            session.go(cells, measure)


def write_summary(out: Path, rows: Sequence[dict[str, str]], run: str) -> bool:
    """Write what the rows say, and say it; return whether all of the run was measured."""
    summary = points(rows)
    found = best(summary)
    for name, table, lines in (("points", POINTS, summary), ("positions", POSITIONS, positions(rows)), ("best", BEST, found)):
        write_table(out.with_name(f"{out.stem}_{name}.csv"), table, lines)
    for cells in found:
        if cells["run"] == run:
            between = (
                f"; a loss from between {cells['gain_at']} and {cells['loss_at']} tokens on" if cells["loss_at"] else f": {cells['state']}"
            )
            say(f"{cells['method']}: best with {cells['best_tokens']} tokens, {cells['best_ratio']:.3f}x{between}")
    return all(cells["status"] == OK for cells in summary if cells["run"] == run)


def run(options: argparse.Namespace, world: World) -> int:
    """Run the sweep; return 0 when all was measured, 1 when something failed."""
    file = read_spec_file(options.file)
    cells = make_cells(file.proposals, options.contexts, file.prompts, options.rounds, options.tokens, speed(options))
    if options.dry_run:
        notes = [f"{each.title}: {each.config or 'no --speculative-config'}" for each in file.proposals]
        notes += [] if options.no_bisection else ["and for each method that turns into a loss, a few rungs between"]
        print("\n".join(show_plan(options.out, "spec", SPEC, cells, notes)))  # noqa: T201 - a plan is a result
        return 0
    clients = {each.title: Client(endpoint(options, each.url), world.clock, world.wire) for each in file.proposals}
    taker = SpecTaker(clients, file, options.tokens, world)
    first = clients[file.proposals[0].title]
    taker.turn_to(file.proposals[0])
    place = find_place(options, first)
    settings = {**place.settings, "api": options.api, "extra": options.extra, "tokens": options.tokens, "prompts": file.prompts}
    identity = Identity("spec", place.machine, place.stack, {**settings, "counters": "log" if file.log else "prometheus"})
    with open_session(options, SPEC, identity, place, world, model=place.model) as session:

        def measure(cell: Cell) -> Taken:
            return taker.measure(cell, session.meter)

        session.go(cells, measure)
        if not options.no_bisection:
            bisect(session, file, options, taker)
        return 0 if write_summary(options.out, session.file.rows, session.run.name) else 1
