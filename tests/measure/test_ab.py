"""Two arms in turn: the order, the assertion before each cell, and rounds that fall into two groups."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from scripts.measure.arms import read_arms
from scripts.measure.errors import SetupError
from tests.measure.fake import Behaviour, FakeServer, Sent
from tests.measure.harness import measure, read, serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RATES = {"stock": 40.0, "patched": 50.0}


class Bench:
    """A server that is swapped by swapping a file.

    Attributes:
        current: The file that is swapped.
        arms: The file of arms.
        out: Where rows go.
        rates: Tokens in a second, by what the file holds and how many requests came before.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.current = folder / "current.txt"
        self.arms = folder / "arms.toml"
        self.out = folder / "ab.csv"
        self.rates: Callable[[str, int], float] = lambda arm, _: RATES[arm]
        for name in RATES:
            (folder / f"{name}.txt").write_text(name, "utf-8")
        self.write()

    def write(self, *, switch: bool = True, more: str = "") -> None:
        """Write the file of arms; one that does not switch runs a command that does nothing."""
        text = ""
        for name in RATES:
            command = ["cp", str(self.folder / f"{name}.txt"), str(self.current)] if switch or name == "stock" else ["true"]
            digest = hashlib.sha256(name.encode()).hexdigest()
            text += f'[[arm]]\nname = "{name}"\nswitch = {command}\n{more}[[arm.check]]\nfile = "{self.current}"\nsha256 = "{digest}"\n'
        self.arms.write_text(text, "utf-8")

    def server(self) -> FakeServer:
        """Return the server, whose speed is that of the file."""
        server = serve()
        server.behaviour = lambda _: Behaviour(decode_tok_s=self.rates(self.current.read_text("utf-8"), len(server.sent)))
        server.entry = lambda: {"root": f"/models/{self.current.read_text('utf-8')}"}
        return server

    def run(self, *words: str, server: FakeServer | None = None) -> int:
        """Run the comparison."""
        return measure(server or self.server(), self.out, "ab", str(self.arms), "--contexts", "64", "256", *words)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_arms_take_turns_and_the_order_is_reversed(bench: Bench) -> None:
    assert bench.run("--rounds", "3") == 0
    rows = read(bench.out)
    order = [(row["round"], row["arm"]) for row in rows if row["context"] == "64"]
    assert order == [
        (number, arm)
        for number, arms in (("0", "stock patched"), ("1", "patched stock"), ("2", "stock patched"), ("3", "patched stock"))
        for arm in arms.split()
    ]
    assert {(row["arm"], row["identity"]) for row in rows} == {
        (name, f"sha256 {hashlib.sha256(name.encode()).hexdigest()[:12]}") for name in RATES
    }
    for row in rows:
        assert float(row["tok_s"]) == pytest.approx(RATES[row["arm"]], rel=1e-3)


def test_the_ratio_is_against_the_first_arm(bench: Bench) -> None:
    assert bench.run() == 0
    cells = {(row["arm"], row["context"]): row for row in read(bench.folder / "ab_cells.csv")}
    assert {key: round(float(row["ratio"]), 3) for key, row in cells.items()} == {
        ("stock", "64"): 1, ("stock", "256"): 1, ("patched", "64"): 1.25, ("patched", "256"): 1.25,
    }  # fmt: skip
    assert {(row["modes"], row["tested"], row["chart_grade"]) for row in cells.values()} == {("1", "false", "true")}


