"""Says where the time of an engine's steps goes, from a trace of the torch profiler, plain or gzip, of any size.

    python -m scripts.measure trace rank0.pt.trace.json.gz --stack 'vLLM 0.28.0' --arm mtp --context 32768 --out data/trace.csv

One row is one kernel in all steps of one kind at one context; FILE_steps.csv has a row for each step. Steps are told by the names of
their annotations: steps that read a prompt are kept apart from steps that decode. Before anything is written, the sums are checked:
kernels - overlap + gaps = step, and all steps + what is outside = all of the trace.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import SetupError
from .plan import Cell, render_plan
from .progress import say
from .provenance import Identity, Records
from .rows import RowFile, read_rows, render, write_resource, write_whole
from .run_options import add_file
from .trace_file import TraceFile
from .trace_profile import AUTO, CPU, GPU, Profile
from .trace_steps import PATTERNS, Rules, make_rules
from .trace_sums import attribute
from .trace_tables import STEPS, TRACE, kernel_rows, outside, step_rows

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from .world import World

HELP = "kernels in the steps of an engine, from a trace of the torch profiler"
BYTES_PER_S = 50e6
"""What a plan expects: unpacked bytes a second, on one core."""
PACKED = 15
"""And how many times a gzip file unpacks to."""
EPOCHS_S = (1.4e9, 4e9)
"""Seconds since 1970 that a clock in use shows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE", help="Chrome JSON from torch.profiler, plain or gzip")
    parser.add_argument("--arm", default="unnamed", help="what was switched on, as rows call it (default unnamed)")
    parser.add_argument("--on", choices=(AUTO, GPU, CPU), default=AUTO, help="whose calls: devices, or the processor (default auto)")
    names = " or ".join(PATTERNS)
    parser.add_argument("--step", action="append", default=[], metavar="REGEX", help=f"name of a step's annotation (default {names})")
    parser.add_argument("--phase", action="append", default=[], metavar="NAME=REGEX", help="phase of the steps in whose name REGEX is found")
    parser.add_argument("--phase-arg", default="", metavar="KEY", help="argument of the annotation that says the phase")
    parser.add_argument("--context-arg", default="", metavar="KEY", help="argument of the annotation that says the tokens of context")
    parser.add_argument("--context", type=int, default=0, help="tokens of context of steps that do not say")
    add_file(parser, "trace.csv", "the devices that the trace names", "none: say it")


def run(options: argparse.Namespace, world: World) -> int:
    """Read the traces; return 0 when all gave rows, 1 when one was refused."""
    rules = make_rules(options.step, options.phase, options.phase_arg, options.context_arg, options.context)
    if options.dry_run:
        print("\n".join(render_plan([_plan(path) for path in options.traces], ())))  # noqa: T201 - a plan is a result
        return 0
    if not options.stack:
        raise SetupError("a trace does not say which software made it: say it with --stack, such as --stack 'vLLM 0.28.0, torch 2.11'")
    refused: list[SetupError] = []
    for path in options.traces:
        try:
            _take(path, rules, options, world)
        except SetupError as reason:
            refused.append(reason)
            if len(options.traces) > 1:
                say(f"refused: {reason}")
    if len(refused) == len(options.traces):
        raise refused[0]
    return 1 if refused else 0


def _plan(path: Path) -> Cell:
    """Return what reading a trace should take."""
    size = path.stat().st_size * (PACKED if path.suffix == ".gz" else 1)
    return Cell({"trace": path.name}, ("trace",), size / BYTES_PER_S, path.name)


def _take(path: Path, rules: Rules, options: argparse.Namespace, world: World) -> None:
    """Read one trace and write its rows."""
    began = world.clock()
    profile = Profile(rules, options.on)
    with TraceFile(path) as trace:
        profile.read(trace)
    found = attribute(profile)
    passed = world.clock() - began
    machine = options.machine or _machine(trace)
    if not machine:
        raise SetupError(f"{path}: the trace names no device; say with --machine what it was made on")
    date = options.date or _day(trace, profile)
    rule_data = {"step": [pattern.pattern for pattern in rules.patterns], "phase": {name: item.pattern for name, item in rules.phases.items()}}
    settings = {"arm": options.arm, "on": profile.on, **rule_data, "phase_arg": rules.phase_key, "context_arg": rules.context_key}
    identity = Identity("trace", machine, options.stack, {**settings, "context": rules.context, "trace_sha256": trace.digest})
    calls, out_us = outside(found)
    facts = {
        "trace": path.name,
        "trace_bytes": trace.bytes,
        "devices": trace.devices,
        "head": {key: value for key, value in trace.head.items() if key.startswith("cuda_") or key in ("schemaVersion", "trace_id")},
        "outside_calls": calls,
        "outside_us": round(out_us, 3),
    }
    shared = {"arm": options.arm, "trace_file": path.name, "trace_sha256": trace.digest}
    with RowFile(options.out, TRACE) as file:
        records = Records(options.out)
        made = records.find(identity, date, again=True)
        records.begin(made, identity, facts)
        base = {**made.cells, **shared}
        steps = ({**base, **row} for row in step_rows(profile, found))
        _write_steps(options.out.with_name(f"{options.out.stem}_steps.csv"), made.name, steps)
        for row in kernel_rows(profile, found):
            spelled = TRACE.spell({**base, **row})
            if TRACE.key_of(spelled) not in file.keys:
                file.append({**base, **row})
        records.finish(made)
        file.finish()
    kinds = sorted({(step.phase, step.context) for step in profile.steps})
    told = ", ".join(f"{sum((step.phase, step.context) == kind for step in profile.steps)} {kind[0]} at {kind[1]}" for kind in kinds)
    say(f"{path.name}: {len(found.step)} calls in {len(profile.steps)} steps ({told}); {calls} calls, {out_us:.0f} us, outside of any step")
    say(f"the sums close; {trace.bytes / 1e6:.0f} MB in {passed:.1f} s, run {made.name}")


def _write_steps(path: Path, run: str, rows: Iterable[dict[str, object]]) -> None:
    """Write the steps of a run anew, beside those of other runs."""
    before = read_rows(path, STEPS, path.read_bytes()) if path.exists() else []
    lines = [render([STEPS.names]), *(render([list(row.values())]) for row in before if row["run"] != run)]
    # Line by line: as dictionaries, the rows of a long trace would take more memory than all its kernels.
    lines += (render([list(STEPS.spell(row).values())]) for row in rows)
    write_whole(path, b"".join(lines))
    write_resource(path, STEPS, None)


def _machine(trace: TraceFile) -> str:
    """Return the devices of a trace as rows name them; empty where it names none."""
    counted: dict[str, int] = {}
    for name in trace.devices or _devices(trace.head):
        counted[name] = counted.get(name, 0) + 1
    return " + ".join(f"{number}x {name}" if number > 1 else name for name, number in counted.items())


def _devices(head: dict[str, Any]) -> list[str]:
    said = head.get("deviceProperties")
    return [str(item["name"]) for item in said if isinstance(item, dict) and "name" in item] if isinstance(said, list) else []


def _day(trace: TraceFile, profile: Profile) -> str:
    """Return the day on which a trace was made, by its own clock, in UTC."""
    base = trace.head.get("baseTimeNanoseconds", 0)
    second = (base if isinstance(base, int | float) else 0) / 1e9 + profile.steps[0].start_us / 1e6
    if not EPOCHS_S[0] < second < EPOCHS_S[1]:
        raise SetupError(f"{trace.path}: the trace does not say on which day it was made; say it with --date")
    return dt.datetime.fromtimestamp(second, tz=dt.UTC).date().isoformat()
