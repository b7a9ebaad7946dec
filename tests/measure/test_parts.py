"""The parts without a server: cells, plans, progress, prompts, streams, commands, digests."""

from __future__ import annotations

import argparse
import ast
import csv
import itertools
import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.gate_patch.plugin.releases import FILES
from scripts.measure import columns
from scripts.measure.cli import INSTRUMENTS, main, make_parser
from scripts.measure.client import Client, Endpoint
from scripts.measure.errors import MeasureError, SetupError
from scripts.measure.events import EventParser
from scripts.measure.facts import machine_facts, machine_name, model_digest, patches, stack_name
from scripts.measure.framing import Dechunker
from scripts.measure.place import Place, find_here
from scripts.measure.plan import Cell, render_plan, spell_seconds
from scripts.measure.power import Device, Meter, total_joules
from scripts.measure.progress import Progress
from scripts.measure.prompt import DIGITS, cut_prompt, nonce, tolerance_of
from scripts.measure.provenance import Identity
from scripts.measure.server import ServerProcess, find_command, is_local
from scripts.measure.session import open_session
from scripts.measure.stream import StreamReader, explain, read_usage
from scripts.measure.table import Column, Table, resource_name, write_cell, write_number
from scripts.measure.world import World
from tests.measure.fake import Behaviour, Clock, FakeServer

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER = Column("n", "A number.", "s", "number")
TEXT = Column("t", "A text.")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_a_written_number_is_the_number(value: float) -> None:
    text = write_number(value)
    assert "e" not in text.lower()
    assert float(text) == pytest.approx(value, rel=1e-5, abs=1e-300)


def test_a_number_that_is_none_is_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a finite number"):
            write_number(value)


@given(st.text())
def test_a_cell_is_one_line(text: str) -> None:
    cell = write_cell(text, TEXT)
    assert cell.isprintable() or not cell
    assert len(cell.splitlines()) <= 1


def test_cells_of_other_kinds() -> None:
    assert [write_cell(value, NUMBER) for value in (None, 1.50, 3, 1e-7)] == ["", "1.5", "3", "0.0000001"]
    assert write_cell(True, Column("b", "A truth.", type="boolean")) == "true"  # noqa: FBT003
    assert write_cell(12.0, Column("i", "A count.", "1", "integer")) == "12"


def test_a_row_that_does_not_fit_is_refused() -> None:
    table = Table("Rows", "A row.", "Some rows.", (Column("k", "Key.", required=True), NUMBER), ("k",), "scripts/measure/none.py")
    assert table.spell({"k": "a", "n": 0.25}) == {"k": "a", "n": "0.25"}
    with pytest.raises(ValueError, match="a row needs k"):
        table.spell({"n": 1})
    with pytest.raises(ValueError, match="no such column: m"):
        table.spell({"k": "a", "m": 1})
    with pytest.raises(ValueError, match="the key names columns that are not there: x"):
        Table("Rows", "A row.", "Some rows.", (NUMBER,), ("x",), "scripts/measure/none.py")


@pytest.mark.parametrize(("path", "name"), [("H200 ladder-1.csv", "h200_ladder_1"), ("2x.csv", "rows_2x"), ("a/b.csv", "b"), ("….csv", "rows")])
def test_a_dataset_has_a_name_that_a_claim_can_use(path: str, name: str) -> None:
    assert resource_name(path) == name


def test_durations_are_said_as_people_say_them() -> None:
    assert [spell_seconds(value) for value in (0, 40.4, 89, 120, 5000, 12000)] == ["0 s", "40 s", "89 s", "2 min", "83 min", "3 h 20 min"]


def cell(rung: str, number: int) -> Cell:
    return Cell({"rung": rung, "round": str(number)}, ("rung",), 10, f"{rung} {number}")


def test_a_plan_says_what_is_left() -> None:
    cells = [cell(rung, number) for rung in "ab" for number in range(3)]
    assert render_plan(cells, cells[:2], ["a note"]) == [
        "a: 1 of 3 cells left, 10 s",
        "b: 3 cells, 30 s",
        "a note",
        "in all: 4 cells in 2 rungs, about 40 s",
    ]


def test_progress_corrects_the_plan_by_what_was_measured() -> None:
    times = iter([0.0, 20.0, 40.0, 60.0])
    lines: list[str] = []
    progress = Progress(3, 30, lambda: next(times), lines.append)
    progress.step("one", 10)
    progress.skip(10)
    progress.step("two", 10)
    assert lines == ["[1/3] one; 40 s left", "[2/2] two"]


