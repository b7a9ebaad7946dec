"""Published values: what `publish` records, that a change needs an erratum, and that the record only grows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from ledgermark.claims import parse_key
from ledgermark.published import same_value
from ledgermark.record import History, check_history, identity, read_record

if TYPE_CHECKING:
    from tests.copies import Copy

RECORD = "data/published.json"
LATER = "1796256000"  # 2026-12-03, two days after the sites of the tests are published
OLD, NEW = "fast,32768,5.00", "fast,32768,6.00"
ERRATUM = '\n/// erratum | {date}\n    id: {id}\n    affects: "{affects}"\n    title: {title}\nTold.\n///\n'


def claims_of(site: Copy) -> int:
    return sum(site.read(f"{language}/{page}").count("](claim:") for language in ("en", "zh") for page in ("index.md", "report.md"))


@pytest.fixture
def published(tiny: Copy) -> Copy:
    """The site in miniature, published on 2026-12-01; it is now two days later."""
    assert tiny.run("publish") == (0, [f"{RECORD}: {claims_of(tiny)} values, 1 erratum added"])
    tiny.epoch = LATER
    return tiny


def codes(site: Copy) -> list[str]:
    """Return the places and codes of a check's findings, sorted and each once."""
    _, lines = site.check()
    return sorted({f"{match[1]} {match[2]}" for line in lines if (match := re.match(r"(\S+?):\S+: (LM[0-9]+) ", line))})


def add_errata(site: Copy, page: str, affects: str, date: str = "2026-12-03", name: str = "faster") -> None:
    for language, title in (("en", "Faster"), ("zh", "更快")):
        site.write(f"{language}/{page}", site.read(f"{language}/{page}") + ERRATUM.format(date=date, id=name, affects=affects, title=title))


def events(site: Copy) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(site.read(RECORD))["events"]
    return found


def test_publishes_every_value_with_its_date(published: Copy) -> None:
    found = events(published)
    assert {event["date"] for event in found} == {"2026-12-01"}
    assert {"date": "2026-12-01", "page": "report.md", "erratum": "days-apart", "dated": "2026-08-28"} in found
    shown = [event["shown"] for event in found if event.get("claim") == "gain?context=32768" and event["language"] == "zh"]
    assert shown == ["−75.0 %", "75.0 %", "−75 %"]
    assert published.check()[0] == 0


def test_publishing_again_adds_nothing(published: Copy) -> None:
    before = published.read(RECORD)
    assert published.run("publish") == (0, [f"{RECORD}: nothing new"])
    assert published.run("publish", "--check") == (0, [f"{RECORD}: nothing new"])
    assert published.read(RECORD) == before


def test_without_a_record_nothing_is_asked(tiny: Copy) -> None:
    tiny.edit("data/ladder.csv", OLD, NEW)
    assert tiny.run("fix")[0] == 0
    assert tiny.check()[0] == 0
    assert tiny.run("publish", "--check") == (1, [f"{RECORD}: {claims_of(tiny)} values, 1 erratum would be added"])
    assert not (tiny.root / RECORD).exists()


def test_nothing_is_published_over_findings(tiny: Copy) -> None:
    tiny.edit("data/ladder.csv", OLD, NEW)
    status, lines = tiny.run("publish")
    assert status == 1
    assert any("LM101" in line for line in lines)
    assert not (tiny.root / RECORD).exists()


def mend_by_hand(site: Copy) -> None:
    """Change the data and every number, as `fix` would, without its draft of an erratum."""
    record = site.read(RECORD)
    site.remove(RECORD)
    site.edit("data/ladder.csv", OLD, NEW)
    assert site.run("fix")[0] == 0
    site.write(RECORD, record)


def test_a_changed_value_needs_an_erratum(published: Copy) -> None:
    mend_by_hand(published)
    assert codes(published) == ["en/index.md LM407", "en/report.md LM407", "zh/index.md LM407", "zh/report.md LM407"]
    _, lines = published.check()
    assert lines[0].partition(": ")[2] == (
        "LM407 shows −70.0 %, published as −75.0 % on 2026-12-01; add an erratum dated 2026-12-01 or later with 'affects: gain', "
        "one that is not published yet"
    )
    add_errata(published, "index.md", "gain")
    assert codes(published) == ["en/report.md LM407", "zh/report.md LM407"]
    add_errata(published, "report.md", "gain, widest, ladder.tok_s")
    assert published.check()[0] == 0


