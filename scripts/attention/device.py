"""The one place that asks a driver what a device is."""

from __future__ import annotations

import torch
import triton

from scripts.attention.shapes import Device

INTERPRETER = Device("interpreter", "cpu", "cpu", compute_units=8, shared_bytes=65536, shared_bytes_unit=65536, warp_size=32)
"""A device of no consequence for tests of the kernel in Triton's interpreter."""


def device_facts(device: torch.device | str) -> Device:
    """Return the facts of a device, from torch; `INTERPRETER` for the CPU.

    Raises:
        RuntimeError: When torch finds no such device.
    """
    device = torch.device(device)
    if device.type == "cpu":
        return INTERPRETER
    facts = torch.cuda.get_device_properties(device)
    if torch.version.hip is not None:
        arch = facts.gcnArchName.split(":")[0]
        shared = getattr(facts, "shared_memory_per_block", 65536)
        return Device(facts.name, "hip", arch, facts.multi_processor_count, shared, shared, facts.warp_size)
    return Device(
        facts.name,
        "cuda",
        f"sm_{facts.major}{facts.minor}",
        facts.multi_processor_count,
        facts.shared_memory_per_block_optin,
        facts.shared_memory_per_multiprocessor,
        facts.warp_size,
    )


def stack_name() -> str:
    """Return the versions that decide a measurement: torch, Triton and the runtime that torch was built for."""
    runtime = f"HIP {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}"
    return f"torch {torch.__version__.split('+')[0]}, Triton {triton.__version__}, {runtime}"
