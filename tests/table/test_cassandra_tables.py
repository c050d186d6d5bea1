"""Tables of Cassandra, on a real node: reading, changes by a key, lookups, types, what is refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from uuid import UUID

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.cassandra import Node


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(parallelism: int = 2) -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", str(parallelism))
    return made


def make(env: TableEnvironment, columns: str, node: Node | None, keyspace: str, name: str, **more: str) -> None:
    given = {"connector": "cassandra", "hosts": "localhost", "keyspace": keyspace, "table-name": name}
    if node is not None:
        given |= {"hosts": node.host, "port": str(node.port)}
        given |= {"username": node.user, "password": node.user} if node.user else {}
    given |= {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({with_clause})")


def collected(env: TableEnvironment, query: str) -> list[str]:
    with env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


@pytest.mark.long
def test_changes_by_a_key_and_reading(cassandra: Node) -> None:
    space = cassandra.keyspace("CREATE TABLE t (world text, id int, n bigint, PRIMARY KEY (world, id))")
    env = environment()
    make(env, "id INT, n BIGINT, world STRING, PRIMARY KEY (id, world) NOT ENFORCED", cassandra, space, "t")
    rows = "(VALUES ('a', 1, 5), ('b', 2, 7), ('a', 1, 6), ('b', 3, 1), ('b', 3, -1)) AS v(world, id, n)"
    env.execute_sql(
        "INSERT INTO t SELECT id, n, world FROM "
        f"(SELECT id, SUM(n) AS n, world FROM {rows} GROUP BY id, world) WHERE n > 0"
    ).wait()
    assert collected(env, "SELECT world, id, n FROM t") == ["['a', 1, 11]", "['b', 2, 7]"]
    assert collected(env, "SELECT COUNT(*) FROM t")[-1] == "[2]"
    assert collected(env, "SELECT n FROM t WHERE world = 'b'") == ["[7]"]
    assert len(collected(env, "SELECT id FROM t LIMIT 1")) == 1


@pytest.mark.long
def test_new_rows_nulls_and_a_time_to_live(cassandra: Node) -> None:
    space = cassandra.keyspace("CREATE TABLE t (id int PRIMARY KEY, a text, b text)")
    cassandra.run(f"INSERT INTO {space}.t (id, a, b) VALUES (1, 'old', 'old')")
    env = environment()
    make(env, "id INT, a STRING, b STRING", cassandra, space, "t", sink__ttl="1 h")
    env.execute_sql(
        "INSERT INTO t /*+ OPTIONS('sink.ignore-null-values' = 'true') */ VALUES (1, 'new', CAST(NULL AS STRING))"
    ).wait()
    ((id_, a, b, ttl),) = cassandra.run(f"SELECT id, a, b, TTL(a) FROM {space}.t")
    assert (id_, a, b) == (1, "new", "old")
    assert 0 < ttl <= 3_600
    env.execute_sql("INSERT INTO t VALUES (1, 'newest', CAST(NULL AS STRING))").wait()
    assert collected(env, "SELECT * FROM t") == ["[1, 'newest', None]"]
    with pytest.raises(ValidationError, match="declare a PRIMARY KEY|doesn't support consuming update"):
        env.execute_sql("INSERT INTO t SELECT 1, a, a FROM t GROUP BY a HAVING COUNT(*) > 1")


CQL = (
    "id uuid PRIMARY KEY, small smallint, tiny tinyint, big bigint, n varint, d decimal, r float, f double, "
    "yes boolean, bytes blob, day date, clock time, at timestamp, ip inet, items list<text>, ids set<uuid>, "
    "scores map<text, int>, pair frozen<tuple<int, text>>, home frozen<address>"
)
SQL = (
    "id STRING, small SMALLINT, tiny TINYINT, big BIGINT, n DECIMAL(30, 0), d DECIMAL(10, 2), r FLOAT, f DOUBLE, "
    "yes BOOLEAN, bytes BYTES, `day` DATE, clock TIME(3), at TIMESTAMP_LTZ(3), ip STRING, items ARRAY<STRING>, "
    "ids ARRAY<STRING>, scores MAP<STRING, INT>, pair ROW<a INT, b STRING>, home ROW<street STRING, zip INT>"
)


@pytest.mark.long
def test_values_of_all_types(cassandra: Node) -> None:
    space = cassandra.keyspace(
        "CREATE TYPE address (zip int, street text)",
        f"CREATE TABLE t ({CQL})",
        f"CREATE TABLE s ({CQL})",
    )
    ids = sorted(str(UUID(int=number << 120)) for number in (3, 1, 2))
    cassandra.run(
        f"INSERT INTO {space}.t (id, small, tiny, big, n, d, r, f, yes, bytes, day, clock, at, ip, items, ids, scores, "
        f"pair, home) VALUES ({ids[0]}, -3, 4, 5000000000, 123456789012345678901234567890, 12.34, 1.5, 2.25, true, "
        f"0x00ff, '2024-02-29', '12:30:01.5', '2024-02-29 12:30:01.5Z', '127.0.0.1', ['x', 'y'], "
        f"{{{ids[2]}, {ids[1]}}}, {{'a': 1}}, (7, 'seven'), {{street: 'Main', zip: 12}})"
    )
    env = environment()
    make(env, SQL, cassandra, space, "t")
    make(env, SQL.replace("street STRING, zip INT", "zip INT, street STRING"), cassandra, space, "s")
    first = [ids[0], -3, 4, 5000000000, Decimal(123456789012345678901234567890), Decimal("12.34"), 1.5, 2.25, True]
    times = [dt.date(2024, 2, 29), dt.time(12, 30, 1, 500_000)]
    (row,) = collected(env, "SELECT * FROM t")
    assert row.startswith(str([*first, bytearray(b"\x00\xff"), *times])[:-1]), row
    assert row.endswith(
        f"'127.0.0.1', ['x', 'y'], ['{ids[1]}', '{ids[2]}'], {{'a': 1}}, <Row(7, 'seven')>, <Row('Main', 12)>]"
    ), row
    env.execute_sql(
        "INSERT INTO s SELECT id, small, tiny, big, n, d, r, f, yes, bytes, `day`, clock, at, ip, items, ids, scores, "
        "pair, ROW(home.zip, home.street) FROM t"
    ).wait()
    names = "id, small, tiny, big, n, d, r, f, yes, bytes, day, clock, at, ip, items, ids, scores, pair, home"
    assert cassandra.run(f"SELECT {names} FROM {space}.s") == cassandra.run(f"SELECT {names} FROM {space}.t")


@pytest.mark.long
@pytest.mark.parametrize("cache", [{}, {"lookup__cache": "PARTIAL", "lookup__partial-cache__max-rows": "10"}])
def test_lookups(cassandra: Node, cache: dict[str, str]) -> None:
    space = cassandra.keyspace("CREATE TABLE t (world text, id int, name text, PRIMARY KEY (world, id))")
    for id_, name in ((1, "one"), (2, "two")):
        cassandra.run(f"INSERT INTO {space}.t (world, id, name) VALUES ('w', {id_}, '{name}')")
    env = environment(1)
    make(env, "name STRING, world STRING, id INT", cassandra, space, "t", **cache)
    env.execute_sql(
        "CREATE VIEW o AS SELECT w, i, PROCTIME() AS p FROM (VALUES ('w', 1), ('w', 3), ('x', 1), "
        "(CAST(NULL AS STRING), 1)) AS v(w, i)"
    )
    join = "SELECT o.w, o.i, t.name FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.p ON "
    expected = ["['w', 1, 'one']", "['w', 3, None]", "['x', 1, None]", "[None, 1, None]"]
    assert collected(env, join + "t.id = o.i AND t.world = o.w") == expected
    assert collected(env, join + "t.world = o.w WHERE o.i = 3") == ["['w', 3, 'one']", "['w', 3, 'two']"]
    with pytest.raises(DataStreamError, match="a lookup must compare all columns of Cassandra's partition key"):
        collected(env, join + "t.id = o.i")


@pytest.mark.long
def test_a_time_with_more_digits_than_cassandra_keeps(cassandra: Node) -> None:
    space = cassandra.keyspace("CREATE TABLE t (at timestamp PRIMARY KEY, days list<timestamp>)")
    env = environment(1)
    make(env, "at TIMESTAMP(6), days ARRAY<TIMESTAMP(6)>, PRIMARY KEY (at) NOT ENFORCED", cassandra, space, "t")
    fits, more = "TIMESTAMP '2024-01-01 00:00:00.123'", "TIMESTAMP '2024-01-01 00:00:00.123456'"
    for at, day, name in ((more, fits, "at"), (fits, more, "days")):
        with pytest.raises(
            JobError, match=f"column '{name}': Cassandra's column has the type .*timestamp.*, got .*123456"
        ):
            env.execute_sql(f"INSERT INTO t VALUES ({at}, ARRAY[{day}])").wait()
    env.execute_sql(f"INSERT INTO t VALUES ({fits}, ARRAY[{fits}])").wait()
    assert len(cassandra.run(f"SELECT at FROM {space}.t")) == 1


@pytest.mark.long
def test_what_the_table_does_not_have(cassandra: Node) -> None:
    space = cassandra.keyspace("CREATE TABLE t (id int PRIMARY KEY, a text)", "CREATE TABLE u (id uuid PRIMARY KEY)")
    env = environment(1)
    make(env, "id INT, b STRING", cassandra, space, "t")
    with pytest.raises(DataStreamError, match=f"{space}.* has no column 'b'; it has"):
        env.execute_sql("SELECT * FROM t")
    with pytest.raises(JobError, match=f"table {space}.t has no column 'b'; it has: a, id"):
        env.execute_sql("INSERT INTO t VALUES (1, 'x')").wait()
    env.execute_sql("DROP TABLE t")
    make(env, "id INT, a STRING, PRIMARY KEY (id, a) NOT ENFORCED", cassandra, space, "t")
    with pytest.raises(JobError, match=r"its PRIMARY KEY \(a, id\) must be that of Cassandra's table, \(id\)"):
        env.execute_sql("INSERT INTO t VALUES (1, 'x')").wait()
    make(env, "id STRING", cassandra, space, "u")
    with pytest.raises(JobError, match="column 'id': Cassandra's column has the type uuid, got 'no uuid'"):
        env.execute_sql("INSERT INTO u VALUES ('no uuid')").wait()
    make(env, "id INT", cassandra, space, "missing")
    for statement in ("SELECT * FROM missing", "INSERT INTO missing VALUES (1)"):
        with pytest.raises(DataStreamError, match=f'has no table "?{space}"?."?missing"?; create it'):
            env.execute_sql(statement).wait()


@pytest.mark.parametrize(
    ("columns", "more", "statement", "says"),
    [
        ("a INT", {"port": "0"}, "INSERT INTO t VALUES (1)", "the port must be between 1 and 65535, got 0"),
        ("a INT", {"username": "u"}, "INSERT INTO t VALUES (1)", "user and password go together"),
        ("a INT", {"consistency": "MOST"}, "INSERT INTO t VALUES (1)", "option 'consistency'"),
        ("a INT", {"scan__fetch-size": "0"}, "SELECT * FROM t", "'scan.fetch-size' must be positive, got 0"),
        ("a INT", {"sink__ttl": "10 ms"}, "INSERT INTO t VALUES (1)", "'sink.ttl' must be a second at least"),
        ("a MULTISET<INT>", {}, "SELECT * FROM t", "columns of Cassandra are not MULTISET"),
        ("a INT", {"lookup__cache": "FULL"}, "SELECT * FROM t", "'lookup.cache' = 'FULL' is not supported"),
        ("a BIGINT", {}, "INSERT INTO t SELECT COUNT(*) FROM (VALUES (1))", "doesn't support consuming update"),
        ("a INT", {"lookup__max-retries": "-1"}, "SELECT * FROM t", "must not be negative, got -1"),
    ],
)
def test_what_does_not_fit_is_refused(columns: str, more: dict[str, str], statement: str, says: str) -> None:
    env = environment()
    make(env, columns, None, "k", "t", **more)
    with pytest.raises(DataStreamError, match=says):
        env.execute_sql(statement)


def test_passwords_are_not_shown() -> None:
    env = environment(1)
    make(
        env,
        "a INT",
        None,
        "k",
        "t",
        hosts="127.0.0.1",
        port="9",
        username="u",
        password="s3cret",
        sink__max_retries="0",
    )
    for statement in ("SELECT * FROM t", "INSERT INTO t VALUES (1)"):
        with pytest.raises((DataStreamError, ConnectionError), match=r"Cassandra at 127\.0\.0\.1:9") as found:
            env.execute_sql(statement).wait()
        assert "s3cret" not in str(found.value)
