"""The arms of a comparison: how each is switched on, and how it is known to be on."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from scripts.probe.log import summarize
from scripts.probe.verdict import Case, judge

from .errors import SetupError
from .server import find_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .client import Client
    from .server import ServerProcess
    from .world import World

FILE, FLAG, NO_FLAG, MODELS, PROBE = "file", "flag", "no_flag", "models", "probe"
PARTNER = {FILE: "sha256", FLAG: "", NO_FLAG: "", MODELS: "is", PROBE: "case"}
SHORTEST_DIGEST = 12
POLL_S = 1.0


@dataclass(frozen=True)
class Check:
    """One thing by which an arm is known.

    Attributes:
        kind: `file`, `flag`, `no_flag`, `models` or `probe`.
        what: The file, the words of the flag, the key of /v1/models, or the log.
        wanted: The digest, the value or the case; empty for flags.
    """

    kind: str
    what: str
    wanted: str = ""


@dataclass(frozen=True)
class Arm:
    """One side of a comparison.

    Attributes:
        name: As rows call it.
        checks: All that must hold before each cell.
        url: Its server's address; empty for that of the options.
        model: Its model; empty for that of the options.
        stack: Its stack, as rows name it; empty for that of the run.
        switch: Program and arguments that switch it on and return when that is done; empty where it is always on.
        ready_s: How long its server may take to answer after that.
    """

    name: str
    checks: tuple[Check, ...]
    url: str = ""
    model: str = ""
    stack: str = ""
    switch: tuple[str, ...] = ()
    ready_s: float = 900.0
    settings: dict[str, Any] = field(default_factory=dict, compare=False)


def read_arms(path: Path) -> tuple[Arm, ...]:
    """Return the arms that a TOML file names.

    Raises:
        SetupError: The file does not say what it has to; the message names the arm and the key.
        OSError: It cannot be read.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{path}: not TOML: {error}") from None
    entries = data.get("arm")
    if not isinstance(entries, list) or len(entries) != 2:  # noqa: PLR2004 - two arms are compared
        raise SetupError(f"{path}: expected two tables [[arm]], found {len(entries) if isinstance(entries, list) else 0}")
    arms = tuple(_read_arm(path, entry) for entry in entries)
    first, second = arms
    if first.name == second.name:
        raise SetupError(f"{path}: both arms are called '{first.name}'")
    if set(first.checks) == set(second.checks) and (first.url, first.model) == (second.url, second.model):
        raise SetupError(f"{path}: the arms have the same checks, so neither could be told from the other")
    if not (first.switch or second.switch) and first.url == second.url and first.model == second.model:
        raise SetupError(f"{path}: the arms have one server and no 'switch': expected a command that switches, or two addresses")
    return arms


KEYS = {"name": str, "url": str, "model": str, "stack": str, "switch": list, "ready_s": (int, float), "check": list}


