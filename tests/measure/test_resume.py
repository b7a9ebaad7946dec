"""Whatever ends the process, the same command goes on, and the ledger ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts.measure.errors import SetupError
from scripts.measure.ladder import LADDER
from scripts.measure.provenance import Identity, Records
from scripts.measure.rows import RowFile
from tests.measure.fake import Behaviour
from tests.measure.harness import measure, read, serve

ROOT = Path(__file__).resolve().parents[2]
# What each writes, how often it is killed, and the status that it ends with when it is left alone.
DRIVEN = {
    "ladder": (("ladder", "ladder_rungs"), 8, 1),
    "ab": (("ab", "ab_cells"), 6, 0),
    "spec": (("spec", "spec_points", "spec_positions", "spec_best"), 6, 0),
}


def start(instrument: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "tests.measure.driver", instrument, str(folder)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)


def rows_in(out: Path) -> int:
    return out.read_bytes().count(b"\n") if out.exists() else 0


@pytest.mark.parametrize("instrument", DRIVEN)
def test_killed_at_any_moment_it_ends_as_if_nothing_had_happened(instrument: str, tmp_path: Path) -> None:
    stems, kills, status = DRIVEN[instrument]
    names = [f"{stem}.{kind}" for stem in stems for kind in ("csv", "resource.json", "zh.po")] + [f"{instrument}.provenance.json"]
    out = tmp_path / f"{instrument}.csv"
    assert start(instrument, tmp_path).wait(120) == status
    whole = {name: (tmp_path / name).read_bytes() for name in names}
    others = {path.name for path in tmp_path.iterdir()}
    for name in names:
        (tmp_path / name).unlink()
    lines = whole[out.name].splitlines(keepends=True)
    chance = random.Random(11)  # noqa: S311
    for _ in range(kills):
        process = start(instrument, tmp_path)
        # Some rows on, and then at any moment: between rows, within one, or while files are written.
        rows = rows_in(out) + chance.randint(1, 3)
        while process.poll() is None and rows_in(out) < rows:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.03))
        process.kill()
        assert process.wait() != status
        found = out.read_bytes().splitlines(keepends=True)
        assert found[: len(found) - 1] == lines[: len(found) - 1]
        # Descriptor and file agree at each moment.
        assert json.loads(out.with_suffix(".resource.json").read_text("utf-8")).get("rows") in (None, len(found) - 1)
    assert rows_in(out) > kills
    assert start(instrument, tmp_path).wait(120) == status
    assert {name: (tmp_path / name).read_bytes() for name in names} == whole
    assert {path.name for path in tmp_path.iterdir()} == others


@pytest.mark.parametrize("cut", [1, 7, 40, 150])
def test_a_torn_last_row_is_cut_and_measured_again(tmp_path: Path, cut: int) -> None:
    out = tmp_path / "ladder.csv"
    words = ("ladder", "--contexts", "64", "--rounds", "2", "--kinds", "decode")
    assert measure(serve(), out, *words) == 0
    whole = out.read_bytes()
    out.write_bytes(whole[:-cut])
    records = json.loads((tmp_path / "ladder.provenance.json").read_text("utf-8"))
    records["runs"][0]["complete"] = False
    (tmp_path / "ladder.provenance.json").write_text(json.dumps(records), "utf-8")
    assert measure(serve(), out, *words) == 0
    assert out.read_bytes() == whole


def test_what_goes_on_warms_the_server_up_without_recording_it(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    words = ("ladder", "--contexts", "64", "--kinds", "decode", "--methods", "stream")
    assert measure(serve(), out, *words, "--rounds", "2") == 0
    server = serve()
    assert measure(server, out, *words, "--rounds", "3") == 0
    assert [row["round"] for row in read(out)] == ["0", "1", "2", "3"]
    assert sum(sent.body["stream"] for sent in server.sent) == 2


def test_a_run_that_was_interrupted_keeps_its_date(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    identity = Identity("ladder", "a machine", "a stack", {"tokens": 8})
    first = Records(out).find(identity, "2026-11-30", again=False)
    Records(out).begin(first, identity, {})
    later = Records(out).find(identity, "2026-12-01", again=False)
    assert (later.name, later.date, later.resumed) == (first.name, "2026-11-30", True)
    other = Records(out).find(Identity("ladder", "a machine", "a stack", {"tokens": 9}), "2026-11-30", again=False)
    assert (other.name != first.name, other.resumed) == (True, False)
    records = Records(out)
    records.finish(first)
    assert Records(out).find(identity, "2026-11-30", again=False).resumed
    assert not Records(out).find(identity, "2026-12-01", again=False).resumed
    assert Records(out).find(identity, "2026-12-01", again=True).resumed


def test_other_settings_are_another_run_in_the_same_file(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    words = ("ladder", "--contexts", "64", "--kinds", "decode", "--methods", "stream", "--rounds", "2")
    assert measure(serve(), out, *words) == 0
    assert measure(serve(), out, *words, "--tokens", "64") == 0
    rows = read(out)
    assert len({row["run"] for row in rows}) == 2
    assert len(rows) == 6


def test_the_plan_says_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ladder.csv"
    words = ("ladder", "--contexts", "64", "--kinds", "decode", "--methods", "stream", "--rounds", "3")
    assert measure(serve(), out, *words) == 0
    record = tmp_path / "ladder.provenance.json"
    record.write_text(record.read_text("utf-8").replace('"complete": true', '"complete": false'), "utf-8")
    out.write_bytes(b"".join(out.read_bytes().splitlines(keepends=True)[:3]))
    capsys.readouterr()
    assert measure(serve(), out, *words, "--dry-run") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "decode, 64, stream: 2 of 4 cells left, 9 s"
    assert lines[1].startswith("goes on with run ")


def test_half_written_files_are_removed_and_no_others(tmp_path: Path) -> None:
    for name in (".ladder.resource.json.a1b2c3d4", ".ladder_rungs.csv.abcdefgh", ".ladder2.csv.abcdefgh", ".ladder.csv.swp"):
        (tmp_path / name).touch()
    with RowFile(tmp_path / "ladder.csv", LADDER):
        pass
    assert {path.name for path in tmp_path.glob(".*")} == {".ladder2.csv.abcdefgh", ".ladder.csv.swp"}


def test_two_processes_never_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "ladder.csv"
    with RowFile(out, LADDER), pytest.raises(SetupError, match="another process is writing this file"):
        RowFile(out, LADDER)


def test_a_file_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ladder.csv"
    out.write_text("machine,rate\na,1\n", "utf-8")
    assert measure(serve(Behaviour()), out, "ladder", "--contexts", "64") == 2
    assert "found other columns than scripts/measure/ladder.py writes" in capsys.readouterr().err
    assert out.read_text("utf-8") == "machine,rate\na,1\n"


def test_a_record_that_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ladder.provenance.json").write_text("{", "utf-8")
    assert measure(serve(), tmp_path / "ladder.csv", "ladder", "--contexts", "64") == 2
    assert "not a record of runs" in capsys.readouterr().err
