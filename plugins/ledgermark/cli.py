"""The command line. Exit status: 0 clean, 1 findings, 2 could not run."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ledgermark import report as reports
from ledgermark.adopt_door import adopt
from ledgermark.asked import pages_asked, path_in
from ledgermark.claims import parse_key
from ledgermark.clock import today
from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.console import CannotRun, Group, speech
from ledgermark.coverage import coverage_json, coverage_of, coverage_text
from ledgermark.drafts import draft_errata
from ledgermark.examine import examine
from ledgermark.explain import explain_place, place_text
from ledgermark.figures import draw
from ledgermark.files import rewrite, write_whole
from ledgermark.findings import ConfigError, nearest, spoken
from ledgermark.fix import apply_edits, find_edits
from ledgermark.messages import Message
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.places import parse_place
from ledgermark.project import load_project
from ledgermark.published import new_events
from ledgermark.record import record_text
from ledgermark.stage_door import write_stage
from ledgermark.starter_door import write_starter
from ledgermark.verdict import Clean, digest_of, keep, recall
from ledgermark.watch import Look, follow

if TYPE_CHECKING:
    from ledgermark.check import Checked, Project
    from ledgermark.places import Place

_CONFIG = click.option(
    "--config", "-f", "config", default="mkdocs.yml", show_default=True, type=click.Path(path_type=Path), help="The project's mkdocs.yml."
)
_FORMAT = click.option(
    "--format", "form", default="text", show_default=True, type=click.Choice(reports.FORMATS), help="How findings are printed."
)
_ANSWER = click.option(
    "--format", "form", default="text", show_default=True, type=click.Choice(("text", "json")), help="How the answer is printed."
)
_CHANGED = click.option(
    "--changed", is_flag=True, help="FILES are whatever changed: pages with their other languages, data or code for all pages, others for none."
)
_FILES = click.argument("files", nargs=-1, type=click.Path(path_type=Path))


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ledgermark")
def cli() -> None:
    """Markdown whose numbers are checked against a ledger of measurements."""


@cli.command()
@_FILES
@_CONFIG
@_FORMAT
@_CHANGED
@click.option("--no-cache", is_flag=True, help="Check even what was found clean before and has not changed since.")
@click.option("--watch", is_flag=True, help="Check again at each change and print what is new and what is mended; Ctrl-C ends it.")
def check(files: tuple[Path, ...], config: Path, form: str, changed: bool, no_cache: bool, watch: bool) -> None:  # noqa: FBT001
    """Check every bound number, both languages, errata, data and figures; with FILES, report on those pages only."""
    whole = not (files or changed or no_cache or watch)
    digest = digest_of(config) if whole else None
    if whole and (clean := recall(config, digest)):
        click.echo(reports.report((), form, reports.summary(clean.claims, 0, unchecked=clean.unchecked, silenced=clean.silenced), speech()))
        return
    if watch:
        if form != "text":
            raise CannotRun(Message("--watch prints text; leave --format out"))
        sys.exit(follow(config, lambda: _look(config, files, changed=changed), click.echo, speech()))
    checked = _check(config, files, changed=changed)
    click.echo(reports.report(checked.findings, form, reports.summary_of(checked), speech()))
    if whole and not checked.findings:
        keep(config, digest, Clean(reports.claims_of(checked), checked.project.history.unchecked, reports.silences_in(checked)))
    sys.exit(1 if checked.findings else 0)


def _check(config: Path, files: tuple[Path, ...], *, changed: bool) -> Checked:
    project = load_project(config)
    return examine(project, today(), *markdown_extensions(read_config(config)), pages_asked(config, files, project, changed=changed))


def _look(config: Path, files: tuple[Path, ...], *, changed: bool) -> Look:
    try:
        checked = _check(config, files, changed=changed)
    except ConfigError as error:
        return Look(error=str(error))
    return Look(checked.findings, reports.summary_of(checked))


@cli.command()
@_FILES
@_CONFIG
@_ANSWER
@click.option("--check", "dry", is_flag=True, help="Change nothing; exit 1 if something would change.")
@_CHANGED
def fix(files: tuple[Path, ...], config: Path, form: str, dry: bool, changed: bool) -> None:  # noqa: FBT001
    """Rewrite stale numbers in place, touching nothing but the digits."""
    project = load_project(config)
    only = pages_asked(config, files, project, changed=changed)
    broken = [finding for finding in project.findings if finding.code.startswith("LM5") or finding.code == "LM108"]
    if broken:
        click.echo(
            reports.report(broken, "text", Message("ledgermark: data or metrics have findings, so no number was rewritten from them"), speech())
        )
        sys.exit(1)
    evaluator = Evaluator(project.ledger, project.metrics or {})
    root = config.resolve().parent
    edits = {page: find_edits(page, project, evaluator) for page in project.all_pages if only is None or page.source.path in only}
    edits = {page: found for page, found in edits.items() if found}
    drafts = draft_errata(project, {page: apply_edits(page.source.text, found) for page, found in edits.items()}, today())
    if not dry:
        for page, found in edits.items():
            rewrite(root / page.source.path, partial(apply_edits, edits=found))
        for draft in drafts:
            rewrite(root / draft.page.source.path, draft.insert)
    click.echo(reports.edits_report(edits, form, dry=dry, drafts=drafts, say=speech()))
    sys.exit(1 if dry and (edits or drafts) else 0)


@cli.command()
@click.argument("claim")
@_CONFIG
@_ANSWER
def explain(claim: str, config: Path, form: str) -> None:
    """Say what CLAIM is bound to: sentence, formula, value and rows.

    CLAIM is a link's NAME?parameter=value, or where a number stands, as in a finding: PATH:LINE or PATH:LINE:COLUMN.
    """
    if place := parse_place(claim):
        _explain_place(place, config, form)
    project = load_project(config)
    try:
        parsed = parse_key(claim.removeprefix("claim:"))
    except ValueError as error:
        msg = Message("{error}; expected NAME?parameter=value, such as mtp_gain?context=32768", error=error)
        raise CannotRun(msg) from error
    try:
        values = Evaluator(project.ledger, project.metrics or {}).values(parsed)
    except EvaluationError as error:
        _print_findings(project)
        code = error.code or Message("its data cannot be used")
        click.echo(speech()(Message("{claim}: {code} {error}", claim=claim, code=code, error=error)), err=True)
        sys.exit(1)
    answer = reports.explanation(parsed, values, project)
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if form == "json" else reports.explain_text(answer, speech(project.catalogues)))


def _explain_place(place: Place, config: Path, form: str) -> NoReturn:
    inside = path_in(config.resolve().parent, Path(place.path)) if Path(place.path).exists() else None
    place = replace(place, path=inside or place.path)
    project = load_project(config)
    checked = examine(project, today(), *markdown_extensions(read_config(config)))
    say = speech(project.catalogues)
    answer = explain_place(checked, place, say)
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if form == "json" else place_text(answer, say))
    sys.exit(1 if answer["findings"] else 0)


@cli.command()
@click.argument("figure")
@_CONFIG
@_ANSWER
@click.option("--lang", default=None, help="The language of its words; the project's first by default.")
def recompute(figure: str, config: Path, form: str, lang: str | None) -> None:
    """Compute FIGURE's numbers anew from the ledger and print them with the rows they come from."""
    project = load_project(config)
    language = lang or next(iter(project.settings.languages))
    if language not in project.catalogues:
        msg = Message("no language '{language}'; expected one of {names}", language=language, names=", ".join(project.catalogues))
        raise CannotRun(msg)
    if project.figures is None or figure not in project.figures:
        _print_findings(project)
        hint = nearest(figure, project.figures or ()) or Message("; there are: {names}", names=", ".join(sorted(project.figures or ())))
        msg = Message("no figure '{figure}'{hint}", figure=figure, hint=hint if project.figures else "")
        raise CannotRun(msg)
    try:
        answer = reports.recomputation(draw(project.figures[figure], project.ledger, project.catalogues[language]), project)
    except EvaluationError as error:
        _print_findings(project)
        code = error.code or Message("its data cannot be used")
        click.echo(speech()(Message("{figure}: {code} {error}", figure=figure, code=code, error=error)), err=True)
        sys.exit(1)
    click.echo(
        json.dumps(answer, ensure_ascii=False, indent=2) if form == "json" else reports.recompute_text(answer, speech(project.catalogues))
    )


