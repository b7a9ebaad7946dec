"""A claim that is rendered was checked: whatever is written around it, a wrong number does not come out of a build.

Each case is a page of its own in one project. The check says which pages are wrong; the others are built, in one build, which must succeed,
and no claim on them shows anything but what the data gives.
"""

from __future__ import annotations

import random
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.copies import Copy

KEY = "claim:gain?context=32768"
RIGHT = f"[−75.0 %]({KEY})"
WRONG = f"[−76.0 %]({KEY})"
BARE = "gain?context=32768"

# Where a wrong claim was once rendered and not seen, or could be.
HIDDEN = {
    "plain": WRONG,
    "fence closed longer": f"```\n{WRONG}\n````\n",
    "inline code before a fence": f"```code``` is a word.\n\n{WRONG}\n\n```python\nx\n```\n",
    "tildes with a tick": f"~~~ is no fence because of `this`\n{WRONG}\n~~~\n",
    "fence in indented code": f"    ```\n{WRONG}\n```\n",
    "fence closed in a quote": f"```\n{WRONG}\n> ```\n",
    "fence of a list left": f"- a\n\n    ```\n    x\n\n{WRONG}\n\n    ```\n",
    "fence never closed": f"```\n{WRONG}\n",
    "ticks across items": f"- `a\n- {WRONG} b`\n",
    "ticks across a heading": f"# `a\n{WRONG} b` c\n",
    "ticks across rows": f"| A | B |\n|---|---|\n| `a | x |\n| {WRONG} | b` |\n",
    "ticks across a rule": f"`a\n---\n{WRONG} b`\n",
    "ticks across a quote": f"`a\n> {WRONG} b`\n",
    "ticks across a block": f"`a\n/// abstract\n{WRONG} b`\n///\n",
    "ticks across a definition": f"term `a\n:   {WRONG} b`\n",
    "ticks across HTML": f"<div markdown>`a</div>\n<div markdown>{WRONG} b`</div>\n",
    "tick in a comment": f"<!-- ` -->\n{WRONG} `code`\n",
    "tick escaped": f"\\`{WRONG} \\`\n",
    "comment of two paragraphs": f"text <!-- a\n\n{WRONG}\n\nb -->\n",
    "comment across items": f"- <!-- a\n- {WRONG}\n- b -->\n",
    "comment in indented code": f"    <!--\n\n{WRONG}\n\n    -->\n",
    "comment closed by --!>": f"<!-- a --!> {WRONG} <!-- b -->\n",
    "comment in attributes": f'<span title="<!--">x</span> {WRONG} <span title="-->">x</span>\n',
    "comment in link titles": f'[a](b.md "<!--") {WRONG} [c](d.md "-->")\n',
    "comment in a fence": f"```\n<!--\n```\n{WRONG}\n```\n-->\n```\n",
    "comment in definitions": f"[a]: <!--\n{WRONG}\n[b]: -->\n",
    "tag that begins like script": f"<script-x>{WRONG}</script>\n",
    "tag that begins like style": f"<style-guide markdown>{WRONG}</style>\n",
    "script in attributes": f'<span title="<script>">x</span> {WRONG} <span title="</script>">x</span>\n',
    "script in a sentence": f"a <script> {WRONG} </script> b\n",
    "style in a sentence": f"a <style> {WRONG} </style> b\n",
    "entity for the colon": f"[−76.0 %](claim&#58;{BARE})\n",
    "entity for a letter": f"[−76.0 %](cl&#97;im:{BARE})\n",
    "named entity": f"[−76.0 %](claim&colon;{BARE})\n",
    "entity in a definition": f"[−76.0 %][r]\n\n[r]: claim&#x3a;{BARE}\n",
    "entity in a name": "[−76.0 %][r]\n\n[r]: claim:&#103;ain?context=32768\n",
    "percent in a name": "[−76.0 %][r]\n\n[r]: claim:%67ain?context=32768\n",
    "percent in a link": "[−76.0 %](claim:%67ain?context=32768)\n",
    "reference": f"[−76.0 %][r]\n\n[r]: {KEY}\n",
    "short reference": f"[−76.0 %]\n\n[−76.0 %]: {KEY}\n",
    "control character": f"[−76.0 %][r]\n\n[r]: cl\x02aim:{BARE}\n",
    "upper case": f"[−76.0 %](CLAIM:{BARE})\n",
    "angle brackets": f"[−76.0 %](<{KEY}>)\n",
    "autolink": f"<{KEY}> −76.0 %\n",
    "a space before the target": f"[−76.0 %] ({KEY})\n",
    "line breaks": f"[−76.0\n%](\n{KEY}\n)\n",
    "title": f'[−76.0 %]({KEY} "title")\n',
    "title in parentheses": f"[−76.0 %]({KEY} (title))\n",
    "image": f"![−76.0 %]({KEY})\n",
    "image alt": f"![alt {WRONG}](x.png)\n",
    "image in the link": f"[![−76.0 %](x.png)]({KEY})\n",
    "link in a link": f"[{WRONG}](report.md)\n",
    "heading": f"## {WRONG} {{#h}}\n",
    "underlined heading": f"{WRONG}\n=====\n",
    "footnote": f"x[^n]\n\n[^n]: {WRONG}\n",
    "abbreviation": f"HTML\n\n*[HTML]: {WRONG}\n",
    "definition": f"Term\n:   {WRONG}\n",
    "quote": f"> {WRONG}\n",
    "emphasis": f"***{WRONG}***\n",
    "emphasis in the number": f"[−7**6**.0 %]({KEY})\n",
    "indented": f"x\n\n    {WRONG}\n",
    "raw block": f"<div>{WRONG}</div>\n",
    "attribute list, href": f'[−76.0 %](#t){{: href="{KEY}" }}\n',
    "attribute list, data": f'*−76.0 %*{{: .lm-claim data-claim="{BARE}" }}\n',
    "raw element": f'<span class="lm-claim" data-claim="{BARE}">−76.0 %</span>\n',
    "raw link": f'<a href="{KEY}">−76.0 %</a>\n',
    "typed badge": '<figure class="lm-figure" data-figure="rates" data-badge="rerun">x</figure>\n',
    "zero width inside": f"[−75\u200b.0 %]({KEY})\n",
    "zero width before the scheme": f"[−76.0 %](\u200b{KEY})\n",
    "full-width digits": f"[−７６.０ %]({KEY})\n",
    "other digits": f"[−٧٦.٠ %]({KEY})\n",
    "right to left": f"[\u202e% 0.57−]({KEY})\n",
    "comment in the text": f"[−76.0<!-- --> %]({KEY})\n",
    "digit before": f"9{RIGHT}\n",
    "digit after": "[128](claim:trace.calls?arm=fast)0 calls\n",
    "decimals after": "[128](claim:trace.calls?arm=fast).5 calls\n",
    "thousands after": "[128](claim:trace.calls?arm=fast),000 calls\n",
    "sign before": "−[75.0 %](claim:gain?context=32768&show=magnitude)\n",
    "scale after": "[128](claim:trace.calls?arm=fast) thousand calls\n",
    "Chinese scale after": "[128](claim:trace.calls?arm=fast) 万次\n",
    "unit after": "[128](claim:trace.calls?arm=fast) ms\n",
    "escaped bracket": f"\\[−76.0 %]({KEY})\n",
    "bracket in code": f"[`[`−76.0 %]({KEY})\n",
    "nested brackets": f"[[−76.0 %]]({KEY})\n",
    "given without a source": "[−76.0 %](given:)\n",
    "given by entity": '[−76.0 %](give&#110;: "")\n',
    "ticks never closed": f"`{WRONG}\n",
    "front matter later": f"---\n{WRONG}\n---\n",
}
FRONT = {
    "escape in the title": r'title: "[−76.0 %](cl\x61im:gain?context=32768)"',
    "continued line": 'title: "[−76.0 %](cl\\\n  aim:gain?context=32768)"',
    "escape in the dek": 'title: x\nkicker: x\ndek: "[−76.0 %](cl\\x61im:gain?context=32768)"',
    "raw element in the dek": f"title: x\nkicker: x\ndek: \"<span data-claim='{BARE}' class='lm-claim'>−76.0 %</span>\"",
    "attribute list in the dek": f'title: x\nkicker: x\ndek: "*−76.0 %*{{: .lm-claim data-claim={BARE} }}"',
    "reference in the dek": 'title: x\nkicker: x\ndek: "[−76.0 %][r]\\n\\n[r]: cl\\x61im:gain?context=32768"',
    "folded": f"title: x\nkicker: x\ndek: >\n  [−76.0\n  %]({KEY})",
}
# Code that shows how a claim is written is no claim; what it shows need not be right.
SHOWN = {
    "fence": f"```\n{WRONG}\n```\n",
    "fence in a list": f"- a\n\n    ```\n    {WRONG}\n    ```\n",
    "ticks": f"Write `{WRONG}` so.\n",
    "two ticks": f"Write `` {WRONG} ` `` so.\n",
    "comment": f"<!-- {WRONG} -->\n\nx\n",
}