def test_beginnings_are_unique_and_of_one_length() -> None:
    begins = {nonce() for _ in range(1000)}
    assert len(begins) == 1000
    assert {len(text.split()) for text in begins} == {DIGITS + 1}


@pytest.mark.parametrize("per_word", [1, 2, 4])
@pytest.mark.parametrize("context", [64, 500, 4096, 100_000])
def test_a_prompt_has_the_length_that_was_asked_for(per_word: int, context: int) -> None:
    def count(text: str) -> int:
        return 7 + sum(1 if len(word) == 1 else per_word for word in text.split())

    prompt = cut_prompt(context, count, seed=context, tail=" and then ?")
    assert abs(prompt.tokens - context) <= tolerance_of(context)
    assert count(prompt.text()) == prompt.tokens


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (lambda text: min(len(text.split()), 512), "the prompt was truncated: the server read 512 of 4096 tokens"),
        (lambda text: 5000 + len(text.split()), "no prompt of 4096 tokens: the nearest that the server counts has 50"),
    ],
)
def test_a_prompt_that_cannot_be_cut_is_a_failure(count: Callable[[str], int], message: str) -> None:
    with pytest.raises(MeasureError) as error:
        cut_prompt(4096, count)
    assert error.value.reason.startswith(message)


EVENTS = "data: one\n\n: a comment\n\nevent: x\r\ndata:two\r\ndata: lines\r\n\r\nid: 7\n\ndata: 三\r\rdata: left over"


@given(st.lists(st.integers(0, len(EVENTS.encode()))))
def test_events_are_read_however_they_are_cut(cuts: list[int]) -> None:
    parser, data = EventParser(), EVENTS.encode()
    edges = [0, *sorted(cuts), len(data)]
    found = [item for begin, end in itertools.pairwise(edges) for item in parser.feed(data[begin:end])]
    assert found == ["one", "two\nlines", "三"]


FRAMED = b"5\r\nhello\r\n1;x=y\r\n,\r\nB\r\n world\r\nand\r\n0\r\n\r\nbeyond"


@given(st.lists(st.integers(0, len(FRAMED))))
def test_frames_are_taken_off_however_they_are_cut(cuts: list[int]) -> None:
    dechunker = Dechunker()
    edges = [0, *sorted(cuts), len(FRAMED)]
    assert b"".join(dechunker.feed(FRAMED[begin:end]) for begin, end in itertools.pairwise(edges)) == b"hello, world\r\nand"


@given(st.lists(st.binary()))
def test_what_is_no_frame_is_no_traceback(parts: list[bytes]) -> None:
    dechunker = Dechunker()
    for part in parts:
        dechunker.feed(part)


def test_an_event_without_end_is_refused() -> None:
    parser = EventParser()
    with pytest.raises(MeasureError, match="more than 16777216 bytes"):
        parser.feed(b"data: " + b"x" * ((1 << 24) + 1) + b"\n")


def chunk(text: str, finish: str | None = None) -> str:
    return json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": finish}]})