def _read_arm(path: Path, entry: Any) -> Arm:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name:
        raise SetupError(f"{path}: each [[arm]] needs a 'name'")
    for key, value in entry.items():
        if key not in KEYS:
            raise SetupError(f"{path}: arm '{name}': unknown key '{key}'; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):  # type: ignore[arg-type]
            raise SetupError(f"{path}: arm '{name}': {key} is {value!r}")
    switch = entry.get("switch", [])
    if not all(isinstance(word, str) for word in switch):
        raise SetupError(f"{path}: arm '{name}': switch is a list of texts: the program and its arguments")
    checks = tuple(_read_check(path, name, item) for item in entry.get("check", []))
    if not checks:
        raise SetupError(f"{path}: arm '{name}' has no [[arm.check]]: nothing would tell that it is on")
    return Arm(
        name,
        checks,
        entry.get("url", ""),
        entry.get("model", ""),
        entry.get("stack", ""),
        tuple(switch),
        float(entry.get("ready_s", 900.0)),
        entry,
    )


def _read_check(path: Path, arm: str, item: Any) -> Check:
    where = f"{path}: arm '{arm}': check"
    kinds = [kind for kind in PARTNER if isinstance(item, dict) and kind in item]
    if len(kinds) != 1:
        raise SetupError(f"{where}: expected one of {', '.join(PARTNER)}")
    (kind,) = kinds
    partner = PARTNER[kind]
    unknown = set(item) - {kind, partner}
    if unknown or (partner and partner not in item) or not all(isinstance(value, str) and value for value in item.values()):
        raise SetupError(f"{where}: expected {kind}{f' and {partner}' if partner else ''}, as texts")
    wanted = item.get(partner, "") if partner else ""
    if kind == FILE and (len(wanted) < SHORTEST_DIGEST or set(wanted) - set("0123456789abcdef")):
        raise SetupError(f"{where}: sha256 is '{wanted}', expected at least {SHORTEST_DIGEST} of its hexadecimal digits")
    if kind == PROBE and wanted not in {case.value for case in Case}:
        raise SetupError(f"{where}: case is '{wanted}', expected one of {', '.join(case.value for case in Case)}")
    return Check(kind, item[kind], wanted)


def switch_on(arm: Arm, client: Client, world: World) -> None:
    """Switch an arm on and wait for its server.

    Raises:
        SetupError: The command fails, or the server does not answer in time.
    """
    if arm.switch:
        try:
            done = subprocess.run(arm.switch, capture_output=True, text=True, check=False)  # noqa: S603 - the user's own command
        except OSError as error:
            raise SetupError(f"arm '{arm.name}': {arm.switch[0]}: {error.strerror or error}") from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            tail = f": {said[-1]}" if said else ""
            raise SetupError(f"arm '{arm.name}': '{shlex.join(arm.switch)}' exited with {done.returncode}{tail}")
    deadline = world.clock() + arm.ready_s
    while True:
        try:
            client.renew()
        except SetupError as error:
            if world.clock() > deadline:
                raise SetupError(f"arm '{arm.name}': not ready after {arm.ready_s:g} s: {error}") from None
            world.sleep(POLL_S)
        else:
            return


def assert_on(arm: Arm, client: Client) -> str:
    """Return in words what says that an arm is on.

    Raises:
        SetupError: Something says that it is not.
    """
    process = find_command(client.endpoint.url)
    seen = [_see(arm, check, client, process) for check in arm.checks]
    return "; ".join(seen)


def _see(arm: Arm, check: Check, client: Client, process: ServerProcess | None) -> str:
    """Return what one check saw."""
    fault = f"arm '{arm.name}' is not on"
    if check.kind == FILE:
        return _see_file(fault, check, process)
    if check.kind in (FLAG, NO_FLAG):
        if process is None:
            raise SetupError(f"{fault}, as far as can be seen: no process of this machine listens at {client.endpoint.url}")
        there = _holds(process.command, shlex.split(check.what))
        if there != (check.kind == FLAG):
            raise SetupError(f"{fault}: the server runs {'with' if there else 'without'} {check.what}")
        return f"{'with' if there else 'without'} {check.what}"
    if check.kind == MODELS:
        entry = client.ask().entry
        if str(entry.get(check.what)) != check.wanted:
            raise SetupError(f"{fault}: /v1/models says {check.what} = {entry.get(check.what)!r}, expected '{check.wanted}'")
        return f"{check.what} = {check.wanted}"
    try:
        with Path(check.what).open("rb") as stream:
            case = judge(summarize(stream)).case
    except OSError as error:
        raise SetupError(f"{fault}, as far as can be seen: {check.what}: {error.strerror or error}") from None
    if case.value != check.wanted:
        raise SetupError(f"{fault}: by its log it is '{case.value}', expected '{check.wanted}'")
    return f"probe: {case.value}"


def _see_file(fault: str, check: Check, process: ServerProcess | None) -> str:
    path = Path(check.what)
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        changed_s = path.stat().st_ctime
    except OSError as error:
        raise SetupError(f"{fault}: {path}: {error.strerror or error}") from None
    if not found.startswith(check.wanted):
        raise SetupError(f"{fault}: {path} has sha256 {found[:SHORTEST_DIGEST]}, expected {check.wanted[:SHORTEST_DIGEST]}")
    if process is not None and psutil.Process(process.pid).create_time() < changed_s - 1:
        raise SetupError(f"{fault}: {path} is right, but the server was started before it was put there")
    return f"sha256 {found[:SHORTEST_DIGEST]}"


def _holds(command: Sequence[str], words: Sequence[str]) -> bool:
    """Say whether words stand side by side in a command; ``--flag value`` is met as ``--flag=value``, too."""
    joined = [f"{words[0]}={words[1]}"] if len(words) == 2 else []  # noqa: PLR2004 - a flag and its value
    span = len(words)
    return any(list(command[place : place + span]) == list(words) for place in range(len(command))) or bool(set(joined) & set(command))
