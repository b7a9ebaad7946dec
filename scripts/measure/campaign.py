"""Measures many machines, models and arms: a TOML file names them, and each instrument that a job runs.

    python -m scripts.measure campaign autumn.toml --dry-run
    python -m scripts.measure campaign autumn.toml --on slurm

On this machine jobs run one after the other; through Slurm (by way of submitit) each machine's jobs are an array. Afterwards the files
of one rung from all jobs are merged into one, which `ledgermark add-dataset` takes. See scripts/measure/README.md.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .campaign_file import read_campaign
from .campaign_job import run_job
from .campaign_merge import merge_files
from .errors import SetupError
from .plan import spell_seconds
from .progress import Progress, say
from .rows import write_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from .campaign_file import Campaign, Job, Rung
    from .world import World

HELP = "machines, models, arms and rungs from a file; here, or through a scheduler"
HERE, SLURM, LOCAL = "here", "slurm", "local"
TOTAL = re.compile(r"in all: [0-9]+ cells in [0-9]+ rungs, about (.+)")
SPELLED = re.compile(r"(?:([0-9]+) h )?(?:([0-9]+) min)?(?:([0-9]+) s)?")
FILES = ("", "_rungs", "_cells", "_points", "_positions", "_best", "_steps", "_sizes")
"""What instruments write, by what their names end in."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", type=Path, metavar="CAMPAIGN", help="TOML file; see scripts/measure/README.md")
    parser.add_argument(
        "--on",
        choices=(HERE, SLURM, LOCAL),
        default=HERE,
        help="where (default here); local is submitit without a scheduler, all jobs at once",
    )
    parser.add_argument("--machine", default="", help="only the jobs of this machine; needed here when the file names several")
    parser.add_argument("--merge", action="store_true", help="measure nothing, merge what is there")
    parser.add_argument("--dry-run", action="store_true", help="print the whole plan and how long it should take; measure and write nothing")


def run(options: argparse.Namespace, world: World) -> int:
    """Run the campaign; return 0 when all rungs were measured, 1 when one failed."""
    campaign = read_campaign(options.file)
    jobs = [job for job in campaign.jobs if options.machine in ("", job.machine)]
    machines = list(dict.fromkeys(job.machine for job in campaign.jobs))
    if not jobs:
        raise SetupError(f"{options.file}: no machine is called '{options.machine}'; there are {', '.join(machines)}")
    if options.dry_run:
        print("\n".join(show(jobs)))  # noqa: T201 - a plan is a result
        return 0
    failed = False
    if not options.merge:
        if options.on == HERE and len({job.machine for job in jobs}) > 1:
            raise SetupError(f"{options.file} names several machines: say with --machine which this is, or go through --on slurm")
        date = _date(campaign, world)
        codes = _here(jobs, date, world) if options.on == HERE else _scheduled(campaign, jobs, date, options.on, world)
        failed = any(codes)
    _merge(campaign)
    return int(failed)


def show(jobs: Sequence[Job]) -> list[str]:
    """Return the whole plan as lines, each rung with what its instrument expects of it."""
    lines: list[str] = []
    machines: dict[str, float] = {}
    unknown = 0
    for job in jobs:
        lines.append(job.title + (f", served by {job.start[0]}" if job.start else ""))
        for rung in job.rungs:
            cells, cost_s = expected(rung)
            unknown += cost_s is None
            machines[job.machine] = machines.get(job.machine, 0.0) + (cost_s or 0.0)
            lines.append(f"  {rung.name} ({rung.instrument}): {cells} -> {rung.out}")
    for machine, cost_s in machines.items():
        count = sum(job.machine == machine for job in jobs)
        lines.append(f"{machine}: {count} jobs, about {spell_seconds(cost_s)} one after the other")
    total = f"in all: {len(jobs)} jobs, about {spell_seconds(sum(machines.values()))} one after the other"
    total += f", {spell_seconds(max(machines.values()))} with each machine at work" if len(machines) > 1 else ""
    return [*lines, total + (f"; {unknown} rungs have no plan" if unknown else "")]


def expected(rung: Rung) -> tuple[str, float | None]:
    """Return what an instrument's own plan says of a rung, and how many seconds it takes; None where it has no plan here."""
    from .cli import main  # noqa: PLC0415 - the command line knows this module

    said, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            code = main([rung.instrument, *rung.words, "--dry-run"])
        except (ImportError, SystemExit) as error:
            code = 2
            complained.write(f"\n{error}" if isinstance(error, ImportError) else "")
    lines = said.getvalue().splitlines()
    match = TOTAL.fullmatch(lines[-1]) if lines and code == 0 else None
    if match is None:
        reason = (complained.getvalue().strip().splitlines() or ["it printed none"])[-1]
        return f"no plan: {reason}", None
    return lines[-1].removeprefix("in all: "), read_seconds(match[1])


