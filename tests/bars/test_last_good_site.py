"""A build fails for what the check finds, whoever builds and with which flags, and leaves the last good site as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.copies import QUIET, ROOT, Copy, files_below, lay_over

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = ((), ("--strict",), ("-q",), ("-v",), ("--strict", "-q"), ("--dirty",))
BUILDS = [*(("mkdocs", flags) for flags in FLAGS), ("properdocs", ()), ("properdocs", ("--strict", "-q"))]
WRONG = ("en/report.md", "[4 rates](claim:cells)", "[5 rates](claim:cells)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The site in miniature, built once; tests copy it."""
    copy = lay_over(ROOT / "tests/sites/base", (), tmp_path_factory.mktemp("good") / "tiny")
    done = copy.build()
    assert done.returncode == 0, done.stderr
    return copy


@pytest.fixture
def good(built: Copy, tmp_path: Path) -> Copy:
    """The site in miniature with its last good site, to spoil."""
    shutil.copytree(built.root, tmp_path / "tiny")
    copy = Copy(tmp_path / "tiny", built.epoch)
    shutil.copytree(built.site, copy.site)
    return copy


@pytest.mark.parametrize(("host", "flags"), BUILDS)
def test_a_wrong_number_fails_every_build(host: str, flags: tuple[str, ...], good: Copy) -> None:
    before = files_below(good.site)
    good.edit(*WRONG)
    done = good.build(host, *flags)
    output = done.stdout + done.stderr
    assert done.returncode == 1
    assert "LM101" in output
    assert "en/report.md:7:" in output
    assert "Traceback" not in output
    assert files_below(good.site) == before


# What fails only while pages are being rendered: other plugins, templates, hooks.
HOOKS = {
    "on_page_content": "raise RuntimeError('late')",
    "on_post_page": "raise SystemExit(3)",
    "on_post_build": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("event", HOOKS)
def test_a_build_that_fails_late(event: str, good: Copy) -> None:
    before = files_below(good.site)
    good.write("hook.py", f"def {event}(*args, **kwargs):\n    {HOOKS[event]}\n")
    good.write("mkdocs.yml", good.read("mkdocs.yml") + "hooks: [hook.py]\n")
    assert good.build().returncode != 0
    if event != "on_page_content":
        # MkDocs tells nobody of these; the next build finds the last good site and keeps it, should it fail too.
        good.write("hook.py", "def on_page_content(*args, **kwargs):\n    raise RuntimeError('late again')\n")
        assert good.build().returncode != 0
    assert files_below(good.site) == before


def test_a_template_that_does_not_exist(good: Copy) -> None:
    before = files_below(good.site)
    for language in ("en", "zh"):
        good.edit(f"{language}/index.md", "title:", "template: no.html\ntitle:")
    assert good.build().returncode != 0
    assert files_below(good.site) == before


def test_two_builds_are_the_same(good: Copy) -> None:
    before = files_below(good.site)
    assert good.build().returncode == 0
    assert files_below(good.site) == before
    shutil.rmtree(good.site)
    assert good.build("mkdocs", "--strict").returncode == 0
    assert files_below(good.site) == before


def bare_environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """Return an environment in which no git, no Node and no Chromium is found."""
    empty = tmp_path / "no-programs"
    empty.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("BROWSER_PATH", "PATH")}
    return {**kept, **QUIET, "PATH": str(empty), **more}


def pictures_wanted(tiny: Copy) -> None:
    tiny.edit("mkdocs.yml", "stills: false", "stills: true")


def build_with(tiny: Copy, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tiny.site)]
    environment = {**environment, "SOURCE_DATE_EPOCH": tiny.epoch}
    return subprocess.run(command, cwd=tiny.root, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_without_git_node_and_chromium(tiny: Copy, tmp_path: Path) -> None:
    pictures_wanted(tiny)
    done = build_with(tiny, bare_environment(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "ledgermark" in line]
    assert sum("no Chromium" in line for line in lines) == 1
    assert sum("no Node packages" in line for line in lines) == 1
    page = (tiny.site / "en/report/index.html").read_text("utf-8")
    assert "<table>" in page
    assert "lm-figure__still" not in page


@pytest.mark.parametrize("browser", ["/no/such/chromium", sys.executable])
def test_a_browser_that_is_none(browser: str, tiny: Copy, tmp_path: Path) -> None:
    pictures_wanted(tiny)
    done = build_with(tiny, bare_environment(tmp_path, BROWSER_PATH=browser))
    assert done.returncode == 0, done.stderr
    assert sum("tables stand alone" in line for line in done.stderr.splitlines()) == 1
