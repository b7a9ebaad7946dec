"""The rows about ROCm's gate follow from its rules: the same ones as in the repository, and no single condition that decides."""

import csv
import json
from pathlib import Path

import pytest

from scripts.probe.devices import find_device
from scripts.probe.model import read_model
from scripts.probe.predict import Setting, conditions
from scripts.probe.rocm_gate import ALL, CASES, NONE, main

ROOT = Path(__file__).parents[2]


def test_the_rows_in_the_repository_follow_from_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = (ROOT / "data" / "rocm_gate.csv").read_text("utf-8")
    dates = {row["date"] for row in csv.DictReader(data.splitlines())}
    assert len(dates) == 1
    assert main(["--out", str(tmp_path / "rows.csv"), "--date", *dates]) == 0
    assert (tmp_path / "rows.csv").read_text("utf-8") == data
    assert main(["--date", *dates]) == 0
    assert capsys.readouterr().out == data


def test_no_single_condition_keeps_a_hybrid_model_out() -> None:
    rows = csv.DictReader((ROOT / "data" / "rocm_gate.csv").read_text("utf-8").splitlines())
    answers = {row["relaxed"]: (row["failed"], row["admitted"]) for row in rows if row["model"] == "Qwen3.6-27B"}
    assert answers == {
        NONE: ("3", "false"),
        "head_size": ("2", "false"),
        "block_size": ("2", "false"),
        "power_of_two": ("2", "false"),
        ALL: ("0", "true"),
    }


@pytest.mark.parametrize(("name", "file"), [("Qwen3.8-27B", "qwen3.8-27b.json"), ("Qwen3-8B", "qwen3-8b.json")])
def test_the_models_are_those_of_their_configurations(name: str, file: str) -> None:
    (case,) = (case for case in CASES if case.name == name)
    device, setting = find_device("RX 7900 XT"), Setting(ranks=2, speculative=0)
    read = read_model(json.loads((Path(__file__).parent / "configs" / file).read_text("utf-8")))
    assert conditions(case.model, device, setting) == conditions(read, device, setting)
