"""Real vLLM releases for the tests: fetched by name once, then cached, never committed."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts.gate_patch.cli import main
from scripts.gate_patch.fetch import FetchError, fetch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
CACHE = REPOSITORY / ".cache" / "vllm"


@functools.cache
def _fetch(version: str) -> Path | str:
    try:
        return fetch(version, CACHE)
    except FetchError as reason:
        return str(reason)


@pytest.fixture(scope="session")
def release() -> Callable[[str], Path]:
    """Return a function from a version to a folder with its files; offline it skips, except in CI."""

    def find(version: str) -> Path:
        found = _fetch(version)
        if isinstance(found, str):
            if os.environ.get("CI"):
                pytest.fail(f"cannot fetch {found}")
            pytest.skip(f"offline? cannot fetch {found}")
        return found

    return find


@pytest.fixture
def copy(release: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function from a version to a copy of its files that a test may change."""

    def make(version: str) -> Path:
        root = tmp_path / version
        shutil.copytree(release(version), root)
        return root

    return make


@dataclass(frozen=True)
class Done:
    """What a run of the command line left."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str | Path) -> Done:
    """Run the command line of the patch in this process."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main([str(argument) for argument in arguments])
    return Done(code, stdout.getvalue(), stderr.getvalue())


def launch(root: Path, cases: Sequence[dict[str, Any]], asked: str | None, output: Path) -> tuple[dict[str, Any], list[str]]:
    """Run cases through the launcher in `root`; return what it did and the lines that the patch printed."""
    environment = {name: value for name, value in os.environ.items() if name != "VLLM_GATE_PATCH"} | {"PYTHONPATH": str(REPOSITORY)}
    if asked is not None:
        environment["VLLM_GATE_PATCH"] = asked
    command = [sys.executable, str(HERE / "harness.py"), str(root), str(output)]
    done = subprocess.run(command, input=json.dumps(cases), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    did: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return did, done.stdout.splitlines()
