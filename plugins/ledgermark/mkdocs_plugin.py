"""The MkDocs door: checks before anything is built, then hands MkDocs both languages. The only file that imports MkDocs."""

from __future__ import annotations

import hashlib
import json
import logging
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.exceptions import ConfigurationError, PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.utils import CountHandler

from ledgermark.addresses import data_index
from ledgermark.clock import now, read_stamp, today
from ledgermark.datafiles import data_files
from ledgermark.examine import examine
from ledgermark.findings import ConfigError, counted, spoken
from ledgermark.lastgood import LastGood
from ledgermark.messages import Message
from ledgermark.project import load_project
from ledgermark.settings import Settings, read_settings
from ledgermark.site import LOCALE_NAME, asset_files, generated_files, vendor_files
from ledgermark.site_view import SiteView
from ledgermark.stills import draw_stills
from ledgermark.tongue import speaker, tongue

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page as SitePage
    from mkdocs.utils.templates import TemplateContext

    from ledgermark.render import RenderContext

log = get_plugin_logger("ledgermark")
_EXTENSION: Final = "ledgermark"


class LedgermarkConfig(base.Config):  # type: ignore[no-untyped-call]
    """The options of `Settings`; their rules are there, once, for every door."""

    descriptor = c.Optional(c.Type(str))
    metrics = c.Optional(c.Type(str))
    figures = c.Optional(c.Type(str))
    languages = c.Optional(c.Type(dict))
    names = c.Optional(c.Type(dict))
    pages = c.Optional(c.Type(str))
    locale = c.Optional(c.Type(str))
    mastheads = c.Optional(c.Type(str))
    subjects = c.Optional(c.Type(str))
    assets = c.Optional(c.Type(str))
    units = c.Optional(c.Type(dict))
    terms = c.Optional(c.Type(dict))
    math = c.Optional(c.Type(bool))
    navigation = c.Optional(c.Type(list))
    data_pages = c.Optional(c.Type(bool))
    stills = c.Optional(c.Type(bool))


