"""Stand-ins for torch, Triton and vLLM, enough to run vLLM's own launcher and metadata builder without a device.

The two files under test are loaded from a folder as they are; every other module that they import is made here.
Kernels are recorded instead of launched. Used by `harness.py` in a process of its own.
"""

# ruff: noqa: D101, D102  # a stand-in does what the thing it stands for does
from __future__ import annotations

import enum
import math
import sys
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LAUNCHER = "vllm.v1.attention.ops.triton_unified_attention"
BACKEND = "vllm.v1.attention.backends.triton_attn"


class FakeTensor:
    """A tensor with a shape and nothing in it."""

    events: list[tuple[str, Any]]

    def __init__(self, shape: Sequence[int], dtype: str = "bfloat16", events: list[tuple[str, Any]] | None = None) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.device = "device"
        self.events = [] if events is None else events

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def _like(self, shape: Sequence[int]) -> FakeTensor:
        return FakeTensor(shape, self.dtype, self.events)

    def __getitem__(self, item: slice) -> FakeTensor:
        return self._like((len(range(*item.indices(self.shape[0]))), *self.shape[1:]))

    def __eq__(self, other: object) -> Any:  # a mask, as torch gives
        return self._like(self.shape)

    __hash__ = object.__hash__

    def stride(self, dim: int | None = None) -> Any:
        strides = tuple(math.prod(self.shape[index + 1 :]) for index in range(self.ndim))
        return strides if dim is None else strides[dim]

    def element_size(self) -> int:
        return 4 if self.dtype == "float32" else 2

    def transpose(self, one: int, two: int) -> FakeTensor:
        shape = list(self.shape)
        shape[one], shape[two] = shape[two], shape[one]
        return self._like(shape)

    def split(self, size: int, dim: int) -> list[FakeTensor]:
        assert dim == -1
        return [self._like((*self.shape[:-1], size)) for _ in range(self.shape[-1] // size)]

    def unbind(self, dim: int) -> list[FakeTensor]:
        return [self._like(self.shape[:dim] + self.shape[dim + 1 :]) for _ in range(self.shape[dim])]

    def expand(self, shape: Sequence[int]) -> FakeTensor:
        return self._like(shape)

    def view(self, *shape: int) -> FakeTensor:
        known = math.prod(size for size in shape if size != -1)
        return self._like([math.prod(self.shape) // known if size == -1 else size for size in shape])

    def new_empty(self, shape: Sequence[int]) -> FakeTensor:
        return self._like(shape)

    def fill_(self, _value: float) -> FakeTensor:
        return self

    def masked_fill_(self, mask: FakeTensor, value: float) -> FakeTensor:
        assert mask.shape == self.shape
        self.events.append(("masked", (self.shape, value)))
        return self


class Placeholder(type):
    """The type of a name that is imported and never really used."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return make_placeholder(name)

    def __getitem__(cls, _item: object) -> Any:
        return cls

    def __or__(cls, _other: object) -> Any:
        return cls

    __ror__ = __or__


def make_placeholder(name: str) -> Any:
    return Placeholder(name, (), {"__init__": lambda *_args, **_kwargs: None})


class StubModule(ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = make_placeholder(name)
        setattr(self, name, value)
        return value


class KVQuantMode(enum.IntEnum):
    NONE = 0
    FP8_PER_TENSOR = 1
    INT8_PER_TOKEN_HEAD = 2
    FP8_PER_TOKEN_HEAD = 3
    INT4_PER_TOKEN_HEAD = 4

    @property
    def is_per_token_head(self) -> bool:
        return self >= KVQuantMode.INT8_PER_TOKEN_HEAD


CUDAGraphMode = enum.Enum("CUDAGraphMode", "NONE PIECEWISE FULL FULL_DECODE_ONLY FULL_AND_PIECEWISE")


class Builder:
    """What vLLM's metadata builders derive from."""

    def __class_getitem__(cls, _item: object) -> type:
        return cls

    def __init__(self, kv_cache_spec: Any, layer_names: list[str], vllm_config: Any, device: str) -> None:
        self.kv_cache_spec, self.layer_names = kv_cache_spec, layer_names
        self.vllm_config, self.device = vllm_config, device


@dataclass
class World:
    """What the stubs answer, and what the launcher did.

    Attributes:
        blackwell: The device is of compute capability 10.x.
        sm120_units: Compute units of a device of capability 12.0; 0 for any other device.
        events: Launches of kernels and masks on buffers, in order.
    """

    blackwell: bool = False
    sm120_units: int = 0
    events: list[tuple[str, Any]] = field(default_factory=list)

    def empty(self, shape: Sequence[int], dtype: str = "float32", device: object = None) -> FakeTensor:  # noqa: ARG002  # torch has it
        return FakeTensor(shape, dtype, self.events)

    def jit(self, function: Callable[..., Any]) -> Any:
        events = self.events

        class Jitted:
            def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
                return lambda **kwargs: events.append((function.__name__, (grid, kwargs)))

        return Jitted()


def modules(world: World) -> dict[str, dict[str, Any]]:
    """Return what the stub modules really need to have."""
    platform = SimpleNamespace(
        fp8_dtype=lambda: "fp8",
        is_cuda=lambda: bool(world.sm120_units),
        is_xpu=lambda: False,
        is_rocm=lambda: False,
        is_device_capability=lambda capability: bool(world.sm120_units) and capability == (12, 0),
        is_device_capability_family=lambda family: world.blackwell and family == 100,
        has_device_capability=lambda _capability: True,
        get_device_capability=lambda: None,
        get_device_name=lambda: "stub",
        num_compute_units=lambda: world.sm120_units,
    )
    numbers = {"next_power_of_2": lambda value: 1 << (value - 1).bit_length(), "cdiv": lambda one, two: -(-one // two)}
    envs: Any = StubModule("vllm.envs")
    envs.VLLM_BATCH_INVARIANT, envs.VLLM_TRITON_USE_TD, envs.VLLM_TRITON_ATTN_USE_TD = False, False, False
    logger = SimpleNamespace(**{name: lambda *_args, **_kwargs: None for name in ("info", "debug_once", "warning_once", "info_once")})
    quant: dict[str, Any] = {"KVQuantMode": KVQuantMode, "get_kv_quant_mode": lambda _dtype: KVQuantMode.NONE}
    quant |= {name: lambda _dtype: False for name in ("kv_cache_uses_per_token_head_scales", "is_quantized_kv_cache")}
    return {
        "torch": {"Tensor": FakeTensor, "empty": world.empty, "float32": "float32", "finfo": lambda _dtype: SimpleNamespace(min=0, max=1)},
        "vllm": {"envs": envs},
        "vllm.envs": vars(envs),
        "vllm.config": {"CUDAGraphMode": CUDAGraphMode},
        "vllm.logger": {"init_logger": lambda _name: logger},
        "vllm.platforms": {"current_platform": platform},
        "vllm.triton_utils": {"tl": make_placeholder("tl"), "triton": SimpleNamespace(jit=world.jit, **numbers)},
        "vllm.utils.math_utils": numbers,
        "vllm.utils.torch_utils": {"is_quantized_kv_cache": lambda _dtype: False},
        "vllm.v1.attention.backend": {"AttentionMetadataBuilder": Builder},
        "vllm.v1.attention.backends.utils": {"get_num_attention_heads_from_layers": lambda *_args: None},
        "vllm.v1.kv_cache_interface": quant,
    }


class StubFinder(MetaPathFinder, Loader):
    """Serves the two files from a folder and everything else of vLLM, torch and Triton as stubs."""

    def __init__(self, root: Path, world: World) -> None:
        self.root = root
        self.contents = modules(world)

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if fullname.split(".", maxsplit=1)[0] not in {"vllm", "torch", "triton"}:
            return None
        if fullname in {LAUNCHER, BACKEND}:
            return spec_from_file_location(fullname, self.root / f"{fullname.replace('.', '/')}.py")
        spec = ModuleSpec(fullname, self, is_package=True)
        spec.submodule_search_locations = [str(self.root / fullname.replace(".", "/"))]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return StubModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self.contents.get(module.__name__, {}))


def put_in_place(root: Path, world: World) -> None:
    """Make `import vllm` give the stubs, with the two files of `root`."""
    sys.meta_path.insert(0, StubFinder(root, world))
