"""`trace` on a real profile taken here, on traces whose times are known, and on traces that are broken."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts.measure.cli import main
from scripts.measure.trace_file import TraceFile
from tests.measure.harness import read
from tools.bench_trace import DECODE, MIXED, PREFILL, write_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
PLACE = ("--stack", "torch", "--machine", "1x Double")
LAYERS, STEPS, CONTEXTS = 3, 4, (16, 64)


def trace(*words: str, out: Path) -> int:
    return main(["trace", *words, *PLACE, "--out", str(out)])


def made(path: Path, size: int = 200_000, change: Callable[[dict[str, Any]], None] | None = None, indent: int | None = None) -> Path:
    """Write a trace whose times are known; changed and laid out otherwise where that is asked for."""
    with path.open("w") as file:
        write_trace(file, size)
    if change is not None or indent is not None:
        data = json.loads(path.read_text())
        if change:
            change(data)
        path.write_text(json.dumps(data, indent=indent or None, separators=None if indent else (",", ":")))
    return path


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of the processor: a few layers, in steps that a context and a phase belong to, and work outside of them."""
    torch = pytest.importorskip("torch")
    profiler = torch.profiler
    path = tmp_path_factory.mktemp("real") / "cpu.pt.trace.json"
    model = torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(LAYERS)))
    with torch.no_grad(), profiler.profile(activities=[profiler.ProfilerActivity.CPU]) as profile:
        for context in CONTEXTS:
            with profiler.record_function(f"prefill context={context}"):
                model(torch.randn(context, 32))
            for _ in range(STEPS):
                with profiler.record_function(f"decode context={context}"):
                    model(torch.ones(1, 32))
            model(torch.ones(1, 32))
    profile.export_chrome_trace(str(path))
    return path


