"""A sweep of draft methods: configurations, acceptance from counters and log, the best length, and the depth of loss."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scripts.measure.acceptance import Counters, check_counters, read_log, read_metrics
from scripts.measure.crossing import Crossing, best_tokens, find_crossing, next_depth
from scripts.measure.errors import MeasureError, SetupError
from scripts.measure.spec_file import PROMPTS, read_prompts, read_spec_file
from scripts.measure.speculation import METHODS, build_config, check_command, read_command
from tests.measure.fake import Behaviour, FakeServer, Sent
from tests.measure.harness import measure, read, serve

if TYPE_CHECKING:
    from pathlib import Path

# The depth at which the fake's MTP turns from a gain into a loss, whatever its length.
TURNS_AT = 5000
ACCEPTED = (0.75, 0.5, 0.25, 0.125)


class Bench:
    """A server that speculates as a file says, and counts.

    Attributes:
        state: The file that a switch writes; the value of ``--speculative-config``.
        counted: Its counters.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "config.json"
        self.file = folder / "spec.toml"
        self.out = folder / "spec.csv"
        self.counted = {"drafts": 0.0, "draft_tokens": 0.0, "accepted_tokens": 0.0}
        self.positions: dict[int, float] = {}
        self.log: Path | None = None
        (folder / "prompts.jsonl").write_text('{"id": "one", "prompt": "count to ten"}\n{"id": "two", "prompt": "say it again"}\n', "utf-8")
        self.write()

    def write(self, more: str = "", methods: str = '[[method]]\nname = "mtp"\ntokens = [1, 2]\n') -> None:
        """Write the file of the sweep."""
        switch = ["sh", "-c", f'printf %s "$1" > {self.state}', "sh", "{config}"]
        self.file.write_text(f'switch = {json.dumps(switch)}\nprompts = "prompts.jsonl"\n{more}{methods}', "utf-8")

    def tokens(self) -> int:
        """Return how many tokens a step drafts."""
        text = self.state.read_text("utf-8")
        return int(json.loads(text)["num_speculative_tokens"]) if text else 0

    def speed(self, prompt_tokens: int) -> float:
        """Return the rate: a gain at small depths that shrinks and turns, one that a second token makes larger."""
        gain = 0.4 + 0.2 * self.tokens() if self.tokens() else 0.0
        return 40.0 * (1 + gain * (1 - prompt_tokens / TURNS_AT))

    def count(self, sent: Sent) -> None:
        """Move the counters, or write the log, as an answer would."""
        tokens = self.tokens()
        if not tokens or sent.body["max_tokens"] == 1:
            return
        drafts = 64.0
        found = {"drafts": drafts, "draft_tokens": drafts * tokens, "accepted_tokens": sum(drafts * share for share in ACCEPTED[:tokens])}
        self.counted = {name: self.counted[name] + value for name, value in found.items()}
        for place in range(tokens):
            self.positions[place] = self.positions.get(place, 0.0) + drafts * ACCEPTED[place]
        if self.log:
            rates = ", ".join(f"{share:.3f}" for share in ACCEPTED[:tokens])
            line = (
                f"INFO SpecDecoding metrics: Mean acceptance length: 1.75, Accepted throughput: 1.0 tokens/s, Drafted throughput: 1.0 tokens/s,"
                f" Accepted: {found['accepted_tokens']:.0f} tokens, Drafted: {found['draft_tokens']:.0f} tokens,"
                f" Per-position acceptance rate: {rates}, Avg Draft acceptance rate: 75.0%\n"
            )
            with self.log.open("a", encoding="utf-8") as file:
                file.write(line)

    def metrics(self) -> str:
        """Return the page of metrics, of two engines."""
        lines = []
        for name, value in self.counted.items():
            lines.append(f"# TYPE vllm:spec_decode_num_{name}_total counter")
            lines += [f'vllm:spec_decode_num_{name}_total{{engine="{each}",model_name="m"}} {value / 2}' for each in "01"]
        lines.append("# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter")
        for place, value in self.positions.items():
            lines.append(f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{engine="0",model_name="m",position="{place}"}} {value}')
        return "\n".join([*lines, ""])

    def server(self) -> FakeServer:
        """Return the server."""
        server = serve()
        server.behaviour = lambda tokens: Behaviour(decode_tok_s=self.speed(tokens), chunk=3, along=True, owner="vllm")
        server.pages = {"/metrics": self.metrics}
        server.after = self.count
        return server

    def run(self, *words: str, server: FakeServer | None = None) -> int:
        """Run the sweep."""
        return measure(server or self.server(), self.out, "spec", str(self.file), "--tokens", "112", "--contexts", "1024", "8192", *words)

    def table(self, name: str) -> list[dict[str, str]]:
        """Return a table that was computed."""
        return read(self.folder / f"spec_{name}.csv")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_ratios_are_against_no_speculation_in_the_same_run(bench: Bench) -> None:
    assert bench.run("--no-bisection") == 0
    found = {(row["method"], row["num_speculative_tokens"], row["context"]): row for row in bench.table("points")}
    assert {key[:2] for key in found} == {("none", "0"), ("mtp", "1"), ("mtp", "2")}
    for (_, tokens, context), row in found.items():
        gain = (0.4 + 0.2 * int(tokens)) * (1 - int(context) / TURNS_AT) if int(tokens) else 0
        assert float(row["ratio"]) == pytest.approx(1 + gain, rel=0.01)
        assert (row["rounds"], row["chart_grade"]) == ("2", "true")


