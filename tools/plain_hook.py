"""Stands in for ledgermark in the site that `tools.bench` compares with: tells the theme what it asks for, from a file written beforehand.

The comparison is to count what ledgermark costs, not what the theme does, so both sites have the same one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

NAME: Final = "plain.json"


def on_config(config: Any) -> Any:
    """Read the file."""
    config.extra["plain"] = json.loads((Path(config.config_file_path).parent / NAME).read_text("utf-8"))
    return config


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Put what a page of the data says where its marks are: what a search reads."""
    parts, _ = config.extra["plain"]["parts"].get(page.file.src_uri, ({}, {}))
    for mark, part in parts.items():
        html = html.replace(mark, part, 1)
    return html


def on_page_context(context: dict[str, Any], page: Any, config: Any, nav: Any) -> dict[str, Any]:  # noqa: ARG001  (MkDocs gives these names)
    """Tell the templates of a page what ledgermark would."""
    plain = config.extra["plain"]
    _, heavy = plain["parts"].get(page.file.src_uri, ({}, {}))
    for mark, part in heavy.items():
        page.content = page.content.replace(mark, part, 1)
    values = plain["pages"].get(page.file.src_uri)
    if values:
        words = plain["words"][values["lang"]]
        masthead = {name: Markup(value) if name in ("title", "dek") else value for name, value in (values["masthead"] or {}).items()}  # noqa: S704
        context["lm"] = {**values, "t": lambda message, **places: words.get(message, message).format(**places), "masthead": masthead or None}
        config.theme["language"] = values["lang"]
    return context
