"""The file that names what a sweep of speculation goes through."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import SetupError
from .speculation import NONE, build_config, spell_config

PLACE = "{config}"
PROMPTS = Path(__file__).parent / "prompts.jsonl"


@dataclass(frozen=True)
class Proposal:
    """A draft method with a proposal length, or no speculation.

    Attributes:
        method: As rows call it; ``none`` without speculation.
        tokens: Tokens drafted in a step; 0 without.
        config: Value of ``--speculative-config``; None without.
        url: Its server's address; empty for that of the options.
        switch: Program and arguments that start its server; empty where it always runs.
    """

    method: str
    tokens: int
    config: dict[str, Any] | None
    url: str = ""
    switch: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.method} {self.tokens}" if self.tokens else NONE


@dataclass(frozen=True)
class SpecFile:
    """What the file says.

    Attributes:
        proposals: No speculation first.
        ready_s: How long a server may take to answer after a switch.
        log: Serve log to read acceptance from; None for the Prometheus counters.
        prompts: Tasks by name.
    """

    proposals: tuple[Proposal, ...]
    ready_s: float
    log: Path | None
    prompts: dict[str, str]


KEYS = {"switch": list, "ready_s": (int, float), "log": str, "prompts": str, "none_url": str, "method": list}


def read_spec_file(path: Path) -> SpecFile:
    """Return what a TOML file says.

    Raises:
        SetupError: It does not say what it has to; the message names the key.
        OSError: It, or the file of prompts, cannot be read.
    """
    data = _read_keys(path)
    switch = data.get("switch", [])
    proposals = [Proposal(NONE, 0, None, data.get("none_url", ""), _fill(switch, None))]
    for entry in data.get("method", []):
        proposals += _read_method(path, entry, switch)
    if len(proposals) == 1:
        raise SetupError(f"{path}: names no [[method]]")
    if len({(each.method, each.tokens) for each in proposals}) != len(proposals):
        raise SetupError(f"{path}: names one method with one length twice")
    if not switch and len({each.url for each in proposals}) != len(proposals):
        raise SetupError(f"{path}: without 'switch', each method and length needs a 'url' of its own, and no speculation 'none_url'")
    prompts = path.parent / data["prompts"] if "prompts" in data else PROMPTS
    log = path.parent / data["log"] if "log" in data else None
    return SpecFile(tuple(proposals), float(data.get("ready_s", 900.0)), log, read_prompts(prompts))


def _read_keys(path: Path) -> dict[str, Any]:
    """Return what the file holds, its keys and their types checked; raises as `read_spec_file` does."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{path}: not TOML: {error}") from None
    for key, value in data.items():
        if key not in KEYS:
            raise SetupError(f"{path}: unknown key '{key}'; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):  # type: ignore[arg-type]
            raise SetupError(f"{path}: {key} is {value!r}")
    switch = data.get("switch", [])
    if not all(isinstance(word, str) for word in switch):
        raise SetupError(f"{path}: switch is a list of texts: the program and its arguments")
    if switch and not any(PLACE in word for word in switch):
        raise SetupError(f"{path}: switch has no {PLACE}, so it could not tell one method from another")
    return data


def _fill(switch: list[str], config: dict[str, Any] | None) -> tuple[str, ...]:
    return tuple(word.replace(PLACE, spell_config(config)) for word in switch)


def _read_method(path: Path, entry: Any, switch: list[str]) -> list[Proposal]:
    if not isinstance(entry, dict) or set(entry) - {"name", "tokens", "model", "url"} or "name" not in entry:
        raise SetupError(f"{path}: a [[method]] has 'name' and 'tokens', and 'model' and 'url' where they are needed")
    lengths, name = entry.get("tokens"), entry["name"]
    model, url = entry.get("model", ""), entry.get("url", "")
    if not isinstance(lengths, list) or not lengths:
        raise SetupError(f"{path}: method '{name}': expected a list of lengths as 'tokens'")
    if not all(isinstance(text, str) for text in (name, model, url)):
        raise SetupError(f"{path}: method '{name}': name, model and url are texts")
    if url and len(lengths) > 1:
        raise SetupError(f"{path}: method '{name}': one server drafts one number of tokens; expected a [[method]] for each 'url'")
    configs = [(tokens, build_config(name, tokens, model)) for tokens in lengths]
    return [Proposal(name, tokens, config, url, () if url else _fill(switch, config)) for tokens, config in configs]


def read_prompts(path: Path) -> dict[str, str]:
    """Return tasks by name, from a file with one JSON object a line: ``{"id": ..., "prompt": ...}``.

    Raises:
        SetupError: A line is something else, or two have one name.
        OSError: The file cannot be read.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            name, text = str(entry["id"]), entry["prompt"]
        except (ValueError, KeyError, TypeError):
            raise SetupError(f'{path}:{number}: expected an object like {{"id": "code", "prompt": "..."}}') from None
        if not isinstance(text, str) or not text or name in found:
            raise SetupError(f"{path}:{number}: {'two prompts are called' if name in found else 'no text in'} '{name}'")
        found[name] = text
    if not found:
        raise SetupError(f"{path}: holds no prompt")
    return found
