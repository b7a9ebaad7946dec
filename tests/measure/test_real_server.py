"""The client and the ladder against servers that nobody here wrote, on the CPU: `transformers serve` and llama.cpp, models made on the spot."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.measure.arms import Arm, Check, assert_on
from scripts.measure.cli import main
from scripts.measure.client import Client, Endpoint
from scripts.measure.errors import MeasureError, SetupError
from scripts.measure.server import find_server
from tests.measure.harness import read
from tests.measure.real import ENVIRONMENT, ROOT, Real, free_port, need, start
from tests.measure.test_ledger import add, check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.copies import Copy


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    need("transformers serve", "torch", "tokenizers", "transformers", "uvicorn", "fastapi")
    folder = tmp_path_factory.mktemp("real")
    model = folder / "tiny"
    subprocess.run([sys.executable, "-m", "tests.measure.tiny_model", str(model)], cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True)
    port = free_port()
    command = [sys.executable, str(Path(sys.executable).with_name("transformers")), "serve", str(model)]
    with start([*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"], port, model) as server:
        yield server


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    need("a llama.cpp server", "gguf", "numpy", "tokenizers", "xllamacpp")
    model, port = tmp_path_factory.mktemp("llama") / "tiny.gguf", free_port()
    with start([sys.executable, "-m", "tests.measure.tiny_gguf", str(model), str(port)], port, model) as server:
        yield server


@pytest.mark.parametrize("api", ["completions", "chat"])
def test_tokens_come_from_usage_not_from_chunks(real: Real, api: str) -> None:
    client = real.client(api)
    reply = client.stream("the keeper counts the ships again", 8)
    assert reply.usage.completion == 8
    assert 0 < reply.chunks < 8
    assert reply.finish == "length"
    assert reply.sent_s < reply.first_s <= reply.last_s <= reply.end_s


def test_what_is_not_streamed_says_the_same(real: Real) -> None:
    text = "the keeper counts the ships again"
    client = real.client()
    assert client.whole(text, 8).usage == client.stream(text, 8).usage


def test_an_answer_that_is_an_error_is_told(real: Real) -> None:
    client = Client(Endpoint(real.url, str(real.model), extra={"no_such_field": 1}))
    for way in (client.stream, client.whole):
        with pytest.raises(MeasureError, match="HTTP 422: Unexpected fields in the request"):
            way("the keeper", 8)


def test_a_model_that_is_not_served_is_told(real: Real) -> None:
    client = Client(Endpoint(real.url, "another"))
    with pytest.raises(SetupError, match=r"serves .*, not another"):
        client.served()


def test_the_process_behind_the_address_is_found(real: Real) -> None:
    server = find_server(real.url)
    assert server is not None
    assert server.pid == real.process.pid
    assert server.flags == ("--device", "cpu")
    assert {"transformers", "torch"} <= set(server.packages)


def test_an_arm_is_known_by_the_flags_of_the_process(real: Real) -> None:
    client = real.client()
    assert assert_on(Arm("a", (Check("flag", "--device cpu"), Check("no_flag", "--quantization"))), client)
    for check_ in (Check("flag", "--compile"), Check("no_flag", "--device cpu")):
        with pytest.raises(SetupError, match="arm 'a' is not on: the server runs with"):
            assert_on(Arm("a", (check_,)), client)


def test_a_server_that_was_started_before_the_file_was_swapped_is_not_the_arm(real: Real, tmp_path: Path) -> None:
    swapped = tmp_path / "swapped"
    swapped.touch()
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    client = real.client()
    with pytest.raises(SetupError, match="the server was started before it was put there"):
        assert_on(Arm("a", (Check("file", str(swapped), digest),)), client)


def test_a_ladder_of_it_goes_into_the_ledger(real: Real, tiny: Copy, tmp_path: Path) -> None:
    out = tmp_path / "results" / "measured.csv"
    words = ["ladder", "--url", real.url, "--model", str(real.model), "--contexts", "96", "256", "--rounds", "2", "--out", str(out)]
    assert main([*words, "--tokens", "48", "--long", "32"]) in (0, 1)
    rows = read(out)
    # How this server bundles its chunks is its own affair: a stream whose first chunk holds too much is refused, and nothing else is.
    failed = [row for row in rows if row["status"] == "failed"]
    assert [row for row in failed if row["method"] != "stream" or "these chunks do not tell the rate" not in row["reason"]] == []
    well = [row for row in rows if row["status"] == "ok"]
    assert {row["prompt_tokens"] for row in well} == {"96", "256"}
    assert {row["completion_tokens"] for row in well} == {"1", "32", "48"}
    for row in well:
        assert not row["tok_s"] or float(row["tok_s"]) > 0
        assert not row["chunks"] or row["kind"] == "prefill" or int(row["chunks"]) < 48
    (record,) = json.loads(out.with_suffix(".provenance.json").read_text("utf-8"))["runs"]
    assert record["identity"]["stack"].startswith("transformers ")
    assert record["identity"]["settings"]["model_digest"].startswith("sha256 of heads and tails:")
    assert record["facts"]["server"]["flags"] == ["--device", "cpu"]
    add(tiny, out.parent)
    check(tiny)


def test_a_server_that_stalls_fails_the_rung(real: Real) -> None:
    client = real.client(stall_s=1.0)
    client.served()
    real.process.send_signal(signal.SIGSTOP)
    try:
        for way in (client.stream, client.whole):
            with pytest.raises(MeasureError, match="the server stalled: nothing came for 1 s"):
                way("the keeper", 8)
    finally:
        real.process.send_signal(signal.SIGCONT)
    client = real.client()
    assert client.whole("the keeper", 8).usage.completion == 8


def test_llama_cpp_counts_what_its_cache_had(llama: Real) -> None:
    client = llama.client()
    for _ in range(2):
        assert client.stream("the keeper counts the ships again", 8).usage.cached == 0
    cached = Client(Endpoint(llama.url, extra={"ignore_eos": True, "cache_prompt": True}))
    for _ in range(2):
        reply = cached.stream("the keeper counts the ships again", 8)
    assert (reply.usage.cached or 0) > 0


def test_a_ladder_of_llama_cpp_records_the_rung_that_is_too_deep(llama: Real, tiny: Copy, tmp_path: Path) -> None:
    out = tmp_path / "results" / "measured.csv"
    words = ["ladder", "--url", llama.url, "--contexts", "96", "8192", "--rounds", "2", "--kinds", "prefill", "decode", "--long", "192"]
    assert main([*words, "--out", str(out)]) == 1
    rows = read(out)
    deep = [row for row in rows if row["context"] == "8192"]
    assert {(row["status"], row["round"]) for row in deep} == {("failed", "0")}
    assert all("exceeds the available context size (4096 tokens)" in row["reason"] for row in deep)
    prefill = [row for row in rows if row["context"] == "96" and row["kind"] == "prefill"]
    assert {(row["status"], row["prompt_tokens"], row["cached_tokens"]) for row in prefill} == {("ok", "96", "0")}
    (record,) = json.loads(out.with_suffix(".provenance.json").read_text("utf-8"))["runs"]
    assert record["identity"]["stack"].startswith("llama.cpp ")
    assert record["identity"]["settings"]["model_digest"]
    add(tiny, out.parent)
    check(tiny)


def test_two_servers_are_two_arms(real: Real, llama: Real, tiny: Copy, tmp_path: Path) -> None:
    arms, out = tmp_path / "arms.toml", tmp_path / "results" / "ab.csv"
    arms.write_text(
        f'[[arm]]\nname = "transformers"\nurl = "{real.url}"\nmodel = "{real.model}"\n[[arm.check]]\nflag = "--device cpu"\n'
        f'[[arm]]\nname = "llama.cpp"\nurl = "{llama.url}"\nstack = "llama.cpp"\n[[arm.check]]\nmodels = "owned_by"\nis = "llamacpp"\n',
        "utf-8",
    )
    words = ["ab", str(arms), "--contexts", "96", "--rounds", "2", "--most-rounds", "2", "--long", "256", "--out", str(out)]
    # A difference between two answers of this speed may drown in what else the machine does; then the row says so.
    assert main(words) in (0, 1)
    rows = read(out)
    assert [row["arm"] for row in rows][:2] == ["transformers", "llama.cpp"]
    assert [row["reason"] for row in rows if row["status"] == "failed" and "tokens more took" not in row["reason"]] == []
    assert {(row["arm"], row["identity"], row["model"]) for row in rows} == {
        ("transformers", "with --device cpu", str(real.model)),
        ("llama.cpp", "owned_by = llamacpp", str(llama.model)),
    }
    assert {row["stack"].split()[0] for row in rows} == {"transformers", "llama.cpp"}
    arms.write_text(arms.read_text("utf-8").replace("--device cpu", "--device cuda"), "utf-8")
    assert main(words) == 2
    add(tiny, out.parent)
    check(tiny)
