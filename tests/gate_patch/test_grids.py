"""The launchers of real releases, patched in both ways, choose the grid they should, and never too small a scratch."""

from __future__ import annotations

import random
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.gate_patch.conftest import launch, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATCHED = ("0.22.1", "0.28.0", "0.32.0")
HOW = ("entry-point", "source")
BIG, HYBRID, SMALL = (32, 16, 256), (24, 4, 256), (32, 8, 128)


def case(shape: tuple[int, int, int], *, speculative: int | None, rows: int, sequences: int = 1, **more: Any) -> dict[str, Any]:
    heads, kv_heads, head_size = shape
    return {
        "heads": heads,
        "kv_heads": kv_heads,
        "head_size": head_size,
        "speculative": speculative,
        "rows": rows,
        "sequences": sequences,
    } | more


# What is asked, and the grid in 3D: None where the step must stay in 2D.
CASES: list[tuple[str, dict[str, Any], list[int] | None]] = [
    ("one row", case(BIG, speculative=1, rows=1), [1, 16, 16]),
    ("one row without speculation", case(BIG, speculative=None, rows=1), [1, 16, 16]),
    ("two rows, one draft", case(BIG, speculative=1, rows=2), [1, 16, 16]),
    ("two rows, group of six", case(HYBRID, speculative=1, rows=2), [2, 4, 16]),
    ("four rows, three drafts", case(SMALL, speculative=3, rows=4), [2, 8, 16]),
    ("four rows, group of six", case(HYBRID, speculative=3, rows=4), [3, 4, 16]),
    ("four rows, four sequences", case(HYBRID, speculative=3, rows=4, sequences=4), [12, 4, 16]),
    ("sixteen rows, fifteen drafts", case(SMALL, speculative=15, rows=16), [5, 8, 16]),
    ("two rows, three drafts", case(SMALL, speculative=3, rows=2), [1, 8, 16]),
    ("sliding window", case(SMALL, speculative=1, rows=2, window=1024), [1, 8, 16]),
    ("as many sequences as the threshold", case(BIG, speculative=1, rows=2, sequences=8), [10, 16, 16]),
    ("captured, padded to a graph size", case(BIG, speculative=1, rows=2, sequences=3, tokens=8, capture_sizes=[1, 2, 4, 8, 16]), [4, 16, 16]),
    ("more rows than drafts allow", case(SMALL, speculative=1, rows=4), None),
    ("sixteen rows, three drafts", case(SMALL, speculative=3, rows=16), None),
    ("two rows without speculation", case(SMALL, speculative=None, rows=2), None),
    ("prefill", case(SMALL, speculative=3, rows=4096), None),
    ("prefill with one draft", case(HYBRID, speculative=1, rows=4096), None),
    ("decode and prefill together", case(SMALL, speculative=1, rows=4096, sequences=4, tokens=4102), None),
    ("more sequences than the threshold", case(BIG, speculative=1, rows=2, sequences=9), None),
    ("more tokens than the scratch has rows", case(BIG, speculative=1, rows=2, sequences=8, tokens=17), None),
    ("one row, more tokens than the scratch", case(BIG, speculative=None, rows=1, sequences=8, tokens=9), None),
    ("batch invariance", case(SMALL, speculative=1, rows=2, batch_invariant=True), None),
    ("bidirectional prefix", case(SMALL, speculative=1, rows=2, mm_prefix=True), None),
]
# Only where the release has the notion.
LATER_CASES: list[tuple[str, dict[str, Any], list[int] | None]] = [
    ("not causal", case(SMALL, speculative=1, rows=2, causal=False), None),
    ("causal per sequence", case(SMALL, speculative=1, rows=2, causal="per sequence"), None),
    ("Blackwell's own tiling", case(BIG, speculative=1, rows=2, blackwell=True), None),
    ("Blackwell, other head size", case(SMALL, speculative=1, rows=2, blackwell=True), [1, 8, 16]),
]


def cases_of(version: str) -> list[tuple[str, dict[str, Any], list[int] | None]]:
    return CASES + (LATER_CASES if version != "0.22.1" else [])


