"""Options of instruments that measure without a server: what a row file and the record beside it need."""

from __future__ import annotations

import argparse
from pathlib import Path


def whole(text: str) -> int:
    """Return a whole number of at least 1, for argparse."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text}")
    return number


def add_file(parser: argparse.ArgumentParser, out: str, machine: str, stack: str) -> None:
    """Add where rows go and what they say of the place.

    Args:
        parser: Gets the options.
        out: Name of the result file unless one is given.
        machine: Where the name of the machine comes from unless it is given.
        stack: Where that of the stack comes from.
    """
    group = parser.add_argument_group("run")
    group.add_argument("--out", type=Path, default=Path(out), metavar="FILE", help=f"CSV that rows are appended to (default {out})")
    group.add_argument("--dry-run", action="store_true", help="print the plan and how long it should take; write nothing")
    group.add_argument("--machine", default="", help=f"hardware, as rows name it (default {machine})")
    group.add_argument("--stack", default="", help=f"software, as rows name it (default {stack})")
    group.add_argument("--date", default="", help="day in the rows of a new run (ISO 8601)")
