"""Writes the staged folder."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import yaml

from ledgermark.clock import now, read_stamp
from ledgermark.config_file import read_config
from ledgermark.datafiles import data_files
from ledgermark.site_view import SiteView
from ledgermark.stage import staged_config, staged_files
from ledgermark.stills import draw_stills

if TYPE_CHECKING:
    from pathlib import Path

    from ledgermark.check import Checked


def write_stage(folder: Path, config_path: Path, checked: Checked) -> int:
    """Write a folder with `mkdocs.yml` and `docs/` anew and return how many files it holds.

    Args:
        folder: replaced whole when everything has been written.
        config_path: the project's `mkdocs.yml`.
        checked: a project without findings.
    """
    root = config_path.resolve().parent
    config = read_config(config_path)
    site_url = config.get("site_url")
    view = SiteView(
        checked,
        stamp=read_stamp(root, str(config.get("repo_url") or "")),
        site_name=str(config.get("site_name") or ""),
        site_url=site_url if isinstance(site_url, str) else "",
        built=now().date(),
    )
    pictures, _ = (
        draw_stills(checked.drawn.values(), root / ".cache" / "ledgermark", lambda _line: None) if checked.project.settings.stills else ({}, "")
    )
    view = view.with_files(stills=frozenset(f"{name}.{language}" for name, language, _ in pictures), vendor=frozenset())
    data, _ = data_files(checked.project, root, root / ".cache" / "ledgermark")
    view = replace(view, data=frozenset(data))
    files = dict(staged_files(view, root, pictures, data))
    scratch = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    for name, content in files.items():
        target = scratch / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    staged = staged_config(config, view, str(config_path.resolve()), list(files), stills=bool(pictures))
    (scratch / "mkdocs.yml").write_text(yaml.safe_dump(staged, allow_unicode=True, sort_keys=False), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)
    return len(files) + 1
