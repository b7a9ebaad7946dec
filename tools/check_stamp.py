"""Check that a built site shows what its stamp says was checked: each claim, given number, figure and erratum, in each language.

    python -m tools.check_stamp site [other-site]

A host that leaves out a plugin or an extension says nothing of it; pages without their claims are how it shows. With a second site, built by
another host, the two must show the same. Prints a line for each fault. Exit status: 0 nothing found, 1 faults, 2 there is no stamp.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS: Final = {"data-claim": "claims", "data-given": "given", "data-figure": "figures", "data-erratum": "errata"}
# Lists the errata of all pages once more, with the claims in them.
_ERRATA: Final = "errata"


class _Bound(HTMLParser):
    """Collects what a page binds, as attribute and value."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[tuple[str, str]] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is bound to."""
        del tag
        self.found.update((name, value or "") for name, value in attrs if name in _KINDS)


def shown_in(site: Path, language: str) -> dict[str, Counter[tuple[str, str]]]:
    """Return what each page of a language binds, by its path in the site."""
    pages = {}
    for path in sorted((site / language).rglob("*.html")):
        reader = _Bound()
        reader.feed(path.read_text("utf-8"))
        reader.close()
        pages[path.relative_to(site).as_posix()] = reader.found
    return pages


def read_stamp(site: Path) -> dict[str, Any]:
    """Return a site's stamp. Raises OSError or ValueError when there is none."""
    stamp = json.loads((site / "build.json").read_text("utf-8"))
    if not isinstance(stamp, dict) or not isinstance(stamp.get("languages"), dict):
        msg = f"{site / 'build.json'} is no stamp"
        raise ValueError(msg)  # noqa: TRY004  (a file is wrong, not a call)
    return stamp


def find_faults(site: Path, stamp: Mapping[str, Any]) -> list[str]:
    """Return where the pages of a site and its stamp disagree."""
    faults = [f"the stamp counts {stamp.get('findings')} findings"] if stamp.get("findings") != 0 else []
    for language, counts in stamp["languages"].items():
        pages = shown_in(site, language)
        seen = Counter(_KINDS[name] for path, found in pages.items() if f"/{_ERRATA}/" not in f"/{path}" for name, _ in found.elements())
        faults += [
            f"{language}: {counts[kind]} {kind} were checked, the pages show {seen[kind]}"
            for kind in _KINDS.values()
            if counts[kind] != seen[kind]
        ]
    return faults


def find_differences(site: Path, other: Path, languages: list[str]) -> list[str]:
    """Return which pages of two sites bind other things, or are in one alone."""
    faults = []
    for language in languages:
        one, two = shown_in(site, language), shown_in(other, language)
        faults += [f"{path} is only in {site if path in one else other}" for path in sorted(one.keys() ^ two.keys())]
        for path in sorted(one.keys() & two.keys()):
            faults += [f"{path}: {name}={value} is only in {site}" for name, value in sorted((one[path] - two[path]).elements())]
            faults += [f"{path}: {name}={value} is only in {other}" for name, value in sorted((two[path] - one[path]).elements())]
    return faults


def main(arguments: list[str] | None = None) -> int:
    """Check one site, or two, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    options = parser.parse_args(arguments)
    faults: list[str] = []
    try:
        stamp = read_stamp(options.site)
        faults += find_faults(options.site, stamp)
        if options.other:
            other = read_stamp(options.other)
            faults += find_faults(options.other, other)
            faults += [f"the stamps differ: {name}" for name in ("data", "languages") if stamp[name] != other[name]]
            faults += find_differences(options.site, options.other, list(stamp["languages"]))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    for fault in faults:
        print(fault)
    counted = ", ".join(f"{counts['claims']} claims in {language}" for language, counts in stamp["languages"].items())
    print(f"{options.site}: {counted}: {'all shown' if not faults else f'{len(faults)} faults'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
