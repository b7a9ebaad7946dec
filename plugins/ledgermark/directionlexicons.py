"""The words of direction of each language, and the patterns of where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UP, DOWN, BETTER, WORSE = "up", "down", "better", "worse"


@dataclass(frozen=True)
class Lexicon:
    """The words of direction of a language. In patterns, `WORD` stands for the words.

    Attributes:
        gap: what parts its words.
        moves: words for what goes from one number to another, with their directions; `carries` those that say what goes.
        changes: words before a change: "loses", "a gain of", 掉了.
        behind: words behind a change: "slower", "higher".
        first: the text before the first of two numbers, where the second is what it goes to.
        second: the text between the two.
        before: the text before a change.
        after: the text behind a change.
        other: what stands behind a change where `up` and `down` are of something else: 少 [12 %] 的显存.
        denied: the text before a word that says what is not, or is only supposed.
        turned: the text before a change that may be that of the other side.
        swaps: to each of some words its opposite, of the same grammar.
    """

    gap: str
    moves: dict[str, tuple[str, ...]]
    carries: dict[str, tuple[str, ...]]
    changes: dict[str, tuple[str, ...]]
    behind: dict[str, tuple[str, ...]]
    first: str
    second: str
    before: str
    after: str
    other: str
    denied: str
    turned: str
    swaps: dict[str, str]


def _forms(*verbs: str) -> tuple[str, ...]:
    """Return the forms of some regular English verbs, of which the last letter may be doubled: `drop+`."""
    found: list[str] = []
    for verb in verbs:
        stem = verb.rstrip("e+")
        double = stem[-1] if verb.endswith("+") else ""
        found += [verb.rstrip("+"), f"{verb.rstrip('+')}s", f"{stem}{double}ed", f"{stem}{double}ing"]
    return tuple(found)


def _both_ways(*pairs: tuple[str, str]) -> dict[str, str]:
    return dict(pairs) | {right: left for left, right in pairs}


_GOES: Final = (
    *("is", "are", "was", "were", "be", "been", "go", "goes", "went", "gone", "going"),
    *("come", "comes", "came", "move", "moves", "moved"),
)
_RISES: Final = (*("rise", "rises", "rose", "risen", "rising", "grow", "grows", "grew", "grown", "growing"), *_forms("increase", "climb"))
_FALLS: Final = (
    *("fall", "falls", "fell", "fallen", "falling", "shrink", "shrinks", "shrank", "shrunk", "shrinking"),
    *("sink", "sinks", "sank", "sunk", "sinking", *_forms("drop+", "decrease", "decline")),
)
# Approximations, which say nothing of a direction.
_NEARLY: Final = "about|around|roughly|approximately|nearly|almost|only|just|over|under"

# After these, words are of something else.
_ELSEWHERE: Final = "that|which|who|whether|if|with|when|where|as|so|while|and|or|but|than|not|never|going|by|for|at|over|through|during"

LEXICONS: Final[dict[str, Lexicon]] = {
    "en": Lexicon(
        gap=" ",
        moves={
            UP: (*_RISES, "raised", *(f"{verb} up" for verb in _GOES)),
            DOWN: (*_FALLS, "reduced", "lowered", *(f"{verb} down" for verb in _GOES)),
        },
        carries={
            UP: ("raises", "raised", "increases", "increased", "lifts", "lifted"),
            DOWN: ("lowers", "lowered", "reduces", "reduced", "decreases", "decreased", "cuts", "cut"),
        },
        changes={
            UP: (*_RISES, "growth", "add", "adds", "added", "higher"),
            DOWN: (*_FALLS, *_forms("lower", "reduce"), "reduction", "cut", "cuts"),
            BETTER: (*_forms("gain"), "faster"),
            WORSE: ("lose", "loses", "losing", "lost", "loss", "losses", "cost", "costs", "costing", "slower"),
        },
        behind={
            UP: ("higher", "more", "growth", "increase", "rise"),
            DOWN: ("lower", "less", "fewer", "decrease", "drop", "fall", "decline"),
            BETTER: ("faster", "gain"),
            WORSE: ("slower", "loss"),
        },
        # A noun that something is done to ("limits the rise from") is no move; nor is a word that speaks of something else up to "from".
        first=r"(?:.*(?<![\w-])(?<!the )(?<!its )(?<!their )(?<!this )(?<!any )WORD(?: (?:[a-z]+ly|again|further|back))? "
        r"|.*(?<![\w-])CARRIED (?:the|its|their|this|our|both|each|every)"
        rf"(?: (?!(?:{_ELSEWHERE})\b)[\w’'-]+){{1,5}} "
        rf"|(?:.*\b)?)from(?: (?:{_NEARLY}))?",
        second=rf"(?:(?: [^\s.;:]+){{0,2}}? (?P<way>up|down)|(?: [^.;:]{{0,60}}?)??) to(?: (?:{_NEARLY}))?",
        before=r".*?(?<![\w-])WORD(?![\w-])"
        rf"(?: (?:by|of|an?|another|as much as|at most|at least|no less than|no more than|up to|more than|less than|{_NEARLY})\b)*+",
        after=r"WORD\b(?=\s*(?:$|[.,;:)—–]|(?:at|on|when|with|there|again)\b)).*",
        other="(?!)",
        denied=r"(?:\b(?:not(?! only)|never|cannot|nor|neither|hardly|barely)|n['’]t)(?: [\w’'-]+){0,2} $"
        r"|\b(?:no|without|or|instead of|rather than) $"
        r"|\b(?:if|unless|would|could|might|should|recover(?:s|ed)?|regain(?:s|ed)?)\b(?: [\w’'-]+){0,6} $",
        turned=r"\bwithout\b",
        swaps=_both_ways(
            *(("rises", "falls"), ("rise", "fall"), ("rose", "fell"), ("grows", "shrinks"), ("grew", "shrank"), ("raises", "lowers")),
            *(("gains", "loses"), ("gain", "loss"), ("gained", "lost"), ("faster", "slower"), ("higher", "lower"), ("adds", "cuts")),
            *(("increases", "drops"), ("increased", "dropped"), ("more", "less"), ("up", "down")),
        )
        | {"costs": "gains", "lose": "gain"},
    ),
    "zh": Lexicon(
        gap="",
        moves={
            UP: ("涨", "升", "上升", "升高", "增", "增加", "增长", "增大", "变大", "提高", "提升", "加", "爬"),
            DOWN: ("降", "下降", "降低", "减", "减少", "减小", "变小", "掉", "跌", "下跌", "下滑", "落", "缩", "缩小", "缩短"),
        },
        carries={},
        changes={
            UP: ("涨", "上涨", "升", "上升", "升高", "增加", "增长", "提高", "提升", "增大", "变大", "高", "多"),
            DOWN: ("降", "下降", "降低", "减少", "减小", "缩小", "缩短", "变小", "掉", "跌", "下跌", "下滑", "低", "少"),
            BETTER: ("快", "提速", "赚", "多赚"),
            WORSE: ("慢", "亏", "亏损", "丢", "损失", "丢掉", "亏掉"),
        },
        behind={},
        first=".*?(?P<lead>从|(?<![理缘因原经自])由)[^，。；：]{0,16}",
        second="(?:(?![起把])[^，。；：]){0,24}?(?<![伸叠散外追])WORD[到至成为]了?(?:大?约|大概|将?近|仅|只有|平均)?",
        # Of one letter, a word is often part of another: 很快, 多亏, 吃掉, 涨跌, 时高时低.
        before=".*?(?<![最至顶不很太大缺多少较涨升增快高降减低慢跌吃消去砍用占扣抹回只])(?<![时忽一].[时忽一])WORD[了出]?"
        "(?:大?约|大概|将?近|超过|不到|不超过|不止|至少|至多|最多|最少|整整|足足|几乎|差不多|高?达)?",
        after="(?!)",
        other="的",
        denied="(?:不(?!过)|没|未|非|无|(?<![分特个类级区])别|难以|如果|若|假如|要是|以为|可能)[^，。；：]{0,4}$",
        turned="比|不用|不开|关掉",
        swaps=_both_ways(
            *(("涨", "降"), ("上升", "下降"), ("提高", "降低"), ("增加", "减少"), ("加", "减")),
            *(("快", "慢"), ("高", "低"), ("多", "少"), ("赚", "亏")),
        )
        | {"升": "降", "掉": "涨", "丢": "赚", "丢掉": "赚", "跌": "涨", "落": "涨"},
    ),
}
