"""Clients that mean harm, and have no token."""

from __future__ import annotations

import json
import logging
import resource
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from datastream.services.gateway.connections import ConnectionLimits, Connections, Held, Phase
from datastream.services.gateway.log_limit import LogLimit
from tests.services.gateway.conftest import GatewayServer
from tests.support.waiting import PATIENCE_S

MEMORY = 300 << 20
HOSTILE, HONEST = "127.0.0.1", "127.0.0.2"


def connect(gateway: GatewayServer, address: str = HOSTILE) -> socket.socket:
    port = int(gateway.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address, 0))


def honest(gateway: GatewayServer) -> httpx.Client:
    head = {"Authorization": f"Bearer {gateway.token}"}
    transport = httpx.HTTPTransport(local_address=HONEST)
    return httpx.Client(transport=transport, base_url=gateway.url, headers=head, timeout=PATIENCE_S)


@contextmanager
def hostile(gateway: GatewayServer, number: int) -> Iterator[dict[str, int]]:
    """Three times so many of them; afterwards, what they met with."""
    counts: dict[str, int] = {}
    script = Path(__file__).with_name("hostile_clients.py")
    command = [sys.executable, str(script), gateway.url.rpartition(":")[2], str(number), HOSTILE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            assert process.stdout.readline() == "begun\n"
            yield counts
            process.stdin.close()
            counts |= json.loads(process.stdout.read())
        finally:
            process.kill()


def serve_among(gateway: GatewayServer, number: int, requests: int) -> dict[str, int]:
    """Ask honestly among hostile clients; each request is answered, and the memory stays small."""
    process = psutil.Process(gateway.run.process.pid)
    took, memory = [], 0
    with hostile(gateway, number) as counts:
        for turn in range(requests):
            with honest(gateway) as client:
                begun = time.monotonic()
                assert client.get(("/jobs/overview", "/artifacts", "/overview")[turn % 3]).status_code == 200
                took.append(time.monotonic() - begun)
            memory = max(memory, process.memory_info().rss)
    took.sort()
    p50, p99 = took[len(took) // 2], took[int(len(took) * 0.99)]
    print(f"{3 * number} clients: p50 {p50:.3f} s, p99 {p99:.3f} s, {memory >> 20} MiB, {counts}")
    assert memory < MEMORY
    return counts


@pytest.mark.long
def test_an_honest_client_is_served_among_hostile_ones(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-connections", "40", "--max-connections-per-address", "30")
    counts = serve_among(gateway, 30, 20)
    assert counts["silent connected"] and counts["slow connected"] and counts["shouting answered"]
    ended = gateway.client.get("/metrics").text
    assert 'datastream_gateway_connections_ended_total{why="displaced"}' in ended
    assert len(gateway.run.err) < 100_000


@pytest.mark.long
def test_an_honest_client_is_served_among_3000_hostile_ones(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    serve_among(gateway, 1000, 300)
    assert len(gateway.run.err) < 1_000_000


@pytest.mark.long
def test_no_body_is_read_before_the_token(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    viewer = gateway.command("token", "create", "--name", "viewer", "--scope", "read").succeed().strip()
    process = psutil.Process(gateway.run.process.pid)
    before = process.memory_info().rss
    body = b"[" + b" " * 900_000
    head = "POST /artifacts/x/run HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000000\r\n"
    with ExitStack() as stack:
        answers: Counter[bytes] = Counter()
        for number in range(200):
            client = stack.enter_context(connect(gateway))
            token = f"Authorization: Bearer {viewer}\r\n" if number % 2 else ""
            client.sendall(f"{head}{token}\r\n".encode())
            answers[client.recv(1000).split()[1]] += 1  # while the body is yet to come
            client.setblocking(False)
            with suppress(OSError):
                client.send(body)
        assert answers == {b"401": 100, b"403": 100}
        with honest(gateway) as client_of_all:
            assert client_of_all.get("/jobs").status_code == 200
        assert process.memory_info().rss - before < 60 << 20


@pytest.mark.long
def test_who_keeps_the_gateway_waiting_is_cut_off(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    begins = {
        "nothing": b"",
        "half a head": b"GET /jobs HTTP/1.1\r\nHost: ga",
        "half a body that nobody wants": b"POST /jobs/x/stop HTTP/1.1\r\nHost: g\r\nContent-Length: 99\r\n\r\n{",
        "half a body": f"POST /jobs/x/stop HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {gateway.token}\r\n"
        "Content-Length: 99\r\n\r\n{".encode(),
    }
    with ExitStack() as stack:
        clients = {kind: stack.enter_context(connect(gateway)) for kind in begins}
        for kind, begin in begins.items():
            clients[kind].sendall(begin)
        said = {kind: b"".join(iter(lambda c=client: c.recv(4096), b"")) for kind, client in clients.items()}
    assert said["nothing"] == b""
    assert said["half a head"].startswith(b"HTTP/1.1 408 ")
    assert said["half a body that nobody wants"].startswith(b"HTTP/1.1 401 ")
    assert said["half a body"].startswith(b"HTTP/1.1 408 ") and b"has not come in time" in said["half a body"]


@pytest.mark.long
def test_more_idle_connections_than_files(own_gateway: Callable[..., GatewayServer]) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gateway = own_gateway("--max-connections", "60", "--max-connections-per-address", "1000")
    process = psutil.Process(gateway.run.process.pid)
    assert process.rlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    with ExitStack() as stack:
        for _ in range(150):
            stack.enter_context(connect(gateway))
        with honest(gateway) as client:
            assert client.get("/jobs").status_code == 200
        assert process.num_fds() < 150
    assert len(gateway.run.err) < 10_000


def held(connections: Connections, address: str, ended: list[Held]) -> Held | None:
    found = connections.admit(address)
    if found is not None:
        found.close = lambda: ended.append(found)
    return found


def test_who_has_shown_a_token_comes_first() -> None:
    now, ended = [0.0], list[Held]()
    connections = Connections(ConnectionLimits(total=4, per_address=3), clock=lambda: now[0])
    known = held(connections, "10.0.0.1", ended)
    assert known is not None
    connections.recognise(known)
    strangers = [held(connections, "10.0.0.2", ended) for _ in range(3)]
    assert held(connections, "10.0.0.3", ended) is not None  # at the cost of who has most strangers
    assert ended == strangers[:1] and len(connections) == 4
    held(connections, "10.0.0.2", ended)
    assert ended == strangers[:2] and known not in ended and len(connections) == 4


def test_one_address_does_not_hold_all_places() -> None:
    ended = list[Held]()
    connections = Connections(ConnectionLimits(total=100, per_address=2))
    for host in ("10.0.0.1", "2001:db8::1", "2001:db8::2", "2001:db8::3", "::ffff:10.0.0.1", "10.0.0.1"):
        assert held(connections, host, ended) is not None
    assert [each.address for each in ended] == ["2001:db8::/64", "10.0.0.1"]


def test_connections_that_take_turns_are_refused_after_a_while() -> None:
    connections = Connections(ConnectionLimits(total=10, per_address=10), clock=lambda: 0.0)
    taken = [held(connections, "10.0.0.1", []) is not None for _ in range(2000)]
    assert taken[0] and not taken[-1] and connections.turned_away["address"] > 1000
    assert held(connections, "10.0.0.2", []) is not None


def test_each_phase_has_its_deadline() -> None:
    now, ended, told = [0.0], list[Held](), list[Held]()
    connections = Connections(ConnectionLimits(header_s=10, idle_s=30, unread_s=20), clock=lambda: now[0])
    by_phase = {}
    for phase in Phase:
        one = held(connections, "10.0.0.1", ended)
        assert one is not None
        connections.note(one, phase)
        one.time_out = lambda one=one: told.append(one)  # type: ignore[misc]
        by_phase[phase] = one
    reads_not = held(connections, "10.0.0.1", ended)
    assert reads_not is not None
    connections.note(reads_not, Phase.ANSWER)
    connections.block(reads_not, True)
    now[0] = 11
    connections.sweep()
    assert told == [by_phase[Phase.HEAD]] and ended == [by_phase[Phase.CLOSING]]
    now[0] = 31
    connections.sweep()
    assert by_phase[Phase.NEW] in told
    assert by_phase[Phase.IDLE] in ended and reads_not in ended and by_phase[Phase.ANSWER] not in ended


def test_complaints_of_one_kind_are_logged_so_often() -> None:
    now = [0.0]
    limit = LogLimit(clock=lambda: now[0])

    def log(number: int) -> tuple[bool, logging.LogRecord]:
        try:
            raise OSError("disk full")
        except OSError:
            record = logging.LogRecord("x", logging.ERROR, "", 0, "job %s failed", (number,), sys.exc_info())
        return limit.filter(record), record

    found = [log(number) for number in range(1000)]
    assert sum(passed for passed, _ in found) == 20
    assert sum(record.exc_info is not None for passed, record in found if passed) == 3
    assert found[10][1].getMessage() == "job 10 failed: disk full"
    now[0] = 20
    passed, record = log(7)
    assert passed and "980 more like it were not logged" in record.getMessage()
    info = logging.LogRecord("x", logging.INFO, "", 0, "fine", (), None)
    assert all(limit.filter(info) for _ in range(100))
