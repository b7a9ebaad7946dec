"""How devices are joined, read from the driver's own tools; nothing is set."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMANDS = {
    "nvidia_topology": ("nvidia-smi", "topo", "-m"),
    "nvidia_nvlink": ("nvidia-smi", "nvlink", "--status"),
    "amd_topology": ("rocm-smi", "--showtopotype"),
}
UNKNOWN, MEMORY, NETWORK = "unknown", "memory of the host", "network"
# From the fastest to the slowest, as `nvidia-smi topo -m` explains them.
ORDER = ("PIX", "PXB", "PHB", "NODE", "SYS")
SETTINGS = ("NCCL_", "RCCL_", "TORCH_NCCL_", "GLOO_")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def ask() -> dict[str, str]:
    """Return what the tools on this host say, by a name; what is not there or fails is left out."""
    said = {}
    for name, command in COMMANDS.items():
        if shutil.which(command[0]):
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)  # noqa: S603 - fixed words
            except (OSError, subprocess.SubprocessError):
                continue
            said[name] = ESCAPES.sub("", done.stdout).strip()
    return said


def settings(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that change how the libraries move bytes."""
    return {name: value for name, value in sorted(environment.items()) if name.startswith(SETTINGS)}


def visible(environment: Mapping[str, str], devices: Sequence[int]) -> list[int]:
    """Return the numbers that the driver gives devices which a process numbers from 0."""
    text = environment.get("CUDA_VISIBLE_DEVICES") or environment.get("HIP_VISIBLE_DEVICES") or ""
    numbers = [int(part) for part in text.split(",") if part.strip().isdigit()]
    return [numbers[device] if device < len(numbers) else device for device in devices]


def slowest(said: Mapping[str, str], devices: Sequence[int]) -> str:
    """Return the slowest link between two of the devices, in the driver's word; `UNKNOWN` where it does not say."""
    between = _matrix(said.get("nvidia_topology", "")) or _matrix(said.get("amd_topology", ""))
    found = {between.get((one, other), UNKNOWN) for one in devices for other in devices if one < other}
    if not found or UNKNOWN in found:
        return UNKNOWN
    return max(found, key=_rank)


def _rank(link: str) -> tuple[int, int]:
    """Return how slow a link is: NVLinks by their number, then what `ORDER` has."""
    count = re.fullmatch(r"NV([0-9]+)", link)
    if count:
        return (0, -int(count[1]))
    return (1, 0) if link == "XGMI" else (2, ORDER.index(link)) if link in ORDER else (3, 0)


def _matrix(text: str) -> dict[tuple[int, int], str]:
    """Return the links in a table whose head and rows name GPUs."""
    heads: list[int] = []
    between: dict[tuple[int, int], str] = {}
    for line in text.splitlines():
        words = line.split()
        if not heads and re.fullmatch(r"GPU[0-9]+", words[0] if words else "") and len(words) > 1 and re.fullmatch(r"GPU[0-9]+", words[1]):
            heads = [int(word[3:]) for word in words if re.fullmatch(r"GPU[0-9]+", word)]
        elif not heads and words and all(re.fullmatch(r"GPU[0-9]+", word) for word in words):
            heads = [int(word[3:]) for word in words]
        elif heads and words and re.fullmatch(r"GPU[0-9]+", words[0]):
            row = int(words[0][3:])
            between |= {(row, column): link for column, link in zip(heads, words[1:], strict=False)}
    return between