class _Claims(HTMLParser):
    """Collects what a page shows as claims."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "data-claim" in dict(attrs):
            self.shown.append("")
            self._depth = 1
        elif self._depth and tag not in ("img", "br", "hr"):
            self._depth += 1

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  (whatever ends, ends one level)
        self._depth -= self._depth > 0

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.shown[-1] += data


def page_with(text: str, front: str = "title: x") -> str:
    """Return a page that also holds the right claim, so that its key is one that was checked."""
    return f"---\n{front}\n---\n\n# Case {{#t}}\n\nRight: {RIGHT}\n\n{text}\n"


def lay_pages(tiny: Copy, pages: dict[str, str]) -> None:
    extensions = "  - def_list\n  - footnotes\n  - abbr\n  - md_in_html\n  - pymdownx.superfences\n"
    tiny.write("mkdocs.yml", tiny.read("mkdocs.yml") + extensions)
    for name, text in pages.items():
        for language in ("en", "zh"):
            tiny.write(f"{language}/{name}.md", text)


def flagged(tiny: Copy, pages: dict[str, str]) -> set[str]:
    """Return the pages that the check finds fault with in either language."""
    _, lines = tiny.check()
    assert "Traceback" not in "\n".join(lines)
    places = {line.partition(":")[0] for line in lines}
    return {name for name in pages if places & {f"en/{name}.md", f"zh/{name}.md"}}


def claims_shown(site: Path, name: str, language: str = "en") -> list[str]:
    parser = _Claims()
    parser.feed((site / language / name / "index.html").read_text("utf-8"))
    return [text.replace("\u00a0", " ") for text in parser.shown]


def test_no_hiding_place(tiny: Copy) -> None:
    pages = {f"hidden-{number}": page_with(text) for number, text in enumerate(HIDDEN.values())}
    pages |= {f"front-{number}": page_with("", front) for number, front in enumerate(FRONT.values())}
    names = dict(zip(pages, [*HIDDEN, *FRONT], strict=True))
    lay_pages(tiny, pages)
    wrong = flagged(tiny, pages)
    assert [names[page] for page in pages if page not in wrong] == []


def test_code_may_show_a_claim(tiny: Copy) -> None:
    pages = {f"shown-{number}": page_with(text) for number, text in enumerate(SHOWN.values())}
    lay_pages(tiny, pages)
    assert tiny.check()[0] == 0
    assert tiny.build().returncode == 0
    assert {name: claims_shown(tiny.site, name) for name in pages} == {name: ["−75.0 %"] for name in pages}


def test_other_suffixes_are_pages_too(tiny: Copy) -> None:
    wrong = page_with(WRONG)
    for path in ("en/a.markdown", "en/B.MD", "site_src/pages/c.mkd", "site_src/pages/en/d.md"):
        tiny.write(path, wrong)
        status, lines = tiny.check()
        assert status == 1, path
        assert any(line.startswith(path) for line in lines), (path, lines)
        tiny.remove(path)


# Nothing here has a digit: only a claim can be wrong.
PIECES = (
    *("`", "``", "```", "```\n", "~~~\n", "\n", "\n\n", "    ", "- ", "> ", "# ", "| ", " | ", "|---|---|\n", "<!--", "-->", "--!>"),
    *("<script>", "</script>", "<style>", "</style>", "<div>", "</div>", "<div markdown>", '<span title="', '">', "\\", "[", "]", "(", ")"),
    *('"', "'", "*", "**", "_", "&lt;", "&gt;", "/// abstract\n", "///\n", "[^n]", "[^n]: ", ":   ", "---\n", "===\n", "text ", "[r]: "),
    *('[a](b "', "<", ">", "{", "}", "{: ", " }", "\t", "\x02", "\x03", "\r", "<pre>", "</pre>", "<code>", "</code>", "<![CDATA[", "]]>"),
    *("<?", "?>", "&colon;", "claim:", f"claim&colon;{BARE}", "[−76.0 %][r]", "*[claim]: x\n", "<textarea>", "</textarea>", "<svg>", "$$"),
    *("\u2028", "\x0b", "\x0c", "\x1c", "\x85", "\u00a0"),
)


def test_random_surroundings(tiny: Copy) -> None:
    random_one = random.Random(20260829)  # noqa: S311  (the same pages at every run)
    pages = {}
    for number in range(400):
        parts = [random_one.choice(PIECES) for _ in range(random_one.randint(1, 9))]
        parts.insert(random_one.randint(0, len(parts)), WRONG)
        pages[f"random-{number}"] = page_with("".join(parts))
    lay_pages(tiny, pages)
    wrong = flagged(tiny, pages)
    assert len(wrong) > len(pages) / 2
    for name in wrong:
        tiny.remove(f"en/{name}.md")
        tiny.remove(f"zh/{name}.md")
    built = tiny.build()
    assert built.returncode == 0, built.stdout + built.stderr
    shown = {name: claims_shown(tiny.site, name) for name in pages if name not in wrong}
    assert {name: texts for name, texts in shown.items() if set(texts) - {"−75.0 %"}} == {}
