"""The file of a campaign: machines, models, arms and rungs, and the jobs that they make."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SERVED = ("ladder", "ab", "spec")
"""Instruments that talk to a server; these also hear its address and the model."""
INSTRUMENTS = (*SERVED, "trace", "collective")
KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "": {"folder": str, "date": str, "scheduler": dict, "machine": list, "model": list, "arm": list, "rung": list, "skip": list},
    "machine": {"name": str, "url": str, "scheduler": dict, "words": list},
    "model": {"name": str, "words": list},
    "arm": {"name": str, "stack": str, "start": list, "ready_s": (int, float), "words": list},
    "rung": {"name": str, "instrument": str, "words": list, "launch": list},
    "skip": {"machine": str, "model": str, "arm": str, "rung": str},
}
URL = "http://localhost:8000"
READY_S = 900.0


@dataclass(frozen=True)
class Rung:
    """One instrument of a job.

    Attributes:
        name: As its files are called.
        instrument: Which.
        words: All that it is told.
        launch: Program that runs it; empty for this Python.
        out: Its result file.
    """

    name: str
    instrument: str
    words: tuple[str, ...]
    launch: tuple[str, ...]
    out: Path


@dataclass(frozen=True)
class Job:
    """What one machine does with one model and one arm: a server is started once for it.

    Attributes:
        machine: As rows name it.
        model: As the server calls it.
        arm: Which.
        url: Address of the server.
        start: Program that serves until it is ended; empty where the server runs already, or none is needed.
        ready_s: How long it may take to answer.
        rungs: In order.
    """

    machine: str
    model: str
    arm: str
    url: str
    start: tuple[str, ...]
    ready_s: float
    rungs: tuple[Rung, ...]

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.machine}, {self.model}, {self.arm}"


@dataclass(frozen=True)
class Campaign:
    """What the file says.

    Attributes:
        path: The file.
        folder: Where the files of all jobs go.
        date: Day in all rows; empty for the day it begins.
        jobs: In order: by machine, model and arm.
        schedulers: Of each machine, what its scheduler is told.
    """

    path: Path
    folder: Path
    date: str
    jobs: tuple[Job, ...]
    schedulers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_campaign(path: Path) -> Campaign:
    """Return what a TOML file says.

    Raises:
        SetupError: It does not say what it has to; the message names the table and the key.
        OSError: It cannot be read.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{path}: not TOML: {error}") from None
    _check(path, "", data)
    tables = {kind: _named(path, kind, data) for kind in ("machine", "model", "arm", "rung")}
    for item in tables["rung"]:
        if item.get("instrument") not in INSTRUMENTS:
            raise SetupError(
                f"{path}: rung '{item['name']}': instrument is {item.get('instrument')!r}, expected one of {', '.join(INSTRUMENTS)}"
            )
    folder = path.parent / data.get("folder", path.stem)
    skips = [_skip(path, item, tables) for item in data.get("skip", [])]
    jobs = []
    for machine in tables["machine"]:
        for model in tables["model"]:
            for arm in tables["arm"]:
                place = {"machine": machine["name"], "model": model["name"], "arm": arm["name"]}
                rungs = tuple(
                    _rung(item, (machine, model, arm), folder)
                    for item in tables["rung"]
                    if not any(skip.items() <= {**place, "rung": item["name"]}.items() for skip in skips)
                )
                if rungs:
                    start = tuple(_fill(arm.get("start", []), (machine, model, arm), folder))
                    url = machine.get("url", URL)
                    jobs.append(Job(machine["name"], model["name"], arm["name"], url, start, float(arm.get("ready_s", READY_S)), rungs))
    if not jobs:
        raise SetupError(f"{path}: every job is skipped")
    schedulers = {machine["name"]: {**data.get("scheduler", {}), **machine.get("scheduler", {})} for machine in tables["machine"]}
    return Campaign(path, folder, data.get("date", ""), tuple(jobs), schedulers)


def _check(path: Path, kind: str, table: Any) -> None:
    """Refuse a table with a key that is not known, or a value of another kind."""
    where = f"[[{kind}]]" if kind else "the file"
    if not isinstance(table, dict):
        raise SetupError(f"{path}: {where} is {table!r}, expected a table")
    for key, value in table.items():
        if key not in KEYS[kind]:
            near = difflib.get_close_matches(key, KEYS[kind], 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; known are {', '.join(KEYS[kind])}"
            raise SetupError(f"{path}: {where}: unknown key '{key}'{hint}")
        if not isinstance(value, KEYS[kind][key]) or isinstance(value, bool):
            raise SetupError(f"{path}: {where}: {key} is {value!r}")
        if isinstance(value, list) and key in ("words", "start", "launch") and not all(isinstance(word, str) for word in value):
            raise SetupError(f"{path}: {where}: {key} is a list of texts: one for each word of a command line")


def _named(path: Path, kind: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of a kind; their names make folders, so these must differ too."""
    found: list[dict[str, Any]] = data.get(kind, [])
    if not found and kind == "arm":
        found = [{"name": "plain"}]
    if not found:
        raise SetupError(f"{path}: expected at least one [[{kind}]]")
    seen: dict[str, str] = {}
    for item in found:
        _check(path, kind, item)
        name = item.setdefault("name", item.get("instrument", "")) if kind == "rung" else item.get("name", "")
        if not slug(name):
            raise SetupError(f"{path}: each [[{kind}]] needs a 'name'")
        if slug(name) in seen:
            raise SetupError(f"{path}: two [[{kind}]] are called '{seen[slug(name)]}' and '{name}', which would share their files")
        seen[slug(name)] = name
    return found


def _skip(path: Path, item: Any, tables: Mapping[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Return what is left out; raises SetupError when it names nothing there is."""
    _check(path, "skip", item)
    for kind, name in item.items():
        names = [table["name"] for table in tables[kind]]
        if name not in names:
            raise SetupError(f"{path}: [[skip]]: no {kind} is called '{name}'; there are {', '.join(names)}")
    if not item:
        raise SetupError(f"{path}: [[skip]] names nothing")
    return dict(item)


def _rung(item: dict[str, Any], place: tuple[dict[str, Any], ...], folder: Path) -> Rung:
    """Return a rung of a job, with all that it has to be told."""
    machine, model, arm = place
    out = folder / slug(machine["name"]) / slug(model["name"]) / slug(arm["name"]) / f"{slug(item['name'])}.csv"
    words = [*item.get("words", []), *(word for table in place for word in table.get("words", []))]
    words += ["--machine", machine["name"], "--out", str(out)]
    if item["instrument"] in SERVED:
        words += ["--url", machine.get("url", URL), "--model", model["name"]]
    if "stack" in arm:
        words += ["--stack", arm["stack"]]
    return Rung(item["name"], item["instrument"], tuple(_fill(words, place, folder)), tuple(_fill(item.get("launch", []), place, folder)), out)


def _fill(words: list[str], place: tuple[dict[str, Any], ...], folder: Path) -> list[str]:
    """Put names where the words have {machine}, {model}, {arm}, {url} or {folder}."""
    machine, model, arm = place
    values = {"machine": machine["name"], "model": model["name"], "arm": arm["name"], "url": machine.get("url", URL), "folder": str(folder)}
    return [re.sub(r"\{(machine|model|arm|url|folder)\}", lambda match: values[match[1]], word) for word in words]


def slug(name: str) -> str:
    """Return a name as folders and files have it."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
