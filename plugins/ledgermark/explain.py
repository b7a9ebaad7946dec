"""What answers for the number at a place of a page: its binding and rows, its source, or a rule; and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ledgermark.claims import Claim, Given
from ledgermark.findings import printable
from ledgermark.messages import Message, joined
from ledgermark.places import findings_about, number_at
from ledgermark.report import explain_text, explanation, finding_record
from ledgermark.unbound import UNBOUND

if TYPE_CHECKING:
    from ledgermark.check import Checked
    from ledgermark.messages import Say
    from ledgermark.places import Item, Place


def explain_place(checked: Checked, place: Place, say: Say = str) -> dict[str, Any]:
    """Return what is known of the number at a place of a checked project.

    Args:
        checked: whole, so that nothing about the place is left out.
        place: its path is relative to the project's folder.
        say: in which language its findings are told.

    Raises:
        ConfigError: there is no number on that line; the text says what there is.
    """
    project = checked.project
    found = number_at(project, place)
    item = found.item
    source = next((page.source for page in project.all_pages if page.source.path == item.path), None) or project.texts[item.path]
    about = findings_about(item, checked.findings, source)
    answer: dict[str, Any] = {**_where(item), "state": _state(item)}
    if isinstance(item.what, Claim):
        values = checked.values.get(item.what.key, ())
        answer |= explanation(item.what, values, project)
    elif isinstance(item.what, Given):
        answer["source"] = item.what.source
    elif item.what.detail:
        answer["term"] = item.what.detail
    # Without a column the first number of the line was meant no more than the rest.
    also = [_where(other) for other in found.others] if place.column is None else []
    return answer | {"findings": [finding_record(finding, say) for finding in about], "also": also}


def _where(item: Item) -> dict[str, Any]:
    return {"path": item.path, "line": item.line, "column": item.column, "shown": item.text}


def _state(item: Item) -> str:
    return "bound" if isinstance(item.what, Claim) else "given" if isinstance(item.what, Given) else item.what.state


def place_text(answer: dict[str, Any], say: Say = str) -> str:
    """Return such an answer for a terminal."""
    place = f"{answer['path']}:{answer['line']}:{answer['column']}: '{' '.join(answer['shown'].split())}'"
    if "claim" in answer:
        lines: list[str] = [Message("{place} is bound", place=place), *explain_text(answer, say).split("\n")]
    elif "source" in answer:
        lines = [Message("{place} is given: {source}", place=place, source=answer["source"])]
    elif answer["state"] == UNBOUND:
        lines = [Message("{place} is bound to nothing", place=place)]
    else:
        term = f" '{answer['term']}'" if answer.get("term") else ""
        lines = [Message("{place} may stand unbound, by the rule '{rule}'{term}", place=place, rule=answer["state"], term=term)]
    lines += [f"  {item['code']} {item['message']}" for item in answer["findings"]]
    if answer["also"]:
        places = (
            Message("'{shown}' at column {column}", shown=" ".join(item["shown"].split()), column=item["column"]) for item in answer["also"]
        )
        others = joined(places, ", ")
        lines.append(Message("  also on this line: {others}", others=others))
    return "\n".join(printable(say(line)) for line in lines)
