"""What is kept of a trace while it is read: a few numbers a call, in columns, and each name once."""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec
import numpy as np

from .errors import SetupError
from .trace_steps import Step, outermost

if TYPE_CHECKING:
    from .trace_file import Event, TraceFile
    from .trace_steps import Rules

Floats: TypeAlias = "np.ndarray[tuple[Any, ...], np.dtype[np.float64]]"
Integers: TypeAlias = "np.ndarray[tuple[Any, ...], np.dtype[np.signedinteger[Any]]]"
AUTO, GPU, CPU = "auto", "gpu", "cpu"
GRAPH_LAUNCHES = ("cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch")
KERNELS = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")
RUNTIMES = ("cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "runtime", "driver", "Runtime")
ANNOTATIONS, DEVICE_ANNOTATIONS = ("user_annotation",), ("gpu_user_annotation",)
OPERATORS = ("cpu_op", "Operator")
NONE = -1
BLOCK = 1 << 16
"""Calls that are gathered before they are put away in columns."""


class Arguments(msgspec.Struct, gc=False):
    """What is read of the arguments of a call."""

    correlation: int | str | None = None
    device: int | str | None = None
    stream: int | str | None = None


_ARGUMENTS = msgspec.json.Decoder(Arguments)


class Calls:
    """Calls in columns, in the order of the file. Columns can be read once `close` was called.

    Attributes:
        start_us: When each began.
        time_us: How long it took.
        name: Number of its name.
        correlation: What joins a kernel to the call that launched it; `NONE` where there is nothing.
        lane: Number of the place it ran in: a stream of a device, or a thread.
    """

    KINDS: ClassVar = {"start_us": np.float64, "time_us": np.float64, "name": np.int32, "correlation": np.int64, "lane": np.int32}

    def __init__(self) -> None:
        self._rows = array("d")
        # Blocks, because columns that grow side by side would leave as many holes in the memory as they take of it.
        self._blocks: dict[str, list[np.ndarray[Any, Any]]] = {name: [] for name in self.KINDS}
        self.count = 0
        self.start_us: Floats = np.empty(0)
        self.time_us: Floats = np.empty(0)
        self.name: Integers = np.empty(0, np.int32)
        self.correlation: Integers = np.empty(0, np.int64)
        self.lane: Integers = np.empty(0, np.int32)

    def __len__(self) -> int:
        return self.count

    def add(self, event: Event, name: int, correlation: int, lane: int) -> None:
        """Add a call; raises SetupError when it has no time."""
        start_us, time_us = event.ts, event.dur
        if start_us is None or time_us is None or time_us < 0:
            raise SetupError(f"{event.name}: found ts {start_us} and dur {time_us}, expected a time and a duration of 0 or more")
        self._rows.extend((start_us, time_us, name, correlation, lane))
        self.count += 1
        if not self.count % BLOCK:
            self._flush()

    def _flush(self) -> None:
        table = np.frombuffer(self._rows).reshape(-1, len(self.KINDS))
        for number, (name, kind) in enumerate(self.KINDS.items()):
            self._blocks[name].append(table[:, number].astype(kind))
        self._rows = array("d")

    def close(self) -> None:
        """Make the columns."""
        self._flush()
        for name in self.KINDS:
            setattr(self, name, np.concatenate(self._blocks.pop(name)))


class Profile:
    """What a trace holds.

    Attributes:
        names: Names of kernels and operators, by number.
        lanes: Device and stream (or -1 and the thread), by number.
        kernels: What ran on devices.
        launches: Calls of the runtime, whose `name` is 1 for the launch of a graph and 0 for others.
        operators: What ran on the processor; empty in a trace of a device.
        steps: Steps, in order.
        on: `GPU` or `CPU`: where the calls are that rows are about.

    Args:
        rules: How steps are known.
        on: `AUTO`, or which of the two to take.
    """

    def __init__(self, rules: Rules, on: str = AUTO) -> None:
        self.rules = rules
        self.on = on
        self.names: list[str] = []
        self.lanes: list[tuple[int, str]] = []
        self.kernels, self.launches, self.operators = Calls(), Calls(), Calls()
        self.steps: list[Step] = []
        self._numbers: dict[str, int] = {}
        self._lane_numbers: dict[tuple[int, str], int] = {}
        self._found: dict[bool, list[tuple[int, Step, dict[str, Any] | None]]] = {False: [], True: []}
        self._takers = {
            **dict.fromkeys(KERNELS, self._kernel),
            **dict.fromkeys(RUNTIMES, self._launch),
            **dict.fromkeys(ANNOTATIONS, self._annotation),
            **dict.fromkeys(DEVICE_ANNOTATIONS, self._device_annotation),
            **dict.fromkeys(OPERATORS, self._operator),
        }
        self._names_of_kernels: dict[str, int] = {}
        self._places: dict[tuple[object, object], int] = {}
        self._threads: dict[tuple[object, object], int] = {}

    def read(self, trace: TraceFile) -> None:
        """Take what a trace has.

        Raises:
            SetupError: It is damaged, or has no step or no call.
        """
        first = True
        for batch in trace.batches():
            if first and (self.on == GPU or (self.on == AUTO and trace.devices)):
                self._forget_operators()
            first = False
            for event in batch:
                if event.ph == "X":
                    take = self._takers.get(event.cat)
                    if take is not None:
                        take(event)
        if self.on == AUTO:
            self.on = GPU if len(self.kernels) else CPU
        if not len(self.calls):
            what = "kernel of a device" if self.on == GPU else "kernel of a device and no operator of the processor"
            raise SetupError(f"{trace.path}: found no {what}; was the activity profiled?")
        for calls in (self.kernels, self.launches, self.operators):
            calls.close()
        self._settle(trace)

    @property
    def calls(self) -> Calls:
        """The calls that rows are about."""
        return self.kernels if self.on == GPU else self.operators

    def _settle(self, trace: TraceFile) -> None:
        """Decide which annotations are the steps."""
        # Where the processor was not profiled, only the device's own annotations are there.
        found = self._found[False] or self._found[True]
        if not found:
            wanted = ", ".join(pattern.pattern for pattern in self.rules.patterns)
            raise SetupError(f"{trace.path}: no annotation is a step; expected a name such as {wanted} (--step)")
        best = min(rank for rank, _, _ in found)
        steps: list[Step] = []
        while found:
            rank, step, arguments = found.pop()
            if rank == best:
                phase, context = self.rules.read(step.name, arguments or {})
                steps.append(Step(step.name, step.start_us, step.end_us, step.thread, phase, context))
        self.steps = outermost(steps)
        self._found = {False: [], True: []}

    def _forget_operators(self) -> None:
        self.operators = Calls()
        for name in OPERATORS:
            self._takers.pop(name, None)

    def _kernel(self, event: Event) -> None:
        if self.on == CPU:
            return
        if self.on == AUTO and not self.kernels and OPERATORS[0] in self._takers:
            self._forget_operators()
        found = _ARGUMENTS.decode(event.args)
        place = (found.device if found.device is not None else event.pid, found.stream)
        lane = self._places.get(place)
        if lane is None:
            lane = self._places[place] = self._lane(_whole(place[0]), str(place[1]))
        name = self._names_of_kernels.get(event.name)
        if name is None:
            name = self._name(event.name)
        correlation = found.correlation if type(found.correlation) is int else _whole(found.correlation)
        self.kernels.add(event, name, correlation, lane)

    def _launch(self, event: Event) -> None:
        correlation = _whole(_ARGUMENTS.decode(event.args).correlation)
        if correlation != NONE:
            self.launches.add(event, int(event.name.startswith(GRAPH_LAUNCHES)), correlation, self._thread(event))

    def _operator(self, event: Event) -> None:
        self.operators.add(event, self._name(event.name), NONE, self._thread(event))

    def _annotation(self, event: Event, *, device: bool = False) -> None:
        rank = self.rules.rank(event.name)
        if rank is None or event.ts is None or event.dur is None:
            return
        arguments = msgspec.json.decode(event.args) if self.rules.phase_key or self.rules.context_key else None
        # Interned: thousands of steps have a few names between them.
        step = Step(sys.intern(event.name), event.ts, event.ts + event.dur, self._thread(event))
        self._found[device].append((rank, step, arguments if isinstance(arguments, dict) else None))

    def _device_annotation(self, event: Event) -> None:
        self._annotation(event, device=True)

    def _name(self, name: str) -> int:
        number = self._names_of_kernels.get(name)
        if number is None:
            # Two names that a row would spell alike are one.
            spelled = " ".join(name.split()) or "(no name)"
            number = self._numbers.setdefault(spelled, len(self.names))
            if number == len(self.names):
                self.names.append(spelled)
            self._names_of_kernels[name] = number
        return number

    def _lane(self, device: int, place: str) -> int:
        key = (device, place)
        number = self._lane_numbers.get(key)
        if number is None:
            number = self._lane_numbers[key] = len(self.lanes)
            self.lanes.append(key)
        return number

    def _thread(self, event: Event) -> int:
        place = (event.pid, event.tid)
        number = self._threads.get(place)
        if number is None:
            number = self._threads[place] = self._lane(NONE, f"{event.pid}/{event.tid}")
        return number


def _whole(value: object) -> int:
    """Return a number that an event may have as a text; `NONE` where there is none."""
    try:
        return int(value) if isinstance(value, int | str) else NONE
    except ValueError:
        return NONE
