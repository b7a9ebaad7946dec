"""vLLM's real kernel, stock against patched: interpreted here, compiled and timed where there is a GPU."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.gate_patch.conftest import REPOSITORY, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HAVE_TRITON = all(importlib.util.find_spec(name) for name in ("torch", "triton"))
needs_triton = pytest.mark.skipif(not HAVE_TRITON, reason="torch and triton are not installed (the extra 'kernels')")
HOW = ("source", "entry-point")


@functools.cache
def have_gpu() -> bool:
    """Ask in a process of its own, so that this one touches no device."""
    if not HAVE_TRITON:
        return False
    asked = [sys.executable, "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0


def run_kernel(version: str, device: str, release: Callable[[str], Path], copy: Callable[[str], Path], tmp_path: Path) -> list[dict[str, Any]]:
    patched = copy(version)
    assert run("apply", "--how", "source", "--root", patched).returncode == 0
    output = tmp_path / "answers.json"
    command = [sys.executable, "-m", "scripts.gate_patch.real_kernel", str(release(version)), str(patched), device, str(output)]
    environment = {**os.environ, "TRITON_DEFAULT_FP_FUSION": "1", "PYTHONPATH": str(REPOSITORY)}
    if device == "cpu":
        environment["TRITON_INTERPRET"] = "1"
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("PROBE_3D_SPEC_ACTIVE max_seqlen_q=2\n") == 2  # each of the two patched launchers says it once
    answers: list[dict[str, Any]] = json.loads(output.read_text("utf-8"))
    return answers


def check(answers: list[dict[str, Any]], allowed: float) -> None:
    """Compare with the float64 reference; the wider 3D path may not be worse than stock by more than rounding."""
    for answer in answers:
        ways = answer["ways"]
        assert ways["stock"]["in_3d"] is (answer["rows"] == 1), answer
        for how in HOW:
            assert ways[how]["in_3d"], answer
            assert ways[how]["error"] <= max(allowed, 1.2 * ways["stock"]["error"]), (how, answer)
        if answer["rows"] == 1:
            assert ways["source"]["sha256"] == ways["entry-point"]["sha256"] == ways["stock"]["sha256"]
        if answer["deep"]:  # what a gate that is merely opened would give: a row's last segments weigh too much
            assert ways["naive"]["error"] > 0.1, answer


@needs_triton
def test_interpreted_kernel(release: Callable[[str], Path], copy: Callable[[str], Path], tmp_path: Path) -> None:
    check(run_kernel("0.28.0", "cpu", release, copy, tmp_path), allowed=1e-6)


@pytest.mark.gpu
@needs_triton
@pytest.mark.parametrize("version", ["0.22.1", "0.28.0", "0.32.0"])
def test_compiled_kernel(version: str, release: Callable[[str], Path], copy: Callable[[str], Path], tmp_path: Path) -> None:
    if not have_gpu():
        pytest.skip("no GPU here")
    answers = run_kernel(version, "cuda", release, copy, tmp_path)
    for answer in answers:
        times = ", ".join(f"{way} {did['us']:.0f} us" for way, did in answer["ways"].items() if "us" in did)
        sys.stdout.write(f"{version} {answer['shape']} rows {answer['rows']} kv {answer['lengths']}: {times}\n")
    check(answers, allowed=4e-3)
    slow = [answer for answer in answers if answer["rows"] > 1 and answer["lengths"] == [32768]]
    assert all(3 * answer["ways"][how]["us"] < answer["ways"]["stock"]["us"] for answer in slow for how in HOW)
