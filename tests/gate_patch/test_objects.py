"""The change of objects by itself, on modules of our own."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from scripts.gate_patch.plugin import hook, objects


def unified_attention(**call: Any) -> int:
    """Stand for vLLM's launcher: return the rows that it is told."""
    rows: int = call["max_seqlen_q"]
    return rows


def modules() -> tuple[Any, Any]:
    class TritonAttentionMetadataBuilder:
        def __init__(self) -> None:
            self.vllm_config = SimpleNamespace(speculative_config=None)

    launcher, backend = ModuleType("launcher"), ModuleType("backend")
    vars(launcher).update(unified_attention=unified_attention, reduce_segments=None, is_batch_invariant=False)
    vars(backend).update(unified_attention=unified_attention, TritonAttentionMetadataBuilder=TritonAttentionMetadataBuilder)
    return launcher, backend


def test_install_twice_is_once_and_uninstall_gives_the_very_objects_back() -> None:
    launcher, backend = modules()
    init = backend.TritonAttentionMetadataBuilder.__init__
    objects.install(launcher, backend)
    patched = launcher.unified_attention
    objects.install(launcher, backend)
    assert launcher.unified_attention is patched is backend.unified_attention
    assert backend.TritonAttentionMetadataBuilder.__init__.__wrapped__ is init
    objects.uninstall(launcher, backend)
    objects.uninstall(launcher, backend)
    assert launcher.unified_attention is backend.unified_attention is unified_attention
    assert backend.TritonAttentionMetadataBuilder.__init__ is init
    assert not [name for name in vars(backend) if "gate_patch" in name]


def test_all_or_nothing() -> None:
    launcher, backend = modules()
    backend.unified_attention = lambda **_call: None
    before = dict(vars(launcher)), dict(vars(backend))
    with pytest.raises(TypeError, match="found another patch on unified_attention"):
        objects.install(launcher, backend)
    assert (dict(vars(launcher)), dict(vars(backend))) == before
    launcher, backend = modules()
    del launcher.reduce_segments
    with pytest.raises(AttributeError):
        objects.install(launcher, backend)
    assert launcher.unified_attention is unified_attention


def test_a_loaded_backend_is_patched_at_once_or_left_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    launcher, backend = modules()
    monkeypatch.setitem(sys.modules, hook.LAUNCHER_MODULE, launcher)
    monkeypatch.setitem(sys.modules, hook.BACKEND_MODULE, backend)
    assert (hook.arm(), hook.arm()) == (True, False)
    assert objects.is_installed(backend)
    hook.disarm()
    assert not objects.is_installed(backend)
    backend.unified_attention = lambda **_call: None
    assert hook.arm()
    assert not objects.is_installed(backend)
    assert capsys.readouterr().out == "GATE_PATCH refused: found another patch on unified_attention\n"
    hook.disarm()


def test_callers_that_name_no_argument_are_left_alone() -> None:
    launcher, backend = modules()
    objects.install(launcher, backend)
    with pytest.raises(TypeError):
        launcher.unified_attention(1, 2)
