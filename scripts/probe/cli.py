"""The command line: reads logs, or predicts from a model's configuration.

Exit codes: 0 active (or would be, with the patch), 1 idle with the reason, 2 not a vLLM log or not readable.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .devices import find_device
from .log import Summary, merge, summarize
from .model import read_model
from .predict import ASSUMED, Prediction, Setting, predict
from .verdict import ACTIVE, IDLE, NOT_A_LOG, admits_by_itself, describe, judge, render

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if bool(arguments.predict) == bool(arguments.log):
        parser.error("give logs to read, or --predict with --device")
    if arguments.predict and not arguments.device:
        parser.error("--predict needs --device")
    try:
        return _predict(arguments) if arguments.predict else _read(arguments)
    except (OSError, ValueError) as reason:
        sys.stderr.write(f"could not run: {reason}\n")
        return NOT_A_LOG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.probe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="*", metavar="LOG", help="serve log of vLLM, '-' for standard input; several are one system's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    group = parser.add_argument_group("prediction")
    group.add_argument("--predict", type=Path, metavar="MODEL_CONFIG", help="a model's config.json, or the folder that holds it")
    group.add_argument("--device", metavar="NAME", help="A100, 'RX 7900 XT', MI300X, sm_90, gfx1201")
    group.add_argument("--tensor-parallel-size", type=int, default=1, metavar="N")
    group.add_argument("--num-speculative-tokens", type=int, default=1, metavar="K", help="0 without speculation (default 1)")
    group.add_argument("--attention-backend", default="", metavar="NAME", help="where it is pinned")
    group.add_argument("--block-size", type=int, default=0, metavar="TOKENS", help="where it is set")
    group.add_argument("--vllm", default="0.28.0", metavar="VERSION", help="release (default 0.28.0)")
    return parser


def _read(arguments: argparse.Namespace) -> int:
    """Read the logs and say what they say."""
    summaries = [_summarize(name) for name in arguments.log]
    summary = summaries[0] if len(summaries) == 1 else merge(summaries)
    verdict = judge(summary)
    answer = describe(summary, verdict)
    _print([json.dumps(answer, indent=2)] if arguments.json else render(answer) if summary.seen else [verdict.sentence])
    return verdict.exit_code


def _summarize(name: str) -> Summary:
    if name == "-":
        return summarize(sys.stdin.buffer)
    with Path(name).open("rb") as stream:
        return summarize(stream)


def _predict(arguments: argparse.Namespace) -> int:
    """Say what vLLM would decide."""
    path = arguments.predict / "config.json" if arguments.predict.is_dir() else arguments.predict
    config = json.loads(path.read_text("utf-8"))
    if not isinstance(config, dict):
        raise ValueError(f"{path}: not a model configuration")  # noqa: TRY004  # the file is wrong, not the call
    setting = Setting(
        ranks=arguments.tensor_parallel_size,
        speculative=arguments.num_speculative_tokens,
        backend=arguments.attention_backend.upper(),
        block_size=arguments.block_size,
        native=admits_by_itself(arguments.vllm),
    )
    prediction = predict(read_model(config), find_device(arguments.device), setting)
    _print([json.dumps(_as_data(prediction), indent=2)] if arguments.json else _as_lines(prediction))
    return ACTIVE if prediction.admitted else IDLE


def _as_data(prediction: Prediction) -> dict[str, object]:
    decisions = [{"question": each.question, "answer": each.answer, "rule": each.rule} for each in prediction.decisions]
    return {
        "backend": prediction.backend,
        "admitted": prediction.admitted,
        "decisions": decisions,
        "assumed": ASSUMED,
        "verdict": prediction.sentence,
    }


def _as_lines(prediction: Prediction) -> list[str]:
    return [*(f"{each.question}: {each.answer}\n    {each.rule}" for each in prediction.decisions), f"assumed: {ASSUMED}", prediction.sentence]


def _print(lines: list[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
