"""Where a run is made: the machine, the stack, and the server with its model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import SetupError
from .facts import find_model, machine_name, model_digest, own_packages, server_facts, stack_name
from .power import find_devices
from .server import ServerProcess, find_server, is_local

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from .client import Client
    from .power import Device


@dataclass(frozen=True)
class Place:
    """Where a run is made, as far as it can be found out.

    Attributes:
        machine: Hardware, as rows name it.
        stack: Stack, as rows name it.
        devices: Devices that are measured; none where they are not on this machine.
        server: The server's process; None where there is none, it is not on this machine, or not to be seen.
        model: The model as the server calls it; empty without a server.
        digest: Digest of its files; None where they are not here.
        facts: What the record of provenance says besides the machine.
    """

    machine: str
    stack: str
    devices: list[Device] = field(default_factory=list)
    server: ServerProcess | None = None
    model: str = ""
    digest: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """What of it belongs to the identity of a run, besides machine and stack."""
        return {"model": self.model, "model_digest": self.digest, "flags": list(self.server.flags) if self.server else None}


def find_place(options: argparse.Namespace, client: Client) -> Place:
    """Return where the server runs and what it serves.

    Raises:
        SetupError: It does not answer, or neither it nor the options say what rows have to.
    """
    served = client.served()
    local = is_local(client.endpoint.url)
    server = find_server(client.endpoint.url)
    devices = find_devices(server.visible if server else None) if local else []
    machine = options.machine or (machine_name(devices) if local else "")
    if not machine:
        raise SetupError(f"{client.endpoint.url} is another machine: say which with --machine")
    stack = options.stack or stack_name(client, server)
    if not stack:
        raise SetupError(f"{client.endpoint.url}: the server does not tell its version: say what it is with --stack")
    folder = find_model(client, options.model_files)
    if options.model_files is not None and not options.model_files.exists():
        raise SetupError(f"{options.model_files}: not there; expected the model's file, or the folder of its files")
    digest = model_digest(folder, whole=options.digest == "whole") if folder else None
    facts = {"server": server_facts(client, server)}
    return Place(machine, stack, devices, server, served.model, digest, facts)


def find_here(options: argparse.Namespace) -> Place:
    """Return this machine and the packages of this Python, for an instrument that needs no server.

    Raises:
        SetupError: Neither the options nor this Python say what the stack is.
    """
    devices = find_devices()
    packages = own_packages()
    stack = options.stack or ", ".join(f"{name} {version}" for name, version in packages.items() if name in ("torch", "triton"))
    if not stack:
        raise SetupError("this Python has no torch: say what the stack is with --stack")
    return Place(options.machine or machine_name(devices), stack, devices, facts={"packages": packages})