def test_an_arm_that_was_not_switched_aborts(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.write(switch=False)
    assert bench.run() == 2
    assert "could not run: arm 'patched' is not on" in capsys.readouterr().err
    assert {row["arm"] for row in read(bench.out)} == {"stock"}


def test_an_arm_that_is_swapped_behind_our_back_aborts(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    server = bench.server()

    def swap(_: Sent) -> None:
        if len(server.sent) > 20:
            bench.current.write_text("stock", "utf-8")

    server.after = swap
    assert bench.run(server=server) == 2
    assert read(bench.out) != []
    assert "is not on" in capsys.readouterr().err


def test_a_switch_that_fails_aborts(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.folder / "patched.txt").unlink()
    assert bench.run() == 2
    error = capsys.readouterr().err
    assert "arm 'patched': 'cp " in error
    assert "exited with 1" in error


def test_two_modes_are_reported_as_two_and_not_averaged(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    def rates(arm: str, number: int) -> float:
        return RATES[arm] * (1.5 if arm == "patched" and number // 2 % 2 else 1.0)

    bench.rates = rates
    assert bench.run("--contexts", "64", "--method", "stream") == 0
    cells = {row["arm"]: row for row in read(bench.folder / "ab_cells.csv")}
    patched = cells["patched"]
    assert (patched["rounds"], patched["modes"], patched["tok_s"], patched["ratio"], patched["chart_grade"]) == ("8", "2", "", "", "false")
    assert float(patched["low_mode_tok_s"]) == pytest.approx(50, rel=0.01)
    assert float(patched["high_mode_tok_s"]) == pytest.approx(75, rel=0.01)
    assert int(patched["low_mode_rounds"]) + int(patched["high_mode_rounds"]) == 8
    # The other arm has as many rounds, in turn with this one.
    assert (cells["stock"]["rounds"], cells["stock"]["modes"], cells["stock"]["chart_grade"]) == ("8", "1", "true")
    assert "bimodal: patched at 64: " in capsys.readouterr().err


def test_more_rounds_are_measured_only_where_rounds_do_not_agree(bench: Bench) -> None:
    bench.rates = lambda arm, number: RATES[arm] * (1.5 if number % 7 == 0 and number > 20 else 1.0)
    assert bench.run("--rounds", "4") == 0
    rounds = {(row["arm"], row["context"]): row["rounds"] for row in read(bench.folder / "ab_cells.csv")}
    assert set(rounds.values()) <= {"4", "8"}


def test_it_goes_on_where_it_stopped(bench: Bench) -> None:
    assert bench.run() == 0
    whole = bench.out.read_bytes()
    record = bench.folder / "ab.provenance.json"
    record.write_text(record.read_text("utf-8").replace('"complete": true', '"complete": false'), "utf-8")
    bench.out.write_bytes(b"".join(whole.splitlines(keepends=True)[:7]))
    assert bench.run() == 0
    assert bench.out.read_bytes() == whole


def test_the_plan_counts_turns_and_what_doubt_may_cost(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("--dry-run", "--rounds", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "4 turns" in lines
    assert any(line.startswith("up to 8 rounds where 2 do not agree: ") for line in lines)
    assert not bench.current.exists()


def test_an_arm_is_known_by_what_models_says(bench: Bench) -> None:
    bench.arms.write_text(
        "".join(
            f'[[arm]]\nname = "{name}"\nswitch = ["cp", "{bench.folder}/{name}.txt", "{bench.current}"]\n'
            f'[[arm.check]]\nmodels = "root"\nis = "/models/{name}"\n'
            for name in RATES
        ),
        "utf-8",
    )
    assert bench.run() == 0
    assert {row["identity"] for row in read(bench.out)} == {"root = /models/stock", "root = /models/patched"}


def test_an_arm_is_known_by_the_verdict_on_its_log(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    for name, line in (("stock", "nothing of vLLM\n"), ("patched", "nothing either\n")):
        (bench.folder / f"{name}.log").write_text(line, "utf-8")
    more = f'[[arm.check]]\nprobe = "{bench.folder}/stock.log"\ncase = "%s"\n'
    bench.arms.write_text(
        "".join(
            f'[[arm]]\nname = "{name}"\nswitch = ["cp", "{bench.folder}/{name}.txt", "{bench.current}"]\n{more % case}'
            for name, case in (("stock", "not a vLLM log"), ("patched", "active"))
        ),
        "utf-8",
    )
    assert bench.run() == 2
    assert "arm 'patched' is not on: by its log it is 'not a vLLM log', expected 'active'" in capsys.readouterr().err


ARM = '[[arm]]\nname = "a"\nurl = "http://a"\n[[arm.check]]\nflag = "--x"\n'
OTHER = '[[arm]]\nname = "b"\nurl = "http://b"\n[[arm.check]]\nno_flag = "--x"\n'
WRONG = {
    "no TOML": ("[[arm", "not TOML"),
    "one arm": (ARM, "expected two tables [[arm]], found 1"),
    "one name": (ARM + OTHER.replace('"b"', '"a"', 1), "both arms are called 'a'"),
    "no check": (ARM + '[[arm]]\nname = "b"\nurl = "http://b"\n', "arm 'b' has no [[arm.check]]"),
    "an unknown key": (ARM + OTHER.replace("url", "uri"), "arm 'b': unknown key 'uri'"),
    "one server, no switch": (ARM.replace("http://a", "http://b") + OTHER, "the arms have one server and no 'switch'"),
    "the same checks": (
        ARM.replace('url = "http://a"', 'switch = ["x"]') + OTHER.replace('url = "http://b"', "").replace("no_flag", "flag"),
        "the arms have the same checks",
    ),
    "a short digest": (ARM + OTHER.replace('no_flag = "--x"', 'file = "f"\nsha256 = "ab"'), "sha256 is 'ab', expected at least 12"),
    "an unknown case": (ARM + OTHER.replace('no_flag = "--x"', 'probe = "f"\ncase = "well"'), "case is 'well', expected one of active"),
    "half a check": (ARM + OTHER.replace("no_flag", "file"), "expected file and sha256, as texts"),
    "a text as switch": (ARM + OTHER.replace('url = "http://b"', 'switch = "x"'), "arm 'b': switch is 'x'"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_file_of_arms_that_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "arms.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SetupError) as error:
        read_arms(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))
