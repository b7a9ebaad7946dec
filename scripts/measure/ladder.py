"""Measures decoding and prefill by context length: the rungs of a ladder, in rounds, by two methods.

    python -m scripts.measure ladder --url http://localhost:8000 --contexts 1024 8192 32768 --out data/ladder.csv

One row is one round of a rung. What the rounds say together is written anew into FILE_rungs.csv after the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import columns
from .client import Client
from .options import add_run, add_server, endpoint, positive, speed
from .plan import Cell, Speed, phase_of
from .progress import say
from .prompt import GUESS, Prompt, cut_prompt, tolerance_of
from .provenance import Identity
from .rate import check_reply, difference_rate, stream_rate
from .rows import write_table
from .rungs import RUNGS, rungs
from .session import Session, find_place, open_session, show_plan
from .table import Column, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from .stream import Reply
    from .world import World

HELP = "decode and prefill by context length, against any server with the OpenAI interface"
DECODE, PREFILL = "decode", "prefill"
STREAM, DIFFERENCE = "stream", "difference"
CONTEXTS = (1024, 2048, 4096, 8192, 16384, 32768)
DIFFERENCE_TOKENS = 64
SHORT_TOKENS = 8
STREAM_TOKENS = 128

LADDER = Table(
    title="Decode and prefill by context",
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


@dataclass(frozen=True)
class Lengths:
    """Tokens of answers.

    Attributes:
        stream: Of a streamed answer.
        long: Of the longer answer of a difference.
        short: Of the shorter.
    """

    stream: int = STREAM_TOKENS
    long: int = DIFFERENCE_TOKENS
    short: int = SHORT_TOKENS

    def of(self, kind: str, method: str) -> int:
        """Return how many tokens one cell generates."""
        return 1 if kind == PREFILL else self.stream if method == STREAM else self.long + self.short


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


class Ladder:
    """Measures single cells.

    Args:
        client: The server.
        lengths: Tokens of answers.
        session: The run.
    """

    def __init__(self, client: Client, lengths: Lengths, session: Session) -> None:
        self.client = client
        self.lengths = lengths
        self.session = session
        self.prompts: dict[int, Prompt] = {}
        self.ratio = GUESS

    def prompt(self, context: int) -> Prompt:
        """Return the prompt of a rung, cut once. Raises MeasureError when it cannot be."""
        if context not in self.prompts:
            cut = cut_prompt(context, self.client.count, seed=context, ratio=self.ratio)
            self.prompts[context] = cut
            self.ratio = cut.tokens / cut.words
        return self.prompts[context]

    def measure(self, cell: Cell) -> tuple[Mapping[str, object], str]:
        """Return the measured cells of a row; raises MeasureError when there are none."""
        context, kind, method = int(cell.key["context"]), cell.key["kind"], cell.key["method"]
        prompt = self.prompt(context)
        way = self.prefill if kind == PREFILL else self.stream if method == STREAM else self.difference
        if self.session.runner.broken(cell):
            way(prompt)  # goes on after an interruption: the server may have cooled down, so this one is not recorded
        return way(prompt)

    def prefill(self, prompt: Prompt) -> tuple[dict[str, object], str]:
        """Return what one token after a prompt says of reading it."""
        self.session.meter.start()
        reply = self.client.stream(prompt.text(), 1)
        power_w = self.session.meter.stop()
        check_reply(reply, prompt.tokens, 1, tolerance_of(prompt.tokens))
        seconds = reply.first_s - reply.sent_s
        rate = reply.usage.prompt / seconds if seconds > 0 else None
        cells = {**counts(reply), "ttft_s": seconds, "total_s": reply.end_s - reply.sent_s, "prefill_tok_s": rate, "power_w": power_w}
        return cells, f"{rate or 0:.1f} tok/s"

    def stream(self, prompt: Prompt) -> tuple[dict[str, object], str]:
        """Return what a streamed answer says of decoding."""
        reply = self.client.stream(prompt.text(), self.lengths.stream, self.session.meter.start)
        power_w = self.session.meter.stop()
        check_reply(reply, prompt.tokens, self.lengths.stream, tolerance_of(prompt.tokens))
        return {**stream_cells(reply), "total_s": reply.end_s - reply.sent_s, "power_w": power_w}, tell(stream_rate(reply).tok_s, reply)

    def difference(self, prompt: Prompt) -> tuple[dict[str, object], str]:
        """Return what a long answer less a short one says of decoding."""
        short = self.client.whole(prompt.text(), self.lengths.short)
        check_reply(short, prompt.tokens, self.lengths.short, tolerance_of(prompt.tokens))
        long = self.client.whole(prompt.text(), self.lengths.long)
        check_reply(long, prompt.tokens, self.lengths.long, tolerance_of(prompt.tokens))
        rate = difference_rate(long, short)
        cells = {
            **counts(long),
            "total_s": long.end_s - long.sent_s,
            "short_completion_tokens": short.usage.completion,
            "short_total_s": short.end_s - short.sent_s,
            "decode_tokens": rate.tokens,
            "decode_s": rate.seconds,
            "tok_s": rate.tok_s,
        }
        return cells, f"{rate.tok_s:.2f} tok/s"


def counts(reply: Reply) -> dict[str, object]:
    """Return what was counted, as cells."""
    usage = reply.usage
    return {
        "prompt_tokens": usage.prompt,
        "cached_tokens": usage.cached,
        "completion_tokens": usage.completion,
        "chunks": reply.chunks or None,
    }


def stream_cells(reply: Reply) -> dict[str, object]:
    """Return what a streamed answer says, as cells; raises MeasureError when no rate follows from it."""
    rate = stream_rate(reply)
    return {
        **counts(reply),
        "ttft_s": reply.first_s - reply.sent_s,
        "first_chunk_tokens": rate.first_chunk_tokens,
        "first_chunk_basis": rate.basis,
        "max_gap_s": reply.max_gap_s,
        "decode_tokens": rate.tokens,
        "decode_s": rate.seconds,
        "tok_s": rate.tok_s,
        "chunk_s": reply.chunk_s,
    }


def tell(tok_s: float, reply: Reply) -> str:
    """Return a few words on a streamed answer."""
    return f"{tok_s:.2f} tok/s, first token after {reply.first_s - reply.sent_s:.2f} s"


def run(options: argparse.Namespace, world: World) -> int:
    """Run the ladder; return 0 when all rungs were measured, 1 when one failed."""
    lengths = Lengths(options.tokens, options.long, options.short)
    cells = make_cells(options, lengths, speed(options))
    if options.dry_run:
        print("\n".join(show_plan(options.out, "ladder", LADDER, cells)))  # noqa: T201 - a plan is a result
        return 0
    client = Client(endpoint(options), world.clock, world.transport)
    place = find_place(options, client)
    settings = {**place.settings, "api": options.api, "extra": options.extra, "lengths": vars(lengths)}
    identity = Identity("ladder", place.machine, place.stack, settings)
    with open_session(options, LADDER, identity, place, client, world, model=place.model) as session:
        session.go(cells, Ladder(client, lengths, session).measure)
        summary = rungs(session.file.rows)
        write_table(options.out.with_name(f"{options.out.stem}_rungs.csv"), RUNGS, summary)
        own = [row for row in summary if row["run"] == session.run.name]
        say(f"{sum(row['chart_grade'] is True for row in own)} of {len(own)} rungs are of chart grade")
        return 1 if any(row["status"] != "ok" for row in own) else 0
