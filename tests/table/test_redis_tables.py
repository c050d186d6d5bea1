"""The connector ``redis``: streams, keys and lookups in SQL."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.redis import RedisServer


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def declared(server: RedisServer, columns: str, rest: str) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.execute_sql(create(server, "t", columns, rest))
    return t_env


def create(server: RedisServer, name: str, columns: str, rest: str) -> str:
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'redis', 'url' = 'redis://{server.host}:{server.port}', "
        f"'format' = 'json', {rest})"
    )


def collected(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


def test_a_stream_is_written_and_read(redis_server: RedisServer) -> None:
    key = redis_server.key()
    columns = (
        "id BIGINT, name STRING, e STRING METADATA FROM 'id' VIRTUAL, s STRING METADATA FROM 'stream' VIRTUAL, "
        "at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR at AS at - INTERVAL '5' SECOND"
    )
    t_env = declared(redis_server, columns, f"'data-type' = 'stream', 'key' = '{key}', 'scan.bounded' = 'true'")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    with redis_server.api as api:
        entries = api.xrange(key)
    assert [fields for _, fields in entries] == [
        {b"value": b'{"id":1,"name":"ann"}'},
        {b"value": b'{"id":2,"name":null}'},
    ]
    assert collected(t_env, "SELECT name, s, id FROM t") == [f"['ann', '{key}', 1]", f"[None, '{key}', 2]"]
    ids = [id.decode() for id, _ in entries]
    times = {id: id.partition("-")[0] for id in ids}
    for id, ms in times.items():
        found = collected(t_env, f"SELECT e FROM t WHERE at = TO_TIMESTAMP_LTZ({ms}, 3)")
        assert found == [f"['{other}']" for other in ids if times[other] == ms], id


def test_several_streams_and_another_field(redis_server: RedisServer) -> None:
    keys = [redis_server.key() for _ in range(2)]
    with redis_server.api as api:
        for number, key in enumerate(keys):
            api.xadd(key, {"body": f'{{"id": {number}}}'})
    rest = f"'data-type' = 'stream', 'key' = '{';'.join(keys)}', 'scan.bounded' = 'true'"
    assert collected(declared(redis_server, "id BIGINT", f"{rest}, 'field' = 'body'"), "SELECT id FROM t") == [
        "[0]",
        "[1]",
    ]
    with pytest.raises(DataStreamError, match="has no field 'value'; the option 'field' says which one is read"):
        collected(declared(redis_server, "id BIGINT", rest), "SELECT id FROM t")


@pytest.mark.parametrize("kind", ["string", "hash"])
def test_changes_by_a_key(redis_server: RedisServer, kind: str) -> None:
    key = redis_server.key()
    place = f"'key-prefix' = '{key}:', 'sink.ttl' = '1 h'" if kind == "string" else f"'key' = '{key}'"
    t_env = declared(
        redis_server, "a STRING, n BIGINT, PRIMARY KEY (a) NOT ENFORCED", f"'data-type' = '{kind}', {place}"
    )
    rows = "(VALUES ('x', 1), ('y', 2), ('x', 5)) AS v(a, n)"
    t_env.execute_sql(f"INSERT INTO t SELECT a, SUM(n) FROM {rows} GROUP BY a").wait()
    with redis_server.api as api:
        if kind == "hash":
            assert api.hgetall(key) == {b"x": b'{"a":"x","n":6}', b"y": b'{"a":"y","n":2}'}
        else:
            assert api.mget(f"{key}:x", f"{key}:y") == [b'{"a":"x","n":6}', b'{"a":"y","n":2}']
            assert 0 < api.pttl(f"{key}:x") <= 3_600_000
    with pytest.raises(ValidationError, match="cannot be read as a whole; look it up by FOR SYSTEM_TIME AS OF"):
        t_env.execute_sql("SELECT * FROM t")


def test_rows_that_are_taken_away(redis_server: RedisServer) -> None:
    keys = [redis_server.key() for _ in range(2)]
    rest = "'data-type' = 'hash', 'key' = '{0}'"
    t_env = declared(redis_server, "a STRING, n BIGINT, PRIMARY KEY (a) NOT ENFORCED", rest.format(keys[0]))
    t_env.execute_sql(create(redis_server, "s", "a STRING, n BIGINT", f"'data-type' = 'set', 'key' = '{keys[1]}'"))
    rows = "(VALUES ('x', 1), ('y', 2), ('x', -1)) AS v(a, n)"
    for table in "ts":
        t_env.execute_sql(
            f"INSERT INTO {table} SELECT a, n FROM (SELECT a, SUM(n) AS n FROM {rows} GROUP BY a) WHERE n > 0"
        ).wait()
    with redis_server.api as api:
        assert api.hgetall(keys[0]) == {b"y": b'{"a":"y","n":2}'}
        assert api.smembers(keys[1]) == {b'{"a":"y","n":2}'}


def test_a_list(redis_server: RedisServer) -> None:
    key = redis_server.key()
    t_env = declared(redis_server, "n BIGINT", f"'data-type' = 'list', 'key' = '{key}'")
    t_env.execute_sql("INSERT INTO t VALUES (1), (2)").wait()
    with redis_server.api as api:
        assert api.lrange(key, 0, -1) == [b'{"n":1}', b'{"n":2}']
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        t_env.execute_sql("INSERT INTO t SELECT COUNT(*) FROM (VALUES (1), (2)) AS v(n)")


@pytest.mark.parametrize("kind", ["string", "hash"])
@pytest.mark.parametrize("cache", ["", ", 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '10'"])
def test_lookups(redis_server: RedisServer, kind: str, cache: str) -> None:
    key = redis_server.key()
    with redis_server.api as api:
        for part, name in (("1_x", "one"), ("2_y", "two")):
            content = f'{{"b": "{part[2]}", "a": {part[0]}, "name": "{name}"}}'
            if kind == "hash":
                api.hset(key, part, content)
            else:
                api.set(f"{key}:{part}", content)
    place = f"'key-prefix' = '{key}:'" if kind == "string" else f"'key' = '{key}'"
    t_env = declared(
        redis_server,
        "name STRING, b STRING, a INT, PRIMARY KEY (a, b) NOT ENFORCED",
        f"'data-type' = '{kind}', {place}{cache}",
    )
    t_env.execute_sql(
        "CREATE VIEW o AS SELECT a, b, PROCTIME() AS p FROM (VALUES (1, 'x'), (2, 'z'), (1, 'x'), "
        "(CAST(NULL AS INT), 'x')) AS v(a, b)"
    )
    join = "SELECT o.a, o.b, t.name FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.p ON {0}"
    expected = ["[1, 'x', 'one']", "[1, 'x', 'one']", "[2, 'z', None]", "[None, 'x', None]"]
    assert collected(t_env, join.format("t.b = o.b AND t.a = o.a")) == expected
    with pytest.raises(ValidationError, match=r"looked up by its PRIMARY KEY \(a, b\) alone, and the join compares a"):
        t_env.execute_sql(join.format("t.a = o.a"))


@pytest.mark.parametrize(
    ("columns", "rest", "message"),
    [
        ("a INT", "'data-type' = 'hash', 'key' = 'k'", "'data-type' = 'hash' needs a PRIMARY KEY"),
        ("a INT PRIMARY KEY NOT ENFORCED", "'data-type' = 'list', 'key' = 'k'", "cannot have a PRIMARY KEY"),
        ("a INT", "'data-type' = 'stream'", "'data-type' = 'stream' needs the option 'key'"),
        ("a INT PRIMARY KEY NOT ENFORCED", "'data-type' = 'string', 'key' = 'k'", "has no option 'key', but"),
        ("a INT", "'data-type' = 'list', 'key' = 'k', 'sink.ttl' = '1 h'", "is for 'data-type' = 'string'"),
        ("a INT", "'data-type' = 'stream', 'key' = 'k', 'sink.stream.max-length' = '0'", "must be positive, got 0"),
        (
            "a BYTES PRIMARY KEY NOT ENFORCED",
            "'data-type' = 'hash', 'key' = 'k'",
            "has the type VARBINARY, which has no text",
        ),
        ("a INT", "'data-type' = 'zset', 'key' = 'k'", "data-type"),
        ("a INT", "'data-type' = 'list', 'key' = 'k', 'username' = 'u'", "the user 'u' needs a password"),
    ],
)
def test_wrong_options(redis_server: RedisServer, columns: str, rest: str, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        declared(redis_server, columns, rest).execute_sql("INSERT INTO t SELECT a FROM t")
    assert message in str(found.value)


def test_passwords_are_not_shown(redis_server: RedisServer) -> None:
    t_env = declared(
        redis_server, "n BIGINT", "'data-type' = 'list', 'key' = 'k', 'username' = 'nobody', 'password' = 's3cret'"
    )
    with pytest.raises(DataStreamError, match="refuses the user 'nobody'") as found:
        t_env.execute_sql("INSERT INTO t VALUES (1)").wait()
    assert "s3cret" not in str(found.value)
