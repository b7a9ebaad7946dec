"""Compiles a plan for a device that is not there, and reads what the compiler says of the result."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler import ASTSource

from scripts.attention.kernel import attention_kernel, reduce_kernel
from scripts.attention.shapes import Device, Plan, Shape, next_power_of_two

TARGETS = (
    Device("RX 7900 XT", "hip", "gfx1100", 42, 65536, 65536, 32),
    Device("RX 9070 XT", "hip", "gfx1201", 32, 65536, 65536, 32),
    Device("MI300X", "hip", "gfx942", 304, 65536, 65536, 64),
    Device("MI355X", "hip", "gfx950", 256, 163840, 163840, 64),
    Device("A100", "cuda", "sm_80", 108, 166912, 167936, 32),
    Device("H100", "cuda", "sm_90", 132, 232448, 233472, 32),
)
"""The devices that are compiled for. Compute units as torch counts them; on RDNA that is pairs of compute units."""

MATRIX_INSTRUCTION = {"gfx11": "v_wmma", "gfx12": "v_wmma", "gfx9": "v_mfma", "sm_80": r"mma\.sync", "sm_90": r"wgmma\.mma_async|mma\.sync"}
"""What the assembly of a kernel must contain, by the beginning of the architecture's name."""


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of one kernel.

    Attributes:
        kernel: ``attention`` or ``reduce``.
        registers: Vector registers of a thread.
        spilled: Registers spilled, on CUDA bytes of spill stores and loads.
        shared_bytes: Shared memory (LDS) of a workgroup, in bytes.
        matrix: Name of the first matrix instruction in the assembly; empty when there is none.
    """

    kernel: str
    registers: int
    spilled: int
    shared_bytes: int
    matrix: str


def compile_attention(device: Device, shape: Shape, plan: Plan, block_size: int = 16, dtype: str = "bf16") -> Compiled:
    """Return what the attention kernel of a plan becomes on ``device``."""
    element, index = f"*{dtype}", "*i32"
    scratch: dict[str, str] = dict.fromkeys(("part_ptr", "max_ptr", "sum_ptr"), "*fp32") if plan.split else {}
    signature = {
        **dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "out_ptr"), element),
        **scratch,
        **dict.fromkeys(("table_ptr", "starts_ptr", "lens_ptr"), index),
        "num_seqs": "i32",
        "scale_log2": "fp32",
        **dict.fromkeys(("q_stride_t", "q_stride_h", "k_stride_p", "k_stride_s", "k_stride_h"), "i32"),
        **dict.fromkeys(("v_stride_p", "v_stride_s", "v_stride_h", "out_stride_t", "out_stride_h", "table_stride"), "i32"),
    }
    constants: dict[str, Any] = {
        "KV_HEADS": shape.kv_heads, "GROUP": shape.group, "HEAD_DIM": shape.head_dim, "PADDED_DIM": next_power_of_two(shape.head_dim),
        "BLOCK_SIZE": block_size, "PACKED": True, "WINDOW": shape.window, "BLOCK_M": plan.block_m, "BLOCK_Q": plan.block_q,
        "TILE": plan.tuning.tile, "CHUNK": plan.tuning.chunk or next_power_of_two(shape.head_dim), "EXACT": plan.tuning.exact,
        "SEGMENTS": plan.segments, "SPLIT": plan.split, "PDL": device.arch == "sm_90",
    }  # fmt: skip
    if not plan.split:
        constants.update(part_ptr=None, max_ptr=None, sum_ptr=None)
    return _compile("attention", attention_kernel, device, signature, constants, plan.tuning.warps, plan.tuning.stages)


def compile_reduce(device: Device, shape: Shape, plan: Plan, dtype: str = "bf16") -> Compiled:
    """Return what the reduction of a plan becomes on ``device``."""
    signature = {
        "out_ptr": f"*{dtype}",
        **dict.fromkeys(("part_ptr", "max_ptr", "sum_ptr"), "*fp32"),
        "starts_ptr": "*i32",
        **dict.fromkeys(("num_seqs", "out_stride_t", "out_stride_h"), "i32"),
    }
    constants = {
        "QUERY_HEADS": shape.query_heads, "HEAD_DIM": shape.head_dim, "DIMS": plan.reduce_dims, "SEGMENTS": plan.segments,
        "PADDED_SEGMENTS": next_power_of_two(plan.segments), "PDL": device.arch == "sm_90",
    }  # fmt: skip
    return _compile("reduce", reduce_kernel, device, signature, constants, 4, 1)


def _compile(name: str, kernel: Any, device: Device, signature: dict[str, str], constants: dict[str, Any], warps: int, stages: int) -> Compiled:
    names = kernel.arg_names
    types = {key: signature.get(key, "constexpr") for key in names}
    # As at a launch: pointers and strides that sixteen divides; num_seqs and the scale are anything.
    aligned = {
        (place,): [["tt.divisibility", 16]]
        for place, key in enumerate(names)
        if (key.endswith("_ptr") and key in signature) or ("stride" in key and key != "table_stride")
    }
    source = ASTSource(kernel, types, constexprs={(names.index(key),): value for key, value in constants.items()}, attrs=aligned)
    arch: int | str = int(device.arch.removeprefix("sm_")) if device.backend == "cuda" else device.arch
    target = GPUTarget(device.backend, arch, device.warp_size)
    compiled = triton.compile(source, target=target, options={"num_warps": warps, "num_stages": stages})
    text, registers, spilled = _read_hip(compiled) if device.backend == "hip" else _read_cuda(compiled, device.arch)
    pattern = next(value for key, value in MATRIX_INSTRUCTION.items() if device.arch.startswith(key))
    found = re.search(rf"\w*(?:{pattern})[\w.]*", text)
    return Compiled(name, registers, spilled, compiled.metadata.shared, found.group() if found else "")


def _read_hip(compiled: Any) -> tuple[str, int, int]:
    """Return assembly, vector registers and spilled registers of an AMD kernel."""
    text: str = compiled.asm["amdgcn"]
    count = {key: int(re.search(rf"\.{key}:\s+(\d+)", text)[1]) for key in ("vgpr_count", "vgpr_spill_count", "sgpr_spill_count")}  # type: ignore[index]
    return text, count["vgpr_count"], count["vgpr_spill_count"] + count["sgpr_spill_count"]


def _read_cuda(compiled: Any, arch: str) -> tuple[str, int, int]:
    """Return PTX, registers and bytes of spill stores and loads of an NVIDIA kernel, as its assembler counts them."""
    command = get_ptxas(int(arch.removeprefix("sm_"))).path
    text: str = compiled.asm["ptx"]
    name = arch + ("a" if arch == "sm_90" else "")  # the matrix instruction of Hopper belongs to the target with an "a"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.ptx")
        path.write_text(text, encoding="utf-8")
        call = [command, "-v", f"--gpu-name={name}", str(path), "-o", str(Path(folder, "kernel.cubin"))]
        report = subprocess.run(call, capture_output=True, text=True, check=True).stderr  # noqa: S603 - the assembler of the package
    spills = sum(int(count) for count in re.findall(r"(\d+) bytes spill", report))
    registers = re.search(r"Used (\d+) registers", report)
    return text, int(registers[1]) if registers else 0, spills