@pytest.mark.parametrize(
    ("date", "affects", "covered"),
    [
        ("2026-12-03", "gain", True),
        ("2026-12-01", "gain", True),
        ("2026-12-03", "gain?context=32768", True),
        ("2026-11-30", "gain", False),
        ("2026-12-03", "gap", False),
        ("2026-12-03", "gain?context=1024", False),
        ("2026-12-03", "ladder", False),
    ],
)
def test_only_an_erratum_for_it_covers_a_change(published: Copy, date: str, affects: str, covered: bool) -> None:  # noqa: FBT001
    mend_by_hand(published)
    add_errata(published, "index.md", affects, date)
    assert ("en/index.md LM407" not in codes(published)) == covered


def test_no_comment_silences_it(published: Copy) -> None:
    mend_by_hand(published)
    published.edit("en/index.md", "The [report]", "<!-- ledgermark: allow LM407 I say so -->\nThe [report]")
    assert {"en/index.md LM407", "en/index.md LM902"} <= set(codes(published))


def test_an_erratum_on_another_page_covers_nothing(published: Copy) -> None:
    mend_by_hand(published)
    add_errata(published, "report.md", "gain, widest, ladder.tok_s")
    assert codes(published) == ["en/index.md LM407", "zh/index.md LM407"]


def test_an_erratum_that_was_published_covers_nothing_new(published: Copy) -> None:
    add_errata(published, "index.md", "gain", "2026-12-01", "old")
    published.run("publish")
    mend_by_hand(published)
    assert "en/index.md LM407" in codes(published)


def test_a_change_in_one_language_is_seen(published: Copy) -> None:
    published.edit("zh/report.md", "[75.0 %]", "[75.00 %]")
    assert published.check()[0] == 0
    published.edit("zh/report.md", "[10.5](", "[11](")
    assert codes(published) == ["zh/report.md LM407"]


def test_how_a_number_is_written_is_no_change(published: Copy) -> None:
    for old, new in (("[−75 %]", "[-75％]"), ("[1.2万]", "[12 000]"), ("[二十五天]", "[25 天]"), ("[5.0 tok/s]", "[5.0 token/s]")):
        published.edit("zh/report.md", old, new)
    assert published.check()[0] == 0


def test_a_claim_that_goes_needs_an_erratum(published: Copy) -> None:
    for language, text in (
        ("en", "Base runs at [40.00 tok/s](claim:ladder.tok_s?arm=base&context=1024); the"),
        ("zh", "base 组是 [40.00 tok/s](claim:ladder.tok_s?arm=base&context=1024)；"),
    ):
        published.edit(f"{language}/report.md", text, "The" if language == "en" else "")
    assert codes(published) == ["en/report.md LM408", "zh/report.md LM408"]
    add_errata(published, "report.md", "ladder.tok_s")
    assert published.check()[0] == 0
    assert published.run("publish")[0] == 0
    assert [event["shown"] for event in events(published)[-2:]] == [None, None]
    assert published.check()[0] == 0


def test_a_rebound_claim_is_gone(published: Copy) -> None:
    """A sibling that happens to give the same number is another claim."""
    for language in ("en", "zh"):
        published.edit(f"{language}/report.md", "(claim:widest?contexts=1024,32768&is=at_most)", "(claim:widest?contexts=32768&is=at_most)")
    assert codes(published) == ["en/report.md LM408", "zh/report.md LM408"]


def test_a_page_that_goes_needs_an_erratum_elsewhere(published: Copy) -> None:
    for language in ("en", "zh"):
        published.remove(f"{language}/index.md")
    published.edit("mkdocs.yml", "index.md, report.md", "report.md")
    assert codes(published) == [f"{RECORD} LM408"]
    add_errata(published, "report.md", "gain")
    assert published.check()[0] == 0
    assert published.run("publish")[0] == 0
    assert published.check()[0] == 0


def test_new_claims_and_moved_claims_need_none(published: Copy) -> None:
    for language, text in (("en", "First: [−75 %](claim:gain?context=32768).\n\n"), ("zh", "先说：[−75 %](claim:gain?context=32768)。\n\n")):
        published.edit(f"{language}/report.md", "/// abstract", f"{text}/// abstract")
    assert published.check()[0] == 0
    assert published.run("publish") == (0, [f"{RECORD}: 2 values, 0 errata added"])
    assert published.check()[0] == 0


