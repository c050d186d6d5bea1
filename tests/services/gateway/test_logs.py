"""Logs of drivers, however large, are read from their end, and nobody's reading costs the others theirs."""

from __future__ import annotations

import itertools
import json
import random
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest

from datastream.services.gateway.launchers.processes import read_lines
from tests.services.gateway.conftest import SLEEP, GatewayServer

MEMORY = 300 << 20


def text_of(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("seed", range(5))
def test_the_last_lines_are_those_of_both_files(tmp_path: Path, seed: int) -> None:
    """Of any number, with empty lines, long ones, and one that is being written."""
    draw = random.Random(seed)
    file, before = tmp_path / "log", tmp_path / "log.1"
    lines = [f"{n} " + "é" * draw.choice((0, 1, 100, 70_000)) if draw.random() > 0.2 else "" for n in range(60)]
    cut = (0, 60, 59, draw.randrange(61), draw.randrange(61))[seed]
    before.write_bytes(text_of(lines[:cut]))
    file.write_bytes(text_of(lines[cut:]))
    for last in (0, 1, 2, 59 - cut, 60 - cut, 61 - cut, 59, 60, 61, 100_000):
        if last >= 0:
            assert list(read_lines(file, last, None)) == (lines[-last:] if last else [])
    assert list(read_lines(file, None, None)) == lines
    more = itertools.chain([True, False])
    with file.open("ab") as log:
        log.write(b"half")
    found = []
    for line in read_lines(file, 1, lambda: next(more)):
        found.append(line)
        if len(found) == 1:
            with file.open("ab") as log:
                log.write(b" and half\nnext\n")
    assert [line for line in found if line] == [line for line in (lines[-1], "half and half", "next") if line]


def test_a_log_without_files_and_without_an_end(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "none", 5, None)) == []
    (tmp_path / "log").write_bytes(b"a\nb")
    assert list(read_lines(tmp_path / "log", 5, None)) == ["a", "b"]


def log_of(gateway: GatewayServer, jid: str, lines: int, width: int) -> Path:
    """Give a job a large log."""
    gateway.until_state(jid, "INITIALIZING")
    file = gateway.data / "jobs" / jid / "log-1.jsonl"
    with file.open("wb") as out:
        for number in range(lines):
            out.write(json.dumps({"event": "y" * width, "number": number}).encode() + b"\n")
    return file


@pytest.mark.long
def test_who_reads_large_logs_does_not_take_the_memory(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    process = psutil.Process(gateway.run.process.pid)
    jid = gateway.submit(SLEEP)
    log_of(gateway, jid, 30_000, 2500)
    viewer = gateway.command("token", "create", "--name", "viewer").succeed().strip()
    path = f"/jobs/{jid}/logs?lines=100000"
    port = int(gateway.url.rpartition(":")[2])
    with ExitStack() as stack:
        for _ in range(12):  # that ask and do not read
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {viewer}\r\n\r\n".encode())
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(lambda _: gateway.client.get(path), range(3)))
        assert process.memory_info().rss < MEMORY
    for answer in answers:
        entries = map(json.loads, answer.text.splitlines())
        numbers = [entry["number"] for entry in entries if "number" in entry]  # the driver may log, too
        assert numbers[-1] == 29_999 and numbers == list(range(numbers[0], 30_000))
        assert 1 << 20 < len(answer.content) <= 9 << 20
    assert len(gateway.client.get(f"/jobs/{jid}/logs?lines=3").text.splitlines()) == 3
    gateway.cancel(jid)


@pytest.mark.long
def test_a_line_without_an_end_is_cut(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    jid = gateway.submit(SLEEP)
    with log_of(gateway, jid, 1, 10).open("ab") as log:
        log.write(b'{"event": "' + b"[" * (2 << 20) + b"\n" + b"[" * 20_000 + b"\n")
    long, deep = gateway.client.get(f"/jobs/{jid}/logs?lines=2").text.splitlines()
    assert json.loads(long)["event"].endswith("[ [...]") and len(long) < 40_000
    assert json.loads(deep)["event"].startswith("[[[")
    gateway.cancel(jid)


@pytest.mark.long
def test_who_follows_many_logs_shuts_nobody_out(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    jid = gateway.submit(SLEEP)
    viewer = gateway.command("token", "create", "--name", "viewer").succeed().strip()
    head = {"Authorization": f"Bearer {viewer}"}
    with ExitStack() as stack:
        client = stack.enter_context(httpx.Client(base_url=gateway.url, headers=head, timeout=60))
        follow = lambda each: stack.enter_context(each.stream("GET", f"/jobs/{jid}/logs?follow=true"))  # noqa: E731
        codes = [follow(client).status_code for _ in range(12)]
        assert codes == [200] * 8 + [429] * 4
        assert client.get("/jobs").status_code == 200
        assert follow(gateway.client).status_code == 200
    gateway.cancel(jid)
