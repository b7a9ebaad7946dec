"""The command line: `python -m scripts.measure INSTRUMENT`.

Exit codes: 0 all was measured, 1 something failed and is recorded, 2 could not run.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from .errors import SetupError
from .world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

INSTRUMENTS = ("ladder", "ab", "spec", "trace", "collective", "campaign")
"""Modules of this package, each with HELP, `add_arguments(parser)` and `run(options, world) -> int`."""
DONE, FAILED, COULD_NOT_RUN = 0, 1, 2


def make_parser(instruments: Sequence[str] = INSTRUMENTS) -> argparse.ArgumentParser:
    """Return the parser of all instruments."""
    parser = argparse.ArgumentParser(prog="python -m scripts.measure", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="instrument", required=True)
    for name in instruments:
        module = import_module(f"{__package__}.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None, world: World | None = None) -> int:
    """Run an instrument and return the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    # Only the instrument that is asked for is imported: each has libraries of its own.
    chosen = [name for name in INSTRUMENTS if words[:1] == [name]]
    options = make_parser(chosen or INSTRUMENTS).parse_args(words)
    try:
        return int(options.run(options, world or World()))
    except (SetupError, OSError) as reason:
        sys.stderr.write(f"could not run: {reason}\n")
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: the rows so far are in the file; the same command goes on\n")
        return COULD_NOT_RUN