def test_acceptance_is_what_the_counters_say(bench: Bench) -> None:
    assert bench.run("--no-bisection") == 0
    points = {(row["num_speculative_tokens"], row["context"]): row for row in bench.table("points")}
    assert float(points["1", "1024"]["mean_acceptance_length"]) == 1.75
    assert float(points["2", "8192"]["mean_acceptance_length"]) == 2.25
    assert float(points["2", "8192"]["acceptance_pct"]) == 62.5
    assert points["0", "1024"]["mean_acceptance_length"] == ""
    found = {(row["num_speculative_tokens"], row["position"]): float(row["acceptance_pct"]) for row in bench.table("positions")}
    assert found == {("1", "1"): 75, ("2", "1"): 75, ("2", "2"): 50}


def test_the_same_comes_from_the_log(bench: Bench) -> None:
    bench.log = bench.folder / "serve.log"
    bench.log.write_text("", "utf-8")
    bench.write('log = "serve.log"\n')
    assert bench.run("--no-bisection") == 0
    points = {(row["num_speculative_tokens"], row["context"]): row for row in bench.table("points")}
    assert float(points["2", "8192"]["mean_acceptance_length"]) == 2.25
    assert {float(row["acceptance_pct"]) for row in bench.table("positions")} == {75, 50}


def test_the_depth_of_loss_is_located_between_the_rungs(bench: Bench) -> None:
    assert bench.run() == 0
    (row,) = bench.table("best")
    assert (row["method"], row["best_tokens"], row["state"]) == ("mtp", "2", "crosses")
    low, high = int(row["gain_at"]), int(row["loss_at"])
    assert low <= TURNS_AT <= high
    assert high - low <= high / 16
    depths = {int(cells["context"]) for cells in read(bench.out)}
    assert {1024, 8192, low, high} <= depths
    # Only the best length is measured between the rungs, and none beside it.
    assert {cells["num_speculative_tokens"] for cells in read(bench.out) if cells["context"] == str(low)} == {"0", "2"}


