"""Logs of our own making: the five runs of the article, what can go wrong, and gigabytes."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.probe import log
from scripts.probe.cli import main
from scripts.probe.lines import Kind, Process, read_line, strip_ansi
from scripts.probe.log import read_blocks, select_lines, summarize
from scripts.probe.verdict import judge

HERE = Path(__file__).parent
SAMPLES = HERE / "samples"
ELSEWHERE = "Idle: routed to {}: change the backend, not the patch (--attention-backend TRITON_ATTN)."
ACTIVE = "Active: the 3D path serves steps of up to 4 rows in {}."
REFUSAL = "found vLLM 0.28.0, but v1/attention/backends/triton_attn.py is modified: sha256 0123456789ab, the release has c4b58201d73d"

# Sample, exit code, sentence.
VERDICTS = [
    ("run1_gemma31b_a100", 0, ACTIVE.format("1 of 1 worker")),
    ("run2_gemma26b_a100_ansi", 0, ACTIVE.format("1 of 1 worker")),
    ("run3_qwen27b_radeon_pinned", 0, ACTIVE.format("2 of 2 workers")),
    ("run4_qwen27b_radeon_routed_ansi", 1, ELSEWHERE.format("ROCM_ATTN")),
    ("run5_qwen27b_a100_routed", 1, ELSEWHERE.format("FLASH_ATTN")),
    ("one_of_two", 0, ACTIVE.format("1 of 2 workers")),
    ("restarted", 1, ELSEWHERE.format("ROCM_ATTN")),
    ("other_drafter_backend", 0, ACTIVE.format("1 of 1 worker")),
    ("no_patch", 1, "Idle: TRITON_ATTN serves verify steps in 2D; no trace of the patch: install it and ask for it."),
    ("no_speculation", 1, "Idle: no speculation is configured, so no step has a second row; there is nothing to admit."),
    ("vllm_0_33", 1, "Idle: vLLM 0.33.0 already admits up to 8 rows by itself; no patch is needed."),
    (
        "refused",
        1,
        f"Idle: the patch was refused: {REFUSAL}.",
    ),
    (
        "armed_silent",
        1,
        "Idle: patch, backend and speculation are in place, but the probe is silent; no verify step has run in this log yet.",
    ),
    ("truncated", 1, "Idle as far as this log goes: it ends before a backend is chosen."),
    ("not_vllm", 2, "This is no vLLM serve log: no line of it is one that vLLM writes."),
]


def probe(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code = main([*map(str, arguments), "--json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, answer


@pytest.mark.parametrize(("name", "code", "sentence"), VERDICTS)
def test_verdict(name: str, code: int, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = SAMPLES / f"{name}.log"
    assert main([str(path)]) == code
    assert capsys.readouterr().out.splitlines()[-1] == sentence
    found, answer = probe(capsys, path)
    assert (found, answer["exit_code"], answer["verdict"]) == (code, code, sentence)


def test_every_sample_is_judged() -> None:
    assert {path.stem for path in SAMPLES.glob("*.log")} == {name for name, _, _ in VERDICTS}


@pytest.mark.parametrize(
    ("name", "backend", "drafter", "workers", "ranks"),
    [
        ("run1_gemma31b_a100", {"TRITON_ATTN": "fixed before routing"}, {"TRITON_ATTN": "fixed before routing"}, 1, 1),
        ("run3_qwen27b_radeon_pinned", {"TRITON_ATTN": "selected with --attention-backend"}, {}, 2, 2),
        ("run4_qwen27b_radeon_routed_ansi", {"ROCM_ATTN": "routed past an incompatible backend"}, {}, 0, 2),
        ("run5_qwen27b_a100_routed", {"FLASH_ATTN": "routed"}, {}, 0, 1),
        ("other_drafter_backend", {"TRITON_ATTN": "fixed before routing"}, {"FLASH_ATTN": "routed"}, 1, 1),
    ],
)
def test_whole_answer(
    name: str, backend: dict[str, str], drafter: dict[str, str], workers: int, ranks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    _, answer = probe(capsys, SAMPLES / f"{name}.log")
    assert answer["backend"] == {"target": backend, "drafter": drafter}
    assert answer["probe"] == {"workers": workers, "of": ranks, "rows": 4 if workers else None}
    assert answer["speculation"] == {"method": "mtp", "tokens": 3}
    assert (answer["patch"], answer["vllm"], answer["starts"]) == ("installed", "0.28.0", 1)


def test_restart_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = probe(capsys, SAMPLES / "restarted.log")
    assert (answer["starts"], answer["probe"]["workers"], list(answer["backend"]["target"])) == (2, 0, ["ROCM_ATTN"])


def test_colour_changes_nothing() -> None:
    plain = (SAMPLES / "run3_qwen27b_radeon_pinned.log").read_text("utf-8")
    coloured = re.sub(r"^(\([^)]*\)) ", "\x1b[0;36m\\1\x1b[0;0m ", plain, flags=re.MULTILINE).replace("Using", "\x1b[1;32mUsing\x1b[0m")
    coloured = coloured.replace("TRITON", "\x1b]8;;http://x\x07TRITON\x1b]8;;\x07")
    assert strip_ansi(coloured) == plain
    assert summarize(io.BytesIO(coloured.encode())) == summarize(io.BytesIO(plain.encode()))


def test_one_log_a_worker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (SAMPLES / "run3_qwen27b_radeon_pinned.log").read_text("utf-8").splitlines(keepends=True)
    parts = []
    for name in ("APIServer", "EngineCore", "Worker_TP0", "Worker_TP1"):
        parts.append(tmp_path / f"{name}.log")
        parts[-1].write_text("".join(line for line in lines if line.startswith(f"({name} ")), "utf-8")
    code, answer = probe(capsys, *parts)
    assert (code, answer["probe"]) == (0, {"workers": 2, "of": 2, "rows": 4})
    assert answer["patch"] == "installed"


def test_lines_without_a_process_name_count_one_by_one() -> None:
    text = b"INFO 08-29 14:00:00 [cuda.py:426] Using AttentionBackendEnum.TRITON_ATTN backend.\n" + b"PROBE_3D_SPEC_ACTIVE max_seqlen_q=2\n" * 2
    summary = summarize(io.BytesIO(text))
    assert (len(summary.fired), judge(summary).exit_code) == (2, 0)


def test_standard_input() -> None:
    command = [sys.executable, "-m", "scripts.probe", "-"]
    for name, code, sentence in VERDICTS[2:4]:
        sample = (SAMPLES / f"{name}.log").read_bytes()
        done = subprocess.run(command, input=sample, cwd=HERE.parent.parent, capture_output=True, check=False)
        assert (done.returncode, done.stdout.decode().splitlines()[-1]) == (code, sentence)


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "missing.log")]) == 2
    assert "missing.log" in capsys.readouterr().err
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "binary.log").write_bytes(bytes(range(256)) * 100)
    assert main([str(tmp_path / "empty.log")]) == 2
    assert main([str(tmp_path / "binary.log")]) == 2
    with pytest.raises(SystemExit) as usage:
        main([])
    assert usage.value.code == 2


@pytest.mark.parametrize(
    ("line", "backend"),
    [
        ("Using AttentionBackendEnum.TRITON_ATTN backend.", "TRITON_ATTN"),
        ("Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN', 'TRITON_ATTN'].", "FLASH_ATTN"),
        ("Using ROCM_ATTN backend out of potential backends: ['ROCM_ATTN'].", "ROCM_ATTN"),
        ("Using TRITON_ATTN backend (selected via --attention-backend).", "TRITON_ATTN"),
        ("Using FLASHINFER attention backend out of potential backends: ['FLASHINFER'].", "FLASHINFER"),
        (
            "Found incompatible backend(s) [TURBOQUANT] with AttentionType.DECODER. Overriding with ROCM_ATTN out of potential backends: [].",
            "ROCM_ATTN",
        ),
        ("Found incompatible backend(s) [X] with AttentionType.ENCODER_ONLY. Overriding with TRITON_ATTN out of potential backends: [].", None),
        ("Using backend AttentionBackendEnum.FLASH_ATTN for vit attention", None),
        ("Using AttentionBackendEnum.FLASH_ATTN for MMEncoderAttention.", None),
        ("Using Flash Attention backend for ViT model.", None),
        ("Using FLASH_ATTN MLA prefill backend.", None),
        ("Using CUTLASS backend.", None),
        ("Using FLASHINFER_TRTLLM MoE backend out of potential backends: []", None),
    ],
)
def test_backend_lines(line: str, backend: str | None) -> None:
    event = read_line(f"(Worker_TP1 pid=77) INFO 08-29 14:00:00 [x.py:1] {line}".encode())
    assert event is not None
    assert (event.text if event.kind is Kind.BACKEND else None, event.process) == (backend, Process("Worker_TP1", "77"))


def test_process_behind_a_progress_bar_and_a_container_name() -> None:
    event = read_line(b"(Worker_TP0 pid=1) Capturing: 40%|####  |\r(Worker_TP1 pid=2) PROBE_3D_SPEC_ACTIVE max_seqlen_q=3")
    assert event is not None
    assert (event.process, event.rows) == (Process("Worker_TP1", "2"), 3)
    event = read_line(b"node1  | (EngineCore pid=5) INFO 08-29 14:00:00 [x.py:1] Loading drafter model...")
    assert event is not None
    assert event.process == Process("node1 EngineCore", "5")


class Endless(io.RawIOBase):
    """A stream of many bytes that are made when they are read."""

    def __init__(self, parts: list[tuple[bytes, int]]) -> None:
        self.parts = parts

    def read(self, size: int = -1) -> bytes:
        """Return the next part, never more than `size`."""
        while self.parts:
            text, times = self.parts[0]
            if times == 0:
                self.parts.pop(0)
                continue
            fit = max(1, min(times, size // len(text)))
            self.parts[0] = (text, times - fit)
            return text * fit
        return b""


def test_memory_is_constant() -> None:
    start = (SAMPLES / "run3_qwen27b_radeon_pinned.log").read_bytes()
    noise = b'(APIServer pid=2200) INFO:     127.0.0.1:5000 - "POST /v1/completions HTTP/1.1" 200 OK\n'
    often = b"(APIServer pid=2200) INFO 08-29 14:00:10 [loggers.py:271] Engine 000: Avg prompt throughput: 1.0 tokens/s\n"
    stream = Endless([(start, 1), (noise, 600_000), (b"x", 0), (b"y" * 4096, 12_000), (b"\n", 1), (often, 200_000)])
    tracemalloc.start()
    try:
        summary = summarize(stream)  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(summary.fired) == 2
    assert peak < 16 << 20


@given(
    lines=st.lists(
        st.sampled_from([b"", b"noise", b"PROBE_3D_SPEC_ACTIVE max_seqlen_q=2", b"z" * 70, b"GATE_PATCH armed", b"Using"]), max_size=12
    ),
    block=st.integers(1, 40),
    ended=st.booleans(),
)
def test_blocks_lose_no_line(lines: list[bytes], block: int, ended: bool) -> None:  # noqa: FBT001  # drawn
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "BLOCK", block)
        patch.setattr(log, "LONGEST_LINE", 60)
        found = list(select_lines(read_blocks(io.BytesIO(text))))
    assert found == [line for line in lines if line not in {b"", b"noise", b"z" * 70}]
