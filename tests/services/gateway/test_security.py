"""Who may do what."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs

from datastream.errors import ValidationError
from datastream.services.gateway.audit import Audit, note
from datastream.services.gateway.command import cli
from datastream.services.gateway.database import Database, sqlite_url
from datastream.services.gateway.limits import Rate
from datastream.services.gateway.tokens import Tokens
from tests.services.gateway.conftest import SLEEP, WORDS, GatewayServer
from tests.support.waiting import wait_until


def test_without_a_token_nothing_is_told(gateway: GatewayServer) -> None:
    for path in ("/overview", "/artifacts", "/jobs", "/jobs/overview", "/jobs/x", "/metrics", "/artifacts/x/content"):
        answer = httpx.get(gateway.url + path)
        assert answer.status_code == 401 and answer.headers["WWW-Authenticate"] == "Bearer"
        assert answer.json()["errors"][0].startswith("a token is needed")
    wrong = httpx.get(gateway.url + "/jobs", headers={"Authorization": "Bearer " + gateway.token[:-1] + "!"})
    assert wrong.status_code == 401 and "does not count" in wrong.text
    for path in ("/healthz", "/readyz", "/openapi.json", "/docs"):
        assert httpx.get(gateway.url + path).status_code == 200


def test_a_token_to_read_changes_nothing(gateway: GatewayServer) -> None:
    token = gateway.command("token", "create", "--name", "viewer", "--scope", "read").succeed().strip()
    id = gateway.upload("words.py", WORDS)
    with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {token}"}) as viewer:
        assert viewer.get("/overview").json()["scopes"] == ["read"]
        assert viewer.get(f"/artifacts/{id}/content").text == WORDS
        for method, path in (
            ("POST", "/artifacts/upload?name=x.py"),
            ("DELETE", f"/artifacts/{id}"),
            ("GET", f"/artifacts/{id}/plan"),
            ("POST", f"/artifacts/{id}/run"),
            ("PATCH", "/jobs/x"),
            ("POST", "/jobs/x/stop"),
            ("POST", "/jobs/x/savepoints"),
            ("DELETE", "/jobs/x"),
        ):
            answer = viewer.request(method, path)
            assert answer.status_code == 403, (method, path)
            assert answer.json()["errors"] == ["the token 'viewer' may read, but this needs write"]


@pytest.mark.long
def test_a_revoked_token_does_not_count(gateway: GatewayServer) -> None:
    token = gateway.command("token", "create", "--name", "short").succeed().strip()
    head = {"Authorization": f"Bearer {token}"}
    assert httpx.get(gateway.url + "/jobs", headers=head).status_code == 200
    assert "short" in gateway.command("token", "list").succeed()
    gateway.command("token", "revoke", "short").succeed()
    gateway.run.until(lambda: httpx.get(gateway.url + "/jobs", headers=head).status_code == 401, "end of the token", 10)
    assert gateway.command("token", "revoke", "short").wait() == 1


def test_tokens_are_stored_as_hashes(gateway: GatewayServer) -> None:
    with sqlite3.connect(gateway.data / "gateway.db") as database:
        assert gateway.token not in str(list(database.execute("select * from tokens")))
    database.close()
    assert gateway.token not in gateway.run.err + gateway.run.out
    assert (gateway.data / "gateway.db").stat().st_mode & 0o077 == 0
    assert gateway.data.stat().st_mode & 0o077 == 0


def test_a_token_expires_and_lasts(tmp_path: Path) -> None:
    now = [1_000_000.0]
    database = Database(sqlite_url(tmp_path / "db"))
    tokens = Tokens(database, clock=lambda: now[0])
    short, long = tokens.make("short", ("read",), lasts_s=60), tokens.make("long", ("write",))
    assert tokens.find(short) is not None
    now[0] += 61
    assert tokens.find(short) is None and tokens.find(long) is not None
    now[0] -= 3600  # a clock that jumps back: the token counts again, until its time has come
    assert tokens.find(short) is not None
    for name, scopes in (("x", ()), ("x", ("all",)), ("", ("read",)), ("a\nb", ("read",))):
        with pytest.raises(ValidationError):
            tokens.make(name, scopes)
    database.close()


def test_expired_tokens_are_deleted_in_time(tmp_path: Path) -> None:
    now = [1_000_000.0]
    database = Database(sqlite_url(tmp_path / "db"))
    tokens = Tokens(database, clock=lambda: now[0])
    tokens.make("short", ("read",), lasts_s=60)
    tokens.make("long", ("write",))
    now[0] += 2 * 24 * 3600
    tokens.make_for_artifact("pod", "0_a.zip", 3600)
    assert [token.name for token in tokens.list()] == ["long", "pod"]
    database.close()


def test_a_token_for_an_artifact_fetches_it_and_does_nothing_else(gateway: GatewayServer) -> None:
    own, other = gateway.upload("own-ж.py", WORDS), gateway.upload("other.py", WORDS + "#")
    database = Database(sqlite_url(gateway.data / "gateway.db"))
    token = Tokens(database).make_for_artifact("pod", own, 3600)
    database.close()
    with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {token}"}) as pod:
        assert pod.get(f"/artifacts/{own}/content").text == WORDS
        for method, path in (
            ("GET", f"/artifacts/{other}/content"),
            ("GET", f"/artifacts/{own}/plan"),
            ("GET", f"/artifacts/{own}/content/../../{other}/content"),
            ("GET", "/artifacts"),
            ("GET", "/jobs"),
            ("GET", "/jobs/overview"),
            ("GET", "/overview"),
            ("GET", "/metrics"),
            ("POST", f"/artifacts/{own}/run"),
            ("DELETE", f"/artifacts/{own}"),
        ):
            assert pod.request(method, path).status_code == 403, (method, path)


@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o750, 0o701, 0o2775])
def test_a_data_folder_that_others_see_is_refused_and_left_as_it_is(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    for command in ("list", "create"):
        done = CliRunner().invoke(
            cli, ["token", command, *(["--name", "x"] * (command == "create")), "--data", str(folder)]
        )
        assert isinstance(done.exception, ValidationError) and f"has the mode {mode:04o}" in str(done.exception)
    assert folder.stat().st_mode & 0o7777 == mode and not list(folder.iterdir())


@pytest.mark.parametrize("mode", [0o700, 0o2770])
def test_a_data_folder_of_its_own_stays_as_it_is(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    done = CliRunner().invoke(cli, ["token", "list", "--data", str(folder)])
    assert done.exit_code == 0 and folder.stat().st_mode & 0o7777 == mode


@pytest.mark.long
def test_who_changed_what_is_in_the_log(gateway: GatewayServer) -> None:
    begin = len(gateway.run.err)
    gateway.client.get("/jobs")
    artifact = gateway.upload("sleep.py", SLEEP)
    given = {"programArgsList": ["--password", "hunter2x"], "name": "nap"}
    jid = gateway.client.post(f"/artifacts/{artifact}/run?parallelism=1", json=given).json()["jobid"]
    gateway.client.patch(f"/jobs/{jid}")
    gateway.client.delete("/artifacts/none")
    viewer = gateway.command("token", "create", "--name", "viewer2", "--scope", "read").succeed().strip()
    wrong = "dsg_" + "x" * 43
    # From another address: of one address so many refusals are logged, and other tests had theirs.
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.9"), base_url=gateway.url) as other:
        refused = other.post(f"/jobs/{jid}/stop", headers={"Authorization": f"Bearer {viewer}"})
        assert refused.status_code == 403
        other.get("/jobs?token=hunter2x", headers={"Authorization": f"Bearer {wrong}"})
    expected = [
        f"who=tests address=127.0.0.1 method=POST path=/artifacts/upload status=200 outcome=done artifact={artifact}",
        f"who=tests address=127.0.0.1 method=POST path=/artifacts/{artifact}/run status=200 outcome=done job={jid} "
        f"artifact={artifact}",
        f"who=tests address=127.0.0.1 method=PATCH path=/jobs/{jid} status=202 outcome=done",
        "who=tests address=127.0.0.1 method=DELETE path=/artifacts/none status=404 outcome=failed",
        f"who=viewer2 address=127.0.0.9 method=POST path=/jobs/{jid}/stop status=403 outcome=refused",
        "who= address=127.0.0.9 method=GET path=/jobs status=401 outcome=refused",
    ]
    lines: list[str] = []

    def all_there() -> bool:
        lines[:] = [line for line in gateway.run.err[begin:].splitlines() if " event=audit " in line]
        return len(lines) >= len(expected)

    gateway.run.until(all_there, "entries for all requests")
    assert [re.sub(r" left_out=\d+$", "", line.partition(" event=audit ")[2]) for line in lines] == expected
    assert not {"hunter2x", wrong, viewer} & set(gateway.run.err.split()) and "hunter2x" not in gateway.run.err
    gateway.until_state(jid, "CANCELED")


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/breaks":
        raise RuntimeError("broken")
    note(who="me", changes=scope["path"] == "/plan", job="7")
    await PlainTextResponse("", int(scope["path"].rpartition("/")[2]) if scope["path"][1:].isdigit() else 200)(
        scope, receive, send
    )


def test_which_requests_are_in_the_audit_log() -> None:
    client = TestClient(Audit(_answer), raise_server_exceptions=False)
    with capture_logs() as found:
        for path in ("/200", "/404", "/plan"):
            client.get(path)
        client.post("/200")
        client.delete("/breaks")
    assert [(one["method"], one["path"], one["status"], one["outcome"]) for one in found] == [
        ("GET", "/plan", 200, "done"),
        ("POST", "/200", 200, "done"),
        ("DELETE", "/breaks", 500, "failed"),
    ]
    assert found[0] | {"log_level": "info"} == {
        **{"event": "audit", "who": "me", "address": "testclient", "method": "GET", "path": "/plan"},
        **{"status": 200, "outcome": "done", "job": "7", "log_level": "info"},
    }


def test_refused_requests_do_not_fill_the_log() -> None:
    now = [0.0]
    client = TestClient(Audit(_answer, clock=lambda: now[0]))
    with capture_logs() as found:
        for second in range(10):
            now[0] = second
            for _ in range(100):
                client.get("/401")
        client.post("/200")
    assert [one["status"] for one in found] == [401] * 21 + [200]
    assert [one["left_out"] for one in found[20:]] == [480, 499]


def test_a_client_may_ask_so_often() -> None:
    now = [0.0]
    rate = Rate(2.0, 3, clock=lambda: now[0])
    assert [rate.wait_s("a") for _ in range(3)] == [0, 0, 0]
    assert rate.wait_s("a") == 0.5 and rate.wait_s("b") == 0
    now[0] += 0.5
    assert rate.wait_s("a") == 0 and rate.wait_s("a") == 0.5


def test_who_guesses_tokens_has_to_wait(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    wrong = {"Authorization": "Bearer dsg_" + "x" * 43}
    codes = [httpx.get(gateway.url + "/jobs", headers=wrong).status_code for _ in range(60)]
    assert codes[0] == 401 and 429 in codes


@pytest.mark.long
def test_changes_are_limited(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-writes", "1")
    codes = [gateway.client.delete("/artifacts/x").status_code for _ in range(8)]
    assert codes[0] == 404 and 429 in codes
    assert gateway.client.get("/jobs").status_code == 200
    wait_until(lambda: gateway.client.delete("/artifacts/x").status_code == 404, "change that is allowed", every_s=0.2)


def test_without_tokens_other_sites_are_kept_out(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--without-auth")
    assert httpx.get(gateway.url + "/overview").json()["scopes"] == ["read", "write"]
    for head in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        assert httpx.get(gateway.url + "/overview", headers=head).status_code == 403
    own = {"Origin": gateway.url}
    assert httpx.post(gateway.url + "/artifacts/upload?name=x.py", content=b"x = 1", headers=own).status_code == 200