def test_it_goes_on_where_it_stopped_in_the_bisection(bench: Bench) -> None:
    assert bench.run() == 0
    whole, best = bench.out.read_bytes(), bench.table("best")
    record = bench.folder / "spec.provenance.json"
    record.write_text(record.read_text("utf-8").replace('"complete": true', '"complete": false'), "utf-8")
    bench.out.write_bytes(b"".join(whole.splitlines(keepends=True)[:-17]))
    assert bench.run() == 0
    assert bench.out.read_bytes() == whole
    assert bench.table("best") == best


def test_a_server_that_does_not_speculate_as_meant_is_a_failure(bench: Bench) -> None:
    server = bench.server()
    server.after = lambda _: None
    assert bench.run("--no-bisection", server=server) == 1
    found = {row["method"]: row for row in bench.table("points")}
    assert found["none"]["status"] == "ok"
    assert found["mtp"]["reason"] == "no step drafted: speculation is off, or the server does not count it"


def test_the_plan_shows_the_configurations(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("--dry-run") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "mtp 2: {'method': 'mtp', 'num_speculative_tokens': 2}" in lines
    assert lines[-1].startswith("in all: 36 cells in 6 rungs, about ")
    assert not bench.state.exists()


CONFIGS = {
    "mtp": ({"method": "mtp", "num_speculative_tokens": 3}, ""),
    "mtp+assistant": ({"method": "mtp", "model": "org/assistant", "num_speculative_tokens": 3}, "org/assistant"),
    "eagle3": ({"method": "eagle3", "model": "org/eagle", "num_speculative_tokens": 3}, "org/eagle"),
    "dflash": ({"method": "dflash", "model": "org/flash", "num_speculative_tokens": 3}, "org/flash"),
    "dspark": ({"method": "dspark", "model": "/models/spark", "num_speculative_tokens": 3}, "/models/spark"),
}


@pytest.mark.parametrize("name", METHODS)
def test_each_method_has_its_configuration(name: str) -> None:
    wanted, model = CONFIGS[name]
    assert build_config(name, 3, model) == wanted
    assert read_command(["vllm", "serve", "m", "--speculative-config", json.dumps(wanted)]) == wanted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("medusa", 1), "unknown draft method 'medusa'; known are mtp, mtp+assistant, eagle3, dflash, dspark"),
        (("mtp", 0), "mtp: 0 tokens to draft, expected a whole number from 1 to 32"),
        (("mtp", True), "mtp: True tokens to draft"),
        (("mtp", "3"), "mtp: '3' tokens to draft"),
        (("eagle3", 3), "eagle3: needs the checkpoint of its drafter"),
        (("mtp", 1, "org/assistant"), "with a checkpoint ('org/assistant') it is mtp+assistant"),
        (("dflash", 15, " org/x"), "dflash: not the name of a checkpoint: ' org/x'"),
    ],
)
def test_what_does_not_fit_a_method_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SetupError) as error:
        build_config(*arguments)
    assert message in str(error.value)


def test_the_command_of_a_server_says_how_it_speculates() -> None:
    wanted = build_config("eagle3", 3, "org/eagle")
    assert check_command(["vllm", "serve", f"--speculative-config={json.dumps({**wanted, 'draft_tensor_parallel_size': 1})}"], wanted)
    assert check_command(["vllm", "serve", "m"], None) == "without speculation"
    with pytest.raises(SetupError, match="found the server with no speculation, expected"):
        check_command(["vllm", "serve", "m"], wanted)
    with pytest.raises(SetupError, match="speculation is on, and should not be"):
        check_command(["vllm", "serve", "-sc", json.dumps(wanted)], None)
    with pytest.raises(SetupError, match="cannot be read"):
        check_command(["vllm", "serve", "--speculative-config", "{"], wanted)


