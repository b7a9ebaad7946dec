"""The data and its descriptor: they conform to the Data Package standard, and say what a reader of a row must know."""

import json
import shutil
from pathlib import Path
from typing import Any

import frictionless
import pytest

from ledgermark.descriptor import read_descriptor
from ledgermark.ledger import load_ledger

DATA = Path(__file__).parents[2] / "data"
PACKAGE: dict[str, Any] = json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))
RESOURCES: list[dict[str, Any]] = PACKAGE["resources"]
MEASURED = [resource for resource in RESOURCES if resource["name"] not in ("launch_geometry", "model_geometry", "model_shapes")]
# Transcribed from a publication of others: each names its address and the passage.
BLOG = "https://vllm.ai/blog/2026-08-23-speculative-decoding-amd-gpus"
ELSEWHERE = {"amd_methods": BLOG, "amd_sweep": BLOG, "amd_positions": BLOG}
AUTHOR = "https://github.com/cadamcat/dual-radeon-vllm/"


def problems(descriptor: Path) -> list[tuple[str, str]]:
    report = frictionless.validate(str(descriptor))
    return [(task.name, error.message) for task in report.tasks for error in task.errors] + [("", error.message) for error in report.errors]


def named(resource: dict[str, Any]) -> str:
    return str(resource["name"])


def test_conforms_to_the_standard() -> None:
    assert PACKAGE["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert problems(DATA / "datapackage.json") == []


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("spec_ladder", "43.42", "-43.42", "minimum"),
        ("spec_ladder", "no_speculation,0", "no_speculatoin,0", "enum"),
        ("kernel_sweep", "274.029", "fast", "type"),
        ("kernel_sweep", ",1,1024,2,", ",1,1024,1,", "primary key"),
        ("a100_admission", "110.71", "", "required"),
    ],
)
def test_the_standard_tool_rejects_a_broken_row(tmp_path: Path, name: str, before: str, after: str, expected: str) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{name}.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    found = problems(tmp_path / "datapackage.json")
    assert found
    assert all(dataset == name for dataset, _ in found)
    assert expected in " ".join(message.lower() for _, message in found)


def test_the_library_reads_it_without_findings() -> None:
    datasets, findings = read_descriptor("datapackage.json", (DATA / "datapackage.json").read_bytes())
    _, more = load_ledger(datasets, {dataset.path: (DATA / dataset.path).read_bytes() for dataset in datasets})
    assert [*findings, *more] == []


def test_every_file_is_described() -> None:
    assert sorted(path.name for path in DATA.glob("*.csv")) == sorted(resource["path"] for resource in RESOURCES)


@pytest.mark.parametrize("resource", RESOURCES, ids=named)
def test_says_where_it_comes_from(resource: dict[str, Any]) -> None:
    assert resource["title"]
    assert resource["description"]
    assert resource["evidence"] in ("raw", "summary", "published")
    assert (resource["evidence"] == "raw") != bool(resource.get("evidence_note"))
    assert all(license_["name"] and license_["path"] for license_ in resource["licenses"])
    if "instrument" in resource:
        # Measured here: the script that did it is in the repository, and is the source.
        assert (DATA.parent / resource["instrument"]).is_file()
        assert [source["path"] for source in resource["sources"]] == [resource["instrument"]]
        return
    if resource["name"] in ELSEWHERE:
        assert resource["evidence"] == "published"
        assert all(source["title"] and source["passage"] for source in resource["sources"])
        assert [source["path"] for source in resource["sources"]] == [ELSEWHERE[resource["name"]]]
        return
    assert all(source["title"] and source["path"].startswith("https://github.com/") for source in resource["sources"])
    if resource in MEASURED:
        assert all(source["path"].startswith(AUTHOR) and source["path"].endswith(source["file"]) for source in resource["sources"])


@pytest.mark.parametrize("resource", RESOURCES, ids=named)
def test_every_number_has_a_unit_and_every_column_a_meaning(resource: dict[str, Any]) -> None:
    for field in resource["schema"]["fields"]:
        assert field["description"], field["name"]
        assert (field["type"] in ("integer", "number")) == bool(field.get("unit")), field["name"]


@pytest.mark.parametrize("resource", MEASURED, ids=named)
def test_machine_stack_and_date_identify_a_measurement(resource: dict[str, Any]) -> None:
    assert resource["schema"]["primaryKey"][:3] == ["machine", "stack", "date"]


def test_chunks_are_not_tokens() -> None:
    units = {f"{resource['name']}.{field['name']}": field.get("unit") for resource in RESOURCES for field in resource["schema"]["fields"]}
    assert units["gate_control_a100.chunk_s"] == "chunk/s"
    assert units["gate_control_radeon.tok_s"] == "tok/s"