def read_seconds(text: str) -> float:
    """Return the seconds that `spell_seconds` has spelled; raises ValueError for anything else."""
    match = SPELLED.fullmatch(text)
    if not text or match is None:
        raise ValueError(f"not a duration: {text}")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * 3600.0 + minutes * 60.0 + seconds


def _date(campaign: Campaign, world: World) -> str:
    """Return the day of all rows: that of the file, or the day the campaign began, so that a later day goes on with it."""
    state = campaign.folder / "campaign.json"
    if campaign.date:
        return campaign.date
    if state.exists():
        try:
            return str(json.loads(state.read_text("utf-8"))["date"])
        except (ValueError, KeyError, TypeError):
            raise SetupError(f"{state}: expected the day on which the campaign began; say it with 'date' in {campaign.path}") from None
    campaign.folder.mkdir(parents=True, exist_ok=True)
    date = world.today()
    write_json(state, {"date": date})
    return date


def _tell(job: Job, codes: dict[str, int]) -> int:
    """Say how a job went, and return whether a rung of it failed."""
    for name, code in codes.items():
        if code:
            say(f"{job.title}: {name} ended with status {code}")
    return int(any(codes.values()))


def _here(jobs: Sequence[Job], date: str, world: World) -> list[int]:
    """Run jobs one after the other."""
    progress = Progress(len(jobs), float(len(jobs)), world.clock)
    found = []
    for job in jobs:
        try:
            found.append(_tell(job, run_job(job, date)))
        except (SetupError, OSError) as reason:
            say(f"{job.title}: could not run: {reason}")
            found.append(1)
        progress.step(job.title, 1.0)
    return found


def _scheduled(campaign: Campaign, jobs: Sequence[Job], date: str, cluster: str, world: World) -> list[int]:
    """Hand jobs to a scheduler, each machine's as an array, and wait for them. Ended here, they go on there."""
    make = _executor(cluster)
    waiting: list[tuple[Job, Any]] = []
    for machine in dict.fromkeys(job.machine for job in jobs):
        own = [job for job in jobs if job.machine == machine]
        try:
            executor = make(str(campaign.folder / "scheduler"))
            executor.update_parameters(**campaign.schedulers.get(machine, {}))
            waiting += zip(own, executor.map_array(run_job, own, [date] * len(own)), strict=True)
        except Exception as error:  # noqa: BLE001 - whatever submitit raises, it is the scheduler that refuses
            raise SetupError(f"{machine}: the scheduler takes no job: {error}") from None
        say(f"{machine}: {len(own)} jobs handed over")
    progress = Progress(len(waiting), float(len(waiting)), world.clock)
    found = []
    for job, handle in waiting:
        try:
            found.append(_tell(job, handle.result()))
        except Exception as error:  # noqa: BLE001 - as above; the job's own reason is the last line of it
            say(f"{job.title}: could not run: {(str(error).strip().splitlines() or ['no reason given'])[-1]}")
            found.append(1)
        progress.step(job.title, 1.0)
    return found


def _executor(cluster: str) -> Callable[[str], Any]:
    try:
        import submitit  # noqa: PLC0415 - an extra, for this alone
    except ImportError:
        raise SetupError(f"--on {cluster} goes through submitit: pip install submitit") from None

    def make(folder: str) -> Any:
        try:
            return submitit.AutoExecutor(folder=folder, cluster=cluster)
        except RuntimeError as error:
            raise SetupError(f"--on {cluster}: {error}") from None

    return make


def _merge(campaign: Campaign) -> None:
    """Merge the files of each rung from all jobs."""
    for name in dict.fromkeys(rung.out.stem for job in campaign.jobs for rung in job.rungs):
        for ending in FILES:
            outs = [rung.out for job in campaign.jobs for rung in job.rungs if rung.out.stem == name]
            paths = [path for out in outs if (path := out.with_name(f"{out.stem}{ending}.csv")).exists()]
            if paths:
                merged = campaign.folder / f"{name}{ending}.csv"
                say(f"{merged}: {merge_files(paths, merged)} rows of {len(paths)} jobs")
