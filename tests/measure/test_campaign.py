"""`campaign`: what its file may say, the plan, jobs here and through submitit, and the merging of their results."""

from __future__ import annotations

import json
import shutil
import socket
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

from scripts.measure.campaign import read_seconds
from scripts.measure.campaign_file import read_campaign, slug
from scripts.measure.campaign_merge import merge_files
from scripts.measure.cli import main
from scripts.measure.errors import SetupError
from scripts.measure.plan import spell_seconds
from tests.measure.harness import read
from tools.bench_trace import write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.copies import Copy

WHOLE = """
[[machine]]
name = "Box A"
[[machine]]
name = "Box B"
url = "http://b:9000"
scheduler = { timeout_min = 5 }

[[model]]
name = "gemma"

[[arm]]
name = "plain"
[[arm]]
name = "mtp"
words = ["--context", "64"]

[[rung]]
instrument = "trace"
words = ["TRACE", "--stack", "torch", "--arm", "{model} {arm}"]

[[skip]]
machine = "Box B"
arm = "mtp"
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A campaign of three jobs, each of which reads a trace: an instrument that needs no server."""
    trace = tmp_path / "t.json"
    with trace.open("w") as file:
        write_trace(file, 100_000)
    path = tmp_path / "autumn.toml"
    path.write_text(WHOLE.replace("TRACE", str(trace)))
    return path


