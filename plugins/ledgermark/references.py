"""Figures, sections and issues named by their number, which has to be the right one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ledgermark.messages import Message
from ledgermark.near import COMPARED, Exemption, Near, Span

if TYPE_CHECKING:
    from ledgermark.numberwords import Token

_REFERENCE: Final = re.compile(r"(?:\b(?P<word>Fig(?:ure|\.)|Figures|Section|Figures [0-9]+ (?:and|to))|(?P<han>[图第§]))[ \u00a0\n]?$")
_END: Final = frozenset("e.sndo图第§")  # how all of these end
_CHAPTER: Final = re.compile("[ ]?[节章]")
_THREAD: Final = re.compile("/(?:issues?|pulls?|merge_requests|discussions)/([0-9]+)")
_COMMIT: Final = re.compile("/commits?/([0-9a-f]{7,40})")
_HASH: Final = re.compile("[0-9a-f]{7,40}")
_NEAREST: Final = 3  # characters in which it ends
_LONGEST: Final = 24  # characters in which the word before a number is looked for


def references(token: Token, near: Near) -> Exemption | None:
    """A figure or a section by its number, which has to be the right one: Figure 2, 图 2, Section 3, 第 3 节."""
    if token.form != "digits" or not token.text.isdecimal():
        return None
    start = token.start
    last = near.text[start - _NEAREST if start > _NEAREST else 0 : start].rstrip()[-1:]
    if last not in _END:
        return None
    before = near.text[max(0, start - _LONGEST) : start]
    if last.isascii() and "Fig" not in before and "Section" not in before:
        return None
    match = _REFERENCE.search(before)
    if (
        match is None
        or near.unit.match(near.text, token.end)
        or COMPARED.match(near.text, token.end)
        or (near.text[token.end : token.end + 1].isalnum() and near.text[token.end : token.end + 1].isascii())
    ):
        return None
    chapter = _CHAPTER.match(near.text, token.end)
    if match["han"] == "第" and not chapter:
        return None
    start += match.start() - len(before)
    end = chapter.end() if match["han"] == "第" and chapter else token.end
    sections = match["word"] == "Section" or match["han"] in ("第", "§")
    return Exemption(start, end, "reference", problem=_wrong(token, (start, end), near, sections=sections))


def misled(token: Token, span: Span, near: Near) -> str:
    """Return what is wrong with a link whose words name an issue or a commit, or an empty text: it has to lead there.

    Args:
        token: the number.
        span: the whole name, such as `vllm#45450`.
        near: what stands around.
    """
    link = next((link for link in near.links if link.start <= span[0] and span[1] <= link.end and "://" in link.target), None)
    if link is None:
        return ""
    name = near.text[slice(*span)]
    hashed = bool(_HASH.fullmatch(name))
    number = name if hashed else token.text
    thread = (_COMMIT if hashed else _THREAD).search(link.target)
    if thread:
        right = thread[1].startswith(number) or number.startswith(thread[1]) if hashed else thread[1] == number
    else:
        # Words that say more may lead to what is said there of the issue.
        more = near.text[link.start : link.end].strip() != name
        right = more or number in re.findall("[0-9a-f]+" if hashed else "[0-9]+", link.target)
    return "" if right else Message("the link leads to '{target}', not to '{name}'", target=link.target, name=name)


def _wrong(token: Token, span: Span, near: Near, *, sections: bool) -> str:
    number = token.text.lstrip("0") or "0"  # a text, for it may have more digits than int takes
    known, what = (near.sections, Message("section")) if sections else (near.figures, Message("figure"))
    link = next((link for link in near.links if link.start <= token.start and token.end <= link.end), None)
    path, _, anchor = link.target.partition("#") if link else ("", "", "")
    if path:
        known = near.elsewhere.get(path, ()) if not sections else ()
    if anchor:
        name = anchor if sections else anchor.removeprefix("fig-")
        if name not in known:
            return Message("the link leads to '{anchor}', which is no {what} there", anchor=anchor, what=what)
        right = str(known.index(name) + 1)
        return (
            ""
            if right == number
            else Message("'{anchor}' is {what} {right}, not {number}", anchor=anchor, what=what, right=right, number=number)
        )
    named = {str(place): name for place, name in enumerate(known, 1)}
    if number not in named:
        return Message("there is no {what} {number} here; the page has {count}", what=what, number=number, count=len(known))
    if len(known) == 1:
        return ""
    anchor = f"#{'' if sections else 'fig-'}{named[number]}"
    return Message(
        "nothing holds the number to the {what}; link it: [{text}]({anchor})", what=what, text=near.text[slice(*span)], anchor=anchor
    )
