"""The connector ``pubsub``: topics and subscriptions in SQL."""

from __future__ import annotations

import time
from itertools import islice

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.pubsub import PROJECT, PubSubServer

pytestmark = pytest.mark.timeout(900)  # the server is built first, once


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def declared(server: PubSubServer, columns: str, name: str, rest: str = "'format' = 'json'") -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        f"CREATE TABLE t ({columns}) WITH ('connector' = 'pubsub', 'project' = '{PROJECT}', 'topic' = '{name}', "
        f"'subscription' = '{name}', 'emulator' = '{server.address}', {rest})"
    )
    return t_env


def collected(t_env: TableEnvironment, query: str, count: int) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in islice(rows, count))


def test_rows_are_written_and_read(pubsub: PubSubServer) -> None:
    name, _ = pubsub.topic()
    t_env = declared(pubsub, "id BIGINT, name STRING", name)
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    assert collected(t_env, "SELECT name, id FROM t", 2) == ["['ann', 1]", "[None, 2]"]
    t_env.execute_sql("INSERT INTO t VALUES (3, 'eve')").wait()
    assert pubsub.drain(name) == [b'{"id":3,"name":"eve"}']


def test_metadata_is_written_and_read(pubsub: PubSubServer) -> None:
    name, _ = pubsub.topic(enable_message_ordering=True)
    columns = (
        "id BIGINT, a MAP<STRING, STRING> METADATA FROM 'attributes', k STRING METADATA FROM 'ordering-key', "
        "m STRING METADATA FROM 'message-id' VIRTUAL, at TIMESTAMP_LTZ(3) METADATA FROM 'publish-time' VIRTUAL, "
        "WATERMARK FOR at AS at - INTERVAL '5' SECOND"
    )
    t_env = declared(pubsub, columns, name)
    t_env.execute_sql(
        "INSERT INTO t VALUES (1, MAP['kind', 'order'], 'x'), "
        "(2, CAST(NULL AS MAP<STRING, STRING>), CAST(NULL AS STRING))"
    ).wait()
    sent = {message.data: message for message in pubsub.take(name, 5)}
    assert dict(sent[b'{"id":1}'].attributes) == {"kind": "order"} and sent[b'{"id":1}'].ordering_key == "x"
    assert not sent[b'{"id":2}'].attributes and sent[b'{"id":2}'].ordering_key == ""
    again, _ = pubsub.topic()
    pubsub.publish(again, [*sent.values()])
    t_env = declared(pubsub, columns, again, "'format' = 'json', 'scan.parallelism' = '1'")
    with t_env.execute_sql("SELECT id, a, k, m, at FROM t").collect() as rows:
        (one, two) = sorted(islice(rows, 2), key=lambda row: row[0])
    assert (one[1], one[2], two[1], two[2]) == ({"kind": "order"}, "x", {}, "")
    assert one[3] != two[3]
    assert abs(one[4].to_epoch_milli() / 1000 - time.time()) < 60


def test_what_cannot_be_read_is_named_or_dropped(pubsub: PubSubServer) -> None:
    name, _ = pubsub.topic()
    (_, wrong) = pubsub.publish(name, [b'{"id": 1}', b'{"id": oh no}'])
    with pytest.raises(DataStreamError, match=rf"the message {wrong} of the subscription '{name}': .*oh no"):
        collected(declared(pubsub, "id BIGINT", name), "SELECT * FROM t", 3)
    pubsub.publish(name, [b'{"id": oh no}', b'{"id": 2}'])
    lenient = declared(pubsub, "id BIGINT", name, "'format' = 'json', 'json.ignore-parse-errors' = 'true'")
    assert collected(lenient, "SELECT * FROM t", 1) == ["[2]"]


def test_what_is_missing_or_wrong_is_told() -> None:
    def create(options: str, columns: str = "id BIGINT") -> TableEnvironment:
        t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'pubsub', {options})")
        return t_env

    given = "'project' = 'p', 'format' = 'json', 'emulator' = '127.0.0.1:9', 'credentials-file' = '/keys/s3cret.json'"
    cases = [
        (given, "id BIGINT", "SELECT * FROM t", "to read it, the option 'subscription' must be set"),
        (given, "id BIGINT", "INSERT INTO t VALUES (1)", "to write it, the option 'topic' must be set"),
        ("'project' = 'p'", "id BIGINT", "SELECT * FROM t", "the option 'format' is missing"),
        ("'format' = 'json'", "id BIGINT", "SELECT * FROM t", "the option 'project' is missing"),
        (given, "id BIGINT, PRIMARY KEY (id) NOT ENFORCED", "SELECT * FROM t", "cannot have a PRIMARY KEY"),
        (f"{given}, 'topic' = 't'", "id BIGINT", "INSERT INTO t SELECT COUNT(*) FROM t", "'subscription' must be set"),
        (
            f"{given}, 'topic' = 't', 'subscription' = 's'",
            "id BIGINT",
            "INSERT INTO t SELECT COUNT(*) FROM t",
            "doesn't support consuming update and delete changes",
        ),
        (
            f"{given}, 'subscription' = 's', 'scan.startup.snapshot' = 'a', 'scan.startup.timestamp-millis' = '1'",
            "id BIGINT",
            "SELECT * FROM t",
            "not from both",
        ),
        (
            f"{given}, 'topic' = 't'",
            "id BIGINT, m STRING METADATA FROM 'message-id'",
            "INSERT INTO t VALUES (1, 'a')",
            "cannot write the metadata 'message-id'",
        ),
    ]
    for options, columns, query, says in cases:
        with pytest.raises(ValidationError, match=says) as failed:
            create(options, columns).execute_sql(query)
        assert "s3cret" not in str(failed.value)


def test_a_plan_shows_no_credentials() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        "CREATE TABLE t (id BIGINT) WITH ('connector' = 'pubsub', 'project' = 'p', 'subscription' = 's', "
        "'format' = 'json', 'emulator' = '127.0.0.1:9', 'credentials-file' = '/keys/s3cret.json')"
    )
    assert "s3cret" not in t_env.execute_sql("EXPLAIN SELECT * FROM t").collect().__next__()[0]
