"""A vLLM plugin that admits verify steps to the 3D path of the Triton backend.

vLLM loads `register` in each of its processes (entry point group `vllm.general_plugins`). It does nothing unless
`VLLM_GATE_PATCH=1`. It then checks that both files are the released ones, says so in one line, and patches the backend
when that is imported. On anything else it says why not, in one line, and leaves vLLM as it is.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from . import hook, objects
from .releases import NoVllmError, RefusedError, check_stock, find_installation

VERSION = "1.0"
VARIABLE = "VLLM_GATE_PATCH"
_ON = frozenset({"1", "true", "yes", "on"})


def is_asked(value: str | None) -> bool:
    """Say whether the environment variable asks for the patch."""
    return (value or "").strip().lower() in _ON


def find_package() -> Path:
    """Return the package folder of the vLLM of this Python.

    Raises:
        NoVllmError: This Python has none.
    """
    found = importlib.util.find_spec("vllm")
    if found is None or not found.submodule_search_locations:
        raise NoVllmError("this Python has no vLLM")
    return Path(next(iter(found.submodule_search_locations)))


def register() -> None:
    """Arm the patch in this process, if asked for and if this vLLM is one that it fits."""
    if not is_asked(os.environ.get(VARIABLE)):
        return
    try:
        installation = find_installation(find_package())
        check_stock(installation)
    except (NoVllmError, RefusedError, ValueError) as reason:
        objects.say(f"GATE_PATCH refused: {reason}")
        return
    if hook.arm():
        objects.say(f"GATE_PATCH armed vllm={installation.version} how=entry-point")


def unregister() -> None:
    """Take the patch off this process; vLLM has its very objects back."""
    hook.disarm()
