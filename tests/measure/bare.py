"""`scripts.measure` as a machine runs it that has torch and nothing else: `torchrun ... -m tests.measure.bare [--spoil OPERATION] WORDS`."""

from __future__ import annotations

import os
import sys

BLOCKED = ("babel", "httpx2", "psutil", "prometheus_client", "pynvml", "msgspec", "numpy", "pandas", "click", "yaml", "ledgermark", "submitit")


def spoil(operation: str) -> None:
    """Make one rank's result of an operation wrong in one element, once it is there."""
    import torch.distributed as dist  # noqa: PLC0415 - after the block

    right = getattr(dist, operation)

    def wrong(tensor: object, *rest: object) -> None:
        right(tensor, *rest)
        if os.environ["RANK"] == "1":
            tensor[-1] += 1  # type: ignore[index]

    setattr(dist, operation, wrong)


def main() -> int:
    """Block what is not there, and run."""
    for name in BLOCKED:
        sys.modules[name] = None  # type: ignore[assignment]
    from scripts.measure.cli import main as measure  # noqa: PLC0415 - after the block

    words = sys.argv[1:]
    if words[0] == "--spoil":
        spoil(words[1])
        words = words[2:]
    return measure(words)


if __name__ == "__main__":
    raise SystemExit(main())
