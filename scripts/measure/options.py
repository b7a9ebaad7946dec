"""Options that several instruments have, and what they mean."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from .client import CHAT, COMPLETIONS, Endpoint
from .plan import Speed


def positive(text: str) -> int:
    """Return a whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {number}")
    return number


def fields(text: str) -> dict[str, Any]:
    """Return a JSON object, for argparse."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text}")
    return value


def seconds(text: str) -> float:
    """Return a number of seconds above 0, for argparse."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds, got {text}")
    return number


def add_run(parser: argparse.ArgumentParser, out: str) -> None:
    """Add what every instrument has."""
    group = parser.add_argument_group("run")
    group.add_argument("--out", type=Path, default=Path(out), metavar="FILE", help=f"CSV that rows are appended to (default {out})")
    group.add_argument("--dry-run", action="store_true", help="print the plan and how long it should take; ask no server, write nothing")
    group.add_argument("--retry-failed", action="store_true", help="measure rungs that failed once more, as their next attempt")
    group.add_argument("--machine", default="", help="hardware, as rows name it; found out where the server is on this machine")
    group.add_argument("--stack", default="", help="serving stack, as rows name it; found out where the server tells")
    group.add_argument("--date", default="", help="day in the rows of a new run (default today, in UTC)")


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add what an instrument needs that talks to a server."""
    group = parser.add_argument_group("server")
    group.add_argument("--url", default="http://localhost:8000", help="address of the server (default http://localhost:8000)")
    group.add_argument("--model", default="", help="model to ask for (default the first that it serves)")
    group.add_argument(
        "--model-files", type=Path, metavar="PATH", help="the model's file or folder, for its digest; found where the server names it"
    )
    group.add_argument("--digest", choices=("heads", "whole"), default="heads", help="of large files digest head and tail (default), or all")
    group.add_argument("--api", choices=(COMPLETIONS, CHAT), default=COMPLETIONS, help=f"which of its interfaces (default {COMPLETIONS})")
    group.add_argument("--extra", type=fields, metavar="JSON", help="fields of each request (default what the kind of server needs)")
    group.add_argument("--key-from", default="", metavar="NAME", help="environment variable with the key that the server asks for")
    group.add_argument("--stall-s", type=seconds, default=600.0, metavar="S", help="longest silence, prefill included (default 600)")
    group.add_argument("--deadline-s", type=seconds, default=3600.0, metavar="S", help="longest that one request may take (default 3600)")
    group.add_argument("--expect-prefill", type=seconds, default=Speed.prefill_tok_s, metavar="TOK_S", help="for the plan (default 2000)")
    group.add_argument("--expect-decode", type=seconds, default=Speed.decode_tok_s, metavar="TOK_S", help="for the plan (default 30)")


def endpoint(options: argparse.Namespace, url: str = "", model: str = "") -> Endpoint:
    """Return the server that the options name, at another address where one is given."""
    return Endpoint(
        url=url or options.url,
        model=model or options.model,
        api=options.api,
        extra=options.extra,
        stall_s=options.stall_s,
        deadline_s=options.deadline_s,
        key=os.environ.get(options.key_from, "") if options.key_from else "",
    )


def speed(options: argparse.Namespace) -> Speed:
    """Return what the plan expects of the server."""
    return Speed(options.expect_prefill, options.expect_decode)
