"""What probes are told, and by whom they are served."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from datastream.errors import CheckpointInUse, ValidationError
from datastream.http_pages import json_page
from datastream.job.job_status import JobStatus
from datastream.services.runner import watch as module
from datastream.services.runner.http_server import HttpServer, PortTaken
from datastream.services.runner.watch import Watch


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def job(clock: Clock, **changed: Any) -> Any:
    about = {"name": "orders", "last_epoch": 7, "planned": True, "status": JobStatus.RUNNING, "progress_s": clock.now}
    about |= {"backlog": None, "restarts_in_vain": 0}
    return SimpleNamespace(future=Future(), **(about | changed))


def test_a_job_is_healthy_as_long_as_it_makes_progress() -> None:
    clock = Clock()
    watch = Watch(10, clock)
    running = job(clock)
    watch.started(running)
    assert watch.health().good and watch.readiness().good
    clock.now += 11
    assert watch.health().as_dict() == {
        "status": "stuck",
        "reason": "the job 'orders' has committed nothing for 11 s, and it has not reported that nothing waits, the "
        "last epoch is 7; the limit is 10 s (stuck-after)",
    }
    running.progress_s = clock.now
    assert watch.health().good


def test_restarts_are_no_progress() -> None:
    clock = Clock()
    watch = Watch(10, clock)
    running = job(clock)
    watch.started(running)
    clock.now += 9
    running.status, running.planned, running.restarts_in_vain, running.backlog = JobStatus.RESTARTING, False, 3, 1200
    assert watch.health().as_dict() == {"status": "restarting"}
    assert watch.readiness().as_dict() == {"status": "restarting", "reason": "the job is restarting"}
    clock.now += 2
    assert watch.health().as_dict() == {
        "status": "stuck",
        "reason": "the job 'orders' has committed nothing for 11 s, and 1,200 records wait, the last epoch is 7; 3 "
        "restarts since then were in vain; the limit is 10 s (stuck-after)",
    }
    running.status = JobStatus.RUNNING
    assert "has not planned its first epoch yet" in watch.readiness().reason
    assert not watch.health().good, "it has only begun to run again"
    running.progress_s = clock.now
    assert watch.health().good


def test_the_log_says_once_why_a_job_is_unhealthy() -> None:
    clock = Clock()
    watch = Watch(10, clock)
    running = job(clock)
    watch.started(running)
    with capture_logs() as log:
        for _ in range(3):
            clock.now += 7
            watch.health()
        running.progress_s = clock.now
        watch.health()
        watch.health()
    assert [event["event"] for event in log] == ["unhealthy", "healthy"]
    assert "has committed nothing for 14 s" in log[0]["reason"]


def test_a_script_that_runs_no_job_is_stuck_at_last() -> None:
    clock = Clock()
    watch = Watch(10, clock)
    clock.now += 9
    assert watch.health().as_dict() == {"status": "starting"}
    clock.now += 2
    assert "no job has run for 11 s" in watch.health().reason
    unlimited = Watch(0, clock)
    clock.now += 1e6
    assert unlimited.health().good


def test_a_standby_is_healthy_for_any_time_and_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RETRY_S", 0)
    clock = Clock()
    watch = Watch(10, clock)
    watch.wait_for_checkpoint(CheckpointInUse("another job holds it"))
    clock.now += 1000
    assert watch.health().as_dict() == {"status": "standby"}
    assert watch.readiness().as_dict() == {"status": "standby", "reason": "another job holds it"}
    watch.on_start(None)
    assert watch.status == "starting" and watch.health().good


def answer(port: int, path: str, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1"])
def test_pages_are_served_at_each_kind_of_address(address: str) -> None:
    if address == "::1":
        try:
            socket.create_server((address, 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    pages: dict[str, Callable[[], Any]] = {"/good": lambda: json_page({"a": 1}), "/bad": lambda: json_page([], False)}
    server = HttpServer(address, 0, pages)
    try:
        assert answer(server.port, "/good", address) == (200, b'{\n  "a": 1\n}\n')
        assert answer(server.port, "/good", address, "HEAD") == (200, b"")
        assert answer(server.port, "/bad", address)[0] == 503
        status, said = answer(server.port, "/other", address)
        assert status == 404 and json.loads(said)["pages"] == ["/bad", "/good"]
        with pytest.raises(PortTaken, match=f"{address}:{server.port} is taken"):
            HttpServer(address, server.port, pages)
    finally:
        server.close()
    HttpServer(address, server.port, pages).close()


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ValidationError, match="no endpoints at 192.0.2.1:0"):
        HttpServer("192.0.2.1", 0, {})
    with pytest.raises(ValidationError, match="no endpoints at no.such.host.invalid:1"):
        HttpServer("no.such.host.invalid", 1, {})
