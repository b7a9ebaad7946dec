"""What the launcher, the reference and the sweep's helpers do before any kernel runs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

torch = pytest.importorskip("torch", reason="the kernels need torch: install the extra 'kernels'")
pytest.importorskip("triton", reason="the kernels need Triton: install the extra 'kernels'")

from scripts.attention import bench, peers, sweep  # noqa: E402 - after the skips
from scripts.attention.cases import SHAPES, Case, both_paths, build, poisoned_output, reference, ulps_apart  # noqa: E402
from scripts.attention.device import INTERPRETER  # noqa: E402
from scripts.attention.launch import Inputs, Scratch, attention, make_scratch  # noqa: E402
from scripts.attention.shapes import Shape  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

CASE = Case("small", Shape("small", 4, 2, 64), ((2, 20),))


def launch(inputs: Inputs, scratch: Scratch | None = None, *, split: bool = True, case: Case = CASE) -> None:
    plan = both_paths(INTERPRETER, case)[split]
    attention(inputs, poisoned_output(case, inputs), plan, case.shape, scratch)


def test_scratch_too_small_names_both_shapes() -> None:
    inputs = build(CASE, torch.float32, "cpu")
    plan = both_paths(INTERPRETER, CASE)[1]
    scratch = make_scratch(plan, "cpu")
    assert scratch is not None
    small = Scratch(scratch.part[:1], scratch.top, scratch.total)
    with pytest.raises(ValueError, match=r"part must have shape \[2, 4, 5, 64\].*got \[1, 4, 5, 64\]"):
        launch(inputs, small)
    with pytest.raises(ValueError, match=r"top must have shape \[2, 4, 5\].*got \[2, 4, 4\]"):
        launch(inputs, replace(scratch, top=scratch.top[:, :, :4]))
    with pytest.raises(ValueError, match=r"needs scratch of shape \[2, 4, 5, 64\], got none"):
        launch(inputs, None)
    with pytest.raises(ValueError, match="float32"):
        launch(inputs, replace(scratch, total=scratch.total.double()))


def changed(**changes: Callable[[Any], Any]) -> Inputs:
    inputs = build(CASE, torch.float32, "cpu")
    return replace(inputs, **{name: change(getattr(inputs, name)) for name, change in changes.items()})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"q": lambda q: q[:, :3]}, r"q must have shape \[2, 4, 64\], got \[2, 3, 64\]"),
        ({"k": lambda k: k[:, :, :1]}, r"k must have shape \[3, 16, 2, 64\], got \[3, 16, 1, 64\]"),
        ({"v": lambda v: v[:, :8]}, r"v must have shape \[3, 16, 2, 64\], got \[3, 8, 2, 64\]"),
        ({"starts": lambda starts: starts[:1]}, r"starts must have shape \[2\], got \[1\]"),
        ({"lens": lambda lens: lens.long()}, "lens must be torch.int32, got torch.int64"),
        ({"k": lambda k: k.double()}, "one dtype"),
        ({"q": lambda q: q.transpose(0, 1).contiguous().transpose(0, 1).transpose(1, 2).contiguous().transpose(1, 2)}, "contiguous"),
        ({"scale": lambda _scale: 0.0}, "scale must be positive"),
    ],
)
def test_wrong_inputs_are_refused(changes: dict[str, Callable[[Any], Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        launch(changed(**changes), split=False)


def test_plan_for_fewer_tokens_is_refused() -> None:
    inputs = build(replace(CASE, sequences=((3, 20),)), torch.float32, "cpu")
    with pytest.raises(ValueError, match=r"plan is for 2 query tokens, q has shape \[3, 4, 64\]"):
        launch(inputs, split=False)


def test_reference_by_hand() -> None:
    case = Case("window", Shape("window", 2, 1, 64, window=3), ((2, 6),), block_size=4)
    inputs = build(case, torch.float32, "cpu")
    right = reference(case, inputs)
    keys = inputs.k[inputs.table[0].long()].flatten(0, 1)[:6, 0].double()
    values = inputs.v[inputs.table[0].long()].flatten(0, 1)[:6, 0].double()
    for row, (low, high) in enumerate(((2, 5), (3, 6))):
        for head in range(2):
            weights = torch.softmax(keys[low:high] @ inputs.q[row, head].double() * inputs.scale, 0)
            torch.testing.assert_close(right[row, head], weights @ values[low:high])


def test_reference_gives_zeros_without_keys() -> None:
    case = Case("more rows than keys", Shape("one", 1, 1, 64), ((3, 1), (2, 0)))
    right = reference(case, build(case, torch.float32, "cpu"))
    assert not right[[0, 1, 3, 4]].any()
    assert right[2].any()


def test_ulps_are_of_the_largest_element() -> None:
    one = torch.tensor([[1.0, 0.0]])
    assert ulps_apart(one, one) == 0
    assert ulps_apart(one, one + torch.tensor([[0.0, 2.0**-7]])) == 1  # the step of bf16 between 1 and 2
    assert ulps_apart(one, one + torch.tensor([[2.0**-6, 0.0]])) == 2


def test_timing_needs_two_times() -> None:
    with pytest.raises(ValueError, match="at least two"):
        bench.summarize([1.0], 1, 1)
    timing = bench.summarize([3.0, 1.0, 2.0], 4, 2)
    assert (timing.median_us, timing.repeats, timing.calls, timing.sets) == (2.0, 3, 4, 2)
    assert timing.low_us <= timing.median_us <= timing.high_us


def test_rotated_sets_exceed_the_cache() -> None:
    for shape in SHAPES:
        for kv_len in sweep.KV_LENS:
            held = bench.set_count(shape.kv_bytes(kv_len)) * shape.kv_bytes(kv_len)
            assert held >= 250 << 20 or bench.set_count(shape.kv_bytes(kv_len)) == bench.MAX_SETS


def test_missing_wheel_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"vLLM 0\.28\.0: no .*triton_attention_helpers\.py"):
        peers.load_release("0.28.0", tmp_path)


def test_a_release_loads_beside_stand_ins(tmp_path: Path) -> None:
    folder = tmp_path / "vllm/v1/attention/ops"
    folder.mkdir(parents=True)
    (folder / "triton_attention_helpers.py").write_text("from vllm.triton_utils import tl, triton\nANSWER = 42\n", encoding="utf-8")
    (folder / "triton_unified_attention.py").write_text(
        "import vllm.envs as envs\n"
        "from vllm.logger import init_logger\n"
        "from vllm.platforms import current_platform\n"
        "from vllm.v1.attention.ops.triton_attention_helpers import ANSWER\n"
        "from vllm.v1.kv_cache_interface import KVQuantMode\n"
        "logger = init_logger(__name__)\n"
        "logger.info_once('nothing')\n"
        "def unified_attention():\n"
        "    return ANSWER, envs.VLLM_BATCH_INVARIANT, KVQuantMode.NONE, current_platform.fp8_dtype()\n",
        encoding="utf-8",
    )
    release = peers.load_release("9.9.9", tmp_path)
    launcher: Any = release.launcher
    assert launcher() == (42, False, 0, torch.float8_e4m3fn)
    assert not [name for name in sys.modules if name == "vllm" or name.startswith("vllm.")]


def test_sweep_without_a_gpu_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert sweep.main([]) == 2
    assert capsys.readouterr().err == "no GPU that torch can use: nothing to measure\n"


def one_set(shape: Shape, rows: int, kv_len: int, *_rest: object, **_options: object) -> list[Inputs]:
    return [build(Case("", shape, ((rows, kv_len),)), torch.float32, "cpu")]


def test_sweep_appends_resumes_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sweep, "device_facts", lambda _device: INTERPRETER)
    monkeypatch.setattr(sweep, "copy_bandwidth", lambda _device, _repeats: 1e12)
    monkeypatch.setattr(sweep, "rotated_inputs", one_set)
    monkeypatch.setattr(sweep, "peers", lambda *_arguments: ())
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(sweep, "time_together", lambda calls, _repeats: {name: bench.summarize([1.0, 2.0], 1, 1) for name in calls})
    broken = []

    def check(contender: sweep.Contender, _right: object) -> float:
        if contender.name in broken:
            raise RuntimeError("out of memory\nsecond line")
        return 1e-6

    monkeypatch.setattr(sweep, "check", check)
    out = tmp_path / "rows.csv"
    command = ["--out", str(out), "--shapes", "8B", "--kv", "64", "--rows", "1", "2", "--date", "2026-01-02"]
    broken.append("occupancy")
    assert sweep.Sweep(sweep.parse(command), ()).run() == 2
    assert "FAILED [1/2] 8B, 64 keys, 1 rows, occupancy: RuntimeError: out of memory\n" in capsys.readouterr().err
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(sweep.COLUMNS)
    assert len(lines) == 1 + 2 * 2
    broken.clear()
    assert sweep.Sweep(sweep.parse(command), ()).run() == 0
    assert out.read_text(encoding="utf-8").splitlines()[: len(lines)] == lines
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1 + 2 * 3
    again = out.read_bytes()
    assert sweep.Sweep(sweep.parse(command), ()).run() == 0
    assert out.read_bytes() == again


def test_importing_touches_no_device() -> None:
    code = (
        "import torch, triton, importlib, pkgutil, os\n"
        "def refuse(*arguments, **options): raise AssertionError('a device was touched')\n"
        "torch.cuda._lazy_init = refuse\n"
        "torch.cuda.is_available = refuse\n"
        "torch.cuda.get_device_properties = refuse\n"
        "type(triton.runtime.driver).active = property(refuse)\n"
        "before = dict(os.environ)\n"
        "import scripts.attention, scripts.compile_check\n"
        "for module in pkgutil.iter_modules(scripts.attention.__path__):\n"
        "    importlib.import_module('scripts.attention.' + module.name)\n"
        "assert dict(os.environ) == before\n"
        "assert not torch.cuda.is_initialized()\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_plans_need_neither_torch_nor_triton() -> None:
    code = "import sys; sys.modules['torch'] = sys.modules['triton'] = None; import scripts.attention.plan"
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
