"""The project's settings: the `ledgermark` block of `mkdocs.yml`, checked once, the same for every door."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ledgermark.findings import ConfigError, nearest
from ledgermark.messages import Message
from ledgermark.units import UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Settings:
    """Where things are, relative to the folder of `mkdocs.yml`, and what the project adds to the rules.

    Attributes:
        descriptor: the data descriptor; its files lie below its folder.
        metrics: the Python file with the metrics.
        figures: the Python file with the figures.
        languages: language code to the folder of its pages. The first is the default.
        names: language code to the language's own name, for the switcher.
        pages: the folder of pages that belong to no language (mkdocs' `docs_dir`).
        locale: the folder of the gettext catalogues, `LANG/LC_MESSAGES/messages.po`, and `data.po` for the words of the descriptor.
        mastheads: the YAML file with each article's chips, written once for all languages.
        subjects: the YAML file with the words for what rows speak of; there need not be one.
        assets: the folder of style sheets and scripts of the site.
        units: unit to further spellings of it, besides those known in every project.
        terms: phrase with a number in it that is a name or a setting, to the reason why it needs no source.
        math: whether `$…$` is math on this site; numbers in math are then left alone.
        navigation: page paths without the language, in order.
        data_pages: whether each dataset has a page of its own, in each language, and files to take away.
        stills: whether to draw still pictures of figures with a Chromium found on the machine.
    """

    descriptor: str = "data/datapackage.json"
    metrics: str = "site_src/metrics.py"
    figures: str = "site_src/figures.py"
    languages: Mapping[str, str] = field(default_factory=lambda: {"en": "en", "zh": "zh"})
    names: Mapping[str, str] = field(default_factory=lambda: {"en": "English", "zh": "中文"})
    pages: str = "site_src/pages"
    locale: str = "site_src/locale"
    mastheads: str = "site_src/mastheads.yml"
    subjects: str = "site_src/subjects.yml"
    assets: str = "site_src/assets"
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    math: bool = False
    navigation: tuple[str, ...] = ()
    data_pages: bool = True
    stills: bool = True

    @property
    def aliases(self) -> dict[str, str]:
        """The project's own spellings: spelling to unit."""
        return {spelling: unit for unit, spellings in self.units.items() for spelling in spellings}


def read_settings(block: Mapping[str, Any] | None, *, docs_dir: str | None = None) -> Settings:
    """Return the settings in a `ledgermark` block.

    Args:
        block: the options under the plugin's name, or None when it has none.
        docs_dir: mkdocs' own setting, which says where the pages without a language are.

    Raises:
        ConfigError: an unknown key, or a value of the wrong form; it says which forms are accepted.
    """
    if block is not None and not isinstance(block, dict):
        msg = Message("ledgermark: its options are {block}, expected 'key: value' lines", block=repr(block))
        raise ConfigError(msg)
    options = dict(block or {})
    known = [item.name for item in fields(Settings)]
    for key in options:
        if key not in known:
            msg = Message("ledgermark: unknown option '{key}'{hint}", key=key, hint=nearest(str(key), known))
            raise ConfigError(msg)
    if docs_dir is not None and options.setdefault("pages", docs_dir) != docs_dir:
        msg = Message(
            "ledgermark: pages is {value}, but MkDocs' docs_dir is {docs_dir}; leave pages out",
            value=repr(options["pages"]),
            docs_dir=repr(docs_dir),
        )
        raise ConfigError(msg)
    settings = Settings()
    for key in ("descriptor", "metrics", "figures", "pages", "locale", "mastheads", "subjects", "assets"):
        options[key] = _path(key, options.get(key) or getattr(settings, key))
    for key in ("languages", "names"):
        options[key] = _texts(key, options.get(key) or getattr(settings, key))
    for code, folder in options["languages"].items():
        _path(f"languages.{code}", folder)
        options["names"].setdefault(code, code)
    options["units"] = _units(options.get("units") or {})
    options["navigation"] = _list("navigation", options.get("navigation") or [])
    options["terms"] = _terms(options.get("terms") or {})
    for key in ("stills", "math", "data_pages"):
        if not isinstance(options.get(key, True), bool):
            msg = Message("ledgermark: {key} is {value}, expected true or false", key=key, value=repr(options[key]))
            raise ConfigError(msg)
    return Settings(**options)


def _path(key: str, value: Any) -> str:
    if (
        not isinstance(value, str)
        or value.startswith("/")
        or ".." in value.split("/")
        or ":" in value
        or not value.isprintable()
        or value in ("", ".")
    ):
        msg = Message("ledgermark: {key} is {value}, expected a path below the folder of mkdocs.yml", key=key, value=repr(value))
        raise ConfigError(msg)
    return value.strip("/")


def _texts(key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not value or not all(isinstance(item, str) for pair in value.items() for item in pair):
        msg = Message("ledgermark: {key} is {value}, expected a mapping such as {{en: English, zh: 中文}}", key=key, value=repr(value))
        raise ConfigError(msg)
    return dict(value)


def _list(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        msg = Message("ledgermark: {key} is {value}, expected a list of texts", key=key, value=repr(value))
        raise ConfigError(msg)
    return tuple(value)


def _units(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        msg = Message("ledgermark: units is {value}, expected a mapping such as {{workgroup: [workgroups, 个工作组]}}", value=repr(value))
        raise ConfigError(msg)
    for unit in value:
        try:
            parse_unit(str(unit))
        except UnitError as error:
            msg = Message("ledgermark: units: {error}", error=error)
            raise ConfigError(msg) from error
    units = {str(unit): _list(f"units.{unit}", spellings) for unit, spellings in value.items()}
    for unit, spellings in units.items():
        for spelling in spellings:
            if not spelling.strip() or spelling != spelling.strip() or not spelling.isprintable() or spelling[0].isdigit():
                msg = Message("ledgermark: units.{unit}: {spelling} is no spelling of a unit", unit=unit, spelling=repr(spelling))
                raise ConfigError(msg)
    return units


def _terms(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) and item.strip() for pair in value.items() for item in pair):
        msg = Message(
            "ledgermark: terms is {value}, expected each phrase with its reason, such as {{RX 7900 XT: name of the card}}", value=repr(value)
        )
        raise ConfigError(msg)
    return {" ".join(phrase.split()): reason for phrase, reason in value.items()}
