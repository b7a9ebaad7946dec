"""The files of the site that are no pages: assets, figure data, evidence, errata pages and feeds, as names and contents."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ledgermark.addresses import address_of, data_page, relative_url
from ledgermark.outputs import evidence_record, figure_record, stamp_record, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ledgermark.catalogue import Catalogue
    from ledgermark.check import Checked
    from ledgermark.claims import Claim
    from ledgermark.errata import Erratum
    from ledgermark.pages import Page
    from ledgermark.stamp import Stamp

_BUNDLE: Final = "node_modules/plotly.js-basic-dist-min/plotly-basic.min.js"
_LOCALE: Final = "node_modules/plotly.js-locales/zh-cn.js"
_FONT: Final = "node_modules/@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2"
_FONT_LICENSE: Final = "node_modules/@fontsource-variable/source-serif-4/LICENSE"
BUNDLE_NAME: Final = "assets/vendor/plotly.min.js"
LOCALE_NAME: Final = "assets/vendor/plotly-locale-zh-cn.js"
FONT_NAME: Final = "assets/vendor/source-serif-4.woff2"


def vendor_files(root: Path) -> tuple[dict[str, bytes], str]:
    """Return the parts that come out of packages (chart library, its Chinese words, the serif), and a line if the big bundle must do.

    Args:
        root: the project's folder.
    """
    files: dict[str, bytes] = {}
    line = ""
    if (root / _BUNDLE).is_file():
        files[BUNDLE_NAME] = (root / _BUNDLE).read_bytes()
    else:
        found = importlib.util.find_spec("plotly")
        if found and found.origin:
            files[BUNDLE_NAME] = (Path(found.origin).parent / "package_data" / "plotly.min.js").read_bytes()
            line = "no Node packages here, so the site carries the full Plotly bundle (three times the size of the basic one)"
    if (root / _LOCALE).is_file():
        # CommonJS: it sets module.exports, where a page wants Plotly.register.
        words = (root / _LOCALE).read_text(encoding="utf-8")
        files[LOCALE_NAME] = f"(function(){{var module={{}};\n{words}\nPlotly.register(module.exports);}})();\n".encode()
    if (root / _FONT).is_file():
        files[FONT_NAME] = (root / _FONT).read_bytes()
        files[f"{FONT_NAME}.LICENSE.txt"] = (root / _FONT_LICENSE).read_bytes()
    return files, line


def asset_files(root: Path, folder: str) -> Iterator[tuple[str, Path]]:
    """Yield the site's own style sheets and scripts: the name in the site and the file."""
    for path in sorted((root / folder).rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield f"assets/{path.relative_to(root / folder).as_posix()}", path


def generated_files(
    checked: Checked, stamp: Stamp, stills: Mapping[tuple[str, str, str], bytes], *, locale: bool
) -> Iterator[tuple[str, bytes]]:
    """Yield the files that come from the ledger: figure data, tables, pictures, evidence, the stamp.

    Args:
        checked: the project and what the check computed.
        stamp: what the build is made of.
        stills: from `draw_stills`.
        locale: whether the chart library's Chinese words are there to be loaded.
    """
    project = checked.project
    for (name, language), drawn in sorted(checked.drawn.items()):
        record = figure_record(drawn, project.catalogues[language])
        if not locale:
            record["locale"] = None
        yield f"assets/figures/{name}.{language}.json", to_json(record).encode()
        yield f"assets/figures/{name}.{language}.csv", drawn.csv.encode()
    for (name, language, form), picture in sorted(stills.items()):
        yield f"assets/figures/{name}.{language}.{form}", picture
    for language in project.settings.languages:
        for page in project.pages.get(language, {}).values():
            if page.claims.claims:
                ways = data_ways(checked, language, address_of(f"{language}/{page.path}"))
                record = evidence_record(page.claims.claims, checked, project.catalogues[language], stamp, ways)
                yield evidence_name(page), to_json(record).encode()
    errata_claims = {
        language: [claim for page, erratum in errata_of(checked, language) for claim in claims_in(page, erratum)]
        for language in project.settings.languages
    }
    for language, claims in errata_claims.items():
        if claims:
            ways = data_ways(checked, language, f"{language}/errata/")
            record = evidence_record(claims, checked, project.catalogues[language], stamp, ways)
            yield f"{language}/errata/evidence.json", to_json(record).encode()
    yield "build.json", (to_json(stamp_record(checked, stamp)) + "\n").encode()


def data_ways(checked: Checked, language: str, url: str) -> dict[str, str]:
    """Return the ways from a page to the pages of the datasets, by the paths of their files; none where there are no such pages."""
    project = checked.project
    datasets = project.ledger.datasets if project.settings.data_pages else {}
    return {item.path: relative_url(address_of(data_page(language, name)), url) for name, item in sorted(datasets.items())}


def evidence_name(page: Page) -> str:
    """Return the name of a page's evidence in the site."""
    folder = page.path.removesuffix(".md")
    folder = folder.removesuffix("index").rstrip("/")
    return f"{page.language}/{folder}/evidence.json" if folder else f"{page.language}/evidence.json"


def errata_of(checked: Checked, language: str) -> list[tuple[Page, Erratum]]:
    """Return the errata of a language with their pages, newest first."""
    pages = checked.project.pages.get(language, {}).values()
    found = [(page, erratum) for page in pages for erratum in page.errata]
    return sorted(found, key=lambda item: (item[1].date, item[0].path, item[1].id), reverse=True)


def claims_in(page: Page, erratum: Erratum) -> list[Claim]:
    """Return the claims in an erratum's text."""
    return [claim for claim in page.claims.claims if erratum.body_start <= claim.start < erratum.body_end]


def errata_markdown(checked: Checked, language: str, words: Catalogue, titles: Mapping[str, str]) -> str:
    """Return the page that lists a language's errata: each block as it stands on its page, with the way there.

    Args:
        checked: the project.
        language: the language code.
        words: its words.
        titles: page path to the page's title as plain text.
    """
    parts = [
        f'---\ntitle: "{words("Errata")}"\nkind: errata\nhide: [toc]\n---\n',
        words("Corrections to what was published, newest first. A published number changes only together with one of these."),
        "",
    ]
    for page, erratum in errata_of(checked, language):
        target = page.path
        text = page.source.text
        fence = "/" * (len(text[erratum.start :]) - len(text[erratum.start :].lstrip("/")))
        body = text[erratum.start : erratum.body_end].replace("](#", f"]({target}#")
        title = titles.get(page.path, page.path).replace("[", "\\[").replace("]", "\\]")
        where = f"[{title}]({target}#erratum-{erratum.id})"
        parts += [f"{body.rstrip()}\n\n{words('On the page {title}', title=where)}\n{fence}\n"]
    if len(parts) == 3:  # noqa: PLR2004
        parts.append(words("Nothing has been corrected yet."))
    return "\n".join(parts)
