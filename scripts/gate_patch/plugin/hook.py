"""Waits for vLLM to import its Triton backend, and patches it then.

Importing the backend early would ask for the device in processes that never need one (the API server), so the plugin
leaves a finder that wraps the loader of that one module.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING

from . import objects

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

LAUNCHER_MODULE = "vllm.v1.attention.ops.triton_unified_attention"
BACKEND_MODULE = "vllm.v1.attention.backends.triton_attn"


def patch_loaded() -> None:
    """Patch the backend if it is loaded. If it is not as it should be, say so and leave it: vLLM must start all the same."""
    launcher, backend = sys.modules.get(LAUNCHER_MODULE), sys.modules.get(BACKEND_MODULE)
    if launcher is None or backend is None or not hasattr(backend, objects.BUILDER):
        return
    try:
        objects.install(launcher, backend)
    except (AttributeError, TypeError) as reason:
        objects.say(f"GATE_PATCH refused: {reason}")


class _PatchingLoader(Loader):
    """Loads a module as its own loader does, then patches it."""

    def __init__(self, original: Loader) -> None:
        self.original = original

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return what the module's own loader makes."""
        return self.original.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then patch it."""
        self.original.exec_module(module)
        patch_loaded()


class Finder(MetaPathFinder):
    """Finds the backend as everyone else does, and wraps its loader."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of the backend with a patching loader, None for every other module."""
        if fullname != BACKEND_MODULE:
            return None
        for finder in sys.meta_path:
            if isinstance(finder, Finder):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _PatchingLoader(spec.loader)
                return spec
        return None


def arm() -> bool:
    """Patch the backend when it is imported, or now if it is; say whether that is new."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return False
    sys.meta_path.insert(0, Finder())
    patch_loaded()
    return True


def disarm() -> None:
    """Undo `arm`: no finder is left, and a patched backend has its very objects back."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
    launcher, backend = sys.modules.get(LAUNCHER_MODULE), sys.modules.get(BACKEND_MODULE)
    if launcher is not None and backend is not None:
        objects.uninstall(launcher, backend)
