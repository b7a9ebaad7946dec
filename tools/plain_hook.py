"""Stands in for ledgermark in the site that `tools.bench` compares with: tells the theme what it asks for, from a file written beforehand.

The comparison is to count what ledgermark costs, not what the theme does, so both sites have the same one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup
from mkdocs.structure.nav import Navigation

NAME: Final = "plain.json"


def on_config(config: Any) -> Any:
    """Read the file."""
    config.extra["plain"] = json.loads((Path(config.config_file_path).parent / NAME).read_text("utf-8"))
    return config


def on_nav(nav: Any, config: Any, files: Any) -> Any:  # noqa: ARG001
    """Give each language a navigation of its own, as ledgermark does: with both on every page the templates would have twice the work."""
    found = config.extra["plain"]["navigations"] = {}
    for section in nav.items:
        if not section.is_section:
            continue
        pages = [page for page in nav.pages if page.file.src_uri.startswith(f"{section.title}/")]
        items = list(section.children)
        for item in items:
            item.parent = None
        for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
            page.previous_page, page.next_page = before, after
        found[section.title] = Navigation(items, pages)
    return nav


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Put what a page of the data says where its marks are: what a search reads."""
    parts, _ = config.extra["plain"]["parts"].get(page.file.src_uri, ({}, {}))
    for mark, part in parts.items():
        html = html.replace(mark, part, 1)
    return html


def on_page_context(context: dict[str, Any], page: Any, config: Any, nav: Any) -> dict[str, Any]:
    """Tell the templates of a page what ledgermark would."""
    plain = config.extra["plain"]
    _, heavy = plain["parts"].get(page.file.src_uri, ({}, {}))
    for mark, part in heavy.items():
        page.content = page.content.replace(mark, part, 1)
    values = plain["pages"].get(page.file.src_uri)
    if values:
        words = plain["words"][values["lang"]]
        masthead = {name: Markup(value) if name in ("title", "dek") else value for name, value in (values["masthead"] or {}).items()}  # noqa: S704

        def said(message: str, **places: object) -> str:
            """Return a message as the page's catalogue has it; its places stay as they are where nothing is given to fill them."""
            text = words.get(message) or message
            return text.format(**places) if places else text

        context["lm"] = {**values, "t": said, "masthead": masthead or None}
        config.theme["language"] = values["lang"]
    language = page.file.src_uri.partition("/")[0]
    context["nav"] = plain["navigations"].get(language, nav)
    return context
