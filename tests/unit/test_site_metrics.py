"""The numbers of the site, through the library: each metric gives what the page may show."""

from dataclasses import replace
from pathlib import Path

import pytest

from ledgermark import Quantity, UnitError
from ledgermark.claims import parse_key
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.project import load_project
from ledgermark.verify import verify

SILENT = "q38_radeon_routed,q38_a100_routed"
MODELS = "Qwen3-8B,gemma-4-12B-it,gemma-4-26B-A4B,gemma-4-31B-it,Qwen3.6-27B"
SHOWN = [
    # the ladder
    ("mtp_gain?context=1024,8192,16384,32768", "+36.9 %, −14.0 %, −32.4 %, −70.8 %"),
    ("mtp_gain?context=32768&show=magnitude", "70.8 %"),
    ("mtp_gain_replicate?context=1024,8192,16384,32768", "+28.6 %, −13.7 %, −32.5 %, −70.9 %"),
    ("replicate_change?context=1024", "−6.0 %"),
    ("replicate_spread?contexts=8192,16384,32768", "0.45 %"),
    ("replicate_gap_days", "25 days"),
    ("baseline_spread?contexts=1024,8192,16384,32768", "0.8 %"),
    ("rate_retained?arm=no_speculation,mtp_stock,mtp_admitted", "69.8 %, 14.9 %, 43.5 %"),
    ("min_acceptance?context=1024", "36.9 %"),
    ("step_cost_floor?context=32768", "3.42×"),
    ("admitted_speedup?context=1024,8192,16384,32768", "1.34×, 1.93×, 2.65×, 3.70×"),
    ("admitted_gain?context=1024,8192,16384,32768", "+72.5 %, +66.6 %, +78.8 %, +7.5 %"),
    ("widened_speedup", "3.66×"),
    ("widened_gain", "+7.0 %"),
    ("widened_gap", "0.5 %"),
    ("block_m_32_change", "−8.7 %"),
    # the kernel
    ("workgroups_2d?query_rows=2", "8 workgroups"),
    ("workgroups_3d?query_rows=1,2", "128, 128"),
    ("workgroups_idle?query_rows=2", "120"),
    ("workgroups_2d?query_rows=1,2&layers=global", "2, 4"),
    ("workgroups_3d?query_rows=1,2&layers=global", "32, 64"),
    ("kernel_row_cost?construction=1,2&kv_len=32768&query_rows=2", "0.08 %, 0.16 %"),
    ("kernel_row_cost?construction=1,2&kv_len=16384&query_rows=2", "−10.4 %, −0.3 %"),
    ("kernel_row_cost?construction=1,2&kv_len=1024&query_rows=2", "−34.0 %, −39.1 %"),
    ("construction_gap?kv_len=16384&query_rows=2,4,8", "2.2 %"),
    ("construction_gap?kv_len=16384&query_rows=1", "13.1 %"),
    ("construction_gap?kv_len=32768&query_rows=1", "0.2 %"),
    ("construction_gap?kv_len=8192&query_rows=1,2,4,8", "9.3 %"),
    ("trace_ratio?statistic=median,p75,max,mean", "1.19×, 1.22×, 15.4×, 9.2×"),
    ("correctness_cases", "18 cases"),
    ("deterministic_cases", "18"),
    ("bit_equal_cases", "3"),
    ("largest_difference", "0.0009765625"),
    ("largest_difference?query_rows=1", "0.0009765625"),
    # the other vendor
    ("a100_mtp_effect?backend=triton_forced&context=30000,50000", "−28.2 %, −61.1 %"),
    ("a100_mtp_effect?backend=flashinfer_explicit&context=50000", "−8.7 %"),
    ("a100_mtp_effect?backend=auto_mixed_47547&context=30000", "+35.0 %"),
    ("a100_mtp_effect_across_sessions?backend=flashinfer_explicit&context=30000", "+31.7 %"),
    ("a100_admission_speedup?context=1000,8000,16000,30000,50000", "1.25×, 1.44×, 1.71×, 2.05×, 2.69×"),
    ("a100_admission_speedup_k?k=1,2,4", "2.05×, 1.93×, 1.94×"),
    # the five-run control
    ("control_gain?run=g31_a100,g26_a100,q38_radeon_pinned,q38_radeon_routed", "+45.6 %, +48.4 %, +83.9 %, −1.9 %"),
    ("control_gain?run=q38_a100_routed", "−0.08 %"),
    ("control_speedup?run=g31_a100,g26_a100,q38_radeon_pinned&context=32000", "1.95×, 1.99×, 2.87×"),
    ("control_speedup?run=q38_radeon_routed,q38_a100_routed&context=32000", "0.95×, 1.00×"),
    (f"control_largest_change?runs={SILENT}", "8.8 %"),
    ("control_largest_spread?run=q38_radeon_pinned,q38_radeon_routed", "35.1 %, 21.2 %"),
    ("control_uneven_cells?run=q38_radeon_pinned,q38_radeon_routed,g31_a100,g26_a100,q38_a100_routed", "13, 12, 0, 0, 0"),
    ("control_uneven_total?runs=g31_a100,g26_a100,q38_a100_routed", "0"),
    ("control_uneven_total?runs=q38_radeon_pinned,q38_radeon_routed", "25"),
    ("control_cells?run=q38_radeon_pinned", "22"),
    ("control_contexts", "11"),
    ("control_rounds", "2"),
    ("control_runs", "5"),
    ("control_shortest", "500"),
    ("control_longest", "32000"),
    ("control_rate_radeon?run=q38_radeon_pinned&arm=stock,admitted&context=32000", "11.845 tok/s, 34.02 tok/s"),
    ("control_rate_a100?run=q38_a100_routed&arm=stock,admitted&context=32000", "20.51 chunk/s, 20.52 chunk/s"),
    ("elsewhere_gain?context=500,32000", "+84.0 %, −33.3 %"),
    ("elsewhere_gain_a100?context=500,32000", "+57.9 %, −14.4 %"),
    # hybrid decode: the ladder
    ("hybrid_rate?model=Qwen3.6-27B&context=500,32000", "12.12 tok/s, 4.25 tok/s"),
    ("hybrid_time?model=Qwen3.6-27B&context=500,32000", "82.5 ms/token, 235.3 ms/token"),
    (f"hybrid_retained?model={MODELS}", "77.2 %, 69.9 %, 67.5 %, 68.5 %, 35.1 %"),
    (f"context_slope?model={MODELS}", "0.118 µs/token, 0.228 µs/token, 0.142 µs/token, 0.339 µs/token, 4.840 µs/token"),
    ("slope_ratio?model=Qwen3-8B,gemma-4-31B-it", "41×, 14.3×"),
    ("july_spread", "3.5 %"),
    ("july_models", "5"),
    ("july_shortest", "500"),
    ("july_contexts", "11"),
    ("july_measurements", "292"),
    ("july_single_card", "64"),
    # the profile
    ("call_growth?kernel=kernel_paged_attention_2d,triton_w4a16_gemm_kernel", "28.3×, 0.91×"),
    ("calls_per_step?kernel=kernel_paged_attention_2d&context=1024,32768", "16, 16"),
    ("paged_time?context=1024,32768", "5.71 ms, 161.5 ms"),
    ("paged_growth", "155.8 ms"),
    ("step_growth", "151 ms"),
    ("rest_growth", "−4.8 ms"),
    ("paged_share?context=1024,32768", "6.6 %, 68.2 %"),
    # heads, power, bytes
    ("hybrid_layers", "64"),
    ("fallback_workgroups", "2"),
    ("card_power?model=Qwen3.6-27B&card=1,2&context=24000", "229.5 W, 225.5 W"),
    ("pair_power?model=Qwen3.6-27B&context=500,32000", "531 W, 441.5 W"),
    ("power_change?model=Qwen3.6-27B,Qwen3-8B", "−16.9 %, +7.8 %"),
    ("per_byte_ratio?model=Qwen3-8B,gemma-4-31B-it", "92×, 36×"),
    ("per_byte_ratio_global", "18×"),
    ("global_kv_bytes", "80 KiB/token"),
    ("global_kv_heads", "4"),
    # another kernel, another engine
    ("kernel_retained?backend=ROCM_ATTN,TRITON_ATTN", "73.4 %, 84.3 %"),
    ("kernel_loss?backend=TRITON_ATTN", "15.7 %"),
    ("kernel_points", "10.9 pp"),
    ("kernel_gain?context=32000", "+15.0 %"),
    ("kernel_gain?context=32000&campaign=radeon-2026-09-02c", "+15.4 %"),
    ("kernel_spread", "0.11 %"),
    ("kernel_rate?backend=ROCM_ATTN&context=32000", "36.47 tok/s"),
    ("llama_retained?backend=ROCm,Vulkan", "87.7 %, 91.0 %"),
    ("llama_slope?backend=ROCm,Vulkan", "0.174 µs/token, 0.107 µs/token"),
    ("llama_slope_ratio?backend=ROCm,Vulkan", "28×, 45×"),
    ("llama_quiet", "0.10 tok/s"),
    # prefill, deeper ladders
    ("prefill_change?line=q36_july,q38_wide,q38_triton,q38_a100,q38_h100", "−12.4 %, +0.3 %, −32.6 %, −8.1 %, +4.9 %"),
    ("prefill_change?line=q36_july,g26_july,g26_august,q38_h100&first=500", "+9.8 %, +24.0 %, +21.9 %, +19.4 %"),
    ("prefill_rate?line=q36_july&context=500,32000", "803 tok/s, 881 tok/s"),
    ("prefill_apart?line=b8_july&context=500", "22.1 %"),
    ("deep_change?line=q38_h100&first=500", "−21.8 %"),
    ("deep_apart?line=g31_h200&context=500", "12.4 %"),
    # the split
    ("splitkv_speedup?context=1024,8192,32768", "1.38×, 3.52×, 9.46×"),
    ("splitkv_rate?arm=stock,splitkv&context=32768", "3.82 tok/s, 36.12 tok/s"),
    ("splitkv_time?arm=stock,splitkv&context=32768", "261.9 ms/token, 27.7 ms/token"),
    ("splitkv_slope?arm=stock,splitkv", "7.408 µs/token, 0.262 µs/token"),
    ("splitkv_retained?arm=stock,splitkv", "10.2 %, 70.0 %"),
    ("splitkv_count?arm=splitkv,stock&context=8192", "4 runs, 2 runs"),
    ("splitkv_apart?arm=splitkv&context=8192", "15.8 %"),
    ("splitkv_apart?arm=splitkv&context=8192&rounds=1,2,3,4", "16.8 %"),
    ("splitkv_mode?mode=low,high", "41.3 tok/s, 47.3 tok/s"),
    ("splitkv_mode_gap", "14.6 %"),
    ("splitkv_middle_gap", "62 %"),
    ("first_trial_speedup", "2.52×"),
    ("first_trial_slope", "0.43 µs/token"),
]


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    project = load_project(Path(__file__).parents[2] / "mkdocs.yml")
    assert project.metrics is not None
    return Evaluator(project.ledger, project.metrics)