@cli.command()
@_CONFIG
@_ANSWER
@click.option("--verbose", "-v", is_flag=True, help="List each number with its place and what answers for it.")
def coverage(config: Path, form: str, verbose: bool) -> None:  # noqa: FBT001
    """Count the numbers readers see, per page and language: bound, given, exempt by rule, unbound."""
    project = load_project(config)
    languages = project.settings.languages
    if form == "json":
        click.echo(coverage_json(coverage_of(project), languages, verbose=verbose))
    else:
        click.echo(coverage_text(coverage_of(project), languages, verbose=verbose, say=speech()))


@cli.command("add-dataset")
@click.argument("file", type=click.Path(path_type=Path))
@_CONFIG
@click.option("--dry-run", "dry", is_flag=True, help="Check everything, write nothing.")
def add_dataset(file: Path, config: Path, dry: bool) -> None:  # noqa: FBT001
    """Put a result FILE into the data folder and its resource, which lies beside it, into the descriptor; whole or not at all."""
    adopted = adopt(file, config, dry=dry)
    click.echo(reports.report(adopted.findings, "text", adopted.summary, speech()))
    sys.exit(1 if adopted.findings else 0)


@cli.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a small bilingual project with bound numbers into FOLDER, to begin from."""
    for name in write_starter(folder):
        click.echo(folder / name)
    click.echo(speech()(Message("Now: ledgermark check, then mkdocs build.")))


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@_CONFIG
def stage(folder: Path, config: Path) -> None:
    """Write the checked site's sources into FOLDER for a host that runs no plugins, such as Zensical."""
    project = load_project(config)
    checked = examine(project, today(), *markdown_extensions(read_config(config)))
    if checked.findings:
        click.echo(reports.report(checked.findings, "text", reports.summary_of(checked), speech()))
        sys.exit(1)
    written = write_stage(folder, config, checked)
    click.echo(speech()(Message("{written} files in {folder}", written=written, folder=folder)))