def test_a_published_erratum_stays(published: Copy) -> None:
    for language, new in (("en", "2026-08-29"), ("zh", "2026-08-29")):
        published.edit(f"{language}/report.md", "/// erratum | 2026-08-28", f"/// erratum | {new}")
    assert codes(published) == ["en/report.md LM409", "zh/report.md LM409"]
    for language in ("en", "zh"):
        text = published.read(f"{language}/report.md")
        published.write(f"{language}/report.md", text[: text.index("/// erratum")])
    assert codes(published) == ["en/report.md LM408", "en/report.md LM409", "zh/report.md LM408", "zh/report.md LM409"]


def test_fix_drafts_the_erratum_in_both_languages(published: Copy) -> None:
    published.edit("data/ladder.csv", OLD, NEW)
    status, lines = published.run("fix", "--check")
    assert status == 1
    assert published.check()[0] == 1
    status, lines = published.run("fix")
    assert status == 0
    assert [line for line in lines if "drafted" in line] == [
        "en/index.md: erratum 'corrected-2026-12-03' drafted for gain; say what happened",
        "zh/index.md: erratum 'corrected-2026-12-03' drafted for gain; say what happened",
        "en/report.md: erratum 'corrected-2026-12-03' drafted for gain, widest, ladder.tok_s; say what happened",
        "zh/report.md: erratum 'corrected-2026-12-03' drafted for gain, widest, ladder.tok_s; say what happened",
    ]
    assert published.check()[0] == 0
    before = {name: published.read(name) for name in ("en/index.md", "zh/index.md", "en/report.md", "zh/report.md")}
    assert published.run("fix") == (0, ["0 pages changed"])
    assert {name: published.read(name) for name in before} == before
    assert published.run("publish")[0] == 0
    assert published.check()[0] == 0


def test_two_corrections_of_one_day_have_two_ids(published: Copy) -> None:
    published.edit("data/ladder.csv", OLD, NEW)
    published.run("fix")
    published.run("publish")
    published.edit("data/ladder.csv", NEW, "fast,32768,7.00")
    _, lines = published.run("fix", "--format", "json")
    assert {item["id"] for item in json.loads("\n".join(lines))["errata"]} == {"corrected-2026-12-03-2"}
    assert published.check()[0] == 0


@pytest.mark.parametrize("publish", [False, True])
def test_the_block_shows_the_record(published: Copy, publish: bool) -> None:  # noqa: FBT001
    """Old and new come from the record, before the change is published and after."""
    published.edit("data/ladder.csv", OLD, NEW)
    published.run("fix")
    if publish:
        published.run("publish")
    done = published.build()
    assert done.returncode == 0, done.stderr
    for page in ("en/report/index.html", "en/errata/index.html"):
        html = (published.site / page).read_text("utf-8")
        block = html[html.index('id="erratum-corrected-2026-12-03"') :]
        assert '<del class="lm-erratum__old">5.0 tok/s</del> <ins class="lm-erratum__new">6.0 tok/s</ins>' in block
        assert 'Change in rate from base to fast. <del class="lm-erratum__old">75.0 %</del> <ins class="lm-erratum__new">70.0 %</ins>' in block
    html = (published.site / "zh/index.html").read_text("utf-8")
    assert '<del class="lm-erratum__old">−75.0 %</del> <ins class="lm-erratum__new">−70.0 %</ins>' in html


def git(site: Copy, *arguments: str) -> None:
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *arguments], cwd=site.root, check=True, capture_output=True, env={**os.environ, **identity})


def test_the_record_only_grows_against_git(published: Copy) -> None:
    git(published, "init", "-q")
    git(published, "add", "-A")
    git(published, "commit", "-qm", "one")
    assert published.check() == (0, [f"ledgermark: no findings (claims: {claims_of(published) // 2} en, {claims_of(published) // 2} zh)"])
    published.edit(RECORD, '"shown": "−75.0 %"', '"shown": "−70.0 %"')
    assert f"{RECORD} LM411" in codes(published)
    # Committing the forgery does not hide it.
    git(published, "commit", "-qam", "two")
    assert f"{RECORD} LM411" in codes(published)
    published.remove(RECORD)
    assert f"{RECORD} LM411" in codes(published)
    git(published, "commit", "-qam", "three")
    assert f"{RECORD} LM411" in codes(published)


