"""Pages made at random: claims, right and wrong, in constructs of Markdown nested in one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

RIGHT = ("[25.3 %](claim:gain?context=1024)", "[40.00 tok/s](claim:ladder.tok_s?arm=base&context=1024)", "[25 days](claim:gap)")
WRONG = ("[99 %](claim:gain?context=1024)", "[41.00 tok/s](claim:ladder.tok_s?arm=base&context=1024)", "[26 天](claim:gap)")
_ODD = (
    *(
        "[25.3 %, −75.0 %](claim:gain?context=1024,32768)",
        "[75 %](claim:widest?contexts=1024,32768&is=at_most)",
        "[x](claim:gain?context=1024)",
    ),
    *(
        '[0.90 GiB](given: "card")',
        "[0.90 GiB](given:)",
        "[8](claim:nosuch)",
        "[8](claim:gain?context=)",
        "claim:gain",
        "[8](claim:gain",
        "[](claim:gap)",
    ),
    *(
        "[158](claim:trace.median_us?arm=fast&unit=us)",
        "[25.3 %](claim:gain?context=1024&is=about)",
        "[Figure 1](#fig-rates)",
        "Figure 7",
        "图 2",
    ),
)
_WORDS = (
    *(
        "The run takes",
        "at most",
        "about",
        "more than",
        "base",
        "fast",
        "12 ms",
        "70.8 %",
        "twenty-five",
        "12.5毫秒",
        "二十五天",
        "不超过",
        "约",
        "甲耗时",
    ),
    *(
        "2026-08-01",
        "vllm#45450",
        "v1.2.3",
        "`code`",
        "`12 ms`",
        "1e-3",
        "10^6",
        "½",
        "①",
        "Ⅳ",
        "3–5",
        "±2",
        "1 234",
        "１２",
        "&nbsp;",
        "&#x31;2",
        "\\*",
    ),
    *(
        "<!-- x -->",
        "<!-- ledgermark: allow LM120 once -->",
        "<br>",
        "https://tiny.example/7",
        "[a](b.md)",
        "[^1]",
        "$x^2$",
        "\u202e",
        "\u200b",
        "|",
    ),
)
INLINE = st.recursive(
    st.sampled_from([*RIGHT, *WRONG, *_ODD, *_WORDS]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(" ".join),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(
            st.sampled_from(
                ["*{}*", "**{}**", "`{}`", "``{}``", "[{}](x.md)", "![{}](x.png)", "<span>{}</span>", "<!-- {} -->", "~~{}~~", "_{}_"]
            ),
            inner,
        ).map(lambda pair: pair[0].replace("{}", pair[1])),
    ),
    max_leaves=6,
)


def _prefixed(first: str, rest: str) -> Callable[[str], str]:
    def put(text: str) -> str:
        head, *lines = text.split("\n")
        return "\n".join([first + head, *((rest + line).rstrip() for line in lines)])

    return put


def _fenced(opening: str, closing: str) -> Callable[[str], str]:
    return lambda text: f"{opening}\n{text}\n{closing}"


def _table(cells: list[str]) -> str:
    row = "| " + " | ".join(cells) + " |"
    return f"{row}\n{'|---' * len(cells)}|\n{row}"


WRAPPERS = (
    _prefixed("- ", "  "),
    _prefixed("- ", "    "),
    _prefixed("1. ", "   "),
    _prefixed("> ", "> "),
    _prefixed("    ", "    "),
    _prefixed("[^1]: ", "    "),
    _prefixed(":   ", "    "),
    _prefixed("## ", ""),
    _prefixed("x {#a} ", "\t"),
    _fenced("```", "```"),
    _fenced("````py", "````"),
    _fenced("~~~", "~~~"),
    _fenced("```", "````"),
    _fenced("<div markdown>", "</div>"),
    _fenced("<details>", "</details>"),
    _fenced("<script>", "</script>"),
    _fenced("<!--", "-->"),
    _fenced("/// abstract", "///"),
    _fenced("/// figure | rates", "///"),
    _fenced("//// figure | rates", "////"),
    _fenced("/// evidence | trace", "///"),
    _fenced("/// erratum | 2026-08-28\n    id: a\n    affects: gap\n", "///"),
    _fenced("/// erratum | 2030-01-01\n    id: b\n", "///"),
    _fenced("/// figure", ""),
)
BLOCKS = st.recursive(
    st.one_of(INLINE, st.lists(INLINE, min_size=1, max_size=3).map(_table), INLINE.map(lambda text: f"## {text} {{#s}}")),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("\n\n".join),
        st.lists(inner, min_size=1, max_size=2).map("\n".join),
        st.tuples(st.sampled_from(WRAPPERS), inner).map(lambda pair: pair[0](pair[1])),
    ),
    max_leaves=8,
)
_FRONT = st.one_of(
    st.just(""),
    INLINE.map(lambda text: f"---\ntitle: '{text}'\ndate: 2026-08-27\n---\n"),
    INLINE.map(lambda text: f"---\ntitle: {text}\ndek: {text}\n---\n"),
    INLINE.map(lambda text: f"---\n{text}\n---\n"),
)
PAGES = st.tuples(_FRONT, BLOCKS, st.sampled_from(["\n", "", "\r\n", "\n\n\n"])).map("".join)
