"""What would be decided, against what was observed: the five runs, the custom kernel's three conditions, the grids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.probe.cli import main
from scripts.probe.devices import Device, find_device, known_names
from scripts.probe.model import hybrid_block_size, read_model
from scripts.probe.predict import Setting, predict

CONFIGS = Path(__file__).parent / "configs"
GEMMA, HYBRID, DENSE = "gemma-4-31b", "qwen3.8-27b", "qwen3-8b"


def config(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text("utf-8"))
    return loaded


@pytest.mark.parametrize(
    ("model", "device", "setting", "backend", "admitted"),
    [
        (GEMMA, "A100 80G", Setting(speculative=3), "TRITON_ATTN", True),
        (HYBRID, "Radeon RX 7900 XT", Setting(ranks=2, speculative=3, backend="TRITON_ATTN"), "TRITON_ATTN", True),
        (HYBRID, "RX 7900 XT", Setting(ranks=2, speculative=3), "ROCM_ATTN", False),
        (HYBRID, "A100", Setting(speculative=3), "FLASH_ATTN", False),
        (GEMMA, "gfx1100", Setting(ranks=2), "TRITON_ATTN", True),
        (GEMMA, "gfx1100", Setting(ranks=2, speculative=0), "TRITON_ATTN", False),
        (GEMMA, "A100", Setting(native=True), "TRITON_ATTN", False),
        (GEMMA, "H200", Setting(), "FLASH_ATTN", False),
        (DENSE, "H100", Setting(), "FLASH_ATTN", False),
        (DENSE, "B200", Setting(), "FLASHINFER", False),
        (DENSE, "V100", Setting(), "TRITON_ATTN", True),
        (DENSE, "MI300X", Setting(), "ROCM_ATTN", False),
    ],
)
def test_route(model: str, device: str, setting: Setting, backend: str, admitted: bool) -> None:  # noqa: FBT001  # a table
    prediction = predict(read_model(config(model)), find_device(device), setting)
    assert (prediction.backend, prediction.admitted) == (backend, admitted)
    assert all(decision.rule for decision in prediction.decisions)


def test_three_conditions_of_the_custom_kernel() -> None:
    model = read_model(config(HYBRID))
    for relaxed, fails in (
        (Setting(ranks=2, speculative=0), ["head size", "block size", "power of two"]),
        (Setting(block_size=16), ["head size"]),
    ):
        decisions = {each.question: each for each in predict(model, find_device("gfx1100"), relaxed).decisions}
        failed = [name.removeprefix("custom paged attention: ") for name, each in decisions.items() if each.answer.endswith("fails")]
        assert failed == fails
        assert decisions["decode kernel"].answer.startswith("the Triton fallback")
    decisions = {each.question: each for each in predict(read_model(config(DENSE)), find_device("gfx1100"), Setting()).decisions}
    assert decisions["decode kernel"].answer == "ROCm's custom kernel, up to 131072 tokens"


@pytest.mark.parametrize(("name", "ranks", "speculative", "tokens"), [(HYBRID, 2, 0, 784), (HYBRID, 1, 0, 784), ("hybrid-35b-a3b", 1, 3, 1072)])
def test_block_size_of_hybrid_models(name: str, ranks: int, speculative: int, tokens: int) -> None:
    assert hybrid_block_size(read_model(config(name)), ranks, speculative) == tokens


def test_grid_of_the_article() -> None:
    answers = [each.answer for each in predict(read_model(config(GEMMA)), find_device("gfx1100"), Setting(ranks=2)).decisions]
    assert answers.count("2D, 1 x 8 workgroups") == 2
    assert answers.count("3D, 1 x 8 x 16 workgroups") == 2
    assert "16" in answers


def test_blackwell_keeps_its_own_tiling() -> None:
    decisions = predict(read_model(config(GEMMA)), find_device("sm_100"), Setting(backend="TRITON_ATTN")).decisions
    patched = {each.question.split(",")[1]: each.answer[:2] for each in decisions if each.question.startswith("patched")}
    assert patched == {" head size 256": "2D", " head size 512": "3D"}


def test_latent_attention_has_backends_of_its_own() -> None:
    prediction = predict(read_model(config(DENSE) | {"kv_lora_rank": 512}), find_device("H200"), Setting())
    assert (prediction.backend, prediction.admitted) == ("an MLA backend", False)


def test_devices() -> None:
    assert find_device("NVIDIA A100-SXM4-80GB").capability == (8, 0)
    assert find_device("NVIDIA GeForce RTX 4090").capability == (8, 9)
    assert find_device("AMD Instinct MI300X").gfx == "gfx942"
    assert find_device("sm_120") == Device("sm_120", "nvidia", (12, 0))
    assert all(find_device(name) for name in known_names())
    with pytest.raises(ValueError, match="unknown device 'abacus': say sm_80 or gfx1100, or one of"):
        find_device("abacus")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config(GEMMA)), "utf-8")
    assert main(["--predict", str(tmp_path), "--device", "A100"]) == 0
    out = capsys.readouterr().out
    assert "gemma-4 has head sizes 256 and 512, and A100 has no FlashAttention 4" in out
    assert out.splitlines()[-1] == "Active with the patch: verify steps of 2 rows reach TRITON_ATTN, whose stock gate keeps them in 2D."
    assert main(["--predict", str(CONFIGS / "qwen3.8-27b.json"), "--device", "A100", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["backend"], answer["admitted"], set(answer["decisions"][0])) == ("FLASH_ATTN", False, {"question", "answer", "rule"})
    assert (
        main(["--predict", str(CONFIGS / "qwen3-8b.json"), "--device", "A100", "--vllm", "0.33.0", "--attention-backend", "triton_attn"]) == 1
    )
    assert "admits up to 8 rows by itself" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["{}", "[]", "not json", '{"num_attention_heads": 8}', '{"num_attention_heads": 8, "head_dim": 64, "layer_types": ["mamba"]}']
)
def test_a_file_that_is_no_model(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, "utf-8")
    assert main(["--predict", str(path), "--device", "A100"]) == 2
    assert capsys.readouterr().err.startswith("could not run: ")
