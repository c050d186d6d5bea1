"""Drivers run other people's code: whatever they answer, the gateway and the other jobs go on."""

from __future__ import annotations

import gzip
import json
import random
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from datastream.services.gateway.driver_answers import WrongAnswer, checked_snapshot
from datastream.services.gateway.driver_client import DriverClient, DriverError, DriverIsWrong
from datastream.services.gateway.figures import Window
from datastream.services.runner.followed import Followed
from tests.services.gateway.conftest import GatewayServer
from tests.support.waiting import PATIENCE_S

TOKEN = "of-the-driver"
MEMORY = 300 << 20


def healthy() -> dict[str, Any]:
    """What a runner tells."""
    return {**Followed().snapshot(), "status": "RUNNING", "job_id": "a" * 32, "name": "honest"}


def page(body: bytes, *headers: str) -> bytes:
    head = "\r\n".join(("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers))
    return f"{head}\r\n\r\n".encode() + body


class FakeDriver:
    """Answers each request by a function of its connection and its first line."""

    def __init__(self, answer: Callable[[socket.socket, str], None]) -> None:
        self._answer = answer
        self.asked: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._main, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _main(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(PATIENCE_S)
            line = client.recv(65536).decode().partition("\r\n")[0]
            self.asked.append(line)
            self._answer(client, line)


@contextmanager
def driver(answer: Callable[[socket.socket, str], None]) -> Iterator[FakeDriver]:
    with closing(FakeDriver(answer)) as found:
        yield found


def runs(told: Callable[[], dict[str, Any]]) -> Callable[[socket.socket, str], None]:
    """Answers as a runner does."""

    def answer(client: socket.socket, line: str) -> None:
        found = {"batch": False, "nodes": []} if "/job/plan" in line else told()
        client.sendall(page(json.dumps(found).encode()))

    return answer


def says(body: Any, *headers: str) -> Callable[[socket.socket, str], None]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda client, line: client.sendall(page(text, *headers))


def endless(client: socket.socket, line: str) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        client.sendall(b"10000\r\n" + b"[" * 65536 + b"\r\n")


def drips(*begin: bytes) -> Callable[[socket.socket, str], None]:
    def drip(client: socket.socket, line: str) -> None:
        for part in begin:
            client.sendall(part)
        while True:
            client.sendall(b"x")
            time.sleep(0.2)

    return drip


def silent(client: socket.socket, line: str) -> None:
    client.recv(1)


EXCEPTION = {"time_ms": 1, "kind": "restart", "number": 1, "message": "x", "trace": ""}
OPERATOR = {"records_in": 0, "records_out": 0}
WRONG: dict[str, Callable[[socket.socket, str], None]] = {
    "without end": endless,
    "3 MB": says(b'{"status": "' + b"x" * 3_000_000 + b'"}'),
    "of many values": says(b'{"x": [' + b"[]," * 500_000 + b"[]]}"),
    "packed": says(gzip.compress(bytes(100 << 20)), "Content-Encoding: gzip"),
    "of another version": says({"x": 1}),
    "no JSON": says(b"<html>"),
    "no object": says(b"[1]"),
    "deep": says(b"[" * 100_000),
    "with many exceptions": says({**healthy(), "exceptions": [{**EXCEPTION, "number": n} for n in range(20_000)]}),
    "with an exception that is none": says({**healthy(), "exceptions": ["x"]}),
    "with operators that are none": says({**healthy(), "operators": {"a": OPERATOR}}),
    "with a huge number": says(json.dumps({**healthy(), "epochs": 0}).replace('"epochs": 0', '"epochs": 1' + "0" * 400)
                               .encode()),
    "with text for numbers": says({**healthy(), "records_in": "7"}),
    "of 100,000 operators": says({**healthy(), "operators": dict.fromkeys(map(str, range(100_000)), {})}),
}  # fmt: skip


@pytest.fixture
def client() -> Iterator[DriverClient]:
    with closing(DriverClient()) as found:
        yield found


@pytest.mark.long
@pytest.mark.parametrize("kind", WRONG)
def test_an_answer_that_no_driver_gives_is_refused(client: DriverClient, kind: str) -> None:
    with driver(WRONG[kind]) as fake, pytest.raises(DriverIsWrong, match="an answer that cannot be read"):
        client.snapshot(fake.url, TOKEN)


@pytest.mark.parametrize(
    "answer",
    [drips(), drips(b"HTTP/1.1 200 OK\r\nX: "), drips(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"), silent],
    ids=["status", "head", "body", "nothing"],
)
def test_an_answer_that_does_not_end_is_not_waited_for(
    client: DriverClient, answer: Callable[[socket.socket, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datastream.services.gateway.driver_client._PROMPT_S", 0.7)
    with driver(answer) as fake, pytest.raises(DriverError, match="does not answer"):
        client.snapshot(fake.url, TOKEN)


def test_a_plan_is_checked_and_an_error_is_cut(client: DriverClient) -> None:
    with driver(says({"nodes": [{"id": n} for n in range(9)], "batch": False})) as fake, pytest.raises(DriverIsWrong):
        client.plan(fake.url, TOKEN)
    refusal = b'{"error": "' + b"x" * 50_000 + b'"}'
    answer = b"HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n" % len(refusal) + refusal
    with driver(lambda client, line: client.sendall(answer)) as fake, pytest.raises(DriverError) as error:
        client.cancel(fake.url, TOKEN)
    assert len(str(error.value)) <= 4000


def test_what_a_runner_tells_is_taken(client: DriverClient) -> None:
    told = healthy()
    with driver(says(told)) as fake:
        assert client.snapshot(fake.url, TOKEN) == told
    with pytest.raises(WrongAnswer, match=r"operators\.a\.watermark: Field required"):
        checked_snapshot({**told, "operators": {"a": OPERATOR}})


def test_a_window_holds_few_snapshots() -> None:
    window = Window()
    told = {**healthy(), "operators": {}, "more": random.Random(1).randbytes(10_000).hex()}
    for look in range(600):
        window.add({**told, "uptime_s": look / 2, "epochs": 0})
    assert window.now is not None and window.before is not None
    assert window.now["uptime_s"] - window.before["uptime_s"] > 100
    assert window.held_bytes < 15 * 12_000


def external(tmp_path: Path, drivers: dict[str, FakeDriver]) -> dict[str, str | None]:
    """The environment of a gateway that watches drivers."""
    (tmp_path / "token").write_text(TOKEN)
    about = {
        name: {"url": each.url, "control-token-file": str(tmp_path / "token"), "savepoint-dir": "/tmp/s"}
        for name, each in drivers.items()
    }
    file = tmp_path / "external.yaml"
    file.write_text(json.dumps(about))
    return {"DATASTREAM_GATEWAY_EXTERNAL": str(file)}


def job_named(gateway: GatewayServer, name: str) -> dict[str, Any] | None:
    jobs = gateway.client.get("/jobs/overview").json()["jobs"]
    return next((job for job in jobs if job["artifact"]["name"] == name), None)


@pytest.mark.long
def test_hostile_drivers_keep_no_other_from_being_followed(
    own_gateway: Callable[..., GatewayServer], tmp_path: Path
) -> None:
    hostile = (drips(b"HTTP/1.1 200 OK\r\nX: "), silent, endless, WRONG["of many values"])
    drivers = {f"a{n}": FakeDriver(hostile[n % len(hostile)]) for n in range(20)}
    honest = drivers["z"] = FakeDriver(runs(healthy))
    gateway = own_gateway(environment=external(tmp_path, drivers))
    gateway.run.until(lambda: job_named(gateway, honest.url) is not None, "followed driver")
    job = job_named(gateway, honest.url)
    assert job is not None
    gateway.until_state(job["jid"], "RUNNING")
    assert psutil.Process(gateway.run.process.pid).memory_info().rss < MEMORY
    gateway.client.patch(f"/jobs/{job['jid']}")
    gateway.run.until(lambda: any("/job/cancel" in line for line in honest.asked), "order to cancel")
    assert len(gateway.run.err) < 100_000
    for each in drivers.values():
        each.close()


@pytest.mark.long
def test_a_job_fails_whose_driver_answers_wrongly_again_and_again(
    own_gateway: Callable[..., GatewayServer], tmp_path: Path
) -> None:
    told = [healthy()]
    with driver(runs(lambda: told[0])) as fake:
        gateway = own_gateway(environment=external(tmp_path, {"x": fake}))
        gateway.run.until(lambda: job_named(gateway, fake.url) is not None, "followed driver")
        job = job_named(gateway, fake.url)
        assert job is not None
        told[0] = {**healthy(), "epochs": None}
        failed = gateway.until_state(job["jid"], "FAILED")
        assert "epochs: Input should be a valid integer" in failed["error"] and "another version" in failed["error"]
        assert gateway.run.err.count("Traceback") == 0


@pytest.mark.long
def test_a_job_is_cancelled_while_nothing_can_be_written(
    own_gateway: Callable[..., GatewayServer], tmp_path: Path
) -> None:
    with driver(runs(healthy)) as fake:
        gateway = own_gateway(environment=external(tmp_path, {"x": fake}))
        gateway.run.until(lambda: job_named(gateway, fake.url) is not None, "followed driver")
        job = job_named(gateway, fake.url)
        assert job is not None
        gateway.until_state(job["jid"], "RUNNING")
        id = gateway.upload("x.py", "x = 1")
        before = sorted(path.name for path in (gateway.data / "jobs").iterdir())
        with closing(sqlite3.connect(gateway.data / "gateway.db", isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            assert gateway.client.patch(f"/jobs/{job['jid']}").status_code == 202
            # Four: it has been asked for longer than a driver may take to end.
            gateway.run.until(lambda: sum("/job/cancel" in line for line in fake.asked) > 3, "orders to cancel")
            gateway.run.until(lambda: gateway.client.get("/readyz").status_code == 503, "gateway that is not ready")
            assert gateway.client.post(f"/artifacts/{id}/run").status_code == 503
            assert sorted(path.name for path in (gateway.data / "jobs").iterdir()) == before
            database.execute("ROLLBACK")
        gateway.run.until(lambda: gateway.client.get("/readyz").status_code == 200, "ready gateway")
        gateway.until_state(job["jid"], "CANCELLING", "CANCELED")
        assert gateway.run.err.count("Traceback") < 20
