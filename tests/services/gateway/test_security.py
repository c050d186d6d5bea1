"""Who may do what."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from datastream.errors import ValidationError
from datastream.services.gateway.database import Database, sqlite_url
from datastream.services.gateway.limits import Rate
from datastream.services.gateway.tokens import Tokens
from tests.services.gateway.conftest import WORDS, GatewayServer


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
    codes = [httpx.get(gateway.url + "/jobs", headers=wrong).status_code for _ in range(30)]
    assert codes[0] == 401 and codes[-1] == 429


def test_changes_are_limited(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-writes", "1")
    codes = [gateway.client.delete("/artifacts/x").status_code for _ in range(8)]
    assert codes[0] == 404 and codes[-1] == 429
    assert gateway.client.get("/jobs").status_code == 200
    time.sleep(1.1)
    assert gateway.client.delete("/artifacts/x").status_code == 404


def test_without_tokens_other_sites_are_kept_out(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--without-auth")
    assert httpx.get(gateway.url + "/overview").json()["scopes"] == ["read", "write"]
    for head in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        assert httpx.get(gateway.url + "/overview", headers=head).status_code == 403
    own = {"Origin": gateway.url}
    assert httpx.post(gateway.url + "/artifacts/upload?name=x.py", content=b"x = 1", headers=own).status_code == 200
