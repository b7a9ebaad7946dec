"""The project's `mkdocs.yml`, read without MkDocs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.settings import Settings, read_settings
from ledgermark.yamls import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_config(path: Path, inherited: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the content of a `mkdocs.yml`, with what it inherits. Raises ConfigError when it cannot be read."""
    try:
        config = read_yaml(path.read_text(encoding="utf-8"), tags=True)
    except FileNotFoundError as error:
        msg = Message("no {path}; run this in the folder of mkdocs.yml, or name it with --config", path=path)
        raise ConfigError(msg) from error
    except (OSError, ValueError) as error:
        msg = Message("{path} cannot be read: {error}", path=path, error=error)
        raise ConfigError(msg) from error
    if not isinstance(config, dict):
        msg = Message("{path}: expected 'key: value' lines", path=path)
        raise ConfigError(msg)
    parent = config.pop("INHERIT", None)
    if not isinstance(parent, str):
        return config
    if path.resolve() in inherited:
        msg = Message("{path} inherits from itself", path=path)
        raise ConfigError(msg)
    return {**read_config(path.parent / parent, (*inherited, path.resolve())), **config}


def named_entries(listed: Any, key: str) -> list[tuple[str, Any]]:
    """Return the names and options of a list such as `plugins` in a `mkdocs.yml`. Raises ConfigError when it is none."""
    if listed is None:
        return []
    if isinstance(listed, dict):
        return [(str(name), options) for name, options in listed.items()]
    entries: list[tuple[str, Any]] = []
    for item in listed if isinstance(listed, list) else [None]:
        if isinstance(item, str):
            entries.append((item, None))
        elif isinstance(item, dict) and len(item) == 1:
            entries += [(str(name), options) for name, options in item.items()]
        else:
            msg = Message("{key} in mkdocs.yml: expected a list of names, each with or without options, found {item}", key=key, item=repr(item))
            raise ConfigError(msg)
    return entries


def settings_in(config: Mapping[str, Any]) -> Settings:
    """Return the settings in the `ledgermark` entry of a configuration's plugins. Raises ConfigError when there is none, or it is wrong."""
    for name, block in named_entries(config.get("plugins"), "plugins"):
        if name == "ledgermark":
            return read_settings(block, docs_dir=str(config.get("docs_dir") or "docs"))
    msg = Message("mkdocs.yml has no plugin 'ledgermark'; add it under plugins:")
    raise ConfigError(msg)


def markdown_extensions(config: Mapping[str, Any]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the Markdown extensions of a `mkdocs.yml` and their options, with those MkDocs always adds.

    Options whose YAML tag names a Python object are left out: the check must not run what a configuration names.
    """
    names = ["toc", "tables", "fenced_code"]
    configs: dict[str, dict[str, Any]] = {}
    for name, options in named_entries(config.get("markdown_extensions"), "markdown_extensions"):
        if name not in names:
            names.append(name)
        if isinstance(options, dict):
            configs[name] = {str(key): value for key, value in options.items() if value is not None}
    return names, configs
