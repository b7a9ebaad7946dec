"""What the tests of the bars share: this repository's own project, read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledgermark.metrics import Evaluator
from ledgermark.project import load_project
from tests.copies import ROOT

if TYPE_CHECKING:
    from ledgermark.check import Project


@pytest.fixture(scope="session")
def own_project() -> Project:
    """This repository's project, as read from disk."""
    return load_project(ROOT / "mkdocs.yml")


@pytest.fixture(scope="session")
def own_evaluator(own_project: Project) -> Evaluator:
    """What gives the claims of this repository their values."""
    return Evaluator(own_project.ledger, own_project.metrics or {})