@pytest.mark.parametrize(("key", "text"), SHOWN)
def test_gives_what_the_page_shows(evaluator: Evaluator, key: str, text: str) -> None:
    verdict = verify(replace(parse_key(key), text=text), evaluator, {})
    assert [problem.message for problem in verdict.problems] == []
    assert all(value.evidence for value in verdict.values)


def test_every_metric_stands_in_the_table(evaluator: Evaluator) -> None:
    assert set(evaluator.metrics) == {parse_key(key).name for key, _ in SHOWN}


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("a100_mtp_effect?backend=flashinfer_explicit&context=30000", "0 pairs of flashinfer_explicit at 30000 in one session"),
        ("a100_mtp_effect_across_sessions?backend=triton_forced&context=30000", "0 pairs of triton_forced at 30000 in two sessions"),
        ("control_gain?run=q38_a100", "it has q38_radeon_pinned"),
        ("mtp_gain?context=4096", "0 rows of spec_ladder"),
        ("workgroups_2d?query_rows=2&layers=linear", "0 rows of launch_geometry"),
        ("hybrid_rate?model=Qwen3-9B&context=500", "the campaign has no model 'Qwen3-9B'; it has Qwen3.6-27B, Qwen3-8B"),
        ("hybrid_rate?model=Qwen3-8B&context=64000", "was not measured at 64000"),
        ("kernel_retained?backend=FLASH_ATTN", "there is no ladder on 'FLASH_ATTN'"),
        ("prefill_change?line=q36", "there is no line 'q36'"),
        ("deep_change?line=q36&first=500", "there is no line 'q36'"),
        ("deep_apart?line=q36&context=500", "there is no line 'q36'"),
        ("splitkv_rate?arm=stock&context=4096", "no cell stock at 4096"),
        ("splitkv_mode?mode=middle", "a mode is low or high"),
    ],
)
def test_refuses_what_nobody_measured(evaluator: Evaluator, key: str, reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        evaluator.values(parse_key(key))


def test_a_rate_in_chunks_is_no_rate_in_tokens(evaluator: Evaluator) -> None:
    def rate(key: str) -> Quantity:
        (value,) = evaluator.values(parse_key(key))
        return value

    chunks = rate("control_rate_a100?run=g31_a100&arm=stock&context=500")
    tokens = rate("control_rate_radeon?run=q38_radeon_routed&arm=stock&context=500")
    with pytest.raises(UnitError):
        (chunks / tokens).to("×")
