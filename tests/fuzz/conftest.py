"""What the fuzz tests share: the site in miniature to put things into, a time limit, and the long profile of `make fuzz`."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.examine import examine
from ledgermark.pages import read_page
from ledgermark.project import load_project
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from ledgermark.check import Checked, Project

ROOT = Path(__file__).resolve().parents[2]
BASE = ROOT / "tests/sites/base"
TODAY = date(2026, 12, 1)
PATIENCE_S = 60  # far more than any example needs, so that only what would go on for ever is stopped

# `pytest tests/fuzz --hypothesis-profile=long`: other examples at each run, and what failed before is tried first.
settings.register_profile("long", derandomize=False, deadline=None, max_examples=3000, suppress_health_check=list(HealthCheck))


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail instead of running for ever. Raises TimeoutError."""

    def stop(number: int, frame: FrameType | None) -> None:
        msg = f"still running after {PATIENCE_S} s (signal {number}, {frame})"
        raise TimeoutError(msg)

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def project() -> Project:
    """The site in miniature."""
    return load_project(BASE / "mkdocs.yml")


@pytest.fixture(scope="session")
def check(project: Project) -> Callable[[Mapping[str, str]], Checked]:
    """A function that checks the site in miniature with other pages: language to the text of its one page."""
    extensions, options = markdown_extensions(read_config(ROOT / "mkdocs.yml"))

    def run(texts: Mapping[str, str]) -> Checked:
        pages = {language: {"p.md": read_page(Source(f"{language}/p.md", text), "p.md", language)} for language, text in texts.items()}
        with no_hang():
            return examine(replace(project, pages={"en": {}, "zh": {}, "": {}, **pages}), TODAY, extensions, options)

    return run


@pytest.fixture(scope="session")
def check_project(project: Project) -> Callable[[Project], Checked]:
    """A function that checks a project made of the site in miniature."""
    assert project.metrics
    extensions, options = markdown_extensions(read_config(BASE / "mkdocs.yml"))

    def run(changed: Project) -> Checked:
        with no_hang():
            return examine(changed, TODAY, extensions, options)

    return run