@cli.command()
@_CONFIG
@_ANSWER
@click.option("--check", "dry", is_flag=True, help="Write nothing; exit 1 if there is something to publish.")
def publish(config: Path, form: str, dry: bool) -> None:  # noqa: FBT001
    """Add every number shown that is not there yet to the record of published values; from then on it changes only with an erratum."""
    project = load_project(config)
    checked = examine(project, today(), *markdown_extensions(read_config(config)))
    if checked.findings:
        click.echo(reports.report(checked.findings, form, reports.summary_of(checked), speech()))
        sys.exit(1)
    try:
        events = new_events(checked.published, project.pages, project.settings.aliases, today())
    except ValueError as error:
        click.echo(speech()(Message("{path}: LM407 {error}", path=project.history.path, error=error)), err=True)
        sys.exit(1)
    if events and not dry:
        write_whole(config.resolve().parent / project.history.path, record_text((*checked.published.record.events, *events)))
    click.echo(reports.events_report(events, project.history.path, form, dry=dry, say=speech()))
    sys.exit(1 if dry and events else 0)


@cli.command()
@_CONFIG
@_ANSWER
@click.option("--sample", "size", type=click.IntRange(min=1), default=None, help="Try only so many, of each kind in turn; all by default.")
@click.option("--seed", default=0, show_default=True, help="Which ones a sample takes.")
def mutate(config: Path, form: str, size: int | None, seed: int) -> None:
    """Put one fault after another into the project, in memory, and see that the check notices each; list known survivors in mutants.yml."""
    from ledgermark.mutate_door import LIST, run_mutants  # noqa: PLC0415  (what no other command needs)
    from ledgermark.tally import tally_json, tally_text  # noqa: PLC0415

    found = run_mutants(config, size, seed, lambda line: click.echo(speech()(line), err=True))
    click.echo(tally_json(found) if form == "json" else tally_text(found, LIST, speech()))
    sys.exit(0 if found.clean else 1)


def _print_findings(project: Project) -> None:
    for finding in project.findings:
        click.echo(str(spoken(finding, speech())), err=True)


def main(*arguments: Any) -> None:
    """Run the command line."""
    cli(*arguments)
