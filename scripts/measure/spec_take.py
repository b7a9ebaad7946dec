"""Takes one answer from a server that speculates, with what its counters say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .acceptance import Counters, check_counters, read_log, read_metrics, spell_positions
from .arms import Arm, switch_on
from .decode import stream_cells, tell
from .errors import MeasureError, SetupError
from .prompt import GUESS, Prompt, cut_prompt, tolerance_of
from .rate import check_reply
from .server import find_command
from .spec_file import Proposal, SpecFile
from .speculation import check_command

if TYPE_CHECKING:
    from pathlib import Path

    from .client import Client
    from .decode import Taken
    from .plan import Cell
    from .power import Meter
    from .world import World

LEAST_ANSWER = 32
"""Tokens that an answer has at least: a task may be done before as many as asked for, but a rate over fewer says little."""
SETTLE_S = 0.2
METRICS_S = 5.0
"""How long the counters may take to settle after an answer."""
LOG_S = 15.0
"""How long the log may take: vLLM writes its line every ten seconds."""


class SpecTaker:
    """Switches between proposals and takes answers.

    Args:
        clients: The server of each proposal, by title.
        file: What is to be measured.
        tokens: Tokens of an answer.
        world: What comes from outside.
    """

    def __init__(self, clients: dict[str, Client], file: SpecFile, tokens: int, world: World) -> None:
        self.clients = clients
        self.file = file
        self.tokens = tokens
        self.world = world
        self.on: Proposal | None = None
        self.warm: set[str] = set()
        self.prompts: dict[tuple[int, str], Prompt] = {}
        self.ratio = GUESS

    def turn_to(self, proposal: Proposal) -> None:
        """Switch a proposal on unless it is; raises SetupError when that fails."""
        if self.on is not proposal:
            self.on = None
            arm = Arm(proposal.title, (), switch=proposal.switch, ready_s=self.file.ready_s)
            switch_on(arm, self.clients[proposal.title], self.world)
            if proposal.switch:
                self.warm.discard(proposal.title)
            self.on = proposal

    def measure(self, cell: Cell, meter: Meter) -> Taken:
        """Return the measured cells of a row.

        Raises:
            MeasureError: There are none.
            SetupError: The server is not the one meant.
        """
        proposal = cell.item
        assert isinstance(proposal, Proposal)  # noqa: S101 - `make_cells` put it there
        self.turn_to(proposal)
        client = self.clients[proposal.title]
        identity = self._assert_on(proposal, client)
        prompt = self._prompt(client, int(cell.key["context"]), cell.key["prompt"])
        if proposal.title not in self.warm and cell.fixed["phase"] != "warm-up":
            client.stream(prompt.text(), self.tokens)
        self.warm.add(proposal.title)
        before, mark = self._read(client, proposal), self._log_size()
        reply = client.stream(prompt.text(), self.tokens, meter.start)
        power_w = meter.stop()
        check_reply(reply, prompt.tokens, min(self.tokens, LEAST_ANSWER), tolerance_of(prompt.tokens))
        cells = stream_cells(reply)
        counted = self._log_counters(proposal, mark, reply.usage.completion) if self.file.log else self._settled(client, proposal) - before
        check_counters(counted, proposal.tokens)
        told = tell(stream_rate_of(cells), reply)
        if proposal.tokens:
            told += f", {counted.mean_length or 0:.2f} tok/step"
            cells |= {"drafts": counted.drafts, "draft_tokens": counted.draft_tokens, "accepted_tokens": counted.accepted}
            cells |= {"accepted_per_position": spell_positions(counted.positions[: proposal.tokens])}
        return {**cells, "identity": identity, "power_w": power_w}, told

    def _assert_on(self, proposal: Proposal, client: Client) -> str:
        """Return in words what the server's command says; what its counters say is held against it after the answer."""
        process = find_command(client.endpoint.url)
        if process is None or not process.command:
            return "by its counters"
        try:
            return check_command(process.command, proposal.config)
        except SetupError as error:
            raise SetupError(f"{proposal.title} is not on: {error}") from None

    def _prompt(self, client: Client, context: int, name: str) -> Prompt:
        if (context, name) not in self.prompts:
            tail = f"\n\n{self.file.prompts[name]}"
            cut = cut_prompt(context, client.count, seed=context, tail=tail, ratio=self.ratio)
            self.prompts[context, name] = cut
            self.ratio = cut.tokens / cut.words
        return self.prompts[context, name]

    def _read(self, client: Client, proposal: Proposal) -> Counters:
        if self.file.log:
            return Counters()
        page = client.get("/metrics")
        found = read_metrics(page) if page is not None else None
        if found is None and proposal.tokens:
            raise MeasureError("the server has no counters of speculation at /metrics; name its log instead")
        return found or Counters()

    def _settled(self, client: Client, proposal: Proposal) -> Counters:
        """Return the counters once they stand still."""
        deadline = self.world.clock() + METRICS_S
        last = self._read(client, proposal)
        while self.world.clock() < deadline:
            self.world.sleep(SETTLE_S)
            now = self._read(client, proposal)
            if now == last:
                break
            last = now
        return last

    def _log_size(self) -> int:
        return self.file.log.stat().st_size if self.file.log else 0

    def _log_counters(self, proposal: Proposal, mark: int, completion: int) -> Counters:
        """Return what the log reports after a mark, once it accounts for the answer."""
        assert self.file.log is not None  # noqa: S101 - only called with a log
        deadline = self.world.clock() + LOG_S
        while True:
            found = read_log(_tail(self.file.log, mark), max(1, proposal.tokens))
            # The first token comes of the prompt, each step then yields what it accepts and one more.
            if found.drafts + found.accepted >= completion - 1 - proposal.tokens or not proposal.tokens:
                return found
            if self.world.clock() > deadline:
                told = found.drafts + found.accepted
                raise MeasureError(f"the log accounts for {told:.0f} of {completion} tokens {LOG_S:.0f} s after the answer")
            self.world.sleep(SETTLE_S)


def stream_rate_of(cells: dict[str, object]) -> float:
    """Return the rate in the cells of a streamed answer."""
    rate = cells["tok_s"]
    return rate if isinstance(rate, float) else 0.0


def _tail(path: Path, mark: int) -> list[str]:
    """Return the whole lines of a log after a mark."""
    with path.open("rb") as file:
        file.seek(mark)
        data = file.read()
    return data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").splitlines()
