"""The command line: `status`, `apply` and `revert` on an installed or unpacked vLLM. Standard library only.

Exit codes: 0 done or already so, 1 refused, 2 could not run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import entry, source
from .plugin import VARIABLE, find_package
from .plugin.releases import NoVllmError, RefusedError, check_release, check_stock, find_installation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .plugin.releases import Installation

ENTRY, SOURCE = "entry-point", "source"
DONE, REFUSED, COULD_NOT_RUN = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _parser().parse_args(argv)
    try:
        installation = find_installation(_find_root(arguments.root))
        code, lines = {"status": _status, "apply": _apply, "revert": _revert}[arguments.command](installation, arguments)
    except RefusedError as reason:
        sys.stderr.write(f"refused: {reason}\n")
        return REFUSED
    except (NoVllmError, OSError) as reason:
        sys.stderr.write(f"could not run: {reason}\n")
        return COULD_NOT_RUN
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.gate_patch", description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_text in (
        ("status", "say what is there and what is patched"),
        ("apply", "put the patch on; on a patched vLLM this changes nothing"),
        ("revert", "give vLLM its very bytes back; on a stock vLLM this changes nothing"),
    ):
        command = commands.add_parser(name, help=help_text, description=help_text)
        command.add_argument("--root", type=Path, help="folder that holds vllm/ (site-packages, an unpacked wheel); else the installed one")
        if name == "status":
            command.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "apply":
            command.add_argument(
                "--how",
                choices=(ENTRY, SOURCE),
                default=ENTRY,
                help=f"{ENTRY}: a plugin beside vLLM, active when {VARIABLE}=1 (default); {SOURCE}: edit its two files",
            )
    return parser


def _find_root(given: Path | None) -> Path:
    """Return the folder to look in.

    Raises:
        NoVllmError: None was given and this Python has no vLLM.
    """
    if given is not None:
        if not given.is_dir():
            raise NoVllmError(f"{given}: no such folder")
        return given
    return find_package()


def report(installation: Installation) -> dict[str, Any]:
    """Return what is there as data: version, folder, entry point, state of each file, and why a patch is refused."""
    entry_state, odd = entry.read_state(installation.package.parent)
    found: dict[str, Any] = {
        "vllm": installation.version,
        "package": str(installation.package),
        "entry_point": entry_state,
        "entry_point_differs": list(odd),
        "files": {},
        "refused": None,
    }
    try:
        check_release(installation)
        states = source.read_states(installation)
        found["files"] = {state.name: state.state for state in states}
        source.check_unmodified(installation, states)
        entry.check_unmodified(installation.package.parent)
    except RefusedError as reason:
        found["refused"] = str(reason)
    return found


def _status(installation: Installation, arguments: argparse.Namespace) -> tuple[int, list[str]]:
    """Say what is there."""
    found = report(installation)
    code = REFUSED if found["refused"] else DONE
    if arguments.json:
        return code, [json.dumps(found, indent=2)]
    lines = [f"vLLM {installation.version} in {installation.package}", f"entry point: {found['entry_point']}"]
    lines += [f"{state}: {name}" for name, state in found["files"].items()]
    return code, [*lines, f"refused: {found['refused']}" if found["refused"] else _describe(found)]


def _describe(found: dict[str, Any]) -> str:
    """Return the state in one sentence."""
    states = set(found["files"].values())
    if states == {source.PATCHED}:
        return f"The source patch is on; {VARIABLE}=0 switches it off."
    if states == {source.PATCHED, source.STOCK}:
        return "The source patch is on one file only: apply or revert it again."
    if found["entry_point"] == entry.INSTALLED:
        return f"The entry point is in place; it is active in processes that run with {VARIABLE}=1."
    return "Stock: no step of more than one row takes the 3D path."


def _apply(installation: Installation, arguments: argparse.Namespace) -> tuple[int, list[str]]:
    """Put the patch on."""
    root = installation.package.parent
    if arguments.how == SOURCE:
        if entry.check_unmodified(root) == entry.INSTALLED:
            raise RefusedError("found the entry point in place: revert it before the source is patched")
        changed = source.apply_source(installation)
        what = f"source patch on vLLM {installation.version}; {VARIABLE}=0 switches it off"
    else:
        check_stock(installation)
        changed = entry.apply_entry(root)
        what = f"entry point beside vLLM {installation.version}; start vLLM with {VARIABLE}=1"
    return DONE, [f"{'applied' if changed else 'already applied'}: {what}"]


def _revert(installation: Installation, _arguments: argparse.Namespace) -> tuple[int, list[str]]:
    """Take the patch off, whichever it is. The entry point also leaves a vLLM that was upgraded under it."""
    root = installation.package.parent
    installed = entry.check_unmodified(root) == entry.INSTALLED
    try:
        states = source.read_states(installation)
    except RefusedError:
        if not installed:
            raise
        entry.revert_entry(root)
        return DONE, [f"reverted: the entry point is gone; the files of vLLM {installation.version} were never touched"]
    source.check_unmodified(installation, states)
    changed = source.revert_source(installation), entry.revert_entry(root)
    return DONE, [f"{'reverted' if any(changed) else 'nothing to revert'}: vLLM {installation.version} is as released"]
