"""Measures decoding and prefill by context length: the rungs of a ladder, in rounds, by two methods.

    python -m scripts.measure ladder --url http://localhost:8000 --contexts 1024 8192 32768 --out data/ladder.csv

One row is one round of a rung. What the rounds say together is written anew into FILE_rungs.csv after the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import columns
from .client import Client
from .decode import DECODE, DIFFERENCE, DIFFERENCE_TOKENS, PREFILL, SHORT_TOKENS, STREAM, STREAM_TOKENS, Lengths, Taken, Taker
from .options import add_run, add_server, endpoint, positive, speed
from .place import find_place
from .plan import Cell, Speed, phase_of
from .progress import say
from .provenance import Identity
from .rows import write_table
from .rungs import RUNGS, rungs
from .session import open_session, show_plan
from .table import Column, Table

if TYPE_CHECKING:
    import argparse

    from .world import World

HELP = "decode and prefill by context length, against any server with the OpenAI interface"
CONTEXTS = (1024, 2048, 4096, 8192, 16384, 32768)

LADDER = Table(
    title="Decode and prefill by context",
    row="One round of a rung.",
    description="One row is one round of a rung: batch 1, greedy, a prompt cut to the context's length by the server's own count, with a"
    " beginning that no other prompt has. Method stream: the tokens after the first chunk over the time after it. Method difference: a"
    " long answer less a short one at the same depth. Tokens are the server's usage. A rung that failed has one row that says why.",
    columns=(
        *columns.RUN,
        Column("model", "The model, as the server calls it.", required=True),
        Column("kind", "What is measured: decoding, or reading the prompt.", required=True, enum=(DECODE, PREFILL)),
        columns.CONTEXT,
        Column("method", "How decoding is separated from prefill.", required=True, enum=(STREAM, DIFFERENCE)),
        columns.ROUND,
        *columns.STATE,
        *columns.COUNTS,
        *columns.STREAM,
        Column("total_s", "Time of the whole request; of the longer one of a difference.", "s", "number", minimum=0),
        Column("short_completion_tokens", "Tokens of the shorter answer of a difference.", "tok", "integer", minimum=0),
        Column("short_total_s", "Time of the shorter request of a difference.", "s", "number", minimum=0),
        *columns.DECODE,
        Column("prefill_tok_s", "Tokens of the prompt over the time to the first token.", "tok/s", "number", minimum=0),
        columns.POWER,
    ),
    key=("machine", "stack", "date", "run", "model", "kind", "context", "method", "round", "attempt"),
    instrument="scripts/measure/ladder.py",
)
GROUP = ("kind", "context", "method")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--contexts", nargs="+", type=positive, default=list(CONTEXTS), help="tokens of context (default 1024 to 32768)")
    parser.add_argument("--kinds", nargs="+", choices=(DECODE, PREFILL), default=[PREFILL, DECODE], help="what to measure (default both)")
    parser.add_argument("--methods", nargs="+", choices=(STREAM, DIFFERENCE), default=[STREAM, DIFFERENCE], help="how (default both)")
    parser.add_argument("--rounds", type=positive, default=3, help="measured rounds, after one that warms up (default 3)")
    parser.add_argument("--tokens", type=positive, default=STREAM_TOKENS, help="tokens of a streamed answer (default 128)")
    parser.add_argument("--long", type=positive, default=DIFFERENCE_TOKENS, help="tokens of a difference's longer answer (default 64)")
    parser.add_argument("--short", type=positive, default=SHORT_TOKENS, help="tokens of its shorter answer (default 8)")
    add_server(parser)
    add_run(parser, "ladder.csv")


def make_cells(options: argparse.Namespace, lengths: Lengths, expected: Speed) -> list[Cell]:
    """Return the plan: rung by rung, each in its rounds."""
    cells = []
    for context in dict.fromkeys(options.contexts):
        for kind in (PREFILL, DECODE):
            for method in [STREAM] if kind == PREFILL else dict.fromkeys(options.methods):
                if kind not in options.kinds:
                    continue
                requests = 2 if method == DIFFERENCE else 1
                cost_s = expected.seconds(context * requests, lengths.of(kind, method))
                for number in range(options.rounds + 1):
                    key = {"kind": kind, "context": str(context), "method": method, "round": str(number)}
                    title = f"{kind} at {context}, {method}, {f'round {number} of {options.rounds}' if number else 'warm-up'}"
                    cells.append(Cell(key, GROUP, cost_s, title, {"phase": phase_of(number)}))
    return cells


def run(options: argparse.Namespace, world: World) -> int:
    """Run the ladder; return 0 when all rungs were measured, 1 when one failed."""
    lengths = Lengths(options.tokens, options.long, options.short)
    cells = make_cells(options, lengths, speed(options))
    if options.dry_run:
        print("\n".join(show_plan(options.out, "ladder", LADDER, cells)))  # noqa: T201 - a plan is a result
        return 0
    client = Client(endpoint(options), world.clock, world.wire)
    place = find_place(options, client)
    settings = {**place.settings, "api": options.api, "extra": options.extra, "lengths": vars(lengths)}
    identity = Identity("ladder", place.machine, place.stack, settings)
    with open_session(options, LADDER, identity, place, world, model=place.model) as session:
        taker = Taker(client, lengths, session.meter)

        def measure(cell: Cell) -> Taken:
            return taker.take(cell.key["kind"], cell.key["method"], int(cell.key["context"]), int(cell.key["round"]))

        session.go(cells, measure)
        summary = rungs(session.file.rows)
        write_table(options.out.with_name(f"{options.out.stem}_rungs.csv"), RUNGS, summary)
        own = [row for row in summary if row["run"] == session.run.name]
        say(f"{sum(row['chart_grade'] is True for row in own)} of {len(own)} rungs are of chart grade")
        return 1 if any(row["status"] != "ok" for row in own) else 0
