"""What all commands share: how they fail, and in which language they speak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from ledgermark.findings import ConfigError
from ledgermark.tongue import SPOKEN, speaker, tongue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.catalogue import Catalogue
    from ledgermark.messages import Say

_LANG: Final = "ledgermark.lang"


class CannotRun(click.ClickException):
    """Ends the command with status 2 and one line."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(speech()(message))


class Command(click.Command):
    """A command that can be told the language to speak; one whose `--lang` means something else speaks the locale's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if all(option.name != "lang" for option in self.params):
            words = "The language to speak; that of the locale by default."
            self.params.append(click.Option(["--lang"], type=click.Choice(SPOKEN), expose_value=False, callback=_heed, help=words))


class Group(click.Group):
    """Ends any command whose set-up is broken with status 2 and one line."""

    command_class = Command

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke the command."""
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            raise CannotRun(str(error)) from error


def _heed(context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    context.meta[_LANG] = value
    return value


def speech(catalogues: Mapping[str, Catalogue] | None = None) -> Say:
    """Return what speaks to the person at the terminal: the language asked for, else the locale's; with the words of the project."""
    context = click.get_current_context(silent=True)
    language = tongue(context.meta.get(_LANG) if context else None)
    words = (catalogues or {}).get(language)
    return speaker(language, words.messages if words else {})
