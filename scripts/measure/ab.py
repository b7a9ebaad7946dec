"""Compares two arms: in turn, the order reversed in each round, each arm's identity asserted before each cell.

    python -m scripts.measure ab arms.toml --contexts 1024 32768 --rounds 4 --out data/ab.csv

An arm that was not switched on ends the run: it would have been measured as the other. Rounds that do not make a point of a chart are
followed by more, and if they fall into two groups they are reported as two, not averaged.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from . import columns
from .ab_cells import AB_CELLS, compare
from .arms import Arm, assert_on, read_arms, switch_on
from .client import Client
from .decode import DECODE, DIFFERENCE, DIFFERENCE_TOKENS, SHORT_TOKENS, STREAM, STREAM_TOKENS, Lengths, Taken, Taker
from .errors import MeasureError
from .options import add_run, add_server, endpoint, positive, speed
from .place import find_place
from .plan import MEASURED, OK, Cell, Speed, phase_of, spell_seconds
from .progress import say
from .provenance import Identity
from .rows import write_table
from .session import open_session, show_plan
from .stats import TEST_ROUNDS, suspicious
from .table import Column, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from .power import Meter
    from .world import World

HELP = "two arms in turn, each one's identity asserted before each cell"
CONTEXTS = (1024, 8192, 32768)
AB = Table(
    title="Decode of two arms",
    row="One round of one arm at one context.",
    description="One row is one round of one arm at one context: batch 1, greedy. The arms take turns, and their order is reversed in each"
    " round. Before each row the arm's identity was asserted; the column identity says what was seen. Prompts, methods and tokens as in"
    " the ladder.",
    columns=(
        *columns.RUN,
        Column("arm", "Which of the two.", required=True),
        Column("model", "The model, as the server calls it.", required=True),
        columns.CONTEXT,
        Column("method", "How decoding is separated from prefill.", required=True, enum=(STREAM, DIFFERENCE)),
        columns.ROUND,
        *columns.STATE,
        Column("identity", "What said that the arm was on."),
        *columns.COUNTS,
        *columns.STREAM,
        Column("total_s", "Time of the whole request; of the longer one of a difference.", "s", "number", minimum=0),
        Column("short_completion_tokens", "Tokens of the shorter answer of a difference.", "tok", "integer", minimum=0),
        Column("short_total_s", "Time of the shorter request of a difference.", "s", "number", minimum=0),
        *columns.DECODE,
        columns.POWER,
    ),
    key=("machine", "stack", "date", "run", "arm", "context", "method", "round", "attempt"),
    instrument="scripts/measure/ab.py",
)
GROUP = ("arm", "context", "method")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("arms", type=Path, metavar="ARMS", help="TOML file with two tables [[arm]]; see scripts/measure/README.md")
    parser.add_argument("--contexts", nargs="+", type=positive, default=list(CONTEXTS), help="tokens of context (default 1024 8192 32768)")
    parser.add_argument("--method", choices=(STREAM, DIFFERENCE), default=DIFFERENCE, help="how to measure (default difference)")
    parser.add_argument("--rounds", type=positive, default=4, help="measured rounds, after one that warms up (default 4)")
    parser.add_argument("--most-rounds", type=positive, default=TEST_ROUNDS, help="rounds where fewer do not agree (default 8)")
    parser.add_argument("--tokens", type=positive, default=STREAM_TOKENS, help="tokens of a streamed answer (default 128)")
    parser.add_argument("--long", type=positive, default=DIFFERENCE_TOKENS, help="tokens of a difference's longer answer (default 64)")
    parser.add_argument("--short", type=positive, default=SHORT_TOKENS, help="tokens of its shorter answer (default 8)")
    add_server(parser)
    add_run(parser, "ab.csv")


def make_cells(arms: Sequence[Arm], contexts: Iterable[int], rounds: Iterable[int], method: str, cost: Speed, lengths: Lengths) -> list[Cell]:
    """Return the cells of some rounds: the arms in turn, in the reverse order in each odd round."""
    cells = []
    requests = 2 if method == DIFFERENCE else 1
    wanted = list(dict.fromkeys(contexts))
    for number in rounds:
        for arm in reversed(arms) if number % 2 else arms:
            for context in wanted:
                key = {"arm": arm.name, "context": str(context), "method": method, "round": str(number)}
                fixed = {"phase": phase_of(number), **({"stack": arm.stack} if arm.stack else {})}
                title = f"{arm.name} at {context}, {f'round {number}' if number else 'warm-up'}"
                cells.append(Cell(key, GROUP, cost.seconds(context * requests, lengths.of(DECODE, method)), title, fixed, arm))
    return cells


class Turns:
    """Switches arms and measures cells.

    Args:
        clients: The server of each arm.
        lengths: Tokens of answers.
        world: What comes from outside.
    """

    def __init__(self, clients: dict[str, Client], lengths: Lengths, world: World) -> None:
        self.clients = clients
        self.lengths = lengths
        self.world = world
        self.on: Arm | None = None
        self.takers: dict[str, Taker] = {}

    def turn_to(self, arm: Arm) -> None:
        """Switch an arm on unless it is; raises SetupError when that fails."""
        if self.on is not arm:
            # Until it is through, neither is on: a switch that failed half-way must not be taken for one.
            self.on = None
            switch_on(arm, self.clients[arm.name], self.world)
            if arm.switch and arm.name in self.takers:
                self.takers[arm.name].warm.clear()
            self.on = arm

    def measure(self, cell: Cell, meter: Meter) -> Taken:
        """Return the measured cells of a row; raises MeasureError when there are none, SetupError when the arm is not on."""
        arm = cell.item
        assert isinstance(arm, Arm)  # noqa: S101 - `make_cells` put it there
        self.turn_to(arm)
        client = self.clients[arm.name]
        # Each arm may have a model of its own, and a row that failed says which, too.
        seen = {"model": client.served().model, "identity": assert_on(arm, client)}
        taker = self.takers.setdefault(arm.name, Taker(client, self.lengths, meter))
        try:
            cells, told = taker.take(DECODE, cell.key["method"], int(cell.key["context"]), int(cell.key["round"]))
        except MeasureError as error:
            error.cells.update(seen)
            raise
        return {**cells, **seen}, told


def doubtful(rows: Sequence[dict[str, str]]) -> list[int]:
    """Return the contexts at which the rounds of an arm do not make a point of a chart."""
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["phase"] == MEASURED and row["status"] == OK:
            values.setdefault((row["arm"], row["context"]), []).append(float(row["tok_s"]))
    return sorted({int(context) for (_, context), found in values.items() if suspicious(found)})


def run(options: argparse.Namespace, world: World) -> int:
    """Run the comparison; return 0 when all cells were measured, 1 when one failed."""
    arms = read_arms(options.arms)
    lengths = Lengths(options.tokens, options.long, options.short)
    cost = speed(options)
    cells = make_cells(arms, options.contexts, range(options.rounds + 1), options.method, cost, lengths)
    later = range(options.rounds + 1, options.most_rounds + 1)
    if options.dry_run:
        more_s = sum(cell.seconds for cell in make_cells(arms, options.contexts, later, options.method, cost, lengths))
        switches = sum(one.item is not other.item for one, other in itertools.pairwise(cells)) + 1
        notes = [
            f"{switches} turns",
            f"up to {options.most_rounds} rounds where {options.rounds} do not agree: {spell_seconds(more_s)} more at most",
        ]
        print("\n".join(show_plan(options.out, "ab", AB, cells, notes)))  # noqa: T201 - a plan is a result
        return 0
    clients = {arm.name: Client(endpoint(options, arm.url, arm.model), world.clock, world.wire) for arm in arms}
    turns = Turns(clients, lengths, world)
    turns.turn_to(arms[0])
    place = find_place(options, clients[arms[0].name])
    settings = {
        **place.settings,
        "api": options.api,
        "extra": options.extra,
        "lengths": vars(lengths),
        "arms": [arm.settings for arm in arms],
    }
    # The flags are those of whichever arm is on; what they have to be is in the arms' checks.
    identity = Identity("ab", place.machine, place.stack, {**settings, "flags": None})
    with open_session(options, AB, identity, place, world, model=place.model) as session:

        def measure(cell: Cell) -> Taken:
            return turns.measure(cell, session.meter)

        session.go(cells, measure)
        contexts = doubtful([row for row in session.rows if int(row["round"]) <= options.rounds])
        if contexts and later:
            say(f"{options.rounds} rounds do not agree at {', '.join(map(str, contexts))}: {len(later)} more")
            session.go(make_cells(arms, contexts, later, options.method, cost, lengths), measure)
        summary = compare(session.file.rows)
        write_table(options.out.with_name(f"{options.out.stem}_cells.csv"), AB_CELLS, summary)
        own = [row for row in summary if row["run"] == session.run.name]
        for row in own:
            if row.get("modes") == 2:  # noqa: PLR2004 - as many as `find_modes` gives at most
                say(f"bimodal: {row['arm']} at {row['context']}: {row['low_mode_tok_s']:.2f} and {row['high_mode_tok_s']:.2f} tok/s")
        return 1 if any(row["status"] != OK for row in own) else 0
