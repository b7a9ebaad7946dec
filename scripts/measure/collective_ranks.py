"""The processes of a collective: they begin together, agree, and time the same calls."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import time
from typing import TYPE_CHECKING, Any, Self

import torch
import torch.distributed as dist

from .collective_link import MEMORY, NETWORK, ask, settings, slowest, visible
from .collective_table import ALL_REDUCE, EAGER, GRAPH
from .errors import MeasureError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable

GLOO, NCCL = "gloo", "nccl"
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
PERIOD, BITS = 251, 7
"""The test pattern: bit `rank % BITS` of the place in a period that is prime. Sums are small whole numbers, exact in each dtype."""
GRAPH_CALLS = 20
"""Calls in one captured graph, so that its launch is a small part of the time."""
TRIAL_CALLS = 5
MOST_CALLS = 10_000


class Ranks:
    """All processes, and this one's place among them.

    Attributes:
        rank: This process; 0 is the one that writes.
        count: How many.
        backend: `NCCL` (which is RCCL on AMD) or `GLOO`.
        device: Where its tensors are.

    Args:
        backend: Empty for what the machine has.
        timeout_s: How long a process waits for the others.

    Raises:
        SetupError: This process was not started by torchrun, or there are not enough devices.
    """

    def __init__(self, backend: str, timeout_s: float) -> None:
        missing = [name for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR") if name not in os.environ]
        if missing:
            raise SetupError(f"{', '.join(missing)} not set: start it with torchrun --nproc-per-node 2 -m scripts.measure collective")
        self.backend = backend or (NCCL if torch.cuda.is_available() and dist.is_nccl_available() else GLOO)
        local = int(os.environ["LOCAL_RANK"])
        if self.backend == NCCL:
            if local >= torch.cuda.device_count():
                raise SetupError(f"rank {local} of this host has no device: there are {torch.cuda.device_count()}; lower --nproc-per-node")
            torch.cuda.set_device(local)
        self.local = local
        self.device = torch.device("cuda", local) if self.backend == NCCL else torch.device("cpu")
        timeout = dt.timedelta(seconds=timeout_s)
        dist.init_process_group(self.backend, timeout=timeout)
        # What ranks tell each other goes another way than what is measured.
        self.control = dist.new_group(backend=GLOO, timeout=timeout)
        self.rank, self.count = dist.get_rank(), dist.get_world_size()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        dist.destroy_process_group()

    def tell(self, value: Any) -> Any:
        """Return on every rank what rank 0 says."""
        return self.gather(value if self.rank == 0 else None)[0]

    def gather(self, value: Any) -> list[Any]:
        """Return what every rank says, in their order: anything that JSON can hold. Raises SetupError when a rank is gone."""
        try:
            return self._gather(json.dumps(value).encode())
        except RuntimeError as error:
            raise SetupError(f"rank {self.rank} no longer hears the others: {str(error).splitlines()[0]}") from None

    def _gather(self, said: bytes) -> list[Any]:
        # Not `all_gather_object`: it needs numpy.
        lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(self.count)]
        dist.all_gather(lengths, torch.tensor([len(said)]), group=self.control)
        most = max(int(length) for length in lengths)
        own = torch.zeros(most, dtype=torch.uint8)
        own[: len(said)] = torch.frombuffer(bytearray(said), dtype=torch.uint8)
        found = [torch.zeros(most, dtype=torch.uint8) for _ in range(self.count)]
        dist.all_gather(found, own, group=self.control)
        return [json.loads(bytes(part[: int(length)].tolist())) for part, length in zip(found, lengths, strict=True)]

    def agree(self, reason: str) -> None:
        """Raise MeasureError on every rank when one has a reason; an empty text is none."""
        said = [f"rank {rank}: {text}" for rank, text in enumerate(self.gather(reason)) if text]
        if said:
            raise MeasureError("; ".join(said))

    def place(self) -> dict[str, Any]:
        """Return where the ranks are: machine, stack, hosts, link, and what the record says besides."""
        gpu = self.backend == NCCL
        here = {"host": platform.node(), "name": torch.cuda.get_device_name(self.local) if gpu else "", "local": self.local}
        everyone = self.gather(here)
        hosts = list(dict.fromkeys(item["host"] for item in everyone))
        mine = visible(os.environ, [item["local"] for item in everyone if item["host"] == here["host"]])
        said = ask() if gpu else {}
        link = NETWORK if len(hosts) > 1 else slowest(said, mine) if gpu else MEMORY
        names: dict[str, int] = {}
        for item in everyone:
            names[item["name"]] = names.get(item["name"], 0) + 1
        machine = " + ".join(f"{number}x {name}" for name, number in names.items()) if gpu else ""
        library = "gloo"
        if gpu:
            library = f"{'RCCL' if torch.version.hip else 'NCCL'} {'.'.join(map(str, torch.cuda.nccl.version()))}"
        peers = (
            {f"{a}-{b}": torch.cuda.can_device_access_peer(a, b) for a in range(len(mine)) for b in range(len(mine)) if a != b} if gpu else {}
        )
        return {
            "machine": machine,
            "stack": f"torch {torch.__version__}, {library}",
            "hosts": len(hosts),
            "link": link,
            "environment": settings(),
            "facts": {
                "devices": [item["name"] for item in everyone] if gpu else [],
                "peer_access": peers,
                "said": said,
                "python": platform.python_version(),
            },
        }


class Message:
    """One operation on one size, checked and ready to be timed.

    Args:
        ranks: The processes.
        operation: What is done.
        dtype: Type of the elements.
        mode: How it is called.
        message_bytes: Size of what is reduced, or of all that is gathered.
        round_s: How long a round should take.

    Raises:
        MeasureError: The result is wrong, or a rank cannot do it.
    """

    def __init__(self, ranks: Ranks, operation: str, dtype: str, mode: str, message_bytes: int, round_s: float) -> None:
        self.ranks, self.operation, self.mode = ranks, operation, mode
        kind = DTYPES[dtype]
        reason = ""
        try:
            count = message_bytes // kind.itemsize
            self.whole = torch.zeros(count, dtype=kind, device=ranks.device)
            self.own = self.whole if operation == ALL_REDUCE else torch.zeros(count // ranks.count, dtype=kind, device=ranks.device)
            self.run, self.calls_of_run = self._make(1)
            self._fill()
            self.run()
            self._wait()
            reason = self._wrong()
            if not reason and mode == GRAPH:
                self.run, self.calls_of_run = self._make(GRAPH_CALLS)
            self.whole.zero_()
            self.own.zero_()
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
        ranks.agree(reason)
        # Every rank has to make the same calls: rank 0 says how many.
        trial_s = self._time(TRIAL_CALLS) / TRIAL_CALLS
        runs = ranks.tell(max(TRIAL_CALLS, min(round(round_s / max(trial_s, 1e-6)), MOST_CALLS // self.calls_of_run)))
        self.runs = int(runs)

    @property
    def calls(self) -> int:
        """Calls in a round."""
        return self.runs * self.calls_of_run

    def time_us(self) -> float:
        """Return the time of a call over a round, in microseconds, of the slowest rank."""
        slowest_s = max(self.ranks.gather(self._time(self.runs)))
        return float(slowest_s) / self.calls * 1e6

    def _call(self) -> None:
        if self.operation == ALL_REDUCE:
            dist.all_reduce(self.whole)
        else:
            # Newer versions of torch have renamed it.
            getattr(dist, "all_gather_single", dist.all_gather_into_tensor)(self.whole, self.own)

    def _make(self, calls: int) -> tuple[Callable[[], object], int]:
        """Return what does so many calls: a graph, or the call itself."""
        if self.mode != GRAPH:
            return self._call, 1
        self._call()
        self._wait()
        graph = torch.cuda.CUDAGraph()
        # Thread-local: the thread that watches over the collectives asks the driver meanwhile, which would end a global capture.
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            for _ in range(calls):
                self._call()
        return graph.replay, calls

    def _fill(self) -> None:
        self.own.copy_(pattern(self.own.numel(), self.ranks.rank, self.ranks.device))

    def _wrong(self) -> str:
        """Return where the result differs from the one computed alone; an empty text when it does not."""
        count, device = self.own.numel(), self.ranks.device
        if self.operation == ALL_REDUCE:
            expected = torch.zeros(count, dtype=torch.int16, device=device)
            for rank in range(self.ranks.count):
                expected += pattern(count, rank, device)
            parts = [(0, expected)]
        else:
            parts = [(rank * count, pattern(count, rank, device)) for rank in range(self.ranks.count)]
        for first, part in parts:
            got = self.whole[first : first + count]
            different = got != part.to(got.dtype)
            if bool(different.any()):
                place = int(different.to(torch.uint8).argmax())
                return f"wrong result: element {first + place} is {float(got[place]):g}, expected {int(part[place])}"
        return ""

    def _wait(self) -> None:
        if self.ranks.device.type == "cuda":
            torch.cuda.synchronize()

    def _time(self, runs: int) -> float:
        """Return the seconds of so many runs on this rank, all ranks having begun together."""
        self._wait()
        dist.barrier(group=self.ranks.control)
        if self.mode in (GRAPH, EAGER) and self.ranks.device.type == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(runs):
                self.run()
            end.record()
            end.synchronize()
            return float(begin.elapsed_time(end)) / 1e3
        began = time.perf_counter()
        for _ in range(runs):
            self.run()
            self._wait()
        return time.perf_counter() - began


def pattern(count: int, rank: int, device: torch.device) -> torch.Tensor:
    """Return what a rank brings: zeros and ones that differ by place and by rank; int16, [count]."""
    place = torch.arange(count, dtype=torch.int32, device=device).remainder_(PERIOD)
    return (place >> (rank % BITS)).bitwise_and_(1).to(torch.int16)
