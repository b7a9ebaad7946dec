"""What all tests share: the built site, and copies of projects to spoil."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.copies import QUIET, ROOT, Copy, copy_project, lay_over

if TYPE_CHECKING:
    from pathlib import Path

# Tests read English, whatever the person at the machine does.
os.environ["LC_ALL"] = "C.UTF-8"

# The same examples at every run: a test that fails must fail for whoever looks at it next.
settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=100)
settings.load_profile("same")

# Midnight, so that whatever a session builds of the real project is dated alike, and no erratum of today lies in the future.
TODAY = str(int(time.time()) // 86400 * 86400)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--write-expected`, after which `git diff` shows what changed."""
    parser.addoption("--write-expected", action="store_true", help="write tests/sites/*/expected.txt anew from what the check prints")


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository's own site, built strictly, once."""
    site = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, **QUIET, "SOURCE_DATE_EPOCH": TODAY}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return site


@pytest.fixture
def copy_of_project(tmp_path: Path) -> Copy:
    """A copy of this repository's own project, to spoil."""
    return copy_project(tmp_path / "project", TODAY)


@pytest.fixture
def tiny(tmp_path: Path) -> Copy:
    """A copy of the site in miniature (tests/sites/base), to spoil."""
    return lay_over(ROOT / "tests/sites/base", (), tmp_path / "tiny")
