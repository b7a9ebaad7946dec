"""Time what the measuring client itself costs: `python -m tools.bench_client`.

A server in a process of its own sends one token every five milliseconds, on a schedule that does not slip, and notes when it sent each. The
client of scripts/measure reads them. Two numbers: how far the client's rate is from the server's, and the processor time that the client
takes for a token, as a share of the five milliseconds, beyond what a bare socket takes that reads the same bytes in turn with it and does
nothing with them: no client can do without that. Exit status: 1 when either number is over the bar.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import time
from typing import Final

from scripts.measure.client import Client, Endpoint
from scripts.measure.rate import stream_rate
from scripts.measure.wire import Network

BAR_PCT: Final = 1.0
TOK_S: Final = 200.0


def serve(tokens: int, rounds: int, tok_s: float) -> None:
    """Answer requests on a port of its own: print the port, then, for each round, the true rate."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        answered = 0
        while answered < rounds:
            connection, _ = listening.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                request = _read(connection)
                if request.startswith(b"GET"):
                    body = json.dumps({"data": [{"id": "m"}]}).encode()
                    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                    continue
                times = _stream(connection, tokens, tok_s)
                print((len(times) - 1) / (times[-1] - times[0]), flush=True)
                answered += 1


def _read(connection: socket.socket) -> bytes:
    """Return a whole request: what is left unread would break the connection when it is closed."""
    data = b""
    while True:
        data += connection.recv(1 << 16)
        head, found, body = data.partition(b"\r\n\r\n")
        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if found and len(body) >= sum(lengths):
            return data


def _stream(connection: socket.socket, tokens: int, tok_s: float) -> list[float]:
    """Send an answer; return when each token went out."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n")
    begin, times = time.perf_counter() + 0.05, []
    event = b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": " word"}, "finish_reason": None}]}).encode()
    for number in range(tokens):
        time.sleep(max(0.0, begin + number / tok_s - time.perf_counter()))
        times.append(time.perf_counter())
        connection.sendall(event)
    end = {"choices": [{"delta": {}, "finish_reason": "length"}], "usage": {"prompt_tokens": 4, "completion_tokens": tokens}}
    connection.sendall(b"data: %s\n\ndata: [DONE]\n\n" % json.dumps(end).encode())
    return times


def _bare(client: Client, tokens: int) -> float:
    """Return the processor time in which a bare socket reads an answer."""
    network = client.wire
    assert isinstance(network, Network)  # noqa: S101 - it was given none
    body = b'{"stream": true}'
    with socket.create_connection((network.host, network.port)) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        before, chunks = time.process_time(), 0
        while connection.recv(1 << 12):
            chunks += 1
    if chunks < tokens / 2:
        raise RuntimeError(f"{tokens} tokens arrived in {chunks} pieces: this machine is too busy to time anything")
    return time.process_time() - before


def main() -> int:
    """Time the client and print what it costs; return 1 when that is over the bar."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench_client", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1000, help="tokens of an answer (default 1000, five seconds)")
    parser.add_argument("--rounds", type=int, default=5, help="answers (default 5)")
    parser.add_argument("--tok-s", type=float, default=TOK_S, help="tokens in a second (default 200)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.tokens, options.rounds, options.tok_s)
        return 0
    command = [sys.executable, "-m", "tools.bench_client", "--serve"]
    command += ["--tokens", str(options.tokens), "--rounds", str(2 * options.rounds), "--tok-s", str(options.tok_s)]
    errors, shares = [], []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - it was asked for
        try:
            client = Client(Endpoint(f"http://127.0.0.1:{int(server.stdout.readline())}", api="chat"))
            client.served()
            for number in range(options.rounds):
                bare = _share(_bare(client, options.tokens), options)
                server.stdout.readline()
                before = time.process_time()
                reply = client.stream("count", options.tokens)
                spent = _share(time.process_time() - before, options)
                truth, measured = float(server.stdout.readline()), stream_rate(reply).tok_s
                errors.append(abs(measured / truth - 1) * 100)
                shares.append(spent - bare)
                told = f"{measured:.3f} tok/s, true {truth:.3f} ({errors[-1]:.3f} % off)"
                print(f"round {number + 1}: {told}; client {spent:.2f} % of the time, a bare socket {bare:.2f} %")
        finally:
            server.kill()
    error, share = statistics.median(errors), statistics.median(shares)
    print(f"median: {error:.3f} % off, the client's own share {share:.2f} % of the time (bar {BAR_PCT:g} % each)")
    return 1 if error > BAR_PCT or share > BAR_PCT else 0


def _share(spent_s: float, options: argparse.Namespace) -> float:
    """Return processor time as a share of the time that the tokens took, in percent."""
    return spent_s / int(options.tokens) * float(options.tok_s) * 100


if __name__ == "__main__":
    raise SystemExit(main())
