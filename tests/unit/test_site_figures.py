"""The figures of the site, through the library: words in both languages, values of the ledger, hover lines that say it all."""

from pathlib import Path

import pytest

from ledgermark.check import Project
from ledgermark.figures import Drawn, draw
from ledgermark.project import load_project

SECOND_CARD = (
    "decode_ratios",
    "prefill_fits",
    "term_leads",
    "kernel_groups",
    "pair_lead",
    "restated_lead",
    "mtp_split",
    "achieved_bandwidth",
    "memory_controller",
)
NAMES = (*SECOND_CARD, "mtp_gain", "query_rows", "other_vendor", "admission", "five_runs")
# Those with an input that was transcribed: the gate's runs on the A100, the shapes of the models, the counters.
TRANSCRIBED = ("pair_lead", "mtp_split", "achieved_bandwidth", "memory_controller")


@pytest.fixture(scope="module")
def project() -> Project:
    return load_project(Path(__file__).parents[2] / "mkdocs.yml")


def drawn(project: Project, name: str, language: str) -> Drawn:
    assert project.figures is not None
    return draw(project.figures[name], project.ledger, project.catalogues[language])


def test_every_figure_is_held_to_this(project: Project) -> None:
    assert tuple(project.figures or ()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_speaks_both_languages(project: Project, name: str) -> None:
    english, chinese = (drawn(project, name, language) for language in ("en", "zh"))
    assert not project.catalogues["zh"].missing
    assert english.title != chinese.title
    assert english.alt != chinese.alt
    assert english.digest == chinese.digest
    assert [trace["y"] for trace in english.spec["data"]] == [trace["y"] for trace in chinese.spec["data"]]


@pytest.mark.parametrize("name", NAMES)
def test_every_point_has_its_hover_lines_and_its_row(project: Project, name: str) -> None:
    figure = drawn(project, name, "en")
    points = [point for trace in figure.spec["data"] for point in trace["customdata"]]
    assert len(points) == len(figure.rows) == sum(len(trace["y"]) for trace in figure.spec["data"])
    for trace in figure.spec["data"]:
        assert trace["hovertemplate"].count("customdata") == len(trace["customdata"][0])
        assert len({len(lines) for lines in trace["customdata"]}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_series_differ_in_more_than_colour(project: Project, name: str) -> None:
    looks = [
        (trace["marker"].get("symbol"), trace.get("line", {}).get("dash"), trace["marker"].get("pattern", {}).get("shape"), trace["type"])
        for trace in drawn(project, name, "en").spec["data"]
    ]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("name", NAMES)
def test_the_badge_is_that_of_the_weakest_input(project: Project, name: str) -> None:
    assert drawn(project, name, "en").badge == ("transcribed" if name in TRANSCRIBED else "recomputable")


def test_hover_gives_both_rates_and_the_change(project: Project) -> None:
    last = drawn(project, "mtp_gain", "en").spec["data"][0]["customdata"][-1]
    assert [line.replace("\u202f", " ").replace("\u00a0", " ") for line in last] == [
        "MTP, 32K of context: −70.8 %",
        "With MTP: 8.85 tok/s",
        "No speculation: 30.31 tok/s",
    ]


def test_chunks_over_tokens_are_drawn_with_their_unit(project: Project) -> None:
    recorded, recounted, _ = drawn(project, "restated_lead", "en").spec["data"]
    first = [line.replace("\u202f", " ").replace("\u00a0", " ") for line in recorded["customdata"][0]]
    assert first == [
        "MTP, chunks over tokens, 500 of context: 0.88 chunk/tok",
        "A100, as recorded: 48.52 chunk/s",
        "Two Radeons: 55.22 tok/s",
    ]
    assert [line.replace("\u202f", " ").replace("\u00a0", " ") for line in recounted["customdata"][-1]] == [
        "MTP, recounted, 32K of context: 2.14×",
        "A100, in tokens: 67.25 tok/s",
        "Two Radeons: 31.43 tok/s",
        "Tokens in a chunk: 1.98 tok/chunk",
    ]


def test_the_fit_shows_what_it_leaves_over(project: Project) -> None:
    last = drawn(project, "prefill_fits", "en").spec["data"][0]["customdata"][-1]
    assert [line.replace("\u202f", " ").replace("\u00a0", " ") for line in last] == [
        "One Radeon, 32K of prompt: 1249.7 µs/tok",
        "First token, faster round: 39.9366 s",
        "By the fit: 39.9529 s",
        "Measured against the fit: −0.04 %",
    ]