def test_a_role_or_an_empty_text_is_no_chunk() -> None:
    reader = StreamReader(0.0)
    assert not reader.feed(json.dumps({"choices": [{"delta": {"role": "assistant", "content": ""}}]}), 1.0)
    assert reader.feed(chunk("one"), 2.0)
    assert reader.feed(json.dumps({"choices": [{"delta": {"reasoning_content": "hm"}}]}), 2.5)
    assert not reader.feed(chunk("", "length"), 3.0)
    assert not reader.feed(json.dumps({"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 6}}), 3.0)
    assert not reader.feed("[DONE]", 3.0)
    reply = reader.close(3.5)
    assert (reply.chunks, reply.usage.completion, reply.first_s, reply.last_s, reply.end_s, reply.max_gap_s) == (2, 6, 2.0, 2.5, 3.5, 0.5)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_whatever_comes_as_json_is_no_traceback(value: object) -> None:
    reader = StreamReader(0.0)
    with suppress(MeasureError):
        reader.feed(json.dumps(value), 1.0)
        reader.close(2.0)


@pytest.mark.parametrize("usage", [None, 3, {}, {"prompt_tokens": "3", "completion_tokens": 1}, {"prompt_tokens": 3}])
def test_a_usage_that_says_nothing_is_none(usage: object) -> None:
    assert read_usage(usage) is None


def test_an_error_is_explained_in_one_line() -> None:
    assert explain({"error": {"message": "too\nlong"}}) == "too long"
    assert explain({"detail": "no"}) == "no"
    assert explain("<html>") == "<html>"
    assert len(explain("x" * 1000)) == 200


def test_flags_are_recorded_without_address_and_secret() -> None:
    command = (
        "/bin/python",
        "/bin/vllm",
        "serve",
        "m",
        "--port",
        "1",
        "--api-key",
        "hidden",
        "--host=h",
        "--max-num-seqs",
        "8",
        "--api-key=hidden",
    )
    assert ServerProcess(1, command).flags == ("--max-num-seqs", "8")


def test_local_addresses_are_told_from_others() -> None:
    assert [is_local(url) for url in ("http://localhost:1", "http://127.0.0.9:1", "http://[::1]:1", f"http://{socket.gethostname()}")] == [
        True
    ] * 4
    assert [is_local(url) for url in ("http://10.0.0.1:8000", "http://gpu.example", "nonsense")] == [False] * 3


def test_the_process_that_listens_is_found() -> None:
    code = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, "--speculative-config", '{"method": "mtp"}']
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        found = find_command(f"http://127.0.0.1:{port}")
        process.communicate()
    assert found is not None
    assert (found.pid, found.command[-1]) == (process.pid, '{"method": "mtp"}')
    assert find_command(f"http://127.0.0.1:{port}") is None


def test_power_is_energy_over_time() -> None:
    energy, now = [0.0], [0.0]
    device = Device("GPU", 1, "1", lambda: energy[0])
    meter = Meter([device, device], lambda: now[0])
    meter.start()
    energy[0], now[0] = 500.0, 2.0
    assert meter.stop() == 500
    assert total_joules([device, Device("GPU", 1, "1", lambda: None)]) is None
    assert Meter([], lambda: 0.0).stop() is None
    assert machine_name([device, device, Device("Other", 1, "1", lambda: None)]) == "2x GPU + Other"


@pytest.mark.parametrize(
    ("owner", "page", "packages", "stack"),
    [
        ("vllm", ("/version", "version", "0.33.0"), {"vllm": "0.33.0+cu13", "torch": "2.13.0"}, "vLLM 0.33.0, torch 2.13.0"),
        ("sglang", ("/get_server_info", "version", "0.5.9"), {}, "SGLang 0.5.9"),
        ("llamacpp", ("/props", "build_info", "b7000-abc"), {"transformers": "5.24.0", "torch": "2.13.0"}, "llama.cpp b7000-abc"),
        ("local", ("/none", "version", ""), {"transformers": "5.24.0", "torch": "2.13.0"}, "transformers 5.24.0, torch 2.13.0"),
        ("local", ("/none", "version", ""), {}, ""),
    ],
)
def test_the_stack_is_what_the_server_tells(owner: str, page: tuple[str, str, str], packages: dict[str, str], stack: str) -> None:
    path, name, version = page
    server = FakeServer(Clock(), Behaviour(owner=owner))
    server.pages = {path: lambda: json.dumps({name: version})}
    client = Client(Endpoint("http://fake.example"), server.clock, server)
    assert stack_name(client, ServerProcess(1, (), packages)) == stack


def test_patches_are_what_the_gate_tool_finds(tmp_path: Path) -> None:
    assert patches(None) is None
    missing = patches(ServerProcess(1, (), vllm=str(tmp_path)))
    assert "no vLLM here" in str(missing)
    for name in FILES:
        path = tmp_path / "vllm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("MAX_3D_QUERY_LEN = 8\n", "utf-8")
    (tmp_path / "vllm-0.33.0.dist-info").mkdir()
    found = patches(ServerProcess(1, (), vllm=str(tmp_path / "vllm")))
    assert found is not None
    assert (found["vllm"], found["entry_point"]) == ("0.33.0", "absent")
    assert "0.33.0 and later need no patch" in str(found["refused"])


def test_a_model_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", "utf-8")
    big = tmp_path / "model.safetensors"
    big.write_bytes(b"a" * (5 << 20))
    heads, whole = model_digest(tmp_path, whole=False), model_digest(tmp_path, whole=True)
    big.write_bytes(b"a" * (2 << 20) + b"b" + b"a" * ((3 << 20) - 1))
    assert model_digest(tmp_path, whole=False) == heads
    assert model_digest(tmp_path, whole=True) != whole
    (tmp_path / "config.json").write_text("{ }", "utf-8")
    assert model_digest(tmp_path, whole=False) != heads


def test_the_record_of_a_machine_says_what_it_is() -> None:
    facts = machine_facts([])
    assert facts["processor"]
    assert facts["devices"] == []
    assert facts["commit"] is None or len(facts["commit"]["id"]) == 40


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_each_instrument_says_what_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in make_parser().format_help()
    with pytest.raises(SystemExit) as done:
        main([name, "--help"])
    assert done.value.code == 0
    assert "--dry-run" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["ladder", "--contexts", "0"], ["ladder", "--extra", "[1]"], ["ladder", "--stall-s", "-1"], ["nothing"], []])
