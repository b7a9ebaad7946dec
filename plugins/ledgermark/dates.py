"""A date in running text, of either language, as ISO writes it."""

from __future__ import annotations

import re
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO: Final = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?")
_HAN: Final = re.compile(r"(?P<year>[0-9]{4})\ ?年\ ?(?P<month>[0-9]{1,2})\ ?月(?:\ ?(?P<day>[0-9]{1,2})\ ?日)?")
_DAY_FIRST: Final = re.compile(r"(?:(?P<day>[0-9]{1,2})\ )?(?P<name>[A-Z][a-z]{2})[a-z]*,?\ (?P<year>[0-9]{4})")
_MONTH_FIRST: Final = re.compile(r"(?P<name>[A-Z][a-z]{2})[a-z]*\ (?P<day>[0-9]{1,2}),\ (?P<year>[0-9]{4})")


def iso_date(text: str) -> str:
    """Return a date as ISO has it; an empty text where its year or month is not said, for that is left to the sentence."""
    match = _ISO.match(text) or _HAN.match(text) or _DAY_FIRST.match(text) or _MONTH_FIRST.match(text)
    parts = match.groupdict() if match else {}
    name = parts.get("name")
    month = _MONTHS.index(name.lower()) + 1 if name and name.lower() in _MONTHS else int(parts.get("month") or 0)
    if not month:
        return ""
    day = parts.get("day")
    return f"{parts['year']}-{month:02}{f'-{int(day):02}' if day else ''}"
