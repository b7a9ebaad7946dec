"""Comparison words: what the words around a number say of it (at most, about …), and whether its link says the same.

One table per language. A phrase that a language reads two ways has two relations, and either will do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.findings import Finding
from ledgermark.messages import Message, joined
from ledgermark.passages import CLAUSE, NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledgermark.claims import Claim
    from ledgermark.pages import Page
    from ledgermark.passages import Reading

_MOST, _LEAST, _LESS, _MORE, _ABOUT = "at_most", "at_least", "less_than", "more_than", "about"
_NEGATED: Final = {_MORE: _MOST, _LESS: _LEAST, _LEAST: _LESS, _MOST: _MORE}


@dataclass(frozen=True)
class Lexicon:
    """The comparison words of a language: patterns to what they say.

    Attributes:
        wide: phrases that reach the number over a few words: "at most twice as", 至少得是.
        tight: words that stand at the number: "over", 超过.
        after: words behind the number and its noun: "or less", 以内.
        wide_gap, tight_gap, after_gap: what may stand between.
        negators: what turns a comparison round, before it in the same clause.
        spaced: whether blanks part its words; this and the next ones only save time.
        wide_ends, tight_ends: words and signs; each of those phrases ends in one, or where no blanks part words has one.
        after_hints: what every phrase behind a number has, in small letters.
        examples: for each relation a phrase to name in a message.
    """

    wide: dict[str, tuple[str, ...]]
    tight: dict[str, tuple[str, ...]]
    after: dict[str, tuple[str, ...]]
    wide_gap: str
    tight_gap: str
    after_gap: str
    negators: str
    spaced: bool
    wide_ends: str
    tight_ends: str
    after_hints: str
    examples: dict[str, str]


_THAN: Final = r"(?:more|greater|larger|higher|longer|bigger) than"
_UNDER: Final = r"(?:less|fewer|lower|smaller|shorter) than"
_STOP: Final = r"(?=\s*(?:[，。、；：）|]|$))"

LEXICONS: Final[dict[str, Lexicon]] = {
    "en": Lexicon(
        wide={
            r"at (?:the )?(?:very )?most|a maximum of|≤|⩽|≦": (_MOST,),
            r"at (?:the )?(?:very )?least|a minimum of|≥|⩾|≧": (_LEAST,),
            r"approximately|roughly|on the order of|in the region of|≈|≃|∼|~": (_ABOUT,),
        },
        tight={
            rf"(?:no|not|never|nor) (?:by )?{_THAN}|no(?:t)? (?:above|over|beyond)|(?:not|never|nor|without) exceed(?:s|ed|ing)?": (_MOST,),
            r"as (?:much|many|high|long|large|great) as|up to|within": (_MOST,),
            r"(?:agree|repeat|reproduce|match|matche|coincide|hold)(?:s|d|ed|ing)?(?: [a-z'’-]+){0,4} to": (_MOST,),
            rf"(?:no|not|never|nor) (?:by )?{_UNDER}|no(?:t)? (?:below|under)": (_LEAST,),
            r"as (?:little|few|low|short|small) as|upwards? of": (_LEAST,),
            rf"{_UNDER}|short of|under|below|(?<=[\w,(|] )<": (_LESS,),
            rf"{_THAN}|in excess of|exceed(?:s|ed|ing)?|over|above|beyond|(?<=[\w,(|] )>": (_MORE,),
            r"about|around|some|circa|ca\.|close to|near|something like": (_ABOUT,),
            r"nearly|almost|just (?:under|below|short of)": (_ABOUT, _LESS),
            r"just (?:over|above)": (_ABOUT, _MORE),
        },
        after={
            r"or (?:less|fewer|lower|below|under|shorter|smaller)|at (?:the )?(?:very )?most|and (?:below|under|less)": (_MOST,),
            r"or (?:more|higher|above|over|longer|larger)|at (?:the )?(?:very )?least|and (?:up|above|over|more)": (_LEAST,),
            r"or so|or thereabouts|or about|approximately|give or take": (_ABOUT,),
        },
        wide_gap=r"(?: [A-Za-z'’-]+){0,3}",
        tight_gap=r"(?: (?:an?|just|only|by|some|about))?",
        after_gap=r"(?: [A-Za-z][A-Za-z'’/-]*){0,2}?",
        negators=r"(?<!with )\b(?:no|not|never|none|neither|nor|nothing|nowhere|nobody|cannot)\b|n['’]t\b",
        spaced=True,
        wide_ends="most least of approximately roughly ≤ ⩽ ≦ ≥ ⩾ ≧ ≈ ≃ ∼ ~",
        tight_ends="than above over beyond exceed exceeds exceeded exceeding as to within of under below about around some circa ca. near like"
        " nearly almost < >",
        after_hints=r"or|and|mo.t|lea.t|appro",
        examples={_MOST: "at most", _LEAST: "at least", _LESS: "less than", _MORE: "more than", _ABOUT: "about"},
    ),
    "zh": Lexicon(
        wide={
            r"至多|最多|顶多|充其量|上限[为是]|≤|⩽|≦": (_MOST,),
            r"至少|最少|起码|下限[为是]|≥|⩾|≧": (_LEAST,),
            r"大约|大概|大致|差不多|约莫|≈|≃|∼|~": (_ABOUT,),
        },
        tight={
            r"[不未没]会?(?:超过|超出|大于|高于|多于|长于)|没有(?:超过|超出|大于|高于|多于)|[最][大高多长]不过|高达|多达|长达": (_MOST,),
            r"[不未没]会?(?:低于|少于|小于|短于|下于)|没有(?:低于|少于|小于|短于)|低至|少至": (_LEAST,),
            r"低于|少于|小于|短于|(?<![得看等找拿用])不到|不足|不满|(?<=[\w，（|] )<|＜": (_LESS,),
            r"超过|超出|高于|多于|大于|长于|逾|(?<![远赶])超|(?<=[\w，（|] )>|＞": (_MORE,),
            r"(?<![节预条契合制公违大])约": (_ABOUT,),
            r"将近|接近|几乎|(?<![附最接临靠将亲])近": (_ABOUT, _LESS),
        },
        after={
            r"以内|之内": (_MOST,),
            r"以下": (_MOST, _LESS),
            r"以上": (_LEAST, _MORE),
            rf"左右|(?:上下|前后){_STOP}": (_ABOUT,),
            rf"出头|有余|多{_STOP}": (_MORE, _ABOUT),
            rf"不到{_STOP}": (_LESS,),
        },
        wide_gap=r"[^0-9０-９，。；：、（）]{0,12}",
        tight_gap=r" ?[了过为是到在]? ?",
        after_gap=r"[^\W0-9]{0,4}(?: ?[A-Za-z]+ ?)?[^\W0-9]{0,2}?",
        negators=r"没有(?=[一任哪谁什半])|无一|从未|从不|绝不|并未|并不|均未|均不|都没有?|都不|不曾|未曾|不能|不得|不可",
        spaced=False,
        wide_ends="至多 最多 顶多 充其量 上限 至少 最少 起码 下限 大约 大概 大致 差不多 约莫 ≤ ⩽ ≦ ≥ ⩾ ≧ ≈ ≃ ∼ ~",
        tight_ends="超 大于 高于 多于 长于 不过 高达 多达 长达 低于 少于 小于 短于 下于 低至 少至 不到 不足 不满 逾 约 近 几乎 < > ＜ ＞",
        after_hints="以内|之内|以下|以上|左右|上下|前后|出头|有余|多|不到",
        examples={_MOST: "不超过", _LEAST: "至少", _LESS: "低于", _MORE: "超过", _ABOUT: "约"},
    ),
}
# Where a negation's reach ends. An "and" between two things counted joins them: "between 8K and 32K".
_NEW_CLAUSE: Final = re.compile(
    r"\b(?:but|while|whereas|although|though|yet|because|since|then)\b|(?<![0-9KM] )\band\b(?! [0-9])|但|而|却|因为", re.IGNORECASE
)
_SERIES: Final = re.compile(r"[,;/–、]\s|\b(?:to|and)\b|[0-9]\s*[–—]\s*[0-9]|[至到和与]")
_REACH: Final = 90  # characters beside a number in which a comparison can still be its own


class Words(NamedTuple):
    """Comparison words: what they say of a number, and how they are written."""

    relations: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class _Compiled:
    before: re.Pattern[str]
    after: re.Pattern[str]
    gaps: dict[str, re.Pattern[str]]
    relations: dict[str, tuple[str, ...]]
    negators: re.Pattern[str]
    reaches: Callable[[str], object]
    after_hints: re.Pattern[str]


@lru_cache(maxsize=8)
def _compiled(language: str) -> _Compiled | None:
    lexicon = LEXICONS.get(language)
    if lexicon is None:
        return None
    relations: dict[str, tuple[str, ...]] = {}
    gaps: dict[str, re.Pattern[str]] = {}

    def alternatives(kind: str, patterns: dict[str, tuple[str, ...]], gap: str) -> str:
        groups = []
        for index, (pattern, meaning) in enumerate(patterns.items()):
            name = f"{kind}{index}"
            relations[name], gaps[name] = meaning, re.compile(f"{gap} ?", re.IGNORECASE)
            groups.append(f"(?P<{name}>{pattern})")
        return "|".join(groups)

    def whole(alternatives: str) -> str:
        return f"(?<![A-Za-z])(?:{alternatives})(?![A-Za-z])"

    wide = alternatives("wide", lexicon.wide, lexicon.wide_gap)
    tight = alternatives("tight", lexicon.tight, lexicon.tight_gap)
    before = re.compile(whole(f"{tight}|{wide}"), re.IGNORECASE)
    after = re.compile(f" ?{lexicon.after_gap} ?{whole(alternatives('after', lexicon.after, ''))}", re.IGNORECASE)
    negators = re.compile(lexicon.negators, re.IGNORECASE)
    return _Compiled(before, after, gaps, relations, negators, _reaches(lexicon), re.compile(lexicon.after_hints))


def _reaches(lexicon: Lexicon) -> Callable[[str], object]:
    """Return what tells of a text in small letters whether a phrase in it may reach the number behind it."""
    if not lexicon.spaced:
        return re.compile("|".join(f"{lexicon.wide_ends} {lexicon.tight_ends}".split())).search

    def backwards(words: str) -> str:
        # A long s is one where case does not matter; it is no small letter of another.
        return "|".join(re.escape(word[::-1]).replace("s", "[sſ]") + ("(?![a-z])" if word[0].isalpha() else "") for word in words.split())

    # Read from its end, a text says at once whether one of its last words will do.
    pattern = re.compile(rf"\s*+(?:(?:\S++\s++)?(?:{backwards(lexicon.tight_ends)})|(?:\S++\s++){{0,3}}?(?:{backwards(lexicon.wide_ends)}))")
    return lambda text: pattern.match(text[::-1])


def find_words(before: str, after: str, language: str, neutral: re.Pattern[str] | None = None) -> Words | None:
    """Return the comparison words at a number, or None.

    Args:
        before: its clause up to it.
        after: its clause from its end.
        language: the language code; words are known for `LEXICONS`.
        neutral: names that are no words of comparison whatever they contain, such as "no speculation".
    """
    compiled = _compiled(language)
    if compiled is None:
        return None
    behind = after[:_REACH].strip()
    if behind and compiled.after_hints.search(behind.lower()):
        behind = " ".join(behind.split())
        match = compiled.after.match(f" {behind}" if behind[:1].isascii() else behind)
        if match:
            return Words(compiled.relations[match.lastgroup or ""], match[match.lastgroup or 0])
    ahead = before[-_REACH:].rpartition(NUMBER)[2]
    if not compiled.reaches(ahead.lower()):
        return None
    if neutral is not None:
        ahead = neutral.sub(lambda found: found.group() if any(char.isdigit() for char in found.group()) else "." * len(found.group()), ahead)
    ahead = " ".join(ahead.split())
    for match in reversed(list(compiled.before.finditer(ahead))):
        name = match.lastgroup or ""
        if compiled.gaps[name].fullmatch(ahead, match.end()):
            said = compiled.relations[name]
            scope = _NEW_CLAUSE.split(ahead[: match.start()])[-1]
            negator = compiled.negators.search(scope)
            if negator:
                said = tuple(_NEGATED.get(relation, relation) for relation in said)
            return Words(said, f"{negator.group()} … {match.group()}" if negator else match.group())
    return None


def said_of(claim: Claim, reading: Reading, language: str, neutral: re.Pattern[str] | None = None) -> Words | None:
    """Return the comparison words of a claim: those in its clause, or for a cell of a table those in its column's or row's header."""
    clause = reading.around(claim.start, claim.end, CLAUSE)
    text = reading.text
    words = find_words(text[clause.start : claim.start], text[claim.end : clause.end], language, neutral)
    if words is not None and words.text.lower() == "over" and _SERIES.search(claim.text):
        words = None  # "over 1K to 32K" is where it was measured
    if words is None and (passage := reading.passage(claim.start)).above is not None:
        headers = (passage.above, *passage.beside[:1])
        words = next(filter(None, (_in_header(text[span.start : span.end], language) for span in headers)), None)
    return words


@lru_cache(maxsize=512)  # the same header stands over many cells
def _in_header(header: str, language: str) -> Words | None:
    """Return the comparison words that end a header, or stand alone in it: "Change, at most"."""
    if NUMBER in header:
        return None
    ending = " ".join(header.split()).rstrip(" )）")
    return find_words(ending, "", language) or find_words("", f" {ending.rpartition(',')[2].strip()}", language)


_UNSAID: Final = "the link says is={relation}, {instead}; write '{example}' at '{shown}', or mend the link"
_UNBOUND: Final = "'{text}' at '{shown}' says {said}, the link says an equality; add is={first}, or reword"


def check_relations(page: Page, reading: Reading, language: str, neutral: re.Pattern[str] | None = None) -> list[Finding]:
    """Return the claims of a page whose words say another comparison than their links.

    Args:
        page: the page.
        reading: its text.
        language: the language it is written in.
        neutral: as in `find_words`.
    """
    lexicon = LEXICONS.get(language)
    if lexicon is None:
        return []
    findings: list[Finding] = []
    for claim in page.claims.claims:
        words = said_of(claim, reading, language, neutral)
        said = words.relations if words else ()
        if claim.relation in said or (not claim.relation and not said):
            continue
        either = joined(said, Message(" or "))
        if claim.relation:
            example = lexicon.examples[claim.relation]
            instead = Message("'{text}' says {said}", text=words.text, said=either) if words else Message("no word at it does")
            message = Message(_UNSAID, relation=claim.relation, instead=instead, example=example, shown=claim.text)
        elif words:
            message = Message(_UNBOUND, text=words.text, shown=claim.text, said=either, first=said[0])
        findings.append(Finding(page.source.path, *page.source.place(claim.start), "LM121" if claim.relation else "LM122", message, claim.text))
    return findings
