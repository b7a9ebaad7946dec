"""Subjects: what the rows behind a number speak of, and the words for it in each language.

A family is a set of subjects of which a row has one: the machines, the arms, the context lengths. A number's own subjects are those of its
rows, so nothing is declared per claim; a metric may say otherwise where its sentence speaks of less than its rows hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ledgermark.findings import Finding, nearest
from ledgermark.ledger import Ledger, LedgerError
from ledgermark.messages import Message
from ledgermark.yamls import YamlError, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.claims import Claim
    from ledgermark.metrics import Metric
    from ledgermark.quantity import Quantity

_LOOK: Final = 8  # characters behind a word that decide whether it is one
_FIELDS: Final = ("columns", "parameters", "subjects")


@dataclass(frozen=True)
class Subject:
    """One subject of a family.

    Attributes:
        values: what its rows hold in the family's columns; `*` stands for anything.
        words: language to the words that name it; under the empty code those of every language.
    """

    name: str
    values: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]] = field(hash=False)

    def owns(self, text: str) -> bool:
        """Return whether a row with this cell speaks of it."""
        return any(fnmatchcase(text, value) for value in self.values)


@dataclass(frozen=True)
class Family:
    """Subjects of which a row has one.

    Attributes:
        columns: the columns that say which.
        parameters: the parameters of metrics that say which, where rows hold several or none.
    """

    name: str
    columns: tuple[str, ...]
    subjects: tuple[Subject, ...]
    parameters: tuple[str, ...] = ()


class Mention(NamedTuple):
    """Words on a page that name subjects of a family; a word may name several."""

    start: int
    end: int
    family: str
    subjects: frozenset[str]


def read_subjects(path: str, text: str, languages: Iterable[str]) -> tuple[tuple[Family, ...], list[Finding]]:
    """Return the families a file declares, and what is wrong with it.

    Args:
        path: the file's, for findings.
        text: its YAML: family to `columns`, `parameters` and `subjects`, each of the last with `values`, and `words` or words by language.
        languages: the language codes.
    """
    findings: list[Finding] = []

    def finding(message: str, near: str = "") -> None:
        line = text[: max(text.find(f"{near}:"), 0)].count("\n") + 1 if near else 1
        findings.append(Finding(path, line, 1, "LM123", message))

    try:
        content = read_yaml(text) or {}
    except YamlError as error:
        return (), [Finding(path, error.line, 1, "LM123", Message("no YAML: {error}", error=error))]
    if not isinstance(content, dict):
        finding(Message("expected families: 'name:' with 'columns' and 'subjects' under it"))
        return (), findings
    families: list[Family] = []
    for name, block in content.items():
        if not isinstance(block, dict) or set(block) - set(_FIELDS) or not isinstance(block.get("subjects"), dict):
            finding(Message("'{name}': expected 'columns', a list, and 'subjects', each with a name of its own", name=name), str(name))
            continue
        subjects = [_subject(str(key), item, (*languages,), finding) for key, item in block["subjects"].items()]
        own = tuple(subject for subject in subjects if subject)
        families.append(Family(str(name), _texts(block.get("columns")), own, _texts(block.get("parameters"))))
    return tuple(families), findings


def _subject(name: str, block: Any, languages: tuple[str, ...], finding: Any) -> Subject | None:
    known = ("values", "words", *languages)
    if not isinstance(block, dict):
        finding(Message("'{name}': expected 'values' and 'words'", name=name), name)
        return None
    for key in block:
        if key not in known:
            finding(Message("'{name}': unknown '{key}'{hint}", name=name, key=key, hint=nearest(str(key), known)), name)
    words = {language: _texts(block.get(language)) for language in languages} | {"": _texts(block.get("words"))}
    for language, written in words.items():
        for blank in (word for word in written if not _folded(word)):
            finding(
                Message("'{name}': '{word}' is no word, for a hyphen is read as a blank; expected words such as A100", name=name, word=blank),
                name,
            )
        words[language] = tuple(word for word in written if _folded(word))
    if not any(words.values()):
        finding(Message("'{name}' has no words; write 'words' for all languages, or one list per language", name=name), name)
    return Subject(name, _texts(block.get("values")), words)


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(str(item) for item in items)


class Words:
    """The words of all families in one language.

    Attributes:
        language: the language code.
    """

    def __init__(self, families: Iterable[Family], language: str) -> None:
        self.language = language
        meanings: dict[tuple[str, str], set[str]] = {}
        for family in families:
            for subject in family.subjects:
                for word in (*subject.words.get("", ()), *subject.words.get(language, ())):
                    meanings.setdefault((_folded(word), family.name), set()).add(subject.name)
        self._meanings: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for (word, family_name), names in meanings.items():
            self._meanings.setdefault(word, []).append((family_name, frozenset(names)))
        # A word's longest part is looked for first, in lower case: far faster than trying every word's pattern at every place.
        self._anchors: dict[str, list[str]] = {}
        for word in self._meanings:
            self._anchors.setdefault(max(word.split(), key=len), []).append(word)
        self._patterns: dict[str, list[tuple[re.Pattern[str], int, int]]] = {}

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Matches any of the words; None where there is none."""
        # Of many words those that begin alike stand together, so that most are passed over at once.
        alike: dict[str, list[str]] = {}
        for word in sorted(self._meanings, key=len, reverse=True):
            alike.setdefault(word[0], []).append(_pattern(word))
        groups = (f"(?={re.escape(first)})(?:{'|'.join(patterns)})" for first, patterns in alike.items())
        return re.compile("|".join(groups), re.IGNORECASE) if alike else None

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in a text, in order; of words of a family that overlap the first, and of those the longest."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter whose small form is longer
            lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
        spans: set[tuple[int, int]] = set()
        for anchor in self._anchors:
            at = lowered.find(anchor)
            while at >= 0:
                for pattern, before, behind in self._patterns.get(anchor) or self._compiled(anchor):
                    if before:
                        spans.update((match.start(), -match.end()) for match in pattern.finditer(text, max(at - before, 0), at + behind))
                    elif match := pattern.match(text, at, at + behind):
                        spans.add((at, -match.end()))
                at = lowered.find(anchor, at + 1)
        found: list[Mention] = []
        ends: dict[str, int] = {}
        for start, negative in sorted(spans):
            for family, names in self._meanings.get(_folded(text[start:-negative]), ()):
                if start >= ends.get(family, 0):
                    ends[family] = -negative
                    found.append(Mention(start, -negative, family, names))
        return found

    def _compiled(self, anchor: str) -> list[tuple[re.Pattern[str], int, int]]:
        """Return the patterns of the words with an anchor, and how far before and behind it each is looked for."""
        self._patterns[anchor] = [
            (re.compile(_pattern(word), re.IGNORECASE), 0 if word.startswith(anchor) else 2 * len(word), 2 * len(word) + _LOOK)
            for word in self._anchors[anchor]
        ]
        return self._patterns[anchor]


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    return re.sub(r"[\s\u00a0\u202f-]+", " ", word).casefold().strip()


