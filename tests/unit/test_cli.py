"""The command line: exit status 0, 1 and 2, help, and answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from ledgermark.cli import cli

if TYPE_CHECKING:
    from tests.copies import Copy

COMMANDS = sorted(cli.commands)


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, flag: str) -> None:
    done = CliRunner().invoke(cli, [command, flag])
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: cli {command} ")
    for parameter in cli.commands[command].params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


def test_each_command_is_listed() -> None:
    output = CliRunner().invoke(cli, ["--help"]).output
    assert {"check", "fix", "explain", "recompute"} <= set(COMMANDS)
    assert all(f"\n  {command} " in output for command in COMMANDS)


def test_the_version() -> None:
    assert CliRunner().invoke(cli, ["--version"]).exit_code == 0


def test_status_0_and_1(tiny: Copy) -> None:
    assert tiny.check() == (0, ["ledgermark: no findings (claims: 17 en, 17 zh)"])
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    status, lines = tiny.check()
    assert status == 1
    assert lines == [
        "en/report.md:26:24: LM101 shows 15.1, data gives 15.0 (15.0476 ×) by slowdown (data/trace.csv:2, data/trace.csv:3)",
        "ledgermark: 1 finding (claims: 17 en, 17 zh)",
    ]


def test_a_check_of_some_pages(tiny: Copy) -> None:
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    tiny.edit("zh/report.md", "[15.0 倍]", "[15.2 倍]")
    english, chinese = str(tiny.root / "en/report.md"), str(tiny.root / "zh/report.md")
    assert [line[:2] for line in tiny.check(english)[1][:-1]] == ["en"]
    assert [line[:2] for line in tiny.check(chinese)[1][:-1]] == ["zh"]
    assert [line[:2] for line in tiny.check(english, chinese)[1][:-1]] == ["en", "zh"]
    assert tiny.check(str(tiny.root / "en/index.md"))[0] == 0
    tiny.edit("data/ladder.csv", "box,2026-08-26,fast,32768,5.00", "box,2026-08-26,fast,32768")
    assert tiny.check(str(tiny.root / "en/index.md"))[1][0].startswith("data/ladder.csv:5:1: LM502 ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.md"], "no file nowhere.md"),
        (["check", __file__], "is not below"),
        (["check", "{root}/data/ladder.csv"], "is no page of this project"),
        (["explain", "a b"], "'a b' is no name; expected a metric, or dataset.column; expected NAME?parameter=value"),
        (["recompute", "rate"], "no figure 'rate'; did you mean 'rates'?"),
        (["recompute", "rates", "--lang", "fr"], "no language 'fr'; expected one of en, zh"),
        (["check", "--format", "xml"], "'xml' is not one of"),
        (["chek"], "No such command 'chek'"),
    ],
)
def test_status_2_for_a_wrong_call(tiny: Copy, arguments: list[str], message: str) -> None:
    command, *rest = (argument.format(root=tiny.root) for argument in arguments)
    status, lines = tiny.run(command, *rest)
    assert status == 2
    assert message in " ".join(lines)


@pytest.mark.parametrize("command", [["check"], ["fix"], ["explain", "gain?context=1024"], ["recompute", "rates"]])
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("stills: false", "stlls: false", "unknown option 'stlls'; did you mean 'stills'?"),
        ("  - ledgermark:", "  - ledgermarc:", "mkdocs.yml has no plugin 'ledgermark'; add it under plugins:"),
        ("plugins:", "plugins: [", "cannot be read"),
        ("plugins:", "plugins: 5\nx:", "plugins"),
        ("plugins:", "plugins: [5]\nx:", "plugins"),
        ("plugins:", "plugins: [{}]\nx:", "plugins"),
        ("  - ledgermark:", "  - ledgermark: [a]\n  - x:", "expected 'key: value' lines"),
        ("site_name", "INHERIT: mkdocs.yml\nsite_name", "inherits from itself"),
        ("site_name", "d: 2026-02-30\nsite_name", "cannot be read"),
        ("stills: false", "languages: {en: english, zh: zh}", "'english'"),
    ],
)
def test_status_2_for_a_broken_set_up(tiny: Copy, command: list[str], old: str, new: str, message: str) -> None:
    tiny.edit("mkdocs.yml", old, new)
    status, lines = tiny.run(*command)
    assert status == 2
    assert lines[0].startswith("Error: ")
    assert message in " ".join(lines)


def test_status_2_without_a_project(tiny: Copy) -> None:
    tiny.remove("mkdocs.yml")
    status, lines = tiny.check()
    assert status == 2
    assert "run this in the folder of mkdocs.yml, or name it with --config" in lines[0]


def test_status_2_for_a_date_that_is_none(tiny: Copy) -> None:
    tiny.epoch = "tomorrow"
    status, lines = tiny.check()
    assert status == 2
    assert lines == ["Error: SOURCE_DATE_EPOCH is 'tomorrow', expected seconds since 1970"]


def test_explain(tiny: Copy) -> None:
    status, lines = tiny.run("explain", "claim:gain?context=1024")
    assert status == 0
    assert lines[:4] == ["gain?context=1024", "  Change in rate from base to fast.", "  = rate(fast) / rate(base) − 1", "  gives 25.25 %"]
    status, lines = tiny.run("explain", "gain?context=1024", "--format", "json")
    assert status == 0
    assert json.loads("\n".join(lines))["values"] == ["25.25 %"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("gian?context=1024", "LM105 no metric 'gian'; did you mean 'gain'?"),
        ("gain", "LM106 gain needs the parameter 'context'"),
        ("ladder.tok_s?arm=base", "LM107 2 rows of ladder match arm=base"),
        ("ladder.tok_s?dataset=x", "LM105 no column 'dataset'"),
    ],
)
def test_explain_what_has_no_value(tiny: Copy, key: str, message: str) -> None:
    status, lines = tiny.run("explain", key)
    assert status == 1
    assert message in " ".join(lines)


def test_explain_over_broken_data_names_the_file(tiny: Copy) -> None:
    tiny.remove("data/ladder.csv")
    status, lines = tiny.run("explain", "gain?context=1024")
    assert status == 1
    assert lines[0] == "data/ladder.csv:1:1: LM501 the file does not exist"


def test_recompute(tiny: Copy) -> None:
    status, lines = tiny.run("recompute", "rates")
    assert (status, lines[0]) == (0, "rates: Rates by context")
    status, lines = tiny.run("recompute", "rates", "--lang", "zh", "--format", "json")
    answer = json.loads("\n".join(lines))
    assert (status, answer["title"], answer["badge"]) == (0, "各上下文长度的速率", "recomputable")
    tiny.edit("site_src/figures.py", "    rows: list", "    raise ValueError('no')\n    rows: list")
    status, lines = tiny.run("recompute", "rates")
    assert status == 1
    assert "LM602 figure rates raised ValueError: no" in " ".join(lines)


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_formats_carry_the_same_status(tiny: Copy, form: str) -> None:
    assert tiny.check("--format", form)[0] == 0
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    status, lines = tiny.check("--format", form)
    assert status == 1
    assert "LM101" in "\n".join(lines)


def test_as_a_module(tiny: Copy) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": tiny.epoch}
    done = subprocess.run(
        [sys.executable, "-m", "ledgermark", "check"], cwd=tiny.root, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ledgermark: no findings (claims: 17 en, 17 zh)\n", "")
