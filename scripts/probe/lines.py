"""One line of a serve log: which process wrote it, and what it says about backend, speculation and patch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

# A line without one of these words says nothing here. They are looked for in whole blocks, before anything is decoded;
# single words, because whatever colours a log puts its codes between words.
TELLING = (b"PROBE_3D_SPEC_ACTIVE", b"GATE_PATCH", b"version", b"speculative_config", b"drafter", b"Using", b"Overriding")
# These come all the time and say little: that this is vLLM, and that drafts are being verified.
FREQUENT = (b"SpecDecoding", b"throughput", b"vllm", b"vLLM")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_PROCESS = re.compile(r"\(([A-Za-z][A-Za-z0-9_-]*) pid=([0-9]+)\)")
_CONTAINER = re.compile(r"([A-Za-z0-9][\w.-]*) *\| ")
_WRITTEN_BY_VLLM = re.compile(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) [0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} \[[^\]]*\.py:[0-9]+\]")

_PROBE = re.compile(r"PROBE_3D_SPEC_ACTIVE(?: max_seqlen_q=([0-9]+))?")
_PATCH = re.compile(r"GATE_PATCH (armed|active|refused)\b:?(.*)")
_VERSION = re.compile(r"vLLM API server version v?([0-9][^\s]*)|LLM engine \(v?([0-9][^\s)]*)\)")
_CONFIG = re.compile(r"LLM engine \(v?[^\s)]*\) with config:")
_SPECULATIVE = re.compile(r"speculative_config=(None|SpeculativeConfig\((.*?)\)(?=[,\s]|$))")
_ARGUMENT = re.compile(r"'speculative_config': (?:(None)|\{([^{}]*)\})")
_METHOD = re.compile(r"'?method'?\s*[=:]\s*'([^']+)'")
_TOKENS = re.compile(r"'?num_spec(?:ulative)?_tokens'?\s*[=:]\s*([0-9]+)")
_PARALLEL = re.compile(r"\b(tensor|pipeline|data)_parallel_size=([0-9]+)")
_MODEL = re.compile(r"\bmodel='([^']+)'")
_BACKEND = re.compile(
    r"(Using (?:AttentionBackendEnum\.)?|Overriding with )"
    r"([A-Z0-9_]*(?:ATTN|ATTENTION|FLASHINFER|MLA|TURBOQUANT|SDPA|XFORMERS)[A-Z0-9_]*)"
    r"(?: attention)?(?: backend)?(\.| out of potential backends| \(selected via)"
)
_NOT_THE_DECODER = re.compile(r"vit attention|ViT model|MMEncoderAttention|AttentionType\.ENCODER|with encoder")
_DRAFTER = re.compile(r"Loading drafter model")


class Kind(Enum):
    """What a line is about."""

    PROBE = "probe"
    PATCH = "patch"
    VERSION = "version"
    CONFIG = "config"
    ARGUMENTS = "arguments"
    BACKEND = "backend"
    DRAFTER = "drafter"
    VERIFIED = "verified"
    OTHER = "other"


@dataclass(frozen=True)
class Process:
    """Who wrote a line: `Worker_TP0`, with what stands before it (`node1 |`), and its pid; both empty where the line does not say."""

    name: str = ""
    pid: str = ""


@dataclass(frozen=True)
class Speculation:
    """What the log says about speculation; `tokens` is 0 where it is off, None where the line does not say."""

    tokens: int | None
    method: str = ""


@dataclass(frozen=True)
class Event:
    """One line that says something.

    Attributes:
        kind: What it is about.
        process: Who wrote it.
        text: The backend, the version, the state of the patch, or the model.
        detail: How a backend came to be chosen, or what the patch adds.
        rows: Rows that a probe names; 0 otherwise.
        speculation: Of a configuration.
        ranks: Tensor x pipeline x data parallel size of a configuration; 0 otherwise.
    """

    kind: Kind
    process: Process = Process()
    text: str = ""
    detail: str = ""
    rows: int = 0
    speculation: Speculation | None = None
    ranks: int = 0


def strip_ansi(text: str) -> str:
    """Return text without the codes that colour it."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def read_process(before: str) -> Process:
    """Return who wrote a line, from the last prefix `(Worker_TP0 pid=12)` in what stands before its message."""
    found = None
    for found in _PROCESS.finditer(before):  # noqa: B007  # the last one: progress bars end without a line break
        pass
    if not found:
        return Process()
    container = _CONTAINER.match(before)
    return Process(f"{container.group(1)} {found.group(1)}" if container else found.group(1), found.group(2))


def read_line(raw: bytes) -> Event | None:  # noqa: PLR0911  # a table of forms, the most telling first
    """Return what one line says, None where it says nothing about vLLM."""
    line = strip_ansi(raw.decode("utf-8", "replace"))
    if found := _PROBE.search(line):
        return Event(Kind.PROBE, read_process(line[: found.start()]), rows=int(found.group(1) or 2))
    if found := _PATCH.search(line):
        return Event(Kind.PATCH, read_process(line[: found.start()]), found.group(1), found.group(2).strip())
    process = read_process(line[:200])
    if _CONFIG.search(line):
        return _read_config(line, process)
    if found := _VERSION.search(line):
        return Event(Kind.VERSION, process, found.group(1) or found.group(2))
    if found := _ARGUMENT.search(line):
        return Event(Kind.ARGUMENTS, process, speculation=_read_speculation(found.group(2) or "", off=bool(found.group(1))))
    if _DRAFTER.search(line):
        return Event(Kind.DRAFTER, process)
    if "SpecDecoding metrics" in line:
        return Event(Kind.VERIFIED, process)
    found = _BACKEND.search(line)
    if found and not _NOT_THE_DECODER.search(line):
        return Event(Kind.BACKEND, process, found.group(2), _how(found.group(1), found.group(3)))
    return Event(Kind.OTHER, process) if _WRITTEN_BY_VLLM.search(line) else None


def _how(before: str, after: str) -> str:
    """Return how a backend came to be chosen."""
    if before.startswith("Overriding"):
        return "routed past an incompatible backend"
    if "selected via" in after:
        return "selected with --attention-backend"
    return "routed" if "potential" in after else "fixed before routing"


def _read_speculation(text: str, *, off: bool) -> Speculation:
    tokens, method = _TOKENS.search(text), _METHOD.search(text)
    if off:
        return Speculation(0)
    return Speculation(int(tokens.group(1)) if tokens else None, method.group(1) if method else "")


def _read_config(line: str, process: Process) -> Event:
    """Return what the engine's own configuration says."""
    version, model, found = _VERSION.search(line), _MODEL.search(line), _SPECULATIVE.search(line)
    ranks = 1
    for _, size in _PARALLEL.findall(line):
        ranks *= int(size)
    return Event(
        Kind.CONFIG,
        process,
        text=(version.group(2) or "") if version else "",
        detail=model.group(1) if model else "",
        speculation=_read_speculation(found.group(2) or "", off=found.group(1) == "None") if found else None,
        ranks=ranks,
    )
