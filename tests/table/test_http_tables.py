"""The connector ``http``: URLs in SQL, on a server of the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

import pytest

from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.web import EventLog, Reply, Request, WebServer


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def declared(columns: str, url: str, **more: str) -> TableEnvironment:
    """An environment with the table `t`; options by names with underscores for hyphens, and two of them for dots."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    given = {"connector": "http", "url": url, "format": "json"}
    given |= {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in given.items())
    t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({listed})")
    return t_env


def collected(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


def orders(request: Request) -> Reply:
    first = int(request.query.get("after", 0))
    items = [{"id": number, "item": f"i{number}"} for number in range(first + 1, 6)]
    return Reply(200, {}, json.dumps({"result": {"items": items[:2]}}).encode())


def test_rows_are_read_by_a_cursor(web: WebServer) -> None:
    web.pages["/orders"] = orders
    t_env = declared(
        "id BIGINT, item STRING",
        f"{web.url}/orders?x=1",
        records="result.items",
        scan__cursor__parameter="after",
        scan__cursor__field="id",
        scan__bounded="true",
        header__X_Key="k",
    )
    assert collected(t_env, "SELECT item, id FROM t WHERE id <> 2") == [
        "['i1', 1]",
        "['i3', 3]",
        "['i4', 4]",
        "['i5', 5]",
    ]
    assert {request.headers["x-key"] for request in web.requests} == {"k"}


def test_events_are_rows(web: WebServer) -> None:
    log = web.pages["/events"] = EventLog(sends_all=True)
    log.send('{"id": 1}', '{"id": 2}')
    t_env = declared("id BIGINT", f"{web.url}/events", scan__mode="events")
    with t_env.execute_sql("SELECT id FROM t").collect() as rows:
        assert [row[0] for row in islice(rows, 2)] == [1, 2]


def test_rows_that_cannot_be_read_are_dropped(web: WebServer) -> None:
    web.pages["/orders"] = lambda request: Reply(200, {}, b'[{"id": 1}, 7, {"id": 3}]')
    more = {"scan__bounded": "true", "json__ignore_parse_errors": "true"}
    assert collected(declared("id BIGINT", f"{web.url}/orders", **more), "SELECT * FROM t") == ["[1]", "[3]"]
    with pytest.raises(JobError, match=rf"a record of {web.url}/orders: "):
        collected(declared("id BIGINT", f"{web.url}/orders", scan__bounded="true"), "SELECT * FROM t")


def test_rows_are_written(web: WebServer) -> None:
    declared("id BIGINT, item STRING", f"{web.url}/one").execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')").wait()
    assert web.taken["/one"] == [b'{"id":1,"item":"a"}', b'{"id":2,"item":"b"}']
    t_env = declared("id BIGINT", f"{web.url}/more", sink__batch_size="10", sink__method="put")
    t_env.execute_sql("INSERT INTO t VALUES (1), (2)").wait()
    assert web.taken["/more"] == [b'[{"id":1},{"id":2}]']
    assert web.requests[-1].method == "PUT"


def test_refused_rows_are_dropped(web: WebServer) -> None:
    web.refuse(422)
    t_env = declared("id BIGINT", f"{web.url}/one", sink__on_refusal="drop")
    t_env.execute_sql("INSERT INTO t VALUES (1), (2)").wait()
    assert web.taken["/one"] == [b'{"id":2}']


@pytest.mark.parametrize("place", ["path", "query"])
def test_rows_are_looked_up(web: WebServer, place: str) -> None:
    def user(request: Request) -> Reply:
        id = request.path.rpartition("/")[2] if place == "path" else request.query["id"]
        if id == "a%2Fb" or id == "a/b":
            return Reply(200, {}, b'[{"id": "a/b", "name": "ann"}, {"id": "a/b", "name": "bob"}]')
        return Reply(200, {}, b'{"id": "c", "name": "cid"}') if id == "c" else Reply(404)

    url = f"{web.url}/users/{{id}}" if place == "path" else f"{web.url}/users?x=1"
    for path in ("/users", "/users/a%2Fb", "/users/c"):
        web.pages[path] = user
    web.refuse(503)
    t_env = declared("id STRING, name STRING", url, lookup__cache="PARTIAL", lookup__partial_cache__max_rows="10")
    t_env.execute_sql(
        "CREATE VIEW asked AS SELECT k, PROCTIME() AS at FROM (VALUES ('a/b'), ('c'), ('d'), ('c'), ('..')) AS v(k)"
    )
    query = "SELECT k, name FROM asked LEFT JOIN t FOR SYSTEM_TIME AS OF asked.at ON asked.k = t.id"
    assert collected(t_env, query) == [
        "['..', None]",
        "['a/b', 'ann']",
        "['a/b', 'bob']",
        "['c', 'cid']",
        "['c', 'cid']",
        "['d', None]",
    ]
    assert len(web.requests) == (4 if place == "path" else 5)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"url": "ftp://host"}, "must look like"),
        ({"scan__cursor__field": "id"}, "need 'scan.cursor.parameter'"),
        ({"scan__cursor__parameter": "p"}, "exactly one of"),
        ({"scan__max_retries": "-1"}, "must not be negative"),
        ({"header__X_Key": "a\nb"}, "on one line"),
        ({"url": "http://host/{id}"}, "can only be looked up in"),
        ({"scan__next_page": "a..b"}, "names with dots"),
        ({"unknown": "1"}, "unknown"),
    ],
)
def test_wrong_options(more: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        t_env = declared("id BIGINT", **{"url": "http://host/", **more})
        t_env.execute_sql("SELECT * FROM t")
