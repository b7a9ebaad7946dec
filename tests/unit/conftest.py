"""What the unit tests share: the site in miniature, read once, and ways to make a page or a ledger out of text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.examine import examine
from ledgermark.metrics import Evaluator
from ledgermark.pages import read_page
from ledgermark.project import load_project
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledgermark.check import Project
    from ledgermark.findings import Finding

BASE = Path(__file__).resolve().parents[1] / "sites/base"


@pytest.fixture(scope="session")
def project() -> Project:
    """The site in miniature, as read from disk."""
    return load_project(BASE / "mkdocs.yml")


@pytest.fixture(scope="session")
def evaluator(project: Project) -> Evaluator:
    """Its metrics over its ledger."""
    return Evaluator(project.ledger, project.metrics or {})


@pytest.fixture(scope="session")
def check_page(project: Project) -> Callable[[str], list[Finding]]:
    """A function that gives the findings of a page with some text, the only one of the site in miniature."""
    extensions, options = markdown_extensions(read_config(BASE.parents[2] / "mkdocs.yml"))

    def check(text: str) -> list[Finding]:
        page = read_page(Source("en/p.md", text), "p.md", "en")
        alone = replace(project, pages={"en": {"p.md": page}, "zh": {}, "": {}})
        found = examine(alone, date(2026, 12, 1), extensions, options).findings
        return [finding for finding in found if finding.code != "LM301"]

    return check
