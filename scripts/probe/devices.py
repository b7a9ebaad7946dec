"""Devices by name: what the routing asks of them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """A GPU.

    Attributes:
        name: As it is sold, or its architecture.
        vendor: `nvidia` or `amd`.
        capability: Compute capability of an NVIDIA GPU; (0, 0) otherwise.
        gfx: Architecture of an AMD GPU; empty otherwise.
    """

    name: str
    vendor: str
    capability: tuple[int, int] = (0, 0)
    gfx: str = ""

    @property
    def has_fa4(self) -> bool:
        """Whether FlashAttention 4 runs: compute capability 9.x, 10.x or 11.x."""
        return self.capability[0] in {9, 10, 11}

    @property
    def is_cdna(self) -> bool:
        """Whether it is a compute GPU of AMD."""
        return self.gfx.startswith("gfx9")

    @property
    def is_rdna(self) -> bool:
        """Whether it is a graphics GPU of AMD that the custom attention kernel knows."""
        return self.gfx.startswith(("gfx11", "gfx12"))


_NVIDIA = {
    "a100": (8, 0), "a800": (8, 0), "a30": (8, 0), "a40": (8, 6), "a10": (8, 6), "a6000": (8, 6), "rtx3090": (8, 6),
    "l4": (8, 9), "l40": (8, 9), "l40s": (8, 9), "rtx4090": (8, 9), "h100": (9, 0), "h200": (9, 0), "h20": (9, 0), "gh200": (9, 0),
    "b200": (10, 0), "gb200": (10, 0), "b300": (10, 3), "rtx5090": (12, 0), "rtxpro6000": (12, 0), "v100": (7, 0), "t4": (7, 5),
}  # fmt: skip
_AMD = {
    "mi210": "gfx90a", "mi250": "gfx90a", "mi250x": "gfx90a", "mi300x": "gfx942", "mi300a": "gfx942", "mi325x": "gfx942",
    "mi350x": "gfx950", "mi355x": "gfx950", "rx7900xt": "gfx1100", "rx7900xtx": "gfx1100", "w7900": "gfx1100", "rx7800xt": "gfx1101",
    "rx9070xt": "gfx1201", "rx9070": "gfx1201", "r9700": "gfx1201",
}  # fmt: skip
_MAKERS = re.compile(r"nvidia|geforce|tesla|amd|radeon|instinct|ai pro|[0-9]+ ?gb?\b|sxm[0-9]?|pcie|nvl?\b|hbm[0-9]e?|2x|2×")


def known_names() -> list[str]:
    """Return the names that `find_device` knows, besides `sm_80` and `gfx1100`."""
    return sorted({*_NVIDIA, *_AMD})


def find_device(name: str) -> Device:
    """Return a device by its name or architecture: `A100 80G`, `Radeon RX 7900 XT`, `sm_90`, `gfx942`.

    Raises:
        ValueError: No such device is known; the message lists those that are.
    """
    plain = name.strip().lower()
    if found := re.fullmatch(r"sm_?([0-9]{1,2})([0-9])a?", plain):
        return Device(name, "nvidia", (int(found.group(1)), int(found.group(2))))
    if re.fullmatch(r"gfx[0-9a-f]{3,4}", plain):
        return Device(name, "amd", gfx=plain)
    key = re.sub(r"[^a-z0-9]", "", _MAKERS.sub(" ", plain))
    for candidate in (key, f"rtx{key}", f"rx{key}"):
        if candidate in _NVIDIA:
            return Device(name, "nvidia", _NVIDIA[candidate])
        if candidate in _AMD:
            return Device(name, "amd", gfx=_AMD[candidate])
    raise ValueError(f"unknown device {name!r}: say sm_80 or gfx1100, or one of {', '.join(known_names())}")
