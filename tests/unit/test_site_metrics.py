"""The numbers of the site, through the library: each metric gives what the page may show."""

import ast
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ledgermark import Ledger, Quantity, UnitError, mean, metric
from ledgermark.check import check_project
from ledgermark.claims import parse_key
from ledgermark.metrics import EvaluationError, Evaluator, find_metrics
from ledgermark.project import load_project
from ledgermark.verify import verify

SILENT = "q38_radeon_routed,q38_a100_routed"
GEMMA = "target=gemma-4-26B-A4B-it"
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
    # the kernel on an H200
    ("h200_time?shape=8b&kv_len=32768&way=vllm_2d,vllm_3d,sixteen,occupancy,sdpa", "1383.0 µs, 165.4 µs, 91.4 µs, 37.7 µs, 37.9 µs"),
    ("h200_floor?shape=8b,global&kv_len=32768", "32.1 µs, 128.5 µs"),
    ("h200_over_floor?shape=hybrid&kv_len=131072&way=vllm_3d,occupancy", "5.93×, 0.99×"),
    ("h200_worst_over_floor?kv_len=8192,32768,131072&way=occupancy", "2.37×, 1.42×, 1.10×"),
    ("h200_best_over_floor?kv_len=32768&way=vllm_3d,occupancy", "1.75×, 1.00×"),
    ("h200_split_loss?shape=8b,global&kv_len=32768", "8.34×, 9.60×"),
    ("h200_split_loss_smallest?kv_len=8192,32768", "7.49×, 8.34×"),
    ("h200_split_loss_largest?kv_len=8192,32768", "9.00×, 9.86×"),
    ("h200_row_cost?shape=8b&kv_len=32768&way=vllm_3d,occupancy", "+0.3 %, +1.1 %"),
    ("h200_row_cost_largest?kv_len=32768&way=vllm_2d,vllm_3d,occupancy", "0.50 %, 0.49 %, 1.14 %"),
    ("h200_speedup?shape=8b&kv_len=32768,131072&over=sdpa", "1.005×, 0.999×"),
    ("h200_speedup_smallest?kv_len=32768,65536,131072&over=vllm_3d&shapes=8b", "4.35×"),
    ("h200_workgroups?shape=hybrid&kv_len=32768&way=sixteen,occupancy", "64, 264"),
    ("h200_copy_bandwidth", "4179.4 GB/s"),
    ("h200_error_against_sdpa", "1.012×"),
    ("h200_correct_cases", "18 cases"),
    ("h200_ulps", "1"),
    ("kernels_compiled?machine=H100,A100", "24, 22"),
    ("kernels_spilling", "2"),
    ("h200_counter?shape=8b&rows=1&counter=dram_pct,occupancy_pct", "85.62 %, 12.38 %"),
    ("patched_time?release=0.28.0&shape=8b&kv_len=32768&way=stock,source%20patch", "1393.9 µs, 179.8 µs"),
    ("patched_speedup?release=0.22.1,0.28.0,0.32.0&shape=8b&kv_len=32768", "8.05×, 7.75×, 7.73×"),
    ("patched_speedup_smallest?kv_len=32768", "7.73×"),
    ("patched_speedup_largest?kv_len=32768", "9.82×"),
    ("entry_point_cost", "6.3 µs"),
    ("lost_row_error?way=stock,source%20patch,opened%20gate", "0.0019, 0.0019, 0.6174"),
    # a ladder on random weights
    ("random_rate?context=1024,4096,16384,32768", "17.6 tok/s, 17.8 tok/s, 18.9 tok/s, 20.8 tok/s"),
    ("random_spread?context=4096", "20.0 %"),
    ("random_slowest", "16.3 tok/s"),
    ("random_fastest", "22.6 tok/s"),
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
    # the draft methods
    (f"draft_step_cost?{GEMMA}&method=dflash&benchmark=MATH500&n=3,7,11,15", "1.38×, 1.83×, 2.26×, 2.67×"),
    ("draft_step_cost?target=Qwen3-8B&method=eagle3&benchmark=MATH500&n=1,7", "4.30×, 5.32×"),
    (f"draft_cost_per_token?{GEMMA}&method=dflash&benchmark=MATH500&ends=3,15", "0.107×"),
    (f"draft_fixed_cost?{GEMMA}&method=dflash&benchmark=MATH500&ends=3,15", "0.055×"),
    (f"draft_modelled_ratio?{GEMMA}&method=dflash&benchmark=MATH500&ends=3,15&n=3,7,11,15", "2.49×, 2.91×, 2.72×, 2.40×"),
    (f"draft_break_even?{GEMMA}&method=dflash&benchmark=MATH500&ends=3,15&n=7", "31 %"),
    (f"draft_model_gap?{GEMMA}&method=dflash&benchmark=MATH500&ends=3,15&between=7,11", "1.4 %"),
    ("draft_model_gap?target=Qwen3.6-27B&method=dflash&benchmark=MATH500&ends=3,15&between=7,11", "9.4 %"),
    (f"draft_summed_tokens?{GEMMA}&method=dflash&n=7,15", "5.27 tokens, 6.41 tokens"),
    (f"draft_given_previous?{GEMMA}&method=dflash&n=15&position=1,2,8,15", "86 %, 86 %, 86 %, 70 %"),
    ("draft_advantage?target=Qwen3.6-27B&benchmark=MATH500&here=native_mtp&there=dflash", "1.12×"),
    ("summary_rows", "7 rows"),
    ("summary_rows_that_differ", "3 rows"),
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
    # the second card: decode
    ("decode_rate?run=12b_one,12b_two&context=500", "50.56 tok/s, 59.89 tok/s"),
    ("decode_ratio?run=8b_two&base=8b_one&context=500", "1.70×"),
    ("decode_ratio?run=31b_a100&base=31b_two_july&context=500,32000", "1.36×, 1.44×"),
    ("decode_ratio_least?run=12b_two&base=12b_one", "1.13×"),
    ("decode_ratio_most?run=12b_two&base=12b_one", "1.23×"),
    ("decode_ratio_least?run=26b_two&base=26b_one", "1.11×"),
    ("decode_ratio_most?run=26b_two&base=26b_one", "1.12×"),
    ("decode_ratio_least?run=26b_l4&base=26b_one", "0.54×"),
    ("decode_ratio_most?run=12b_l4&base=12b_one", "0.68×"),
    ("shared_rungs?run=12b_two,31b_a100&base=12b_one", "11, 11"),
    ("ladder_deepest?run=26b_one,8b_one", "12000, 6000"),
    ("ladder_shortest?run=12b_one", "500"),
    ("ladder_retained?run=12b_l4,12b_a100", "89 %, 62 %"),
    # the second card: prefill
    ("prefill_b?run=12b_one,31b_two_narrow,31b_two,q38_two_narrow,q38_two_pinned", "479.0, 868.7, 722.6, 846.2, 758.5 µs/tok"),
    ("prefill_c?run=q38_two_pinned,q38_two_routed", "17.27, 4.46 ns/tok²"),
    ("b_lead?run=12b_a100,12b_l4&base=12b_one", "3.29×, 0.90×"),
    ("c_lead?run=12b_a100,12b_l4&base=12b_one", "6.67×, 3.01×"),
    ("b_lead?run=26b_a100&base=26b_one", "5.75×"),
    ("c_lead?run=26b_a100&base=26b_one", "5.71×"),
    ("b_lead?run=31b_a100&base=31b_two,31b_two_narrow", "1.92×, 2.31×"),
    ("c_lead?run=q38_a100&base=q38_two_pinned,q38_two_routed", "11.94×, 3.08×"),
    ("c_lead?run=mg30_a100&base=mg30_two", "19.01×"),
    ("c_lead?run=q38_two_routed&base=q38_two_pinned", "3.88×"),
    ("prefill_crossing?run=12b_l4&base=12b_one", "3452 tokens"),
    ("fit_residual?run=12b_one,26b_a100", "7.2 %, 29.9 %"),
    ("fit_residual?run=12b_one,26b_a100&shortest=2000", "0.6 %, 5.9 %"),
    ("prefill_terms?run=12b_one,12b_two&tokens=32000", "40.1 s, 21.5 s"),
    ("prefill_terms?run=26b_one,26b_two&tokens=12000", "6.21 s, 3.99 s"),
    ("prefill_terms_lead?run=12b_two&base=12b_one&tokens=32000", "1.87×"),
    ("prefill_terms_lead?run=26b_two&base=26b_one&tokens=12000", "1.56×"),
    ("prefill_time?run=12b_one,12b_two&context=32000", "39.9 s, 21.5 s"),
    ("prefill_time_lead?run=26b_two&base=26b_one&context=12000", "1.52×"),
    # the second card: what a step is made of
    ("decode_step?run=12b_one,12b_two,8b_two", "19.78 ms, 16.70 ms, 12.58 ms"),
    ("ladder_step_growth?run=12b_l4,12b_a100", "4.5 ms, 5.3 ms"),
    ("collectives?model=gemma-4-12B-it,Qwen3-8B", "97, 73"),
    ("allreduce_step?model=gemma-4-12B-it,Qwen3-8B,gemma-4-31B-it", "1.85 ms, 1.22 ms, 2.32 ms"),
    ("allreduce_share?model=gemma-4-12B-it&run=12b_two", "11.1 %"),
    ("unexplained_step?model=gemma-4-12B-it&one=12b_one&two=12b_two", "4.96 ms"),
    ("unexplained_step?model=Qwen3-8B&one=8b_one&two=8b_two", "0.66 ms"),
    ("allreduce_least?mode=graph,eager_stream", "16.6 µs, 55.2 µs"),
    ("allreduce_most?mode=graph,eager_stream", "21.5 µs, 58.8 µs"),
    ("withdrawn_least", "49×"),
    ("withdrawn_most", "63×"),
    ("bandwidth_bound?model=gemma-4-31B-it&run=31b_two_july", "502 GB/s"),
    ("bandwidth_share?model=gemma-4-12B-it&run=12b_two_july", "38.4 %"),
    ("bandwidth_share?model=gemma-4-31B-it&run=31b_two_july", "62.8 %"),
    ("bandwidth_share?model=Qwen3-8B&run=8b_two_july", "74.9 %"),
    ("busy_one?model=gemma-4-12B-it,Qwen3-8B&context=500", "56 %, 90 %"),
    ("busy_two?model=gemma-4-12B-it,Qwen3-8B&context=500", "35 %, 77 %"),
    ("busy_speedup?model=gemma-4-12B-it,Qwen3-8B&context=500", "1.20×, 1.70×"),
    ("heads_unsplit?layers=sliding,global", "16, 4"),
    ("a100_rate_retained?gate=stock", "33.6 %"),
    ("rate_retained?arm=mtp_stock_replicate", "15.8 %"),
    ("a100_admitted_gain", "+39.2 %"),
    ("probe_lead?context=1024,8192,16384,32768", "1.48×, 1.20×, 1.14×, 1.87×"),
    # the restated comparison
    ("radeon_tokens?arm=admitted&context=500,32000", "55.22 tok/s, 31.425 tok/s"),
    ("a100_chunk_rate?arm=admitted&context=500,32000", "48.52 chunk/s, 34.02 chunk/s"),
    ("a100_tokens?arm=admitted&context=500,32000", "103.8 tok/s, 67.2 tok/s"),
    ("lead_as_recorded?arm=admitted&context=500,32000&unit=chunk/tok", "0.88, 1.08"),
    ("lead_recounted?arm=admitted&context=500,32000", "1.88×, 2.14×"),
    ("lead_least?arm=admitted,no_speculation", "1.88×, 1.39×"),
    ("lead_most?arm=admitted,no_speculation", "2.14×, 1.46×"),
    ("tokens_per_chunk?context=12000,32000&unit=tok/chunk", "1.97, 1.98"),
    ("tokens_per_chunk_least?unit=tok/chunk", "1.94"),
    ("tokens_per_chunk_most?unit=tok/chunk", "2.14"),
    ("step_cost_a100?context=500,32000", "1.22×, 1.25×"),
    ("step_cost_radeon?context=500,32000", "1.35×, 1.35×"),
    ("step_cost_least?machine=a100,radeon", "1.21×, 1.34×"),
    ("step_cost_most?machine=a100,radeon", "1.25×, 1.39×"),
    ("mtp_worth_a100?context=500,32000", "+74.9 %, +58.0 %"),
    ("mtp_worth_radeon?context=500,32000", "+29.8 %, +7.9 %"),
    # collectives between two H200
    ("collective_time?operation=all_reduce&mode=graph&message_bytes=1024,262144,268435456", "11.5 µs, 14.0 µs, 891.8 µs"),
    ("collective_time?operation=all_gather&mode=graph&message_bytes=1024,262144,268435456", "10.6 µs, 12.4 µs, 552.4 µs"),
    ("collective_spread?operation=all_reduce&mode=graph,eager&message_bytes=1024", "0.3 %, 43.1 %"),
    ("collective_bus?operation=all_reduce,all_gather&mode=graph&message_bytes=268435456", "301.0 GB/s, 243.0 GB/s"),
    ("collective_algorithm?operation=all_reduce,all_gather&mode=graph&message_bytes=268435456", "301.0 GB/s, 486.0 GB/s"),
    ("collective_share?operation=all_reduce,all_gather&mode=graph&message_bytes=268435456", "63.0 %, 50.8 %"),
    ("collective_growth?operation=all_reduce,all_gather&mode=graph&message_bytes=262144", "1.22×, 1.16×"),
    ("collective_graph_excess?operation=all_gather&message_bytes=67108864,268435456", "+2.7 %, +0.6 %"),
    ("collective_fastest_round?operation=all_reduce&mode=eager&up_to=4194304", "43.4 µs"),
    ("collective_slowest_round?operation=all_reduce&mode=eager&up_to=4194304", "77.6 µs"),
    ("collective_smallest", "1 KiB"),
    ("collective_largest", "256 MiB"),
    ("collective_uneven_up_to?operation=all_reduce,all_gather", "16 MiB, 16 MiB"),
    ("collective_uneven?mode=graph,eager", "0, 16"),
    ("collective_cells?mode=graph,eager", "20, 20"),
    ("collective_widest_spread?mode=graph,eager", "0.53 %, 76.9 %"),
    ("collective_failed", "0 rows"),
    ("collective_rounds", "240 rows"),
    ("collective_measured", "5 rounds"),
    ("radeons_over_h200_least", "1.33×"),
    ("radeons_over_h200_most", "1.81×"),
]


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    project = load_project(Path(__file__).parents[2] / "mkdocs.yml")
    assert project.metrics is not None
    return Evaluator(project.ledger, project.metrics)


