"""Servers that nobody here wrote, started for tests."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.measure.client import Client, Endpoint
from scripts.measure.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
START_S = 300
"""How long a start may take on a machine that does much else; alone it takes ten seconds."""
# One thread: the models are tiny, and threads that wait for one another on a busy machine take ten times as long. Nothing is fetched.
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Real:
    """The server.

    Attributes:
        url: Its address.
        process: It.
        model: Folder of its model, which is also the model's name.
    """

    url: str
    process: subprocess.Popen[bytes]
    model: Path

    def client(self, api: str = "completions", stall_s: float = 30.0) -> Client:
        """Return a connection."""
        return Client(Endpoint(self.url, str(self.model), api, stall_s=stall_s))


def need(what: str, *packages: str) -> None:
    """Skip the test where a package is missing. They are found, not imported: that is left to the processes that use them."""
    for name in packages:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{what} cannot run here: {name} is not installed (pip install '.[serve]')")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def start(command: Sequence[str], port: int, model: Path) -> Iterator[Real]:
    """Give a server once it answers, and end it."""
    with tempfile.TemporaryFile() as log, subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=log, stderr=log) as process:
        found = Real(f"http://127.0.0.1:{port}", process, model)
        deadline = time.monotonic() + START_S
        try:
            while not _answers(found):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    pytest.fail(log.read().decode("utf-8", "replace")[-2000:])
                time.sleep(0.2)
            yield found
        finally:
            process.kill()


def _answers(real: Real) -> bool:
    try:
        real.client().ask()
    except SetupError:
        return False
    return True
