from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from datastream.services.gateway.sql.sessions import Sessions, SqlError
from tests.services.gateway.conftest import GatewayServer
from tests.support.open_sockets import open_sockets
from tests.support.waiting import wait_until

LOCAL = {"datastream.executor": "local"}


@pytest.mark.long
def test_sessions_are_their_owners_own_and_no_more_than_allowed(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, most=1, idle_s=0)
    try:
        handle = sessions.open("me", LOCAL)
        with pytest.raises(SqlError, match="exceeds the max count: 1"):
            sessions.open("me", LOCAL)
        with pytest.raises(SqlError, match=f"Session '{handle}' does not exist"):
            sessions.find(handle, "you")
        assert sessions.find(handle, "me").ask("properties") == {}
        with pytest.raises(SqlError, match="Can not find the submitted operation"):
            sessions.find(handle, "me").ask("status", handle="x")
        sessions.close(handle, "me")
        with pytest.raises(SqlError, match="does not exist"):
            sessions.find(handle, "me")
        with pytest.raises(SqlError, match="datastream.executor must be spark or local, got 'other'"):
            sessions.open("me", {"datastream.executor": "other"})
        assert sessions.open("me", LOCAL) != handle
    finally:
        sessions.close_all()


@pytest.mark.parametrize(
    ("python", "folder", "error"), [("/bin/false", ".", SqlError), (sys.executable, "missing", OSError)]
)
def test_a_process_that_does_not_start_leaves_no_socket_open(
    python: str, folder: str, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    sessions = Sessions(tmp_path / folder, most=1, idle_s=0)
    with open_sockets() as count:
        with pytest.raises(error):
            sessions.open("me", LOCAL)
        assert count() == 0


@pytest.mark.long
def test_an_idle_session_is_closed_and_its_process_ends(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, most=2, idle_s=0.5)
    try:
        handle = sessions.open("me", LOCAL)
        session = sessions.find(handle, "me")
        wait_until(lambda: not session.alive, "end of the process")
        with pytest.raises(SqlError, match="does not exist"):
            sessions.find(handle, "me")
    finally:
        sessions.close_all()


@pytest.mark.long
def test_a_job_keeps_its_session_and_ends_when_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(tmp_path, most=2, idle_s=0.5)
    try:
        handle = sessions.open("me", LOCAL)
        session = sessions.find(handle, "me")
        for text in (
            "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '10')",
            "CREATE TABLE nowhere (n INT) WITH ('connector' = 'blackhole')",
            "INSERT INTO nowhere SELECT n FROM endless",
        ):
            operation = session.ask("submit", text=text, config={})
            wait_until(lambda of=operation: session.ask("status", handle=of) == "FINISHED", text)  # type: ignore[misc]
            session.ask("close", handle=operation)
        assert session.ask("busy")
        looks: list[bool] = []
        ask = session.ask

        def noted(do: str) -> bool:
            looks.append(ask(do))
            return looks[-1]

        monkeypatch.setattr(session, "ask", noted)
        wait_until(lambda: len(looks) > 1, "looks at the idle session")
        assert all(looks)
        assert sessions.find(handle, "me").alive
        sessions.close(handle, "me")
        wait_until(lambda: not session.alive, "end of the job and the process")
    finally:
        sessions.close_all()


@pytest.mark.long
def test_a_session_whose_process_is_killed_is_told_of(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, most=1, idle_s=0)
    try:
        handle = sessions.open("me", LOCAL)
        session = sessions.find(handle, "me")
        os.kill(session.pid, signal.SIGKILL)
        with pytest.raises(SqlError, match="its process does not answer"):
            session.ask("busy")
        assert sessions.open("me", LOCAL) != handle
    finally:
        sessions.close_all()


@pytest.mark.long
def test_readers_open_no_session_and_see_none_of_others(gateway: GatewayServer) -> None:
    handle = gateway.client.post("/sessions", json={"properties": LOCAL}).json()["sessionHandle"]
    viewer = gateway.command("token", "create", "--name", "viewer", "--scope", "read").succeed().strip()
    headers = {"Authorization": f"Bearer {viewer}"}
    assert gateway.client.get(f"/sessions/{handle}", headers=headers).status_code == 500
    assert gateway.client.post("/sessions", json={}, headers=headers).status_code == 403
    assert gateway.client.get(f"/sessions/{handle}").json() == {"properties": {}}
    text = "SELECT ';' -- one;\n; /* no */ END"
    assert gateway.client.post(f"/sessions/{handle}/split-statements", json={"statement": text}).json() == {
        "statements": [
            {"statement": "SELECT ';'", "words": ["SELECT"]},
            {"statement": "\n           END", "words": ["END"]},
        ]
    }
    assert gateway.client.delete(f"/sessions/{handle}").json() == {"status": "CLOSED"}
