"""A job's log, also one whose connection breaks."""

from __future__ import annotations

import json

import pytest

from datastream.client import GatewayAway, GatewayClient
from tests.client.jobs_json import JID, job_json
from tests.client.scripted_server import Answer, ScriptedServer

LOGS = f"GET /jobs/{JID}/logs"
JOB = f"GET /jobs/{JID}"


def lines(*numbers: int) -> bytes:
    return b"".join(json.dumps({"event": f"line {number}"}).encode() + b"\n" for number in numbers)


def cut(content: bytes) -> Answer:
    return Answer(content, announced=len(content) + 1000)


def events(client: GatewayClient, **options: object) -> list[str]:
    return [entry["event"] for entry in client.logs(JID, **options)]  # type: ignore[arg-type]


def test_the_last_lines(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(LOGS, Answer(lines(1) + b"\n\n" + b'plain \xff text\n"quoted"\n' + lines(2)))
    assert events(client, lines=5, attempt=2) == ["line 1", "plain � text", "quoted", "line 2"]
    assert server.seen[0].query == {"lines": ["5"], "attempt": ["2"]}


def test_following_ends_with_the_job(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(LOGS, Answer(lines(1, 2)))
    server.on(JOB, job_json(state="FINISHED"))
    assert events(client, follow=True) == ["line 1", "line 2"]
    assert server.seen[0].query == {"lines": ["200"], "follow": ["true"]}


def test_following_goes_on_where_the_connection_broke(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(LOGS, cut(lines(1, 2, 3)), Answer(lines(1, 2, 3, 4)), cut(lines(1, 2, 3, 4, 5)),
              Answer(lines(1, 2, 3, 4, 5)), Answer(lines(1, 2, 3, 4, 5, 6)))  # fmt: skip
    server.on(JOB, job_json(), job_json(state="FINISHED"))
    assert events(client, follow=True) == [f"line {number}" for number in range(1, 7)]


def test_following_goes_on_after_a_gateway_that_ended_in_order(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(LOGS, Answer(lines(1)), Answer(lines(1)), Answer(lines(1, 2)))
    server.on(JOB, job_json(), job_json(), job_json(state="FINISHED"))
    assert events(client, follow=True) == ["line 1", "line 2"]


def test_equal_lines_are_not_taken_for_each_other(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(LOGS, cut(lines(1, 7, 7)), Answer(lines(1, 7, 7, 7)), Answer(lines(1, 7, 7, 7, 8)))
    server.on(JOB, job_json(state="FINISHED"))
    assert sorted(events(client, follow=True)) in (
        ["line 1", "line 7", "line 7", "line 7", "line 8"],
        ["line 1", "line 7", "line 7", "line 8"],
    )


def test_a_log_that_went_on_too_far_meanwhile_is_shown_as_far_as_it_is_there(
    client: GatewayClient, server: ScriptedServer
) -> None:
    server.on(LOGS, cut(lines(1, 2)), Answer(lines(8, 9)), Answer(lines(8, 9)))
    server.on(JOB, job_json(state="FINISHED"))
    assert events(client, follow=True) == ["line 1", "line 2", "line 8", "line 9"]


def test_following_a_gateway_that_stays_away_is_an_error(server: ScriptedServer) -> None:
    server.on(LOGS, cut(lines(1)), Answer(silent=True))
    server.on(JOB, job_json())
    shown = []
    with GatewayClient(server.url, retries=0, away_s=0.0) as client, pytest.raises(GatewayAway, match="broke"):
        for entry in client.logs(JID, follow=True):
            shown.append(entry["event"])
    assert shown == ["line 1"]
