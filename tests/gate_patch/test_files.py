"""What the command line writes: all or nothing, once, and back to the very bytes."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.gate_patch import source
from scripts.gate_patch.edits import EditError, apply_edits, undo_edits
from scripts.gate_patch.plugin.releases import BACKEND, FILES, LAUNCHER, RELEASES, find_installation
from tests.gate_patch.conftest import REPOSITORY, run

if TYPE_CHECKING:
    from collections.abc import Callable

PATCHED = ("0.22.1", "0.28.0", "0.32.0")


def read_all(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def status(root: Path) -> tuple[int, dict[str, object]]:
    done = run("status", "--json", "--root", root)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("how", ["entry-point", "source"])
@pytest.mark.parametrize("version", PATCHED)
def test_there_and_back(version: str, how: str, copy: Callable[[str], Path]) -> None:
    root = copy(version)
    stock = read_all(root)
    first = run("apply", "--how", how, "--root", root)
    once = read_all(root)
    second = run("apply", "--how", how, "--root", root / "vllm")
    assert (first.returncode, second.returncode) == (0, 0)
    assert (first.stdout.split(":")[0], second.stdout.split(":")[0]) == ("applied", "already applied")
    assert once != stock
    assert read_all(root) == once
    back, again = run("revert", "--root", root), run("revert", "--root", root)
    assert (back.returncode, back.stdout.split(":")[0]) == (0, "reverted")
    assert (again.returncode, again.stdout.split(":")[0]) == (0, "nothing to revert")
    assert read_all(root) == stock


def test_entry_point_touches_no_file_of_vllm(copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    stock = read_all(root / "vllm")
    assert run("apply", "--root", root).returncode == 0
    assert read_all(root / "vllm") == stock
    assert status(root) == (
        0,
        {
            "vllm": "0.28.0",
            "package": str(root / "vllm"),
            "entry_point": "installed",
            "entry_point_differs": [],
            "files": dict.fromkeys(FILES, "stock"),
            "refused": None,
        },
    )


def test_source_patch_is_what_status_says(copy: Callable[[str], Path]) -> None:
    root = copy("0.32.0")
    assert run("apply", "--how", "source", "--root", root).returncode == 0
    code, report = status(root)
    assert (code, report["files"], report["entry_point"]) == (0, dict.fromkeys(FILES, "patched"), "absent")
    for name in FILES:
        compile((root / "vllm" / name).read_text("utf-8"), name, "exec")


@pytest.mark.parametrize("name", FILES)
def test_half_a_patch_is_completed_or_undone(name: str, copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    stock = read_all(root)
    assert run("apply", "--how", "source", "--root", root).returncode == 0
    whole = read_all(root)
    (root / "vllm" / name).write_bytes(stock[f"vllm/{name}"])
    assert "one file only" in run("status", "--root", root).stdout
    assert run("apply", "--how", "source", "--root", root).stdout.startswith("applied")
    assert read_all(root) == whole
    (root / "vllm" / name).write_bytes(stock[f"vllm/{name}"])
    assert run("revert", "--root", root).stdout.startswith("reverted")
    assert read_all(root) == stock


@pytest.mark.parametrize("command", [("apply",), ("apply", "--how", "source"), ("revert",), ("status",)])
@pytest.mark.parametrize("patched", [False, True])
def test_a_modified_file_is_refused(command: tuple[str, ...], patched: bool, copy: Callable[[str], Path]) -> None:  # noqa: FBT001  # a table
    root = copy("0.28.0")
    if patched:
        assert run("apply", "--how", "source", "--root", root).returncode == 0
    target = root / "vllm" / LAUNCHER
    target.write_bytes(target.read_bytes().replace(b"num_seqs > seq_threshold_3D", b"num_seqs >= seq_threshold_3D"))
    before = read_all(root)
    done = run(*command, "--root", root)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "found vLLM 0.28.0, but" in said
    assert LAUNCHER in said
    assert "sha256" in said
    assert read_all(root) == before


@pytest.mark.parametrize("command", [("apply",), ("apply", "--how", "source"), ("revert",)])
@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("0.21.0", "found vLLM 0.21.0, an unknown release; known are 0.22.0, 0.22.1,"),
        ("0.27.1.dev5", "found vLLM 0.27.1.dev5, an unknown release"),
        ("0.33.1", "found vLLM 0.33.1, which already admits up to 8 rows (but no MAX_3D_QUERY_LEN is in its launcher)"),
        ("1.0", "found vLLM 1.0, which already admits up to 8 rows"),
    ],
)
def test_an_unknown_release_is_refused(version: str, found: str, command: tuple[str, ...], copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    (root / "vllm" / "_version.py").write_text(f"__version__ = version = '{version}'\n", "utf-8")
    before = read_all(root)
    done = run(*command, "--root", root)
    assert (done.returncode, done.stdout) == (1, "")
    assert found in done.stderr
    assert read_all(root) == before


@pytest.mark.parametrize("command", [("apply",), ("apply", "--how", "source"), ("revert",), ("status",)])
def test_0_33_0_needs_no_patch(command: tuple[str, ...], copy: Callable[[str], Path]) -> None:
    root = copy("0.33.0")
    before = read_all(root)
    done = run(*command, "--root", root)
    assert done.returncode == 1
    assert "found vLLM 0.33.0, which already admits up to 8 rows (MAX_3D_QUERY_LEN = 8)" in done.stdout + done.stderr
    assert read_all(root) == before


def test_no_vllm(tmp_path: Path, copy: Callable[[str], Path]) -> None:
    assert run("status", "--root", tmp_path / "nowhere").returncode == 2
    assert run("apply", "--root", tmp_path).returncode == 2
    root = copy("0.28.0")
    (root / "vllm" / "_version.py").unlink()
    assert "says its version neither" in run("apply", "--root", root).stderr
    (root / "vllm-0.28.0+rocm700.dist-info").mkdir()
    assert "0.28.0+rocm700" in run("status", "--root", root).stdout
    (root / "vllm" / BACKEND).unlink()
    assert run("status", "--root", root).returncode == 2


def test_a_failing_disk_changes_nothing(copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    root = copy("0.28.0")
    before = read_all(root)
    original = Path.replace
    calls: list[Path] = []

    def replace(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise OSError("disk full")
        return original(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="disk full"):
        source.apply_source(find_installation(root))
    assert len(calls) == 3
    assert read_all(root) == before


def test_mode_stays_and_a_hard_link_keeps_the_old_bytes(copy: Callable[[str], Path], tmp_path: Path) -> None:
    root = copy("0.28.0")
    target, link = root / "vllm" / LAUNCHER, tmp_path / "link.py"
    os.link(target, link)
    target.chmod(0o640)
    stock = target.read_bytes()
    assert run("apply", "--how", "source", "--root", root).returncode == 0
    assert link.read_bytes() == stock
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_foreign_entry_point_is_refused(copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    assert run("apply", "--root", root).returncode == 0
    (root / "vllm_gate_patch" / "mine.py").write_text("precious\n", "utf-8")
    before = read_all(root)
    for command in ("apply", "revert", "status"):
        done = run(command, "--root", root)
        assert done.returncode == 1
        assert "vllm_gate_patch/mine.py" in done.stdout + done.stderr
    assert read_all(root) == before


def test_one_way_at_a_time(copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    assert run("apply", "--root", root).returncode == 0
    assert "revert it before" in run("apply", "--how", "source", "--root", root).stderr
    assert run("revert", "--root", root).returncode == 0
    assert run("apply", "--how", "source", "--root", root).returncode == 0
    assert "carries the source patch" in run("apply", "--root", root).stderr


def test_entry_point_leaves_a_vllm_that_was_upgraded(copy: Callable[[str], Path]) -> None:
    root = copy("0.28.0")
    before = read_all(root)
    assert run("apply", "--root", root).returncode == 0
    (root / "vllm" / "_version.py").write_text("__version__ = version = '0.33.0'\n", "utf-8")
    assert run("revert", "--root", root).returncode == 0
    assert read_all(root).keys() == before.keys()


@pytest.mark.parametrize("version", PATCHED)
def test_edits_can_be_undone(version: str, release: Callable[[str], Path]) -> None:
    for name, text in zip(FILES, find_installation(release(version)).texts, strict=True):
        patched = apply_edits(name, text.decode())
        assert undo_edits(name, patched).encode() == text
        with pytest.raises(EditError):
            apply_edits(name, patched)
        with pytest.raises(EditError):
            undo_edits(name, text.decode())


def test_runs_as_a_module_and_alone(release: Callable[[str], Path], tmp_path: Path) -> None:
    """The folder by itself is enough, as in a container that holds nothing else of this project."""
    shutil.copytree(REPOSITORY / "scripts" / "gate_patch", tmp_path / "gate_patch", ignore=shutil.ignore_patterns("__pycache__"))
    for folder, name in ((REPOSITORY, "scripts.gate_patch"), (tmp_path, "gate_patch")):
        command = [sys.executable, "-I", "-c", f"import runpy, sys; sys.path.insert(0, '.'); runpy.run_module('{name}', run_name='__main__')"]
        done = subprocess.run([*command, "status", "--root", str(release("0.28.0"))], cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.splitlines()[0].split(" in ")[0]) == (0, "vLLM 0.28.0"), done.stderr


def test_table_names_releases_once() -> None:
    assert set(PATCHED) < set(RELEASES)
    assert {len(each) for digests in RELEASES.values() for each in digests} == {64}
