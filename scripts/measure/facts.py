"""What a record of provenance asks of the machine: devices, versions, the model's digest, patches, the commit."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from scripts.gate_patch.cli import report
from scripts.gate_patch.plugin.releases import NoVllmError, find_installation

from .server import PACKAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .client import Client
    from .power import Device
    from .server import ServerProcess

ROOT = Path(__file__).resolve().parents[2]
WHOLE_BYTES = 4 << 20
BLOCK = 1 << 20
LLAMA_CPP = "llamacpp"
NAMES = {"vllm": "vLLM", "sglang": "SGLang", LLAMA_CPP: "llama.cpp"}


def machine_name(devices: list[Device]) -> str:
    """Return the hardware as rows name it: the accelerators, or the processor where there is none."""
    if devices:
        counted: dict[str, int] = {}
        for device in devices:
            counted[device.name] = counted.get(device.name, 0) + 1
        return " + ".join(f"{number}x {name}" if number > 1 else name for name, number in counted.items())
    return f"{processor()}, {psutil.cpu_count(logical=True)} threads, no GPU"


def processor() -> str:
    """Return the name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return " ".join((found.group(1) if found else platform.processor() or platform.machine()).split())


def stack_name(client: Client, server: ServerProcess | None) -> str:
    """Return the serving stack as rows name it: what the server says of itself, else what its Python has; empty when neither is known."""
    owner = client.served().owner
    said = _said_version(client)
    packages = dict(server.packages) if server else {}
    main = next((name for name in ("vllm", "sglang", "transformers") if name in packages and owner != LLAMA_CPP), "")
    if said:
        title = NAMES.get(owner, owner or "server")
        # llama.cpp may be served by a Python that has torch and does not use it.
        rest = [f"{name} {packages[name]}" for name in ("torch", "triton") if name in packages and main]
        return ", ".join([f"{title} {said}", *rest])
    if main:
        rest = [f"{name} {packages[name]}" for name in ("torch", "triton") if name in packages]
        return ", ".join([f"{NAMES.get(main, main)} {packages[main]}", *rest])
    return ""


def _said_version(client: Client) -> str:
    """Return the version that a server tells: vLLM at /version, SGLang at /get_server_info, llama.cpp at /props."""
    for path, name in (("/version", "version"), ("/get_server_info", "version"), ("/props", "build_info")):
        text = client.get(path)
        try:
            value = json.loads(text).get(name) if text else None
        except (ValueError, AttributeError):
            continue
        if isinstance(value, str) and value:
            return value
    return ""


def model_digest(model: Path, *, whole: bool) -> str:
    """Return a digest of a model, a file or a folder of files: names, sizes and contents.

    Of a file of more than `WHOLE_BYTES` only the first and the last MiB count unless ``whole``: the header of a weights file names all
    its tensors, and reading a hundred gigabytes would warm or spoil the page cache before each measurement.
    """
    total = hashlib.sha256()
    folder = model if model.is_dir() else model.parent
    files = sorted(path for path in model.rglob("*") if path.is_file()) if model.is_dir() else [model]
    for path in files:
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        size = path.stat().st_size
        total.update(f"{path.relative_to(folder)}\0{size}\0".encode())
        with path.open("rb") as file:
            if whole or size <= WHOLE_BYTES:
                while block := file.read(BLOCK):
                    total.update(block)
            else:
                total.update(file.read(BLOCK))
                file.seek(-BLOCK, 2)
                total.update(file.read(BLOCK))
    return f"sha256:{total.hexdigest()}" if whole else f"sha256 of heads and tails:{total.hexdigest()}"


def find_model(client: Client, given: Path | None) -> Path | None:
    """Return the model's folder or file: the one given, else the one the server names, where that is here."""
    if given is not None:
        return given
    served = client.served()
    for name in (served.entry.get("root"), served.model):
        if isinstance(name, str) and name and ((Path(name) / "config.json").is_file() or Path(name).suffix == ".gguf") and Path(name).exists():
            return Path(name)
    return None


def patches(server: ServerProcess | None) -> dict[str, Any] | None:
    """Return what the gate tool's status says of the server's vLLM; None where there is none."""
    if server is None or not server.vllm:
        return None
    try:
        return report(find_installation(Path(server.vllm)))
    except (NoVllmError, OSError) as reason:
        return {"refused": str(reason)}


def commit() -> dict[str, Any] | None:
    """Return the commit that these scripts are of, and whether they were changed since; None outside a repository."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603, S607 - fixed words

    try:
        return {"id": git("rev-parse", "HEAD"), "changed": bool(git("status", "--porcelain", "--", "scripts"))}
    except (OSError, subprocess.SubprocessError):
        return None


def own_packages() -> dict[str, str]:
    """Return the versions of this Python's packages that decide a measurement."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def machine_facts(devices: list[Device]) -> dict[str, Any]:
    """Return what a record says of the machine."""
    return {
        "processor": processor(),
        "threads": psutil.cpu_count(logical=True),
        "memory_bytes": psutil.virtual_memory().total,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "devices": [
            {"name": item.name, "memory_bytes": item.memory_bytes, "driver": item.driver, "power_limit_w": item.power_limit_w}
            for item in devices
        ],
        "commit": commit(),
    }


def server_facts(client: Client, server: ServerProcess | None) -> Mapping[str, Any]:
    """Return what a record says of the server."""
    served = client.served()
    return {
        "url": client.endpoint.url,
        "entry": dict(served.entry),
        "flags": list(server.flags) if server else None,
        "packages": dict(server.packages) if server else None,
        "patches": patches(server),
    }