def test_counters_have_to_close() -> None:
    check_counters(Counters(10, 20, 12, (7, 5)), 2)
    check_counters(Counters(), 0)
    for counters, tokens, message in (
        (Counters(10, 20, 12), 0, "speculation is on, and should not be"),
        (Counters(), 2, "no step drafted"),
        (Counters(10, 30, 12), 2, "a step drafts 3.00 tokens, 2 were to be"),
        (Counters(10, 20, 21), 2, "the counters do not close"),
        (Counters(10, 20, 12, (7, 5, 1)), 2, "the counters do not close"),
        (Counters(100, 200, 120, (70, 20)), 2, "by position 70 20: the counters do not close"),
        (Counters(-5, -5, -5), 2, "the server was restarted meanwhile"),
    ):
        with pytest.raises(MeasureError, match=message):
            check_counters(counters, tokens)


def test_metrics_without_speculation_and_metrics_that_are_none() -> None:
    assert read_metrics("# TYPE a counter\na_total 1\n") is None
    with pytest.raises(MeasureError, match="/metrics cannot be read"):
        read_metrics("<html>no such page</html>")


def test_a_log_line_without_positions_is_read_too() -> None:
    line = "SpecDecoding metrics: Mean acceptance length: 2.31, Accepted throughput: 34.60 tokens/s, Accepted: 346 tokens, Drafted: 792 tokens"
    assert read_log([line, "something else", line], 3) == Counters(528, 1584, 692, ())


def test_bisection_ends_in_a_bracket_that_holds_the_crossing() -> None:
    for truth in (1100, 3000, 9000, 31000):
        ratios = {depth: 1 + (truth - depth) / 40000 for depth in (1024, 4096, 16384, 32768)}
        while (depth := next_depth(ratios)) is not None:
            ratios[depth] = 1 + (truth - depth) / 40000
        found = find_crossing(ratios)
        assert found.gain_at is not None
        assert found.loss_at is not None
        assert found.gain_at <= truth < found.loss_at
        assert found.loss_at - found.gain_at <= max(64, found.loss_at / 16)
        assert len(ratios) <= 10


def test_what_never_crosses_is_a_gain_or_a_loss() -> None:
    assert find_crossing({1024: 1.4, 8192: 1.0}) == Crossing("gain")
    assert find_crossing({1024: 0.9, 8192: 0.5}) == Crossing("loss")
    assert find_crossing({}) == Crossing("unknown")
    assert next_depth({1024: 1.4}) is None


def test_the_best_length_is_that_of_the_shallowest_shared_depth() -> None:
    assert best_tokens({1: {1024: 1.2, 8192: 1.5}, 2: {1024: 1.3}, 4: {1024: 1.3, 8192: 0.4}}) == 2
    assert best_tokens({1: {1024: 1.2}, 2: {8192: 1.3}}) is None
    assert best_tokens({}) is None


WRONG = {
    "no methods": ('switch = ["x", "{config}"]\n', "names no [[method]]"),
    "no place in the switch": ('switch = ["x"]\n[[method]]\nname = "mtp"\ntokens = [1]\n', "switch has no {config}"),
    "no switch and one address": ('[[method]]\nname = "mtp"\ntokens = [1]\n', "each method and length needs a 'url' of its own"),
    "one address for two lengths": ('[[method]]\nname = "mtp"\ntokens = [1, 2]\nurl = "http://a"\n', "one server drafts one number of tokens"),
    "twice": ('switch = ["{config}"]\n[[method]]\nname = "mtp"\ntokens = [1, 1]\n', "one method with one length twice"),
    "an unknown key": ('swich = ["{config}"]\n', "unknown key 'swich'"),
    "a method without lengths": ('switch = ["{config}"]\n[[method]]\nname = "mtp"\n', "expected a list of lengths"),
    "no prompts": ('switch = ["{config}"]\nprompts = "empty.jsonl"\n[[method]]\nname = "mtp"\ntokens = [1]\n', "holds no prompt"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_file_that_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text, "utf-8")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(SetupError) as error:
        read_spec_file(path)
    assert message in str(error.value)


def test_our_own_prompts_can_be_read() -> None:
    assert len(read_prompts(PROMPTS)) >= 5
