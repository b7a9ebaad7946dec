"""Any data under a project that is fine otherwise: no error, no hang; what is broken is a finding about data, or a number that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgermark.check import Checked, Project
from ledgermark.descriptor import read_descriptor
from ledgermark.findings import ConfigError, Finding
from ledgermark.ledger import load_ledger
from ledgermark.mutants import read_accepted
from ledgermark.record import History
from ledgermark.subjects import read_subjects
from tests.fuzz.conftest import BASE

CheckProject = Callable[[Project], Checked]
together = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
DATA = BASE / "data"
FILES = {f"data/{path.name}": path.read_bytes() for path in sorted(DATA.glob("*.csv"))}
DESCRIPTOR = (DATA / "datapackage.json").read_bytes()


@cache
def _places() -> list[tuple[str | int, ...]]:
    """Return the way to every value of the descriptor."""
    found: list[tuple[str | int, ...]] = []

    def walk(value: Any, way: tuple[str | int, ...]) -> None:
        found.append(way)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            walk(inner, (*way, key))

    walk(json.loads(DESCRIPTOR), ())
    return found


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(["raw", "number", "tok/s", "arm", "ladder"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["name", "type", "unit", "minimum", "x"]), inner, max_size=3)
    ),
    max_leaves=4,
)


@st.composite
def descriptors(draw: st.DrawFn) -> bytes:
    """Return a descriptor with a few values replaced, taken out or put elsewhere."""
    package: Any = json.loads(DESCRIPTOR)
    for way in draw(st.lists(st.sampled_from(_places()[1:]), min_size=1, max_size=3)):
        holder = package
        try:
            for key in way[:-1]:
                holder = holder[key]
            if draw(st.booleans()):
                holder[way[-1]] = draw(JSON)
            else:
                del holder[way[-1]]
        except (KeyError, IndexError, TypeError):
            continue
    return json.dumps(package).encode()


@st.composite
def files(draw: st.DrawFn, original: bytes) -> bytes:
    """Return a file with stretches of its bytes replaced."""
    data = bytearray(original)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 12))
        new = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from([b"", b"nan", b"-0", b"1e400", b"0", b'"', b",", b"\n", b"\r", b"\xff", b"\0", b"9" * 40]),
            )
        )
        data[start : start + length] = new
    return bytes(data)


def over(project: Project, descriptor: bytes, contents: dict[str, bytes]) -> Project:
    """Return the project with other data under it, read as from disk."""
    described, problems = read_descriptor("data/datapackage.json", descriptor)
    datasets = [replace(dataset, path=str(PurePosixPath("data") / dataset.path)) for dataset in described]
    given: dict[str, bytes | str] = {dataset.path: contents.get(dataset.path, "the file does not exist") for dataset in datasets}
    ledger, more = load_ledger(datasets, given, incomplete=bool(problems))
    return replace(project, ledger=ledger, findings=(*problems, *more))


def sane(findings: tuple[Finding, ...]) -> bool:
    """Return whether each finding has a place and a message of one line."""
    return all(finding.line >= 1 and finding.column >= 1 and finding.message.strip() for finding in findings)


@together
@given(st.sampled_from(sorted(FILES)).flatmap(lambda name: st.tuples(st.just(name), files(FILES[name]))))
def test_any_bytes_in_a_file(project: Project, check_project: CheckProject, changed: tuple[str, bytes]) -> None:
    name, data = changed
    checked = check_project(over(project, DESCRIPTOR, {**FILES, name: data}))
    assert sane(checked.findings)


@together
@given(descriptors())
def test_any_descriptor(project: Project, check_project: CheckProject, descriptor: bytes) -> None:
    assert sane(check_project(over(project, descriptor, FILES)).findings)


EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "date": st.sampled_from(["2026-08-27", "2026-08-28", "soon", 5]),
        "page": st.sampled_from(["report.md", "/index.md", "x.md", None]),
        "language": st.sampled_from(["en", "zh", "de"]),
        "claim": st.sampled_from(["gap", "gain?context=1024", "", 5]),
        "nth": st.sampled_from([1, 2, 0, -1, True, "1"]),
        "shown": st.sampled_from(["25 days", "+25.3 %", "x", None, 5]),
        "erratum": st.sampled_from(["days-apart", "x", ""]),
        "dated": st.sampled_from(["2026-08-28", "2030-01-01", "soon"]),
        "other": st.just(1),
    },
)


@together
@given(st.one_of(st.lists(EVENTS, max_size=4).map(lambda items: json.dumps({"events": items})), st.text(max_size=20), JSON.map(json.dumps)))
def test_any_record_of_published_values(project: Project, check_project: CheckProject, text: str) -> None:
    assert sane(check_project(replace(project, history=History("data/published.json", text, ()))).findings)


YAML = st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,? \n\t019", max_size=60)


@given(st.one_of(YAML, JSON.map(json.dumps)))
def test_any_subjects(text: str) -> None:
    _, findings = read_subjects("subjects.yml", text, ("en", "zh"))
    assert all(finding.code == "LM123" and finding.line >= 1 for finding in findings)


@given(st.one_of(YAML, JSON.map(json.dumps)))
def test_any_list_of_survivors(text: str) -> None:
    try:
        accepted = read_accepted("mutants.yml", text)
    except ConfigError as error:
        assert str(error).startswith("mutants.yml")  # noqa: PT017  (either outcome will do)
    else:
        assert all(name and reason for name, reason in accepted.items())
