"""Runs an instrument against the fake, and reads what it wrote."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from scripts.measure.cli import main
from scripts.measure.world import World
from tests.measure.fake import Behaviour, Clock, FakeServer

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2026-11-30"
# An address that is not this machine's, so that nothing is asked of its processes.
PLACE = ["--url", "http://fake.example", "--machine", "1x Double", "--stack", "fake 1.0"]


def world_of(server: FakeServer) -> World:
    """Return a world in which nothing but the server moves the clock."""
    return World(clock=server.clock, sleep=server.clock.advance, wire=server, today=lambda: DATE)


def serve(behaviour: Behaviour | None = None) -> FakeServer:
    """Return a fake server."""
    return FakeServer(Clock(), behaviour or Behaviour())


def measure(server: FakeServer, out: Path, *words: str) -> int:
    """Run an instrument and return its exit code."""
    return main([*words, *PLACE, "--out", str(out)], world_of(server))


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