@pytest.mark.parametrize(("key", "text"), SHOWN)
def test_gives_what_the_page_shows(evaluator: Evaluator, key: str, text: str) -> None:
    verdict = verify(parse_key(key)._replace(text=text), evaluator, {})
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
        (f"draft_step_cost?{GEMMA}&method=dflash&benchmark=MATH500&n=5", "0 rows of amd_sweep"),
        (f"draft_summed_tokens?{GEMMA}&method=dflash&n=11", "0 positions of dflash"),
        (f"draft_given_previous?{GEMMA}&method=dflash&n=7&position=8", "position 8 of 7"),
        ("hybrid_rate?model=Qwen3-9B&context=500", "the campaign has no model 'Qwen3-9B'; it has Qwen3.6-27B, Qwen3-8B"),
        ("hybrid_rate?model=Qwen3-8B&context=64000", "was not measured at 64000"),
        ("kernel_retained?backend=FLASH_ATTN", "there is no ladder on 'FLASH_ATTN'"),
        ("prefill_change?line=q36", "there is no line 'q36'"),
        ("deep_change?line=q36&first=500", "there is no line 'q36'"),
        ("deep_apart?line=q36&context=500", "there is no line 'q36'"),
        ("splitkv_rate?arm=stock&context=4096", "no cell stock at 4096"),
        ("splitkv_mode?mode=middle", "a mode is low or high"),
        ("prefill_b?run=31b_one", "no ladder '31b_one'; there are 12b_one"),
        ("decode_rate?run=26b_one&context=32000", "the decode ladder '26b_one' has no rung at 32000"),
        ("prefill_time?run=26b_one&context=32000", "the prefill ladder '26b_one' has no rung at 32000"),
        ("probe_lead?context=4096", "no pair of runs at 4096; there are 1024, 8192, 16384, 32768"),
        ("bandwidth_share?model=Qwen3.8-27B&run=q38_two_routed", "0 rows of model_geometry"),
        ("a100_tokens?arm=stock&context=640", "no A100 rounds of arm 'stock' at 640"),
        ("step_cost_least?machine=l4", "no machine 'l4'; there are a100, radeon"),
        ("collective_time?operation=all_reduce&mode=sync&message_bytes=1024", "no rounds of all_reduce, sync, 1024 bytes"),
    ],
)
def test_refuses_what_nobody_measured(evaluator: Evaluator, key: str, reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        evaluator.values(parse_key(key))


def test_where_the_metrics_cannot_be_loaded_no_word_is_taken_for_wrong() -> None:
    project = load_project(Path(__file__).resolve().parents[2] / "mkdocs.yml")
    assert check_project(replace(project, metrics=None), date(2026, 12, 1)).findings == ()


def test_a_rate_in_chunks_is_no_rate_in_tokens(evaluator: Evaluator) -> None:
    def rate(key: str) -> Quantity:
        (value,) = evaluator.values(parse_key(key))
        return value

    chunks = rate("control_rate_a100?run=g31_a100&arm=stock&context=500")
    tokens = rate("control_rate_radeon?run=q38_radeon_routed&arm=stock&context=500")
    with pytest.raises(UnitError):
        (chunks / tokens).to("×")


def test_the_lead_as_first_worked_out_is_a_finding_and_the_recounted_one_passes(evaluator: Evaluator) -> None:
    @metric(unit="×", formula="chunk rate(A100) / token rate(Radeons)")
    def lead_as_first_printed(ledger: Ledger, context: int) -> Quantity:
        """Lead of the A100 with MTP, its recorded rate over that of the two Radeons."""
        a100 = ledger.rows("gate_control_a100", run="g31_a100", arm="admitted", context=context)
        radeons = ledger.rows("decode_ladder", campaign="radeon-2026-08-29", cfg="G31-mtp-p45450-tp2", context=context)
        return mean(row["chunk_s"] for row in a100) / mean(row["tok_s"] for row in radeons)

    old = Evaluator(evaluator.ledger, find_metrics({"lead_as_first_printed": lead_as_first_printed}))
    with pytest.raises(EvaluationError, match=r"gives chunk/token, declared '×' \(no unit\)") as caught:
        old.values(parse_key("lead_as_first_printed?context=500"))
    assert caught.value.code == "LM112"
    (lead,) = evaluator.values(parse_key("lead_recounted?arm=admitted&context=500"))
    assert (lead.unit.symbol, round(lead.value, 2)) == ("×", Decimal("1.88"))


@pytest.mark.parametrize("drawing", [False, True])
def test_no_name_is_given_twice(drawing: bool) -> None:  # noqa: FBT001 - a parameter of the table
    """The modules are imported whole into one: of two functions with one name the later would silently replace the earlier."""
    names = [
        node.name
        for path in sorted((Path(__file__).parents[2] / "site_src").glob("*.py"))
        if path.name.startswith("figures") is drawing
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_collectives_are_summed_up_as_the_instrument_did(evaluator: Evaluator) -> None:
    columns = {"time": "median_us", "spread": "spread_pct", "bus": "bus_gb_s", "algorithm": "algorithm_gb_s"}
    for row in evaluator.ledger.rows("h200_collective_sizes"):
        key = "&".join(f"{column}={row.text(column)}" for column in ("operation", "mode", "message_bytes"))
        for name, column in columns.items():
            (value,) = evaluator.values(parse_key(f"collective_{name}?{key}"))
            # The instrument computed from more digits than it wrote: six, of the rounds too.
            assert float(value) == pytest.approx(float(row[column]), rel=2e-3 if name == "spread" else 1e-5), (key, name)