@pytest.fixture(scope="module")
def patched(release: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Return a function to a patched copy of a release, made once."""
    made: dict[tuple[str, str], Path] = {}

    def make(version: str, how: str) -> Path:
        if (version, how) not in made:
            root = tmp_path_factory.mktemp("vllm") / version
            shutil.copytree(release(version), root)
            done = run("apply", "--how", how, "--root", root)
            assert done.returncode == 0, done.stderr
            made[version, how] = root
        return made[version, how]

    return make


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("version", PATCHED)
def test_grid_of_each_step(version: str, how: str, patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    cases = cases_of(version)
    did, printed = launch(patched(version, how), [each for _, each, _ in cases], "1", tmp_path / "did.json")
    found = {name: step["grid"] if step["is_3d"] else None for (name, _, _), step in zip(cases, did["cases"], strict=True)}
    assert found == {name: grid for name, _, grid in cases}
    for step in did["cases"]:
        assert not step["is_3d"] or step["tokens"] <= step["scratch_rows"]
        assert len(step["grid"]) == (3 if step["is_3d"] else 2)
    assert [line for line in printed if line.startswith("PROBE")] == ["PROBE_3D_SPEC_ACTIVE max_seqlen_q=2"]


@pytest.mark.parametrize("version", PATCHED)
def test_both_ways_decide_alike(version: str, patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    cases = random_cases(400)
    steps = []
    for how in HOW:
        did, _ = launch(patched(version, how), cases, "1", tmp_path / f"{how}.json")
        steps.append([{name: step[name] for name in ("grid", "is_3d", "scratch_rows", "buffers")} for step in did["cases"]])
    assert steps[0] == steps[1]
    admitted = 0
    for each, step in zip(cases, steps[0], strict=True):
        tokens = each.get("tokens", each["rows"] * each["sequences"])
        assert not step["is_3d"] or (tokens <= step["scratch_rows"] and each["rows"] <= 1 + (each["speculative"] or 0))
        admitted += step["is_3d"] and each["rows"] > 1
    assert admitted > 50


def random_cases(count: int) -> list[dict[str, Any]]:
    """Return many steps of many models; the generator is seeded, so both ways see the same."""
    draw = random.Random(45450)  # noqa: S311  # cases, not secrets
    cases = []
    for _ in range(count):
        kv_heads, group = draw.choice([1, 2, 4, 8, 16]), draw.choice([1, 2, 4, 5, 6, 7, 8, 16, 32])
        speculative = draw.choice([None, 0, 1, 2, 3, 7, 15])
        rows, sequences = draw.choice([1, 1 + (speculative or 0), draw.randint(1, 20), 4096]), draw.choice([1, 2, 3, 8, 16, 33])
        more = {"capture_sizes": draw.choice([None, [1, 2, 4, 8, 16, 24], [3, 6], [512]]), "sm120_units": draw.choice([0, 0, 170])}
        if draw.random() < 0.3:
            more["tokens"] = draw.randint(rows, rows * sequences + 8)
        shape = (kv_heads * group, kv_heads, draw.choice([64, 80, 128, 256, 512]))
        cases.append(case(shape, speculative=speculative, rows=rows, sequences=sequences, **more))
    return cases


@pytest.mark.parametrize("version", PATCHED)
def test_buffers_have_a_row_for_each_token(version: str, patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    each = case(SMALL, speculative=3, rows=4, sequences=16)
    for how in HOW:
        did, printed = launch(patched(version, how), [each], "1", tmp_path / "did.json")
        step = did["cases"][0]
        assert step["threshold"] == 16
        assert step["buffers"] == [[64, 32, 16, 128], [64, 32, 16], [64, 32, 16]]
        assert (step["tokens"], step["scratch_rows"]) == (64, 64)
        assert "GATE_PATCH active decode_query_len=4 segment_rows=64" in printed


@pytest.mark.parametrize("version", [*PATCHED, "0.33.0"])
def test_stock_gate(version: str, release: Callable[[str], Path], tmp_path: Path) -> None:
    rows = (1, 2, 4, 16, 4096)
    did, printed = launch(release(version), [case(SMALL, speculative=3, rows=each) for each in rows], "1", tmp_path / "did.json")
    split = [each for each, step in zip(rows, did["cases"], strict=True) if step["is_3d"]]
    assert split == ([1, 2, 4] if version == "0.33.0" else [1])
    assert printed == []


@pytest.mark.parametrize("asked", [None, "", "0", "off", "2"])
def test_entry_point_sleeps_unless_asked(asked: str | None, patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    did, printed = launch(patched("0.28.0", "entry-point"), [case(SMALL, speculative=1, rows=2)], asked, tmp_path / "did.json")
    assert (did["cases"][0]["is_3d"], did["was_patched"], printed) == (False, False, [])


def test_source_patch_can_be_switched_off(patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    root, each = patched("0.28.0", "source"), [case(SMALL, speculative=1, rows=2)]
    on, _ = launch(root, each, None, tmp_path / "on.json")
    off, printed = launch(root, each, "0", tmp_path / "off.json")
    assert (on["cases"][0]["is_3d"], off["cases"][0]["is_3d"], printed) == (True, False, [])


@pytest.mark.parametrize("version", PATCHED)
def test_objects_come_back(version: str, patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    did, printed = launch(patched(version, "entry-point"), [case(SMALL, speculative=1, rows=1)], "1", tmp_path / "did.json")
    assert (did["was_patched"], did["restored"], did["finders_left"]) == (True, True, 0)
    assert printed == [f"GATE_PATCH armed vllm={version} how=entry-point", "GATE_PATCH active decode_query_len=2 segment_rows=32"]


def test_only_steps_of_several_rows_are_masked(patched: Callable[[str, str], Path], tmp_path: Path) -> None:
    cases = [case(SMALL, speculative=1, rows=rows) for rows in (1, 2)]
    did, _ = launch(patched("0.28.0", "entry-point"), cases, "1", tmp_path / "did.json")
    assert [step["events"] for step in did["cases"]] == [
        ["kernel_unified_attention", "reduce_segments"],
        ["kernel_unified_attention", "masked", "reduce_segments"],
    ]


@pytest.mark.parametrize("damage", ["modified", "unknown", "0.33.0"])
def test_a_process_says_why_it_refuses(damage: str, copy: Callable[[str], Path], tmp_path: Path) -> None:
    root = copy("0.28.0")
    assert run("apply", "--root", root).returncode == 0
    target = root / "vllm" / "v1/attention/backends/triton_attn.py"
    if damage == "modified":
        target.write_bytes(target.read_bytes() + b"\n")
        wanted = r"GATE_PATCH refused: found vLLM 0\.28\.0, but v1/attention/backends/triton_attn\.py is modified: sha256 .*"
    else:
        version = "0.28.9" if damage == "unknown" else damage
        (root / "vllm" / "_version.py").write_text(f"__version__ = version = '{version}'\n", "utf-8")
        wanted = rf"GATE_PATCH refused: found vLLM {re.escape(version)}, .*"
    did, printed = launch(root, [case(SMALL, speculative=1, rows=2)], "1", tmp_path / "did.json")
    assert re.fullmatch(wanted, printed[0]), printed
    assert (did["cases"][0]["is_3d"], did["was_patched"]) == (False, False)
