"""The speculation of a server: its configuration, built and held against the rules of each method."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Sequence

NONE = "none"
MOST_TOKENS = 32
FLAGS = ("--speculative-config", "--speculative_config", "-sc")


@dataclass(frozen=True)
class Method:
    """A way to draft.

    Attributes:
        name: As rows call it.
        method: As vLLM calls it.
        drafter: Whether it needs a checkpoint of its own; a method that drafts with the target's own layers may have none.
    """

    name: str
    method: str
    drafter: bool


METHODS = {
    method.name: method
    for method in (
        Method("mtp", "mtp", drafter=False),
        Method("mtp+assistant", "mtp", drafter=True),
        Method("eagle3", "eagle3", drafter=True),
        Method("dflash", "dflash", drafter=True),
        Method("dspark", "dspark", drafter=True),
    )
}


def build_config(name: str, tokens: Any, model: str = "") -> dict[str, Any]:
    """Return the value of ``--speculative-config`` for a method.

    Args:
        name: One of `METHODS`.
        tokens: Tokens to draft in a step.
        model: Checkpoint of the drafter, a name or a folder.

    Raises:
        SetupError: The method is unknown, or what it is given does not fit it.
    """
    method = METHODS.get(name)
    if method is None:
        raise SetupError(f"unknown draft method '{name}'; known are {', '.join(METHODS)}")
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 1 <= tokens <= MOST_TOKENS:
        raise SetupError(f"{name}: {tokens!r} tokens to draft, expected a whole number from 1 to {MOST_TOKENS}")
    if method.drafter and not model:
        raise SetupError(f"{name}: needs the checkpoint of its drafter: say 'model'")
    if model and not method.drafter:
        raise SetupError(f"{name}: drafts with the target's own layers; with a checkpoint ('{model}') it is mtp+assistant")
    if model != model.strip() or not model.isprintable():
        raise SetupError(f"{name}: not the name of a checkpoint: {model!r}")
    config: dict[str, Any] = {"method": method.method}
    if model:
        config["model"] = model
    return {**config, "num_speculative_tokens": tokens}


def spell_config(config: dict[str, Any] | None) -> str:
    """Return a configuration as a command line has it; empty for none."""
    return json.dumps(config) if config else ""


def read_command(command: Sequence[str]) -> dict[str, Any] | None:
    """Return the configuration that a server was started with; None without speculation.

    Raises:
        ValueError: There is one, and it is no JSON object.
    """
    words = list(command)
    for place, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag not in FLAGS:
            continue
        text = value if equals else words[place + 1] if place + 1 < len(words) else ""
        config = json.loads(text)
        if not isinstance(config, dict):
            raise ValueError(f"not a JSON object: {text}")  # noqa: TRY004 - the server's command is wrong, not the call
        return config
    return None


def check_command(command: Sequence[str], wanted: dict[str, Any] | None) -> str:
    """Return in words what a server's command says of its speculation.

    Raises:
        SetupError: It is not what is to be measured.
    """
    try:
        found = read_command(command)
    except ValueError as error:
        raise SetupError(f"the server's --speculative-config cannot be read: {error}") from None
    if wanted is None and found is not None:
        raise SetupError(f"speculation is on, and should not be: the server runs with {spell_config(found)}")
    if wanted is not None and {name: (found or {}).get(name) for name in wanted} != wanted:
        raise SetupError(f"found the server with {spell_config(found) or 'no speculation'}, expected {spell_config(wanted)}")
    return spell_config(found) or "without speculation"
