"""The site's own figures are plain data in Plotly's schema: its classes refuse what they do not know, and change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import pytest

from ledgermark.figures import draw
from ledgermark.project import load_project

if TYPE_CHECKING:
    from ledgermark.check import Project


@pytest.fixture(scope="module")
def site() -> Project:
    return load_project(Path(__file__).resolve().parents[2] / "mkdocs.yml")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_plotly_knows_every_part_of_every_figure(site: Project, language: str) -> None:
    assert site.figures
    for figure in site.figures.values():
        spec = draw(figure, site.ledger, site.catalogues[language]).spec
        plot = go.Figure(spec).to_plotly_json()
        plot["layout"].pop("template")
        assert json.loads(json.dumps(plot)) == spec, figure.name


def test_plotly_refuses_what_it_does_not_know(site: Project) -> None:
    assert site.figures
    spec = draw(next(iter(site.figures.values())), site.ledger, site.catalogues["en"]).spec
    spec["data"][0]["marker"]["colour"] = "#000000"
    with pytest.raises(ValueError, match="colour"):
        go.Figure(spec)
