"""Tables of Elasticsearch, on a real server: new rows, changes by a key, names of indexes, what is refused."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, JobError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.elasticsearch import ElasticsearchServer


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment() -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "2")
    return made


def make(env: TableEnvironment, columns: str, server: ElasticsearchServer | None, index: str, **more: str) -> None:
    given = {"connector": "elasticsearch-7", "hosts": "http://localhost:1", "index": index}
    if server is not None:
        given |= {"hosts": server.address}
        given |= {"username": server.user or "", "password": server.password or ""} if server.user else {}
    given |= {name.replace("__", "-"): value for name, value in more.items()}
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({with_clause})")


@pytest.mark.long
def test_rows_of_a_key_replace_and_delete_documents(elasticsearch: ElasticsearchServer) -> None:
    env, index = environment(), elasticsearch.index()
    columns = "word STRING, kind INT, n BIGINT, at TIMESTAMP(3), PRIMARY KEY (word, kind) NOT ENFORCED"
    make(env, columns, elasticsearch, index)
    env.execute_sql(
        "CREATE TEMPORARY VIEW words AS SELECT * FROM (VALUES ('a', 1, TRUE), ('b', 2, TRUE), ('a', 1, TRUE)) "
        "AS v(word, kind, there)"
    )
    env.execute_sql(
        "INSERT INTO t SELECT word, kind, COUNT(*), TIMESTAMP '2024-01-31 12:30:00.5' FROM words GROUP BY word, kind"
    ).wait()
    at = "2024-01-31 12:30:00.5"
    assert elasticsearch.documents(index) == {
        "a_1": {"word": "a", "kind": 1, "n": 2, "at": at},
        "b_2": {"word": "b", "kind": 2, "n": 1, "at": at},
    }
    env.get_config().set("parallelism.default", "1")
    first = (
        "SELECT word, kind, ROW_NUMBER() OVER (ORDER BY word) AS r FROM (VALUES ('b', 2), ('a', 1)) AS v(word, kind)"
    )
    env.execute_sql(
        f"INSERT INTO t (word, kind) SELECT word, kind FROM ({first}) WHERE r <= 1 ON CONFLICT DO DEDUPLICATE"
    ).wait()
    assert elasticsearch.documents(index) == {"a_1": {"word": "a", "kind": 1, "n": None, "at": None}}


@pytest.mark.long
def test_indexes_by_values_and_times(elasticsearch: ElasticsearchServer) -> None:
    env, index = environment(), elasticsearch.index()
    make(env, "id INT, at TIMESTAMP(3), day DATE", elasticsearch, f"{index}-{{id}}-{{at|yyyy.MM}}-{{day|dd}}")
    env.execute_sql(
        "INSERT INTO t VALUES (1, TIMESTAMP '2024-01-31 12:30:00', DATE '2024-02-03'), "
        "(2, TIMESTAMP '2024-02-01 00:00:00', DATE '2024-02-04')"
    ).wait()
    for name in (f"{index}-1-2024.01-03", f"{index}-2-2024.02-04"):
        (document,) = elasticsearch.documents(name).values()
        assert document["id"] == int(name.split("-")[-3])


@pytest.mark.long
def test_what_the_server_refuses(elasticsearch: ElasticsearchServer) -> None:
    env, index = environment(), elasticsearch.index(n="integer")
    make(env, "n STRING", elasticsearch, index)
    with pytest.raises(JobError, match="refuses to index a document of .*failed to parse field"):
        env.execute_sql("INSERT INTO t VALUES ('x')").wait()
    env.execute_sql("ALTER TABLE t SET ('failure-handler' = 'ignore')")
    env.execute_sql("INSERT INTO t VALUES ('x'), ('7')").wait()
    assert [each["n"] for each in elasticsearch.documents(index).values()] == ["7"]


@pytest.mark.parametrize(
    ("columns", "index", "statement", "says"),
    [
        ("a INT", "x-{b}", "INSERT INTO t VALUES (1)", "option 'index': there is no column 'b'"),
        ("a DATE", "x-{a|jjbb}", "INSERT INTO t VALUES (DATE '2024-01-31')", "option 'index': .*jjbb"),
        ("a INT", " ", "INSERT INTO t VALUES (1)", "option 'index': the name is empty"),
        ("a INT", "x-{a|yyyy}", "INSERT INTO t VALUES (1)", "only DATE and TIMESTAMP can"),
        ("a INT", "x", "SELECT * FROM t", "the connector 'elasticsearch-7' can only be used as a sink"),
        (
            "a BIGINT",
            "x",
            "INSERT INTO t SELECT COUNT(*) FROM (VALUES (1))",
            "doesn't support consuming update.* elasticsearch-7",
        ),
        (
            "a INT, n BIGINT, PRIMARY KEY (a) NOT ENFORCED",
            "x-{now()|yyyy}",
            "INSERT INTO t SELECT a, COUNT(*) FROM (VALUES (1)) AS v (a) GROUP BY a",
            "'x-.now.*' has the time of writing, so a row that replaces or deletes a document would not find it",
        ),
        (
            "a ARRAY<INT>, PRIMARY KEY (a) NOT ENFORCED",
            "x",
            "INSERT INTO t VALUES (ARRAY[1])",
            "part of a document's id",
        ),
    ],
)
def test_what_does_not_fit_is_refused(columns: str, index: str, statement: str, says: str) -> None:
    env = environment()
    make(env, columns, None, index)
    with pytest.raises(DataStreamError, match=says):
        env.execute_sql(statement)
