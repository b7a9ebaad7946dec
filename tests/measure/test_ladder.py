"""The ladder against a schedule that is known: rates within one percent of the truth, and each kind of failure recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.measure.fake import Behaviour, FakeServer
from tests.measure.harness import measure, read, serve

if TYPE_CHECKING:
    from pathlib import Path

ONE_PERCENT = 0.01
# Each request has times of its own.
WAYS = {
    "even": Behaviour(),
    "fast": Behaviour(decode_tok_s=200.0),
    "jitter": Behaviour(jitter=0.15, again=False),
    "a stall in the middle": Behaviour(stall_s=0.7),
    "several tokens in a chunk": Behaviour(chunk=4, again=False),
    "several, counted along": Behaviour(chunk=8, along=True, again=False),
    "all of it": Behaviour(chunk=4, jitter=0.15, stall_s=0.3, decode_tok_s=120.0, again=False),
}


def ladder(server: FakeServer, out: Path, *words: str) -> int:
    return measure(server, out, "ladder", "--contexts", "256", "2048", *words)


@pytest.mark.parametrize("behaviour", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("api", ["completions", "chat"])
def test_streamed_rates_are_within_one_percent_of_the_truth(tmp_path: Path, behaviour: Behaviour, api: str) -> None:
    server = serve(behaviour)
    out = tmp_path / "ladder.csv"
    assert ladder(server, out, "--kinds", "decode", "--methods", "stream", "--tokens", "256", "--api", api) == 0
    streams = [sent for sent in server.sent if sent.body["stream"]]
    rows = read(out)
    assert len(rows) == len(streams) == 8
    for row, sent in zip(rows, streams, strict=True):
        assert float(row["tok_s"]) == pytest.approx(sent.tok_s(), rel=ONE_PERCENT)


@pytest.mark.parametrize("behaviour", WAYS.values(), ids=WAYS)
def test_differences_are_within_one_percent_of_the_truth(tmp_path: Path, behaviour: Behaviour) -> None:
    """The two answers of a difference each have their own jitter: a rung is held against the truth, not each of its rounds."""
    server = serve(behaviour)
    out = tmp_path / "ladder.csv"
    assert ladder(server, out, "--kinds", "decode", "--methods", "difference", "--rounds", "12") == 0
    for rung in read(tmp_path / "ladder_rungs.csv"):
        truths = [sent.tok_s(8) for sent in server.sent if sent.body["max_tokens"] == 64 and len(sent.prompt.split()) == int(rung["context"])]
        assert len(truths) == 13
        assert float(rung["tok_s"]) == pytest.approx(sum(truths) / 13, rel=ONE_PERCENT)


def test_prefill_is_the_prompt_over_the_time_to_the_first_token(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    assert ladder(serve(), out, "--kinds", "prefill") == 0
    for row in read(out):
        # The fake makes the first token in one step of decoding, after it has read the prompt.
        assert float(row["ttft_s"]) == pytest.approx(int(row["context"]) / 4000 + 1 / 50, abs=1e-5)
        assert float(row["prefill_tok_s"]) == pytest.approx(int(row["prompt_tokens"]) / float(row["ttft_s"]), rel=1e-4)


def test_tokens_and_chunks_are_never_mixed(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    assert ladder(serve(Behaviour(chunk=4)), out, "--kinds", "decode", "--methods", "stream") == 0
    for row in read(out):
        assert int(row["chunks"]) < int(row["completion_tokens"]) == 128
        assert float(row["chunk_s"]) < 0.6 * float(row["tok_s"])
        assert row["first_chunk_basis"] == "share of text"
    resource = json.loads(out.with_suffix(".resource.json").read_text("utf-8"))
    units = {item["name"]: item.get("unit") for item in resource["schema"]["fields"]}
    assert (units["tok_s"], units["chunk_s"]) == ("tok/s", "chunk/s")


def test_what_a_server_counts_along_is_taken(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    server = serve(Behaviour(chunk=4, along=True, owner="vllm"))
    assert ladder(server, out, "--kinds", "decode", "--methods", "stream") == 0
    assert {row["first_chunk_basis"] for row in read(out)} == {"usage"}
    streamed = next(sent.body for sent in server.sent if sent.body["stream"])
    assert streamed["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
    assert streamed["ignore_eos"] is True


def test_prompts_have_the_length_of_the_rung_and_a_beginning_of_their_own(tmp_path: Path) -> None:
    server = serve()
    out = tmp_path / "ladder.csv"
    assert ladder(server, out) == 0
    assert all(row["prompt_tokens"] == row["context"] for row in read(out))
    begins = [sent.prompt[:40] for sent in server.sent]
    assert len(set(begins)) == len(begins)


def test_the_first_round_is_kept_apart(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    assert ladder(serve(), out, "--rounds", "2") == 0
    rows = read(out)
    assert {(row["round"], row["phase"]) for row in rows} == {("0", "warm-up"), ("1", "measured"), ("2", "measured")}
    assert {row["rounds"] for row in read(tmp_path / "ladder_rungs.csv")} == {"2"}


def test_rounds_that_differ_are_not_of_chart_grade(tmp_path: Path) -> None:
    server = serve()
    out = tmp_path / "ladder.csv"
    server.behaviour = lambda _: Behaviour(decode_tok_s=50.0 if len(server.sent) % 2 else 80.0)
    assert ladder(server, out, "--kinds", "decode", "--methods", "stream", "--rounds", "4") == 0
    assert {row["chart_grade"] for row in read(tmp_path / "ladder_rungs.csv")} == {"false"}
    assert ladder(serve(), tmp_path / "even.csv", "--kinds", "decode") == 0
    assert {row["chart_grade"] for row in read(tmp_path / "even_rungs.csv")} == {"true"}


def at_depth(behaviour: Behaviour) -> FakeServer:
    """Return a server that is well at the first rung and not at the second."""
    server = serve()
    server.behaviour = lambda tokens: behaviour if tokens > 1500 else Behaviour()
    return server


FAULTS = {
    "stalls": (Behaviour(silent_after=5), "the server stalled: nothing came for 600 s"),
    "drops the connection": (Behaviour(drop_after=3), "the server dropped the connection: connection reset by peer"),
    "ends too early": (Behaviour(end_after=3), "the stream ended before the answer did, after 3 chunks"),
    "dies": (Behaviour(error_after=2), "the stream reports an error: the engine died"),
    "sends no usage": (Behaviour(usage=False), "the server sent no usage"),
    "answers an error": (Behaviour(status=400), "HTTP 400: this model's maximum context length is 4096 tokens"),
    "truncates the prompt": (Behaviour(reads=1024), "the prompt was truncated: the server read 1024 of 2048 tokens"),
    "has the prompt cached": (Behaviour(cached=64), "a prefix cache had 64 of 2048 tokens, in spite of a unique beginning"),
    "stops": (Behaviour(stops_after=20), "the answer ended after 20 of 128 tokens (stop)"),
    "sends garbage": (Behaviour(garbage=True), "an event of the stream is not JSON: {not json"),
}


@pytest.mark.parametrize(("behaviour", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_rung_that_fails_is_recorded_and_the_rest_goes_on(tmp_path: Path, behaviour: Behaviour, reason: str) -> None:
    out = tmp_path / "ladder.csv"
    server = at_depth(behaviour)
    assert measure(server, out, "ladder", "--contexts", "256", "2048", "512", "--kinds", "decode", "--methods", "stream") == 1
    rows = read(out)
    failed = [row for row in rows if row["status"] == "failed"]
    assert [(row["context"], row["round"]) for row in failed] == [("2048", "0")]
    assert failed[0]["reason"].startswith(reason)
    assert failed[0]["tok_s"] == ""
    assert len([row for row in rows if row["status"] == "ok"]) == 8
    summary = {row["context"]: row for row in read(tmp_path / "ladder_rungs.csv")}
    assert (summary["2048"]["status"], summary["512"]["status"]) == ("failed", "ok")


def test_a_server_without_usage_still_has_its_chunks_recorded(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    server = serve()
    # It counts where nothing is streamed, so that prompts can be cut, and not where something is.
    server.behaviour = lambda _: Behaviour(usage=not (server.sent and server.sent[-1].body["stream"]))
    assert ladder(server, out, "--kinds", "decode", "--methods", "stream") == 1
    row = read(out)[0]
    assert (row["tok_s"], row["chunks"]) == ("", "128")
    assert float(row["chunk_s"]) == pytest.approx(50, rel=1e-4)


def test_a_deadline_ends_a_request_that_trickles(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    assert ladder(serve(Behaviour(decode_tok_s=0.5)), out, "--kinds", "decode", "--methods", "stream", "--deadline-s", "60") == 1
    assert {row["reason"] for row in read(out)} == {"not done after 60 s"}


def test_failed_rungs_are_measured_again_when_asked(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    words = ("--kinds", "decode", "--methods", "stream")
    assert ladder(at_depth(Behaviour(drop_after=3)), out, *words) == 1
    before = read(out)
    server = serve()
    assert ladder(server, out, *words) == 1
    assert server.sent == []
    assert ladder(serve(), out, *words, "--retry-failed") == 0
    rows = read(out)
    assert rows[: len(before)] == before
    assert {(row["context"], row["attempt"], row["status"]) for row in rows[len(before) :]} == {("2048", "2", "ok")}
    assert {row["status"] for row in read(tmp_path / "ladder_rungs.csv")} == {"ok"}


def test_a_server_that_is_not_there_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scripts.measure.cli import main  # noqa: PLC0415

    out = tmp_path / "ladder.csv"
    assert main(["ladder", "--url", "http://127.0.0.1:9", "--out", str(out)]) == 2
    assert capsys.readouterr().err.startswith("could not run: http://127.0.0.1:9: no answer at /v1/models")
    assert not out.exists()


def test_a_dry_run_asks_nobody_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve()
    out = tmp_path / "ladder.csv"
    assert ladder(server, out, "--dry-run", "--rounds", "3", "--expect-decode", "32", "--expect-prefill", "1024") == 0
    assert server.sent == []
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out.splitlines() == [
        "prefill, 256, stream: 4 cells, 1 s",
        "decode, 256, stream: 4 cells, 17 s",
        "decode, 256, difference: 4 cells, 11 s",
        "prefill, 2048, stream: 4 cells, 8 s",
        "decode, 2048, stream: 4 cells, 24 s",
        "decode, 2048, difference: 4 cells, 25 s",
        "in all: 24 cells in 6 rungs, about 86 s",
    ]