def test_a_real_profile_of_the_processor(real: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    assert trace(str(real), out=out) == 0
    rows = {(row["phase"], row["context"], row["kernel"]): row for row in read(out)}
    for context in CONTEXTS:
        row = rows["decode", str(context), "aten::addmm"]
        assert (row["steps"], row["calls"]) == (str(STEPS), str(STEPS * LAYERS))
        assert float(row["median_us"]) <= float(row["p75_us"]) <= float(row["max_us"])
        assert float(row["total_us"]) == pytest.approx(float(row["mean_us"]) * STEPS * LAYERS, rel=1e-4)
        assert 0 < float(row["share_pct"]) < 100
        assert rows["prefill", str(context), "aten::addmm"]["calls"] == str(LAYERS)
    assert rows["outside", "0", "aten::addmm"]["calls"] == str(LAYERS * len(CONTEXTS))
    assert ("prefill", "16", "aten::randn") in rows
    assert ("decode", "16", "aten::randn") not in rows
    steps = read(tmp_path / "rows_steps.csv")
    assert len(steps) == len(CONTEXTS) * (STEPS + 1)
    for step in steps:
        whole = float(step["kernels_us"]) - float(step["overlap_us"]) + float(step["gaps_us"])
        assert whole == pytest.approx(float(step["step_us"]), rel=1e-4)


def test_shares_and_gaps_of_a_real_profile_make_a_whole(real: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    assert trace(str(real), out=out) == 0
    decode = [row for row in read(out) if (row["phase"], row["context"]) == ("decode", "64")]
    steps = [row for row in read(tmp_path / "rows_steps.csv") if (row["phase"], row["context"]) == ("decode", "64")]
    gaps = sum(float(row["gaps_us"]) for row in steps) / sum(float(row["step_us"]) for row in steps) * 100
    assert sum(float(row["share_pct"]) for row in decode) + gaps == pytest.approx(100, abs=0.01)


def test_kernels_belong_to_the_step_that_launched_them(tmp_path: Path) -> None:
    """The device is a step behind: by the time they ran, kernels of a prompt would be in the steps that decode."""
    out = tmp_path / "rows.csv"
    assert trace(str(made(tmp_path / "t.json")), out=out) == 0
    for kind, phase in ((DECODE, "decode"), (PREFILL, "prefill"), (MIXED, "mixed")):
        rows = [row for row in read(out) if row["phase"] == phase]
        assert rows
        assert {(row["median_us"], row["max_us"]) for row in rows} == {(f"{kind.kernel_us:g}", f"{kind.kernel_us:g}")}
        steps = int(rows[0]["steps"])
        assert sum(int(row["calls"]) for row in rows) == steps * kind.calls
        assert {row["graph_launches"] for row in rows} == {str(steps if kind.graph else 0)}
        whole = kind.calls * (kind.kernel_us + kind.gap_us) - kind.gap_us
        share = sum(float(row["share_pct"]) for row in rows)
        assert share == pytest.approx(kind.calls * kind.kernel_us / whole * 100, rel=1e-3)
    assert {row["machine"] for row in read(out)} == {"1x Double"}
    assert {row["date"] for row in read(out)} == {"2026-11-30"}


def rows_of(path: Path, out: Path, *words: str) -> list[dict[str, str]]:
    assert trace(str(path), *words, out=out) == 0
    own = {"run", "trace_file", "trace_sha256"}
    return [{name: cell for name, cell in row.items() if name not in own} for row in read(out)]


@pytest.mark.parametrize("layout", ["compact", "wide", "shuffled", "gzip", "members", "bare", "tricky"])
def test_the_layout_makes_no_difference(tmp_path: Path, layout: str) -> None:
    plain = rows_of(made(tmp_path / "plain.json"), tmp_path / "plain.csv")
    path = tmp_path / "other.json"

    def shuffle(data: dict[str, Any]) -> None:
        random.Random(1).shuffle(data["traceEvents"])  # noqa: S311 - any order will do

    def trick(data: dict[str, Any]) -> None:
        """Texts that look like ends of events, and lists of objects inside of events."""
        decoy = {"ph": "i", "name": "},\n  {", "args": {"list": [{"a": "}]"}, {"b": '"},{"'}] * 40, "deep": {"x": [{}, {}]}}}
        data["traceEvents"] = [item for event in data["traceEvents"] for item in (event, decoy)]
        data["more"] = [{"a": 1}, {"b": "]"}]

    changes = {"shuffled": shuffle, "tricky": trick}
    made(path, change=changes.get(layout), indent=8 if layout == "wide" else 0)
    if layout in ("gzip", "members"):
        data = path.read_bytes()
        half = len(data) // 2
        path.write_bytes(gzip.compress(data) if layout == "gzip" else gzip.compress(data[:half]) + gzip.compress(data[half:]))
    if layout == "bare":
        path.write_text(json.dumps(json.loads(path.read_text())["traceEvents"]))
        other = rows_of(path, tmp_path / "other.csv", "--date", "2026-11-30")
    else:
        other = rows_of(path, tmp_path / "other.csv")
    assert other == plain


def test_every_byte_may_be_the_last_of_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "t.json", 3000, change=lambda _: None)
    with TraceFile(path) as whole:
        names = [event.name for batch in whole.batches() for event in batch]
    for size in (1, 7, 64, 1021):
        monkeypatch.setattr("scripts.measure.trace_file.CHUNK_BYTES", size)
        with TraceFile(path) as file:
            assert [event.name for batch in file.batches() for event in batch] == names


BREAKS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut in an event": (lambda data: data[: len(data) // 2], "cut off"),
    "cut after an event": (lambda data: data[: data.rindex(b"},", 0, len(data) // 2) + 1], "cut off"),
    "cut after the list": (lambda data: data[: data.rindex(b"]") + 1], "cut off or damaged"),
    "a byte is wrong": (lambda data: data[:50_000].replace(b'"ph"', b"'ph'") + data[50_000:], "no JSON"),
    "a time is a text": (lambda data: data.replace(b'"dur": 5.000', b'"dur": "5"', 1), "Expected `float | null`"),
    "a duration is negative": (lambda data: data.replace(b'"dur": 5.000', b'"dur": -5.0', 1), "expected a time and a duration of 0 or more"),
    "no trace": (lambda _: b'{"rows": [1, 2]}', 'found no "traceEvents"'),
    "empty": (lambda _: b"", 'found no "traceEvents"'),
    "no event": (lambda _: b'{"traceEvents": []}', "found no kernel"),
    "gzip cut off": (lambda data: gzip.compress(data)[:-2000], "gzip file is cut off"),
    "gzip damaged": (lambda data: _flip(gzip.compress(data)), "gzip file is damaged"),
    "gzip with rubbish behind": (lambda data: gzip.compress(data) + b"rubbish", "gzip file is damaged"),
}


def _flip(data: bytes) -> bytes:
    half = len(data) // 2
    return data[:half] + bytes(255 - byte for byte in data[half : half + 40]) + data[half + 40 :]


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_trace_is_refused_in_one_line(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path / "t.json")
    change, reason = BREAKS[name]
    path.write_bytes(change(path.read_bytes()))
    assert trace(str(path), out=tmp_path / "rows.csv") == 2
    said = capsys.readouterr().err
    assert reason in said
    assert said.count("\n") == 1
    assert sorted(item.name for item in tmp_path.iterdir()) == ["t.json"]


def kernels(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in data["traceEvents"] if event.get("cat") == "kernel"]


def double(data: dict[str, Any]) -> None:
    data["traceEvents"].append(dict(kernels(data)[5]))


def swap(data: dict[str, Any]) -> None:
    first, second = kernels(data)[0]["args"], kernels(data)[-1]["args"]
    first["correlation"], second["correlation"] = second["correlation"], first["correlation"]


def no_launches(data: dict[str, Any]) -> None:
    data["traceEvents"] = [event for event in data["traceEvents"] if event.get("cat") != "cuda_runtime"]


def no_steps(data: dict[str, Any]) -> None:
    data["traceEvents"] = [event for event in data["traceEvents"] if event.get("cat") != "user_annotation"]


def cross(data: dict[str, Any]) -> None:
    step = next(event for event in data["traceEvents"] if event.get("cat") == "user_annotation")
    step["dur"] += 30


def elsewhere(data: dict[str, Any]) -> None:
    for event in data["traceEvents"]:
        if event.get("cat") == "user_annotation":
            event["ts"] += 1e9


WRONG: dict[Callable[[dict[str, Any]], None], str] = {
    double: "is there twice",
    swap: "runs after one of the later step",
    no_launches: "after it, so kernels + gaps is more than the step",
    no_steps: "no annotation is a step",
    cross: "cross; expected one after the other",
    elsewhere: "no call falls into any",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda item: item.__name__)
def test_sums_that_do_not_close_are_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trace(str(made(tmp_path / "t.json", change=change)), out=tmp_path / "rows.csv") == 2
    assert WRONG[change] in capsys.readouterr().err
    assert not (tmp_path / "rows.csv").exists()


def test_operators_that_cross_are_refused(real: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(real.read_text())
    outer = next(event for event in data["traceEvents"] if event.get("name") == "aten::linear")
    outer["dur"] -= outer["dur"] / 2
    path = tmp_path / "t.json"
    path.write_text(json.dumps(data))
    assert trace(str(path), out=tmp_path / "rows.csv") == 2
    assert "ends after it; on one thread" in capsys.readouterr().err


def test_kernels_outside_of_steps_have_rows_too(tmp_path: Path) -> None:
    def lose(data: dict[str, Any]) -> None:
        launch = next(event for event in data["traceEvents"] if event.get("name") == "cudaGraphLaunch")
        data["traceEvents"].remove(launch)

    plain = rows_of(made(tmp_path / "plain.json"), tmp_path / "plain.csv")
    rows = rows_of(made(tmp_path / "t.json", change=lose), tmp_path / "rows.csv")
    lost = [row for row in rows if row["phase"] == "outside"]
    assert sum(int(row["calls"]) for row in lost) == DECODE.calls
    assert {row["share_pct"] for row in lost} == {""}
    assert sum(int(row["calls"]) for row in rows) == sum(int(row["calls"]) for row in plain)


def test_phase_and_context_by_argument_and_by_name(tmp_path: Path) -> None:
    def annotate(data: dict[str, Any]) -> None:
        for event in data["traceEvents"]:
            if event.get("cat") == "user_annotation":
                event["args"].update(mode="alone" if "context_0" in event["name"] else "with a prompt", depth=4096)

    path = made(tmp_path / "t.json", change=annotate)
    rows = rows_of(path, tmp_path / "a.csv", "--phase-arg", "mode", "--context-arg", "depth")
    assert {(row["phase"], row["context"]) for row in rows} == {("alone", "4096"), ("with a prompt", "4096")}
    rows = rows_of(path, tmp_path / "b.csv", "--phase", "alone=^execute_context_0", "--phase", "rest=.", "--context", "8192")
    assert {(row["phase"], row["context"]) for row in rows} == {("alone", "8192"), ("rest", "8192")}
    rows = rows_of(path, tmp_path / "c.csv", "--step", r"execute_context_1\((?P<context>\d+)\)_generation_(?P<decodes>1)\(1\)")
    assert {(row["phase"], row["context"]) for row in rows if row["phase"] != "outside"} == {("step", "1024")}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--phase", "decode"), "--phase: found decode, expected NAME=EXPRESSION"),
        (("--step", "("), "--step: ( is no regular expression"),
        (("--context-arg", "depth"), "found the context 'deep', expected a number of tokens"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    def annotate(data: dict[str, Any]) -> None:
        for event in data["traceEvents"]:
            event.setdefault("args", {})["depth"] = "deep"

    assert trace(str(made(tmp_path / "t.json", change=annotate)), *words, out=tmp_path / "rows.csv") == 2
    assert said in capsys.readouterr().err


def test_reading_again_adds_nothing(tmp_path: Path) -> None:
    path, out = made(tmp_path / "t.json"), tmp_path / "rows.csv"
    assert trace(str(path), out=out) == 0
    before = {item.name: item.read_bytes() for item in tmp_path.iterdir()}
    assert trace(str(path), out=out) == 0
    assert {item.name: item.read_bytes() for item in tmp_path.iterdir()} == before


@pytest.mark.parametrize("left", [1, 2, 5])
def test_a_reading_that_was_interrupted_is_finished(tmp_path: Path, left: int) -> None:
    path, out = made(tmp_path / "t.json"), tmp_path / "rows.csv"
    assert trace(str(path), out=out) == 0
    before = {item.name: item.read_bytes() for item in tmp_path.iterdir()}
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:left]) + lines[left][:10])
    record = tmp_path / "rows.provenance.json"
    record.write_text(record.read_text().replace('"complete": true', '"complete": false'))
    assert trace(str(path), out=out) == 0
    assert {item.name: item.read_bytes() for item in tmp_path.iterdir()} == before


def test_of_several_traces_one_may_be_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, out = made(tmp_path / "good.json"), tmp_path / "bad.json", tmp_path / "rows.csv"
    bad.write_text("{}")
    assert trace(str(bad), str(good), out=out) == 1
    assert "refused:" in capsys.readouterr().err
    assert {row["trace_file"] for row in read(out)} == {"good.json"}


def test_the_plan_says_how_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trace(str(made(tmp_path / "t.json")), "--dry-run", out=tmp_path / "rows.csv") == 0
    assert "in all: 1 cells in 1 rungs" in capsys.readouterr().out
    assert not (tmp_path / "rows.csv").exists()


MEASURE = """
import resource, sys, time
from scripts.measure.cli import main
import scripts.measure.trace
before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
assert main(["trace", sys.argv[1], "--stack", "x", "--out", sys.argv[2]]) == 0
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, time.process_time() - began)
"""


def test_a_large_trace_takes_little_memory_and_time(tmp_path: Path) -> None:
    """What a process takes beyond its libraries is a few pieces of the file and some bytes for each kernel; a core reads 50 MB/s of it."""
    path, size = tmp_path / "t.json.gz", 48_000_000
    with gzip.open(path, "wt", 1) as file:
        write_trace(file, size)
    command = [sys.executable, "-c", MEASURE, str(path), str(tmp_path / "rows.csv")]
    memory, seconds = [], []
    for _ in range(3):  # time of a core, but of one that others use too
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        memory.append(int(done.stdout.split()[0]))
        seconds.append(float(done.stdout.split()[1]))
        (tmp_path / "rows.csv").unlink()
    assert max(memory) < size / 2
    assert size / 1e6 / min(seconds) > 50


@pytest.mark.parametrize("sample", sorted((Path(__file__).parent / "samples").glob("*.json.gz")), ids=lambda path: path.name)
def test_a_real_profile_of_a_gpu(sample: Path, tmp_path: Path) -> None:
    """Committed: taken by `make_gpu_trace` on a GPU, and shrunk."""
    out = tmp_path / "rows.csv"
    assert main(["trace", str(sample), "--stack", "torch", "--out", str(out)]) == 0
    rows = read(out)
    decode = [row for row in rows if row["phase"] == "decode"]
    assert decode
    assert all(int(row["graph_launches"]) == int(row["steps"]) > 0 for row in decode)
    assert min(int(row["context"]) for row in decode) > 0
    assert any(row["phase"] == "prefill" for row in rows)
    for step in read(tmp_path / "rows_steps.csv"):
        whole = float(step["kernels_us"]) - float(step["overlap_us"]) + float(step["gaps_us"])
        assert whole == pytest.approx(float(step["step_us"]), rel=1e-4)


def test_rows_join_the_ledger_untouched(tiny: Copy, tmp_path: Path) -> None:
    out = tmp_path / "profile.csv"
    assert trace(str(made(tmp_path / "t.json")), out=out) == 0
    for name in ("profile.csv", "profile_steps.csv"):
        status, lines = tiny.run("add-dataset", str(tmp_path / name))
        assert status == 0, lines
    assert tiny.check()[0] == 0
