"""YAML read safely: whatever an author writes comes back as plain values or as one problem with its place."""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

from ledgermark.messages import Message


class YamlError(ValueError):
    """Text that is no YAML, or holds what cannot be a plain value. `line` and `column` are 1-based within the text."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(problem)
        self.line = line
        self.column = column


class LenientLoader(yaml.SafeLoader):
    """Reads a configuration without the Python objects its tags may name: the check needs none of them."""


LenientLoader.add_multi_constructor("", lambda _loader, _suffix, _node: None)


def read_yaml(text: str, *, tags: bool = False) -> Any:
    """Return the value of a YAML text.

    Args:
        text: the YAML.
        tags: whether unknown tags are read as nothing instead of being an error.

    Raises:
        YamlError: anything that PyYAML raises (a date such as 2026-02-30 is a ValueError there, deep nesting a RecursionError), and values that
            refer to themselves or hold half characters, which would fail far from here.
    """
    try:
        value = yaml.load(text, Loader=LenientLoader) if tags else _load(text)  # noqa: S506  (a SafeLoader)
        _written(value).encode()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise YamlError(error.problem or Message("cannot be read"), mark.line + 1 if mark else 1, mark.column + 1 if mark else 1) from error
    except RecursionError as error:
        raise YamlError(Message("nested too deep"), 1, 1) from error
    except Exception as error:
        raise YamlError((str(error).splitlines() or [type(error).__name__])[0], 1, 1) from error
    return value


_written: Final = json.JSONEncoder(default=str, ensure_ascii=False).encode
# PyYAML's own reader in C, where it was built with it; MkDocs takes the same for front matter.
_FAST: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _load(text: str) -> Any:
    """Return the value of a YAML text, read fast; what cannot be read so is read again by PyYAML's slow reader, for its words."""
    try:
        return yaml.load(text, Loader=_FAST)  # noqa: S506  (a SafeLoader)
    except Exception:  # noqa: BLE001  (the slow reader raises it again, with the message that does not depend on the machine)
        return yaml.load(text, Loader=yaml.SafeLoader)
