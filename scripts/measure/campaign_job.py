"""Does one job of a campaign: starts its server, runs its rungs one after the other, ends the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .campaign_file import Job

ROOT = Path(__file__).resolve().parents[2]
POLL_S = 1.0
ASK_S = 10.0
END_S = 30.0


def run_job(job: Job, date: str) -> dict[str, int]:
    """Return the exit code of each rung by its name; a rung that fails does not end the job.

    Args:
        job: What to do. Where its files are already, each instrument goes on where it stopped.
        date: Day in the rows.

    Raises:
        SetupError: Its server does not answer.
        OSError: A program cannot be started.
    """
    codes = {}
    for rung in job.rungs:
        rung.out.parent.mkdir(parents=True, exist_ok=True)
    with _serving(job):
        for rung in job.rungs:
            command = [*(rung.launch or (sys.executable,)), "-m", "scripts.measure", rung.instrument, *rung.words, "--date", date]
            codes[rung.name] = subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - what the campaign's file says
    return codes


@contextmanager
def _serving(job: Job) -> Iterator[None]:
    """Keep the server of a job up meanwhile, where the job says how to start one."""
    if not job.start:
        yield
        return
    log = job.rungs[0].out.with_name("server.log")
    with log.open("ab") as file:
        # In a session of its own: what it starts in turn ends with it.
        process = subprocess.Popen(job.start, cwd=ROOT, stdout=file, stderr=file, start_new_session=True)  # noqa: S603 - as above
    try:
        _await(job, process, str(log))
        yield
    finally:
        _end(process)


def _await(job: Job, process: subprocess.Popen[bytes], log: str) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + job.ready_s
    while time.monotonic() < until:
        if process.poll() is not None:
            raise SetupError(f"{job.title}: {job.start[0]} ended with status {process.returncode} before it answered; see {log}")
        try:
            with urllib.request.urlopen(f"{job.url.rstrip('/')}/v1/models", timeout=ASK_S):  # noqa: S310 - the address that will be measured
                return
        except (urllib.error.URLError, OSError, ValueError):
            time.sleep(POLL_S)
    raise SetupError(f"{job.title}: {job.url} does not answer after {job.ready_s:.0f} s; see {log}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server and what it started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            continue
        break
    process.wait()