def test_options_that_are_wrong_are_said(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(words)
    assert done.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_an_instrument_without_a_server_finds_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    options = argparse.Namespace(machine="", stack="")
    monkeypatch.setattr("scripts.measure.place.own_packages", lambda: {"torch": "2.13.0", "triton": "3.7.1", "vllm": "0.33.0"})
    found = find_here(options)
    assert (found.stack, found.server, found.model) == ("torch 2.13.0, triton 3.7.1", None, "")
    assert found.machine
    monkeypatch.setattr("scripts.measure.place.own_packages", dict)
    with pytest.raises(SetupError, match="say what the stack is with --stack"):
        find_here(options)


def test_a_run_without_a_server_is_recorded(tmp_path: Path) -> None:
    """What an instrument needs that has no server: the core, and nothing else."""
    columns_ = (*columns.RUN, Column("size", "Bytes.", "byte", "integer", required=True), *columns.STATE, Column("us", "Time.", "us", "number"))
    table = Table(
        "Times", "A time.", "Some times.", columns_, ("machine", "stack", "date", "run", "size", "attempt"), "scripts/measure/none.py"
    )
    options = argparse.Namespace(out=tmp_path / "times.csv", date="2026-11-30", retry_failed=False)
    cells = [Cell({"size": str(size)}, ("size",), 1.0, f"{size} bytes", {"phase": "measured"}) for size in (1, 2, 4)]

    def measure(cell: Cell) -> tuple[dict[str, object], str]:
        if cell.key["size"] == "2":
            raise MeasureError("two is not to be had", us=1.0)
        return {"us": float(cell.key["size"]) * 10}, "well"

    for _ in range(2):
        with open_session(options, table, Identity("none", "m", "s", {}), Place("m", "s"), World()) as session:
            session.go(cells, measure)
    with options.out.open(encoding="utf-8", newline="") as file:
        found = [(row["size"], row["status"], row["reason"], row["us"]) for row in csv.DictReader(file)]
    assert found == [("1", "ok", "", "10"), ("2", "failed", "two is not to be had", "1"), ("4", "ok", "", "40")]


def test_a_date_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.measure.harness import measure, serve  # noqa: PLC0415

    assert measure(serve(), tmp_path / "l.csv", "ladder", "--contexts", "64", "--date", "today") == 2
    assert "--date: found today, expected a day" in capsys.readouterr().err


ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "scripts/measure").glob("*.py"))
# These take values and return values; all others are doors: to the disk, the clock, processes, the network, or the person.
PURE = """
ab_cells acceptance columns crossing errors events framing plan rate rungs spec_points speculation stats stream table
""".split()  # noqa: SIM905 - as a list it would be one name a line
OUTSIDE = {"os", "pathlib", "subprocess", "shutil", "tempfile", "time", "sys", "socket", "http.client", "psutil", "fcntl", "secrets", "random"}


def imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {f"{'.' * node.level}{node.module or ''}" for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("name", PURE)
def test_the_core_is_pure(name: str) -> None:
    found = imports(ROOT / f"scripts/measure/{name}.py")
    assert found & OUTSIDE == set()
    assert {item for item in found if item.startswith(".")} <= {f".{other}" for other in PURE} | {"."}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_is_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) < 300


def test_the_command_line_needs_no_library_until_an_instrument_does() -> None:
    code = "import sys, scripts.measure.cli; sys.exit(bool({'psutil', 'prometheus_client', 'torch', 'http.client'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
