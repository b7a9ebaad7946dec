"""The client and the ladder against a server that nobody here wrote: `transformers serve`, on the CPU, with a model made on the spot."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.measure.arms import Arm, Check, assert_on
from scripts.measure.cli import main
from scripts.measure.client import Client, Endpoint
from scripts.measure.errors import MeasureError, SetupError
from scripts.measure.server import find_server
from tests.measure.harness import read
from tests.measure.test_ledger import add, check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
START_S = 300
"""How long its start may take on a machine that does much else; alone it takes ten seconds."""


@dataclass(frozen=True)
class Real:
    """The server.

    Attributes:
        url: Its address.
        process: It.
        model: Folder of its model, which is also the model's name.
    """

    url: str
    process: subprocess.Popen[bytes]
    model: Path

    def client(self, api: str = "completions", stall_s: float = 30.0) -> Client:
        """Return a connection."""
        return Client(Endpoint(self.url, str(self.model), api, stall_s=stall_s))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    for name in ("torch", "tokenizers", "transformers", "uvicorn", "fastapi"):
        # Found, not imported: that is left to the processes that need them.
        if subprocess.run(
            [sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(not u.find_spec({name!r}))"], check=False
        ).returncode:
            pytest.skip(f"transformers serve cannot run here: {name} is not installed (pip install '.[serve]')")
    folder = tmp_path_factory.mktemp("real")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf"), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    model = folder / "tiny"
    subprocess.run([sys.executable, "-m", "tests.measure.tiny_model", str(model)], cwd=ROOT, env=environment, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(Path(sys.executable).with_name("transformers")), "serve", str(model)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with (folder / "serve.log").open("wb") as log, subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log) as process:
        found = Real(f"http://127.0.0.1:{port}", process, model)
        try:
            _wait(found, folder / "serve.log")
            yield found
        finally:
            process.kill()


def _wait(real: Real, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            client = real.client()
            client.ask()
        except SetupError:
            if real.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(log.read_text("utf-8", "replace")[-2000:])
            time.sleep(0.2)
        else:
            return


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
