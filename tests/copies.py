"""Copies of a project that a test may spoil, and what the tools say of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from ledgermark.cli import cli

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("mkdocs.yml", "data", "en", "zh", "scripts", "site_src")
EPOCH = "1796083200"  # 2026-12-01, after every erratum of the sites in tests/sites
# Material and ProperDocs print a page about MkDocs 2 at each start.
QUIET = {"NO_MKDOCS_2_WARNING": "true", "DISABLE_MKDOCS_2_WARNING": "true"}


class Copy:
    """A project in a folder of its own.

    Attributes:
        root: the folder of its `mkdocs.yml`.
        site: where its builds go.
        epoch: what `SOURCE_DATE_EPOCH` is while its tools run.
    """

    def __init__(self, root: Path, epoch: str) -> None:
        self.root = root
        self.site = root.with_name(f"{root.name}.site")
        self.epoch = epoch

    def read(self, path: str) -> str:
        """Return a file's text with its line ends as they are."""
        return (self.root / path).read_bytes().decode()

    def edit(self, path: str, old: str, new: str) -> None:
        """Put `new` where `old` first stands in a file. Raises AssertionError when it does not stand there."""
        text = self.read(path)
        assert old in text, f"no {old!r} in {path}"
        self.write(path, text.replace(old, new, 1))

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file, with its folders."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def remove(self, path: str) -> None:
        """Remove a file or a folder."""
        file = self.root / path
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink()

    def run(self, command: str, *arguments: str) -> tuple[int, list[str]]:
        """Run a command of ledgermark in this process and return its exit status and the lines it printed, errors among them."""
        runner = CliRunner(env={"SOURCE_DATE_EPOCH": self.epoch})
        done = runner.invoke(cli, [command, *arguments, "--config", str(self.root / "mkdocs.yml")], catch_exceptions=False)
        return done.exit_code, done.output.splitlines()

    def check(self, *arguments: str) -> tuple[int, list[str]]:
        """Run `ledgermark check` in this process; see `run`."""
        return self.run("check", *arguments)

    def build(self, host: str = "mkdocs", *flags: str) -> subprocess.CompletedProcess[str]:
        """Run `mkdocs build` (or another host's) in a process of its own, into `site`."""
        command = [sys.executable, "-m", host, "build", *flags, "--site-dir", str(self.site)]
        environment = {**os.environ, **QUIET, "SOURCE_DATE_EPOCH": self.epoch}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False, timeout=300)


def copy_project(target: Path, epoch: str) -> Copy:
    """Return a copy of this repository's own project: what a build reads, with packages and drawn pictures only linked."""
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / part)
    for part in ("node_modules", ".cache"):
        if (ROOT / part).is_dir():
            (target / part).symlink_to(ROOT / part)
    return Copy(target, epoch)


def lay_over(base: Path, layers: Iterable[Path], target: Path) -> Copy:
    """Return a copy of a folder with other folders laid over it; a `remove.txt` in one names the files it takes away."""
    shutil.copytree(base, target, ignore=shutil.ignore_patterns("__pycache__"))
    copy = Copy(target, EPOCH)
    for layer in layers:
        shutil.copytree(layer, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("expected.txt", "remove.txt", "__pycache__"))
        removed = layer / "remove.txt"
        for name in removed.read_text("utf-8").split() if removed.is_file() else ():
            copy.remove(name)
    return copy


def files_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, by path, except what tools remember in `.cache`."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name.as_posix(): path.read_bytes() for name, path in found.items() if name.parts[0] != ".cache"}