def test_without_git_the_summary_says_so(published: Copy) -> None:
    status, lines = published.check()
    assert status == 0
    assert lines[-1].endswith("; no git here, so the record of published values was not compared with its history")


EVENT = {"date": "2026-12-01", "page": "p.md", "language": "en", "claim": "x", "nth": 1, "shown": "1"}
NOTED = {"date": "2026-12-02", "page": "p.md", "erratum": "e", "dated": "2026-12-02"}
CHANGED = {**EVENT, "date": "2026-12-02", "shown": "2", "erratum": "e"}


def record(*items: object) -> str:
    return json.dumps({"events": items})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "a list 'events'"),
        (record(3), "an event is an object"),
        (record({**EVENT, "when": 1}), "unknown 'when'"),
        (record({**EVENT, "nth": 0}), "nth is 0"),
        (record({**EVENT, "nth": True}), "nth is True"),
        (record({**EVENT, "shown": 3}), "shown 3"),
        (record({**EVENT, "date": "yesterday"}), "wrong form"),
        (record({"date": "2026-12-01", "page": "p.md"}), "has no 'shown'"),
        (record(NOTED, EVENT), "events are added at the end"),
        (record(EVENT, {**EVENT, "shown": "2"}), "by no erratum"),
        (record(EVENT, CHANGED), "by no erratum"),
        (record(EVENT, {**NOTED, "dated": "2026-11-30"}, CHANGED), "by no erratum of 2026-12-01 or later"),
        (record({**CHANGED, "shown": None}), "was not published before"),
        (record(NOTED, NOTED), "stands twice"),
    ],
)
def test_a_record_that_cannot_be_is_a_finding(text: str, message: str) -> None:
    read, findings = read_record(RECORD, text)
    assert [finding.code for finding in findings] == ["LM410"]
    assert message in findings[0].message
    assert read.events == ()


def test_a_record_tells_what_changed_by_which_erratum() -> None:
    read, findings = read_record(RECORD, record(EVENT, NOTED, CHANGED))
    assert findings == []
    assert [(change.old, change.new) for change in read.changes["p.md", "en", "e"]] == [("1", "2")]


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        ([EVENT], [EVENT], False),
        ([EVENT], [EVENT, NOTED], False),
        ([], [EVENT], False),
        ([EVENT, NOTED], [EVENT], True),
        ([EVENT], [], True),
        ([EVENT], [NOTED, EVENT], True),
        ([EVENT], [{**EVENT, "shown": "2"}], True),
    ],
)
def test_history_is_the_beginning_of_the_record(before: list[object], now: list[object], lost: bool) -> None:  # noqa: FBT001
    found = check_history(History(RECORD, record(*now), (record(*before),)))
    assert [finding.code for finding in found] == (["LM411"] if lost else [])


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("70.8 %", "70.8％", True),
        ("−70.8 %", "-70.8%", True),
        ("70.8 %", "70.80 %", True),
        ("650 µs", "0.65 ms", True),
        ("25 days", "twenty-five days", True),
        ("9.46×", "9.46 倍", True),
        ("12 000", "1.2万", True),
        ("128", "128 workgroups", True),
        ("70.8 %", "70.9 %", False),
        ("70.8 %", "−70.8 %", False),
        ("70.8 %", "70.802 %", False),
        ("1, 2", "1", False),
        ("70.8 %", "none", False),
    ],
)
def test_a_value_is_the_same_however_it_is_written(old: str, new: str, same: bool) -> None:  # noqa: FBT001
    assert same_value(old, new, {}) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x?a=1&b=2", "x?b=2&a=1", True),
        ("x?a=1&amp;show=magnitude", "x?a=1", True),
        ("x?a=1&unit=us", "x?a=1", True),
        ("x?a=1&is=at_most", "x?a=1", False),
        ("x?a=1", "x?a=2", False),
        ("x", "y", False),
    ],
)
def test_a_claim_is_known_by_name_parameters_and_comparison(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    assert (identity(parse_key(one)) == identity(parse_key(other))) is same
