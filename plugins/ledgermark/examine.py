"""The whole check, as every door runs it: the project's own rules, then Markdown's word on the pages where source alone cannot tell."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ledgermark.check import Checked, Project, check_project
from ledgermark.contexts import Contexts
from ledgermark.doubt import is_doubtful
from ledgermark.memory import Memory
from ledgermark.processes import uncollected
from ledgermark.rendered import check_rendered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date


def examine(
    project: Project,
    today: date,
    extensions: Sequence[str],
    configs: Mapping[str, Mapping[str, Any]],
    only: frozenset[str] | None = None,
    memory: Memory | None = None,
) -> Checked:
    """Return everything wrong with a project.

    Args:
        project: as read.
        today: the date no erratum may be after.
        extensions: the Markdown extensions of the site, by name.
        configs: their options.
        only: the pages to report on; None for all.
        memory: of checks of projects that have parts of this one.
    """
    memory = memory or Memory()
    with uncollected():
        checked = check_project(project, today, only, memory)
        contexts = Contexts(checked)
        findings = list(checked.findings)
        for page in project.all_pages:
            if (only is None or page.source.path in only) and memory.once("doubtful", (page,), partial(is_doubtful, page)):
                findings += check_rendered(page, contexts, extensions, configs)
    return replace(checked, findings=tuple(sorted(set(findings))))
