"""The hooks we offer to other repositories, run by pre-commit itself in a repository that uses them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
NAMES = ("ledgermark-check", "ledgermark-fix")


class Repository:
    """A repository with the site in miniature and one of our hooks."""

    def __init__(self, copy: Copy, home: Path, hook: str) -> None:
        self.copy = copy
        commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment = {
            **own,
            "PATH": commands,
            "PRE_COMMIT_HOME": str(home),
            "SOURCE_DATE_EPOCH": copy.epoch,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        # As in the manifest, but with what is installed here: another environment would have to be fetched.
        (entry,) = (item for item in yaml.safe_load(MANIFEST.read_text("utf-8")) if item["id"] == hook)
        local: dict[str, Any] = {**entry, "language": "system"}
        del local["additional_dependencies"]
        copy.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}))
        self.run("git", "init", "--quiet")
        self.run("git", "add", "--all")
        self.run("git", "-c", "user.name=A", "-c", "user.email=a@tiny.example", "commit", "--quiet", "--message", "first")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the repository."""
        return subprocess.run(
            command, cwd=self.copy.root, env=self.environment, capture_output=True, text=True, check=command[0] == "git", timeout=120
        )

    def hook(self) -> tuple[int, str]:
        """Run the hook over what changed since the last commit, and return its status and output."""
        self.run("git", "add", "--all")
        done = self.run(sys.executable, "-m", "pre_commit", "run", "--color", "never")
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def repository(tiny: Copy, tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """One with the hook that a test names."""
    tiny.write("README.md", "We sold 5 of 7.\n")
    return Repository(tiny, tmp_path / "home", request.param)


def test_the_manifest_is_valid() -> None:
    done = subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert [hook["id"] for hook in yaml.safe_load(MANIFEST.read_text("utf-8"))] == list(NAMES)


@pytest.mark.parametrize("repository", ["ledgermark-check"], indirect=True)
def test_the_check(repository: Repository) -> None:
    copy = repository.copy
    # No page of the project: nothing to say of it.
    copy.edit("README.md", "5", "6")
    status, output = repository.hook()
    assert status == 0, output
    # One page wrong, another wrong one not touched.
    copy.edit("en/index.md", "[−75.0 %]", "[−76.0 %]")
    status, output = repository.hook()
    assert status == 1
    assert "en/index.md:6:60: LM101 shows −76.0, data gives −75.0" in output
    assert "1 finding " in output
    repository.run("git", "-c", "user.name=A", "-c", "user.email=a@tiny.example", "commit", "--quiet", "--message", "wrong", "--no-verify")
    copy.edit("zh/report.md", "中位的调用是", "中位的一次调用是")
    status, output = repository.hook()
    assert status == 0, output
    # A change in one language concerns the other, and data concerns every page.
    copy.edit("zh/report.md", "；变化为", "；[25 天](claim:gap)，变化为")
    status, output = repository.hook()
    assert (status, "zh/report.md:17:63: LM302" in output) == (1, True), output
    copy.edit("zh/report.md", "；[25 天](claim:gap)，变化为", "；变化为")
    copy.edit("data/trace.csv", "158.0", "168.0")
    status, output = repository.hook()
    assert status == 1
    assert {"en/index.md:6:60:", "en/report.md:26:24:", "zh/report.md:26:14:"} <= {line.partition(" ")[0] for line in output.splitlines()}


@pytest.mark.parametrize("repository", ["ledgermark-fix"], indirect=True)
def test_the_fix(repository: Repository) -> None:
    copy = repository.copy
    copy.edit("README.md", "5", "6")
    copy.edit("en/index.md", "[−75.0 %]", "[−76.0 %]")
    status, output = repository.hook()
    assert (status, "files were modified by this hook" in output) == (1, True), output
    assert "[−75.0 %]" in copy.read("en/index.md")
    status, output = repository.hook()
    assert status == 0, output