class LedgermarkPlugin(BasePlugin[LedgermarkConfig]):  # type: ignore[no-untyped-call]
    """Checks the project, then adds both languages, figures, evidence, errata and the stamp to the site.

    All state is made in `on_config`: MkDocs keeps no plugin object between the builds of `serve`.
    """

    settings: Settings
    root: Path
    view: SiteView
    navigations: dict[str, Navigation]
    context: RenderContext
    late: dict[str, dict[str, str]]
    last_good: LastGood | None = None

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Check everything before MkDocs empties the site folder, so that a finding leaves the last good site alone."""
        path = Path(str(config.config_file_path))
        self.root = path.resolve().parent
        docs_dir = Path(config.docs_dir).resolve().relative_to(self.root).as_posix()
        options = {key: value for key, value in dict(self.config).items() if value is not None}
        try:
            self.settings = read_settings(options, docs_dir=docs_dir)
            checked = examine(load_project(path, self.settings), today(), config.markdown_extensions, config.mdx_configs)
            stamp = read_stamp(self.root, config.repo_url or "")
            self.view = SiteView(checked, stamp=stamp, site_name=config.site_name, site_url=config.site_url or "", built=now().date())
        except ConfigError as error:
            raise ConfigurationError(speaker(tongue(None))(error)) from error
        if checked.findings:
            say = speaker(tongue(None))
            for finding in checked.findings:
                log.error(str(spoken(finding, say)))
            found, first = counted(len(checked.findings)), spoken(checked.findings[0], say)
            raise PluginError(say(Message("ledgermark: {found}; the first: {first}. Nothing was built.", found=found, first=first)))
        if self.settings.navigation:
            config.nav = [{language: [f"{language}/{item}" for item in self.settings.navigation]} for language in self.settings.languages]
        if _EXTENSION not in config.markdown_extensions:
            config.markdown_extensions.append(_EXTENSION)
        self.navigations, self.late = {}, {}
        name = hashlib.sha256(str(Path(config.site_dir).resolve()).encode()).hexdigest()[:12]
        self.last_good = LastGood(Path(config.site_dir), self.root / ".cache" / "ledgermark" / f"last-good-{name}")
        self.last_good.keep()
        return config

    def on_serve(self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:  # noqa: ARG002
        """Watch what pages depend on besides themselves."""
        settings = self.settings
        code = (str(Path(item).parent) for item in (settings.descriptor, settings.metrics, settings.figures))
        for name in sorted({*settings.languages.values(), settings.locale, settings.assets, settings.mastheads, settings.subjects, *code}):
            if (self.root / name).exists():
                server.watch(str(self.root / name))
        return server

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Add both languages' pages, the site's assets and everything computed."""

        def add(name: str, **source: Any) -> File:
            existing = files.get_file_from_path(name)
            if existing:
                files.remove(existing)
            file = File.generated(config, name, **source)
            files.append(file)
            return file

        for language, folder in self.settings.languages.items():
            for path in sorted((self.root / folder).rglob("*")):
                relative = path.relative_to(self.root / folder)
                if path.is_file() and not any(part.startswith(".") for part in relative.parts):
                    add(f"{language}/{relative.as_posix()}", abs_src_path=str(path)).edit_uri = f"{folder}/{relative.as_posix()}"
        for name, asset in asset_files(self.root, self.settings.assets):
            add(name, abs_src_path=str(asset))
        drawn = self.view.checked.drawn
        vendor, line = vendor_files(self.root) if drawn else ({}, "")
        pictures, problem = draw_stills(drawn.values(), self.root / ".cache" / "ledgermark", log.info) if self.settings.stills else ({}, "")
        for message in filter(None, (line, problem)):
            log.info(message)
        self.view = self.view.with_files(stills=frozenset(f"{name}.{language}" for name, language, _ in pictures), vendor=frozenset(vendor))
        self._add_data(add)
        for language in self.settings.languages:
            add(f"{language}/errata.md", content=self.view.errata_page(language))
            add(f"{language}/errata/feed.xml", content=self.view.errata_feed(language))
        computed = generated_files(self.view.checked, self.view.stamp, pictures, locale=LOCALE_NAME in vendor)
        for name, content in {**vendor, **dict(computed)}.items():
            add(name, content=content)
        return files

    def _add_data(self, add: Callable[..., File]) -> None:
        """Add the files of the datasets and their pages, of which only the list is in the navigation."""
        files, lack = data_files(self.view.checked.project, self.root, self.root / ".cache" / "ledgermark")
        if lack:
            log.info(speaker(tongue(None))(lack))
        self.view = replace(self.view, data=frozenset(files))
        for name, file in files.items():
            add(name, **({"content": file} if isinstance(file, bytes) else {"abs_src_path": str(file)}))
        for language in self.settings.languages:
            for name, text in self.view.data_pages(language).items():
                listed = InclusionLevel.UNDEFINED if name == data_index(language) else InclusionLevel.NOT_IN_NAV
                add(name, content=text, inclusion=listed)

    def on_nav(self, nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> Navigation:  # noqa: ARG002
        """Give each language a navigation of its own."""
        for section in nav.items:
            language = section.title or ""
            if not section.is_section or language not in self.settings.languages:
                continue
            pages = [page for page in nav.pages if page.file.src_uri.startswith(f"{language}/")]
            items = list(section.children or ())
            for item in items:
                item.parent = None
            for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
                page.previous_page, page.next_page = before, after
            self.navigations[language] = Navigation(items, pages)
        return nav

    def on_page_markdown(self, markdown: str, /, *, page: SitePage, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG002
        """Hand the Markdown extension what this page needs; make its front matter plain text."""
        name = page.file.src_uri
        self.context = self.view.context(name, page.url)
        self.context.late = self.late[name] = {}
        config.mdx_configs[_EXTENSION] = {"context": self.context}
        checked = self.view.page(name)
        if checked:
            page.meta.update({key: self.view.plain(value, checked) for key, value in page.meta.items() if isinstance(value, str)})
        return markdown

    def on_page_content(self, html: str, /, *, page: SitePage, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG002
        """Refuse a page on which something was rendered that the check has not seen (another plugin may have changed its text)."""
        if self.context.unchecked:
            raise PluginError(f"{page.file.src_uri}: {self.context.unchecked[0]}")
        return html

    @event_priority(-100)  # after the search plugin has read the page: the cells of figures would drown its words
    def on_page_context(self, context: TemplateContext, /, *, page: SitePage, config: MkDocsConfig, nav: Navigation) -> TemplateContext:  # noqa: ARG002
        """Tell the templates the page's language and everything computed for it."""
        values: dict[str, Any] = context  # type: ignore[assignment]  # a TypedDict that plugins may add to
        name = page.file.src_uri
        language = self.view.language(name)
        for mark, part in self.late.pop(name, {}).items():
            page.content = (page.content or "").replace(mark, part)
        config.theme["language"] = language
        values["lm"] = self.view.template_values(name, page.url, dict(page.meta))
        if language in self.navigations and name.startswith(f"{language}/"):
            values["nav"] = self.navigations[language]
        return context

    def on_template_context(self, context: TemplateContext, /, *, template_name: str, config: MkDocsConfig) -> TemplateContext:  # noqa: ARG002
        """Let pages outside any language, such as 404, speak the first one."""
        config.theme["language"] = next(iter(self.settings.languages))
        context["nav"] = Navigation([], [])
        return context

    @event_priority(-100)  # after the search plugin has written its index
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Split search index and site map by language, so that a reader searches the language being read; then the site is good."""
        site = Path(config.site_dir)
        index, sitemap = site / "search" / "search_index.json", site / "sitemap.xml"
        for language in self.settings.languages:
            if index.is_file():
                _write(site / language / "search" / "search_index.json", _index_of(language, json.loads(index.read_text(encoding="utf-8"))))
            if sitemap.is_file() and config.site_url:
                _write(site / language / "sitemap.xml", _sitemap_of(f"{config.site_url.rstrip('/')}/{language}/", sitemap.read_bytes()))
        if self.last_good and not _will_abort(config):
            self.last_good.forget()

    def on_build_error(self, *, error: Exception) -> None:  # noqa: ARG002
        """Put the last good site back. A finding never comes this far: it stops the build before the site is touched."""
        if self.last_good:
            self.last_good.restore()


def _will_abort(config: MkDocsConfig) -> bool:
    """Return whether MkDocs is about to abort for warnings: with --strict it does so after the last event, when the site is already written."""
    handlers = logging.getLogger("mkdocs").handlers if config.strict else []
    return any(handler.get_counts() for handler in handlers if isinstance(handler, CountHandler))


def _index_of(language: str, index: dict[str, Any]) -> str:
    prefix = f"{language}/"
    docs = [{**doc, "location": doc["location"].removeprefix(prefix)} for doc in index["docs"] if doc["location"].startswith(prefix)]
    return json.dumps({**index, "docs": docs}, ensure_ascii=False, separators=(",", ":"))


def _sitemap_of(prefix: str, sitemap: bytes) -> str:
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    ET.register_namespace("", namespace)
    root = ET.fromstring(sitemap)  # noqa: S314  (written by MkDocs a moment ago)
    for entry in list(root):
        location = entry.find(f"{{{namespace}}}loc")
        if location is None or not (location.text or "").startswith(prefix):
            root.remove(entry)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
