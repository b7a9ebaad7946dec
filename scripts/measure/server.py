"""The process behind an address of this machine: its flags, its packages, its devices."""

from __future__ import annotations

import ipaddress
import json
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGES = ("vllm", "sglang", "transformers", "torch", "triton", "flashinfer-python", "llama-cpp-python")
VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_ASK_S = 30.0
# Runs in the server's own Python, which knows its versions; imports nothing heavy.
_ASK = f"""
import importlib.metadata as m, importlib.util as u, json, os
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return None
spec = u.find_spec("vllm")
found = {{name: version(name) for name in {PACKAGES!r}}}
print(json.dumps({{"packages": {{k: v for k, v in found.items() if v}},
                  "vllm": os.path.dirname(spec.origin) if spec and spec.origin else None}}))
"""


@dataclass(frozen=True)
class ServerProcess:
    """A server on this machine.

    Attributes:
        pid: Its process.
        command: Program and arguments, as it was started.
        packages: Versions in its Python; empty where it has none.
        vllm: Folder of its vLLM; empty where it has none.
        visible: Its choice of devices; None for all.
    """

    pid: int
    command: tuple[str, ...]
    packages: Mapping[str, str] = field(default_factory=dict)
    vllm: str = ""
    visible: str | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """Its arguments from the first that is a flag on, without its address."""
        words = list(self.command)
        first = next((place for place, word in enumerate(words) if place and word.startswith("--")), len(words))
        kept: list[str] = []
        skip = False
        for word in words[first:]:
            if skip:
                skip = False
            elif word in ("--port", "--host", "--api-key"):  # a secret is in no record
                skip = True
            elif not word.startswith(("--port=", "--host=", "--api-key=")):
                kept.append(word)
        return tuple(kept)


def is_local(url: str) -> bool:
    """Say whether an address is one of this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == socket.gethostname()
    return address.is_loopback


def find_command(url: str) -> ServerProcess | None:
    """Return the process that listens at an address of this machine, with its command alone; None when none is to be seen."""
    if not is_local(url):
        return None
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        listening = [item for item in psutil.net_connections("tcp") if item.status == psutil.CONN_LISTEN and item.laddr[1:] == (port,)]
        process = psutil.Process(min(item.pid for item in listening if item.pid))
        return ServerProcess(process.pid, tuple(process.cmdline()), visible=_visible(process))
    except (psutil.Error, ValueError, OSError):
        return None


def find_server(url: str) -> ServerProcess | None:
    """Return the process that listens at an address of this machine, with the versions that its Python has; None when none is to be seen."""
    found = find_command(url)
    if found is None or not found.command or not Path(found.command[0]).name.startswith("python"):
        return found
    try:
        # "-P": the folder this was called in must not stand in for the server's packages.
        done = subprocess.run([found.command[0], "-P", "-c", _ASK], capture_output=True, text=True, timeout=_ASK_S, check=True)  # noqa: S603 - the server's own Python
        told = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return found
    return ServerProcess(found.pid, found.command, told["packages"], told["vllm"] or "", found.visible)


def _visible(process: psutil.Process) -> str | None:
    environment = process.environ()
    return next((environment[name] for name in VISIBLE if name in environment), None)