def test_the_plan_of_all_machines(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(campaign.parent.rglob("*"))
    assert main(["campaign", str(campaign), "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Box A, gemma, plain"
    assert lines[1].startswith("  trace (trace): 1 cells in 1 rungs, about 0 s -> ")
    assert lines[1].endswith("autumn/box_a/gemma/plain/trace.csv")
    assert lines[-3:-1] == ["Box A: 2 jobs, about 0 s one after the other", "Box B: 1 jobs, about 0 s one after the other"]
    assert lines[-1].startswith("in all: 3 jobs, about 0 s one after the other, 0 s with each machine at work")
    assert sorted(campaign.parent.rglob("*")) == before


def test_the_plan_sums_what_the_instruments_expect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    rung = '[[rung]]\nname = "{name}"\ninstrument = "ladder"\nwords = ["--contexts", "1024", "--rounds", "{rounds}"]\n'
    head = '[[machine]]\nname = "A"\n[[machine]]\nname = "B"\n[[model]]\nname = "m"\n'
    path.write_text(head + rung.format(name="short", rounds=1) + rung.format(name="long", rounds=9))
    assert main(["campaign", str(path), "--dry-run"]) == 0
    said = capsys.readouterr().out
    parts = [read_seconds(line.split("about ")[1].split(" ->")[0]) for line in said.splitlines() if line.startswith("  ")]
    assert len(parts) == 4
    total, each = said.splitlines()[-1].removeprefix("in all: 2 jobs, about ").split(" one after the other, ")
    assert read_seconds(total) == pytest.approx(sum(parts), abs=60)
    assert read_seconds(each.removesuffix(" with each machine at work")) == pytest.approx(sum(parts) / 2, abs=60)


def test_a_plan_that_an_instrument_refuses_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    path.write_text('[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ab"\nwords = ["missing.toml"]\n')
    assert main(["campaign", str(path), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "no plan: could not run:" in said
    assert said.rstrip().endswith("; 1 rungs have no plan")


@pytest.mark.parametrize("seconds", [0, 1, 89, 91, 600, 5399, 5400, 12_345, 360_000])
def test_a_spelled_duration_is_read_back(seconds: int) -> None:
    spelled = spell_seconds(seconds)
    assert spell_seconds(read_seconds(spelled)) == spelled
    assert read_seconds(spelled) == pytest.approx(seconds, abs=30)


def test_what_is_no_duration_is_none() -> None:
    for text in ("", "soon", "1 h 2"):
        with pytest.raises(ValueError, match="not a duration"):
            read_seconds(text)


def test_here_it_runs_the_jobs_of_this_machine(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campaign", str(campaign)]) == 2
    assert "say with --machine which this is" in capsys.readouterr().err
    assert main(["campaign", str(campaign), "--machine", "Box C"]) == 2
    assert "no machine is called 'Box C'; there are Box A, Box B" in capsys.readouterr().err
    assert main(["campaign", str(campaign), "--machine", "Box A"]) == 0
    folder = campaign.with_suffix("")
    rows = read(folder / "trace.csv")
    assert {(row["machine"], row["arm"], row["context"]) for row in rows if row["phase"] == "decode"} == {
        ("Box A", "gemma plain", "0"),
        ("Box A", "gemma mtp", "64"),
    }
    first = (folder / "trace.csv").read_bytes()
    # The other machine's results are merged with these; what is there is not measured again.
    assert main(["campaign", str(campaign), "--machine", "Box B"]) == 0
    assert {row["machine"] for row in read(folder / "trace.csv")} == {"Box A", "Box B"}
    assert (folder / "trace.csv").read_bytes().startswith(first)
    assert json.loads((folder / "trace.resource.json").read_text())["rows"] == len(read(folder / "trace.csv"))
    assert len(json.loads((folder / "trace.provenance.json").read_text())["runs"]) == 3
    before = (folder / "trace.csv").read_bytes()
    assert main(["campaign", str(campaign), "--machine", "Box A"]) == 0
    assert (folder / "trace.csv").read_bytes() == before


@pytest.mark.parametrize("cluster", ["local"])
def test_through_submitit(campaign: Path, cluster: str) -> None:
    pytest.importorskip("submitit")
    assert main(["campaign", str(campaign), "--on", cluster]) == 0
    rows = read(campaign.with_suffix("") / "trace.csv")
    assert len({(row["machine"], row["arm"]) for row in rows}) == 3
    assert main(["campaign", str(campaign), "--merge"]) == 0
    assert read(campaign.with_suffix("") / "trace.csv") == rows


def test_a_rung_that_fails_does_not_end_the_others(campaign: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("submitit")
    campaign.write_text(campaign.read_text() + '\n[[rung]]\nname = "broken"\ninstrument = "trace"\nwords = ["missing.json", "--stack", "x"]\n')
    assert main(["campaign", str(campaign), "--on", "local", "--machine", "Box A"]) == 1
    assert "Box A, gemma, plain: broken ended with status 2" in capfd.readouterr().err
    assert {row["machine"] for row in read(campaign.with_suffix("") / "trace.csv")} == {"Box A"}


def test_without_slurm_it_says_so(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("submitit")
    if shutil.which("srun"):
        pytest.skip("there is a Slurm here")
    assert main(["campaign", str(campaign), "--on", "slurm"]) == 2
    assert "could not run:" in capsys.readouterr().err


SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def served(campaign: Path, start: list[str], ready_s: float = 30) -> int:
    """Give the first machine an address and the first arm a server; return the port."""
    port = free_port()
    text = campaign.read_text().replace('name = "Box A"', f'name = "Box A"\nurl = "http://127.0.0.1:{port}"', 1)
    words = json.dumps([str(port) if word == "PORT" else word for word in start])
    campaign.write_text(text.replace('name = "plain"', f'name = "plain"\nready_s = {ready_s}\nstart = {words}', 1))
    return port


def test_a_server_is_started_and_ended(campaign: Path) -> None:
    script = campaign.with_name("server.py")
    script.write_text(SERVER)
    port = served(campaign, [sys.executable, str(script), "PORT"])
    assert main(["campaign", str(campaign), "--machine", "Box A"]) == 0
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5)
    assert {row["arm"] for row in read(campaign.with_suffix("") / "trace.csv")} == {"gemma plain", "gemma mtp"}


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ([sys.executable, "-c", "raise SystemExit(3)"], "ended with status 3 before it answered; see"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], "does not answer after 1 s; see"),
        (["no-such-program"], "No such file"),
    ],
)
def test_a_server_that_does_not_come_up(campaign: Path, start: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    served(campaign, start, ready_s=1 if "sleep" in start[-1] else 60)
    assert main(["campaign", str(campaign), "--machine", "Box A"]) == 1
    assert said in capsys.readouterr().err
    # The job without it was done all the same.
    assert {row["arm"] for row in read(campaign.with_suffix("") / "trace.csv")} == {"gemma mtp"}


def results(campaign: Path) -> list[Path]:
    """Run one machine's jobs, and return their result files."""
    assert main(["campaign", str(campaign), "--machine", "Box A"]) == 0
    return sorted((campaign.with_suffix("") / "box_a").rglob("trace.csv"))


def test_a_key_that_is_there_twice_is_refused_with_both_places(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = results(campaign)
    lines = first.read_bytes().splitlines(keepends=True)
    second.write_bytes(second.read_bytes() + lines[2])
    out = campaign.with_suffix("") / "trace.csv"
    before = {path: path.read_bytes() for path in out.parent.glob("trace.*")}
    number = len(second.read_bytes().splitlines())
    assert main(["campaign", str(campaign), "--merge"]) == 2
    said = capsys.readouterr().err
    # In the order of the campaign's file: `plain` before `mtp`.
    places = (f"{first}:{number + 0}", f"{second}:3") if first.parent.name == "plain" else (f"{first}:3", f"{second}:{number}")
    assert all(place in said for place in places), said
    assert "machine=Box A, stack=torch" in said
    assert {path: path.read_bytes() for path in out.parent.glob("trace.*")} == before


def test_one_run_in_two_files_is_refused(campaign: Path) -> None:
    first, second = results(campaign)
    shutil.copy(first, second)
    with pytest.raises(SetupError, match=rf"{second}:2 has the key of {first}:2: machine=Box A"):
        merge_files([first, second], campaign.with_name("out.csv"))
    assert not campaign.with_name("out.csv").exists()


def test_files_of_two_kinds_are_refused(campaign: Path) -> None:
    first, second = results(campaign)
    resource = json.loads(second.with_suffix(".resource.json").read_text())
    resource["schema"]["fields"][0]["description"] = "Something else."
    second.with_suffix(".resource.json").write_text(json.dumps(resource))
    with pytest.raises(SetupError, match="their resources differ in 'schema'"):
        merge_files([first, second], campaign.with_name("out.csv"))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("trace.resource.json", None, "no such file; expected what describes trace.csv"),
        ("trace.resource.json", b"{}", "expected the resource that an instrument writes"),
        ("trace.provenance.json", b"[]", "not a record of runs"),
        ("trace.csv", b"a,b\n1,2\n", "found other columns than its resource describes"),
        ("trace.csv", b"\xff\n", "not a result file"),
    ],
)
def test_files_that_are_not_results_are_refused(campaign: Path, name: str, data: bytes | None, said: str) -> None:
    first, second = results(campaign)
    path = second.with_name(name)
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    with pytest.raises(SetupError, match=said):
        merge_files([first, second], campaign.with_name("out.csv"))


def test_a_torn_line_is_no_row(campaign: Path) -> None:
    first, second = results(campaign)
    out = campaign.with_name("out.csv")
    count = merge_files([first, second], out)
    second.write_bytes(second.read_bytes() + b"Box A,torch,2026")
    assert merge_files([first, second], out) == count == len(read(out))


def test_merged_rows_join_the_ledger_untouched(campaign: Path, tiny: Copy) -> None:
    campaign.write_text(campaign.read_text().replace('instrument = "trace"', 'name = "profile"\ninstrument = "trace"'))
    results(campaign)
    for name in ("profile.csv", "profile_steps.csv"):
        status, lines = tiny.run("add-dataset", str(campaign.with_suffix("") / name))
        assert status == 0, lines
    assert tiny.check()[0] == 0


WRONG = {
    "[[machine]\n": "not TOML",
    'machines = []\n[[model]]\nname = "m"': "the file: unknown key 'machines'; did you mean 'machine'?",
    '[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"': "expected at least one [[machine]]",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\nname = "x"': "rung 'x': instrument is None, expected one of ladder, ab",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "campaign"': "instrument is 'campaign', expected one of",
    '[[machine]]\nurl = "http://a"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"': "each [[machine]] needs a 'name'",
    '[[machine]]\nname = "A 1"\n[[machine]]\nname = "a-1"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"': "would share their files",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\nwords = "--x"\n[[rung]]\ninstrument = "ladder"': "[[model]]: words is '--x'",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\nwords = [1]\n[[rung]]\ninstrument = "ladder"': "words is a list of texts",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"\n[[skip]]\nmachine = "B"': "no machine is called 'B'",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"\n[[skip]]\nmodel = "m"': "every job is skipped",
    '[[machine]]\nname = "A"\n[[model]]\nname = "m"\n[[rung]]\ninstrument = "ladder"\n[[skip]]': "[[skip]] names nothing",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_makes_no_sense(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    assert main(["campaign", str(path), "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert WRONG[text] in said
    assert said.count("\n") == 1


def test_jobs_know_their_place(campaign: Path) -> None:
    found = read_campaign(campaign)
    assert [job.title for job in found.jobs] == ["Box A, gemma, plain", "Box A, gemma, mtp", "Box B, gemma, plain"]
    assert found.schedulers == {"Box A": {}, "Box B": {"timeout_min": 5}}
    assert found.jobs[2].url == "http://b:9000"
    assert found.jobs[1].rungs[0].words[-6:-2] == ("--context", "64", "--machine", "Box A")
    assert slug("2x RX 7900 XT (gfx1100), TP=2") == "2x_rx_7900_xt_gfx1100_tp_2"
