"""A whole log, line by line, in constant memory: only what the verdict needs is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .lines import FREQUENT, TELLING, Event, Kind, Process, Speculation, read_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

BLOCK = LONGEST_LINE = 1 << 20
MOST_FREQUENT = 10_000
MOST_PROCESSES = 4096


@dataclass
class Summary:
    """What one start of an engine left in the log.

    Attributes:
        version: Of vLLM; empty where the log does not say.
        model: Name or path of the target.
        speculation: None where the log does not say.
        ranks: Worker processes by configuration; 0 where the log does not say.
        target: Backends of the target, by the order in which they appear, with how they came to be chosen.
        drafter: The same for the drafter.
        patch: Processes in which the patch was armed or active.
        refused: The first reason for which the patch was refused.
        fired: Processes in which the probe fired; a line without a prefix counts as a process of its own.
        rows: Largest number of rows that a probe named.
        workers: Processes that chose a backend.
        drafting: Processes that have begun to load the drafter.
        verified: Whether the log reports accepted drafts, so that verify steps have run.
        seen: Whether anything of vLLM was seen.
        starts: Engines that were started; the summary is of the last.
        pids: The pid of each process name, by which a new start shows.
    """

    version: str = ""
    model: str = ""
    speculation: Speculation | None = None
    ranks: int = 0
    target: dict[str, str] = field(default_factory=dict)
    drafter: dict[str, str] = field(default_factory=dict)
    patch: set[Process] = field(default_factory=set)
    refused: str = ""
    fired: set[Process] = field(default_factory=set)
    rows: int = 0
    workers: set[Process] = field(default_factory=set)
    drafting: set[Process] = field(default_factory=set)
    verified: bool = False
    seen: bool = False
    starts: int = 1
    pids: dict[str, str] = field(default_factory=dict)


def read_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Give a stream as blocks of whole lines; of a line longer than `LONGEST_LINE`, only the first part."""
    rest, dropping = b"", False
    while chunk := stream.read(BLOCK):
        if dropping:
            _, found, chunk = chunk.partition(b"\n")
            dropping = not found
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        elif not dropping:
            rest += chunk
        if len(rest) > LONGEST_LINE:
            yield rest[:LONGEST_LINE] + b"\n"
            rest, dropping = b"", True
    if rest:
        yield rest


def select_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Give the lines that may say something, in order; of the frequent kinds only so many."""
    left = dict.fromkeys(FREQUENT, MOST_FREQUENT)
    for block in blocks:
        lines: dict[int, int] = {}
        for word in TELLING:
            _find_lines(block, word, lines, len(block))
        for word in [word for word in FREQUENT if left[word]]:
            left[word] -= _find_lines(block, word, lines, left[word])
        for start in sorted(lines):
            yield block[start : lines[start]]


def _find_lines(block: bytes, word: bytes, lines: dict[int, int], most: int) -> int:
    """Add where lines with a word begin and end to `lines`; return how many, at most `most`."""
    count, at = 0, block.find(word)
    while at >= 0 and count < most:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        lines[start] = len(block) if end < 0 else end
        at = block.find(word, lines[start])
        count += 1
    return count


def summarize(stream: BinaryIO) -> Summary:
    """Return what the last start in a log says."""
    summary = Summary()
    for line in select_lines(read_blocks(stream)):
        event = read_line(line)
        if event is not None:
            summary = _add(summary, event)
    return summary


def _add(summary: Summary, event: Event) -> Summary:
    """Add an event; a new start begins a new summary."""
    if _is_new_start(summary, event):
        summary = Summary(starts=summary.starts + 1)
    summary.seen = True
    process = event.process
    if process.pid and len(summary.pids) < MOST_PROCESSES:
        summary.pids[process.name] = process.pid
    match event.kind:
        case Kind.PROBE:
            _remember(summary.fired, process if process.pid else Process(f"line {len(summary.fired) + 1}"))
            summary.rows = max(summary.rows, event.rows)
        case Kind.PATCH if event.text == "refused":
            summary.refused = summary.refused or event.detail
        case Kind.PATCH:
            _remember(summary.patch, process)
        case Kind.CONFIG | Kind.VERSION | Kind.ARGUMENTS:
            _add_configuration(summary, event)
        case Kind.DRAFTER:
            _remember(summary.drafting, process)
        case Kind.BACKEND:
            _remember(summary.workers, process)
            into = summary.drafter if process in summary.drafting else summary.target
            into.setdefault(event.text, event.detail)
        case Kind.VERIFIED:
            summary.verified = True
    return summary


def _remember(processes: set[Process], process: Process) -> None:
    if len(processes) < MOST_PROCESSES:
        processes.add(process)


def _is_new_start(summary: Summary, event: Event) -> bool:
    """Say whether an event belongs to another engine than what came before: a known process has a new pid, or none has a name."""
    if event.process.pid:
        return summary.pids.get(event.process.name, event.process.pid) != event.process.pid
    return event.kind is Kind.CONFIG and summary.ranks > 0


def _add_configuration(summary: Summary, event: Event) -> None:
    """Add what an engine says of its configuration; the engine's own line outweighs the arguments."""
    summary.version = event.text or summary.version
    summary.model = event.detail or summary.model
    if event.speculation is not None and (event.kind is Kind.CONFIG or summary.speculation is None):
        summary.speculation = event.speculation
    if event.kind is Kind.CONFIG:
        summary.ranks = max(summary.ranks, event.ranks)


def merge(summaries: Iterable[Summary]) -> Summary:
    """Return one summary of several logs of the same system, such as one a worker."""
    total = Summary(starts=0)
    for number, summary in enumerate(summaries):
        total.version = total.version or summary.version
        total.model = total.model or summary.model
        total.speculation = total.speculation or summary.speculation
        total.ranks = max(total.ranks, summary.ranks)
        total.target = summary.target | total.target
        total.drafter = summary.drafter | total.drafter
        total.refused = total.refused or summary.refused
        total.rows = max(total.rows, summary.rows)
        total.verified |= summary.verified
        total.seen |= summary.seen
        total.starts = max(total.starts, summary.starts)
        for into, these in ((total.patch, summary.patch), (total.fired, summary.fired), (total.workers, summary.workers)):
            into |= {Process(f"log {number + 1}: {each.name}", each.pid) for each in these}
    return total
