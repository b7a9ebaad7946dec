"""The Markdown extension for hosts without a plugin beside it: the project is checked once a process, and pages are known by their text."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from ledgermark.addresses import address_of
from ledgermark.blocks import find_blocks
from ledgermark.claims import find_claims
from ledgermark.clock import today
from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.contexts import Contexts
from ledgermark.examine import examine
from ledgermark.findings import ConfigError, counted
from ledgermark.markdown_ext import LedgermarkExtension, RenderedPage
from ledgermark.messages import Message
from ledgermark.project import load_project
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown import Markdown

    from ledgermark.claims import Claim, Given

_FIRST: Final = 1000
_LAST: Final = -1000


class _WhichPage(Preprocessor):
    """Finds out which page a text is, and puts what its front matter shows readers before it: such a host has no template for that."""

    def __init__(self, md: Markdown, page: RenderedPage, contexts: Callable[[], Contexts]) -> None:
        super().__init__(md)
        self.page = page
        self.contexts = contexts

    def run(self, lines: list[str]) -> list[str]:
        """Set the page's context; return the text with its masthead.

        Raises:
            ConfigError: the text binds numbers and is no page of the checked project, so that nothing vouches for them.
        """
        contexts = self.contexts()
        name = contexts.name_of("\n".join(lines))
        if name is None and (bound := _bound("\n".join(lines))):
            msg = Message("'{bound}' stands on a page that is not, letter for letter, one of the checked project; stage it anew", bound=bound)
            raise ConfigError(msg)
        self.page.context = contexts.context(name, address_of(name)) if name is not None else None
        page = contexts.page(name) if name is not None else None
        meta = page.meta if page and page.meta.get("kicker") else {}
        return [*_paragraph(meta.get("kicker"), ""), *_paragraph(meta.get("title"), "# "), *_paragraph(meta.get("dek"), ""), *lines]


def _bound(text: str) -> str:
    """Return the first number or block of a text that the ledger has to do with, or an empty text."""
    source = Source("", text)
    found = find_claims(source)
    links: tuple[Claim | Given, ...] = (*found.claims, *found.given)
    words = [*(item.text for item in links), *(item.message for item in found.findings)]
    words += [f"/// {block.kind} | {block.argument}" for block in find_blocks(source, ("figure", "erratum", "evidence"))]
    return next(iter(words), "")


def _paragraph(value: Any, mark: str) -> list[str]:
    text = " ".join(str(value or "").split())
    return [f"{mark}{text}", ""] if text else []


class _Refuse(Postprocessor):
    """Stops a page with a claim on it that was not checked: such a host asks no plugin."""

    def __init__(self, md: Markdown, page: RenderedPage) -> None:
        super().__init__(md)
        self.page = page

    def run(self, text: str) -> str:
        """Return the text as it is. Raises ConfigError when something on the page was not checked."""
        if self.page.context and self.page.context.unchecked:
            raise ConfigError(self.page.context.unchecked[0])
        return text


class StandaloneExtension(LedgermarkExtension):
    """The extension, told its project's `mkdocs.yml` instead of each page's context."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.config |= {
            "project": ["mkdocs.yml", "The project's mkdocs.yml."],
            "stills": [False, "Whether the site has still pictures of all figures."],  # type: ignore[list-item]
            "data": [[], "The names of the datasets' files in the site."],  # type: ignore[list-item]
        }
        self.setConfigs(options)

    def page(self, md: Markdown) -> RenderedPage:
        """Return a page whose context is found when its text comes."""
        page = RenderedPage(None)
        contexts = partial(_contexts, str(self.getConfig("project")), tuple(self.getConfig("data")), stills=bool(self.getConfig("stills")))
        which = _WhichPage(md, page, contexts)
        md.preprocessors.register(which, "ledgermark-page", _FIRST)
        md.postprocessors.register(_Refuse(md, page), "ledgermark-refuse", _LAST)
        return page


def makeExtension(**options: Any) -> StandaloneExtension:  # noqa: N802  (Python-Markdown's name)
    """Return the extension."""
    return StandaloneExtension(**options)


@lru_cache(maxsize=4)
def _contexts(project: str, data: tuple[str, ...], *, stills: bool) -> Contexts:
    """Return the pages of a project. Raises ConfigError when it has findings: a host without a check must not publish them."""
    path = Path(project)
    checked = examine(load_project(path), today(), *markdown_extensions(read_config(path)))
    if checked.findings:
        msg = Message("{found}; the first: {first}", found=counted(len(checked.findings)), first=checked.findings[0])
        raise ConfigError(msg)
    drawn = frozenset(f"{name}.{language}" for name, language in checked.drawn) if stills else frozenset()
    return Contexts(checked, drawn, frozenset(data))
