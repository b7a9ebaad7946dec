"""The figures of the site, through the library: words in both languages, values of the ledger, hover lines that say it all."""

from pathlib import Path

import pytest

from ledgermark.check import Project
from ledgermark.figures import Drawn, draw
from ledgermark.project import load_project

GATE = ("mtp_gain", "query_rows", "other_vendor", "admission", "five_runs")
H200 = ("second_row", "lost_split", "above_floor", "patched_kernel")
DRAFTS = ("amd_ratios", "draft_positions", "draft_sweep")
HYBRID = ("hybrid_ladder", "hybrid_profile", "context_slopes", "other_engine", "prefill_trend", "split_runs")
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
MEASURE = ("all_reduce_sizes",)
NAMES = (*GATE, *H200, *DRAFTS, *HYBRID, *SECOND_CARD, "story", "random_ladder", *MEASURE)
# Those with an input that was transcribed: published sweeps, a profile, the gate's runs on the A100, the shapes of the models, the counters.
TRANSCRIBED = (*DRAFTS, "hybrid_profile", "pair_lead", "mtp_split", "achieved_bandwidth", "memory_controller")
LONGER = ("second_row", "above_floor")  # the table holds layers and row counts that are not drawn
BADGES = {**dict.fromkeys((*H200, *MEASURE), "rerun"), **dict.fromkeys(TRANSCRIBED, "transcribed")}


@pytest.fixture(scope="module")
def project() -> Project:
    return load_project(Path(__file__).parents[2] / "mkdocs.yml")


def drawn(project: Project, name: str, language: str) -> Drawn:
    assert project.figures is not None
    return draw(project.figures[name], project.ledger, project.catalogues[language])


def test_every_figure_is_named_here(project: Project) -> None:
    assert sorted(project.figures or ()) == sorted(NAMES)


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
    for spec in (figure.spec, *figure.views.values()):
        points = [point for trace in spec["data"] for point in trace["customdata"]]
        assert len(points) == sum(len(trace["y"]) for trace in spec["data"])
        assert len(figure.rows) > len(points) if name in LONGER else len(figure.rows) == len(points)
        for trace in spec["data"]:
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
def test_has_the_badge_that_its_rows_give(project: Project, name: str) -> None:
    assert drawn(project, name, "en").badge == BADGES.get(name, "recomputable")


def test_ratios_are_sorted_and_their_marks_say_where_the_appendix_differs(project: Project) -> None:
    figure = drawn(project, "amd_ratios", "en")
    *bars, marks = figure.spec["data"]
    ratios = dict(zip([y for bar in bars for y in bar["y"]], [x for bar in bars for x in bar["x"]], strict=True))
    assert [ratios[place] for place in sorted(ratios)] == sorted(ratios.values())
    differing = [place for place, ratio in zip(marks["y"], marks["x"], strict=True) if ratios[place] != ratio]
    labels = [text for bar in bars for text in bar["text"]]
    assert len(differing) == labels.count("") == 3
    lines = [line.replace("\u202f", " ") for line in bars[0]["customdata"][0]]
    assert lines == ["gemma-4-26B-A4B-it, DFlash: 2.87×", "MATH500, N = 7", "Summary"]


def test_hover_gives_both_rates_and_the_change(project: Project) -> None:
    last = drawn(project, "mtp_gain", "en").spec["data"][0]["customdata"][-1]
    assert [line.replace("\u202f", " ").replace("\u00a0", " ") for line in last] == [
        "MTP, 32K of context: −70.8 %",
        "With MTP: 8.85 tok/s",
        "No speculation: 30.31 tok/s",
    ]


def plain(lines: list[str]) -> list[str]:
    return [line.replace("\u202f", " ").replace("\u00a0", " ") for line in lines]


def test_hover_gives_rounds_and_spread_and_the_other_views(project: Project) -> None:
    figure = drawn(project, "hybrid_ladder", "en")
    assert (figure.view, *figure.views) == ("Rate", "Share kept", "Time of a token")
    assert plain(figure.spec["data"][0]["customdata"][-1]) == [
        "Qwen3.6-27B, 32K of context: 4.25 tok/s",
        "Share kept: 35.07 %",
        "Time of a token: 235.29 ms/token",
        "Prompt tokens counted: 32085",
        "2 rounds",
        "Rounds apart by: 0.00 %",
    ]
    assert plain(figure.views["Share kept"]["data"][0]["customdata"][-1])[:2] == ["Qwen3.6-27B, 32K of context: 35.07 %", "Rate: 4.25 tok/s"]


def test_the_other_lines_wait_in_the_legend(project: Project) -> None:
    figure = drawn(project, "hybrid_ladder", "en")
    for spec in (figure.spec, *figure.views.values()):
        assert [trace.get("visible") for trace in spec["data"]] == [None, None, *["legendonly"] * 5]


def test_the_cell_with_two_answers_is_drawn_run_by_run(project: Project) -> None:
    patched = drawn(project, "split_runs", "en").spec["data"][1]
    assert [round(rate, 2) for rate in patched["y"]] == [51.81, 51.43, 47.02, 40.14, 47.58, 42.41, 35.2, 37.05]


def test_the_disturbed_cell_shows_its_runs(project: Project) -> None:
    runs = drawn(project, "other_engine", "en").spec["data"][2]
    assert (runs["x"], runs["y"]) == ([16384, 16384], [19.4825, 23.2085])


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


def test_rounds_that_do_not_agree_are_drawn_one_by_one(project: Project) -> None:
    figure = drawn(project, "all_reduce_sizes", "en")
    assert (figure.view, *figure.views) == ("Time", "Bus bandwidth")
    for spec in (figure.spec, *figure.views.values()):
        points = {trace["name"]: len(trace["y"]) for trace in spec["data"]}
        assert points == {
            "all-reduce, graph replay": 10,
            "all-reduce, eager": 2,
            "all-reduce, eager, single rounds": 8 * 5,
            "all-gather, graph replay": 10,
            "all-gather, eager": 2,
            "all-gather, eager, single rounds": 8 * 5,
        }
        assert spec["layout"]["xaxis"]["type"] == spec["layout"]["yaxis"]["type"] == "log"
    assert plain(figure.spec["data"][0]["customdata"][-1]) == [
        "all-reduce, graph replay, 256 MiB: 891.76 µs",
        "Median",
        "Median of 5 rounds: 891.8 µs",
        "Fastest round: 891.2 µs",
        "Slowest round: 892.3 µs",
        "Spread: 0.1 %",
        "Bus bandwidth: 301.0 GB/s",
        "Algorithm bandwidth: 301.0 GB/s",
    ]