def _pattern(word: str) -> str:
    """Return the pattern of a word: not inside another word or number, its spaces any white space or a hyphen."""
    escaped = re.escape(word).replace(r"\ ", r"[\s\u00a0\u202f-]+")
    # Neither letters nor digits around a word need their case folded, and folding sets is most of what compiling costs.
    before = r"(?-i:(?<![A-Za-z0-9_])(?<![0-9][.,]))" if word[0].isascii() and word[0].isalnum() else ""
    before += r"(?<![0-9] )" if word[0].isdigit() else ""
    after = r"(?-i:(?![A-Za-z0-9_]))" if word[-1].isascii() and word[-1].isalnum() else ""
    after += r"(?-i:(?!\.[0-9])(?![\s\u00a0\u202f][0-9]{3}(?![0-9])))" if word[-1].isdigit() else ""
    return f"{before}{escaped}{after}"


class Owners:
    """Tells the subjects of values by their rows; each row is looked at once, and so is what its cells say."""

    def __init__(self, families: Iterable[Family], ledger: Ledger, metrics: Mapping[str, Metric]) -> None:
        self.families = {family.name: family for family in families}
        self._ledger = ledger
        self._metrics = metrics
        self._rows: dict[tuple[str, str, int], frozenset[str]] = {}
        self._texts: dict[tuple[str, str], frozenset[str]] = {}
        self._claims: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, claim: Claim, values: Iterable[Quantity], family: str) -> frozenset[str]:
        """Return a claim's subjects in a family; none where its rows do not say, or its metric does not want it checked."""
        place = (claim.key, family)
        if place not in self._claims:
            metric = self._metrics.get(claim.name)
            declared = metric.subjects.get(family) if metric else None
            rows = {(cell.dataset, cell.line) for value in values for cell in value.evidence} if declared is None else set()
            owned = [self._row(family, dataset, line) for dataset, line in rows]
            owned += [self._asked(family, claim, metric)] if declared is None else []
            self._claims[place] = frozenset(declared or ()).union(*owned)
        return self._claims[place]

    def _asked(self, family: str, claim: Claim, metric: Metric | None) -> frozenset[str]:
        """Return the subjects that a claim asks its metric for, or leaves it to take for granted."""
        described = self.families[family]
        taken = {item.name: item.default for item in metric.parameters if isinstance(item.default, str)} if metric else {}
        texts = [text for name in described.parameters for text in claim.params.get(name, taken.get(name, "")).split(",")]
        return frozenset(subject.name for subject in described.subjects for text in texts if subject.owns(text))

    def _row(self, family: str, dataset: str, line: int) -> frozenset[str]:
        place = (family, dataset, line)
        if place not in self._rows:
            described = self.families[family]
            try:
                table = self._ledger.table(dataset)
                at = table.position(line)
                texts = [table.columns[column][at] for column in described.columns if table.dataset.column(column)]
            except (LedgerError, LookupError):
                texts = []
            self._rows[place] = frozenset().union(*(self._text(described, text) for text in texts))
        return self._rows[place]

    def _text(self, family: Family, text: str) -> frozenset[str]:
        place = (family.name, text)
        if place not in self._texts:
            self._texts[place] = frozenset(subject.name for subject in family.subjects if subject.owns(text))
        return self._texts[place]
