"""The connectors ``kinesis`` and ``firehose``: streams in SQL."""

from __future__ import annotations

import json
import time
from itertools import islice

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.kinesis import SECRET, KinesisServer
from tests.support.servers.s3 import S3Server


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def aws(server: KinesisServer) -> str:
    given = {name.replace(".provider", ""): value for name, value in server.properties.items()}
    return ", ".join(f"'{name}' = '{value}'" for name, value in given.items())


def declared(
    server: KinesisServer, columns: str, stream: str, rest: str = "'format' = 'json'", partitioned: str = ""
) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        f"CREATE TABLE t ({columns}) {partitioned} WITH ('connector' = 'kinesis', 'stream' = '{stream}', "
        f"{aws(server)}, 'scan.stream.initpos' = 'TRIM_HORIZON', {rest})"
    )
    return t_env


def collected(t_env: TableEnvironment, query: str, count: int) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in islice(rows, count))


def test_rows_are_written_and_read(kinesis: KinesisServer) -> None:
    stream = kinesis.stream(2)
    t_env = declared(kinesis, "id BIGINT, name STRING", stream)
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    assert collected(t_env, "SELECT name, id FROM t", 2) == ["['ann', 1]", "[None, 2]"]
    assert sorted(kinesis.contents(stream)) == [b'{"id":1,"name":"ann"}', b'{"id":2,"name":null}']


def test_metadata_is_read(kinesis: KinesisServer) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", b'{"id":1}')])
    columns = (
        "id BIGINT, n STRING METADATA FROM 'sequence-number' VIRTUAL, s STRING METADATA FROM 'shard-id' VIRTUAL, "
        "at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR at AS at - INTERVAL '5' SECOND"
    )
    with declared(kinesis, columns, stream).execute_sql("SELECT s, id, n, at FROM t").collect() as rows:
        (row,) = islice(rows, 1)
    assert row[0] == "shardId-000000000000" and row[1] == 1 and row[2].isdigit()
    assert abs(row[3].to_epoch_milli() / 1000 - time.time()) < 60


def keys(server: KinesisServer, stream: str) -> list[str]:
    client = server.boto()
    first = client.get_shard_iterator(
        StreamName=stream, ShardId="shardId-000000000000", ShardIteratorType="TRIM_HORIZON"
    )
    return sorted(
        record["PartitionKey"] for record in client.get_records(ShardIterator=first["ShardIterator"])["Records"]
    )


def test_partition_keys_are_of_the_columns_of_partitioned_by(kinesis: KinesisServer) -> None:
    stream = kinesis.stream()
    t_env = declared(kinesis, "id BIGINT, a STRING", stream, partitioned="PARTITIONED BY (a, id)")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, CAST(NULL AS STRING))").wait()
    assert keys(kinesis, stream) == ["null|2", "x|1"]
    other = kinesis.stream()
    t_env = declared(kinesis, "id BIGINT", other, "'format' = 'json', 'sink.partitioner' = 'fixed'")
    t_env.execute_sql("INSERT INTO t VALUES (1)").wait()
    assert keys(kinesis, other) == ["0"]


def test_what_cannot_be_read_is_named_or_dropped(kinesis: KinesisServer) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", b'{"id": 1}'), ("k", b'{"id": oh no}'), ("k", b'{"id": 2}')])
    with pytest.raises(
        DataStreamError, match=rf"the record \d+ of the shard shardId-0+ of the stream '{stream}': .*oh no"
    ):
        collected(declared(kinesis, "id BIGINT", stream), "SELECT * FROM t", 3)
    lenient = declared(kinesis, "id BIGINT", stream, "'format' = 'json', 'json.ignore-parse-errors' = 'true'")
    assert collected(lenient, "SELECT * FROM t", 2) == ["[1]", "[2]"]


@pytest.mark.parametrize(
    ("options", "query", "says"),
    [
        ("'stream' = 's'", "SELECT * FROM t", "the option 'format' is missing"),
        ("'format' = 'json'", "SELECT * FROM t", "one of the options 'stream.arn' and 'stream' must be set"),
        ("'stream' = 's', 'format' = 'json'", "SELECT * FROM t", "the property 'aws.region' is needed"),
        ("'stream' = 's', 'format' = 'json', 'aws.region' = 'x', 'sink.partitioner' = 'org.Mine'",
         "INSERT INTO t VALUES (1)", "expected 'random' or 'fixed', got 'org.Mine'"),
        ("'stream' = 's', 'format' = 'json', 'aws.region' = 'x', 'scan.stream.initpos' = 'NEWEST'",
         "SELECT * FROM t", "must be one of LATEST, TRIM_HORIZON, AT_TIMESTAMP, got 'NEWEST'"),
        ("'stream' = 's', 'format' = 'json', 'aws.region' = 'x', 'scan.shard.getrecords.backoff.base' = '1 s'",
         "SELECT * FROM t", "flink.shard.getrecords.backoff.base must be a whole number of at least 0, got '1 s'"),
        ("'stream' = 's', 'format' = 'json', 'aws.region' = 'x'", "INSERT INTO t SELECT COUNT(*) FROM t",
         "doesn't support consuming update and delete changes"),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_told(options: str, query: str, says: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"CREATE TABLE t (id BIGINT) WITH ('connector' = 'kinesis', {options})")
    with pytest.raises(ValidationError, match=says):
        t_env.execute_sql(query)


def test_a_firehose_table_is_written(s3_server: S3Server) -> None:
    moto = KinesisServer(s3_server.endpoint)
    name = moto.delivery_stream()
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        f"CREATE TABLE t (id BIGINT, name STRING, amount DECIMAL(5, 2)) WITH ('connector' = 'firehose', "
        f"'delivery-stream' = '{name}', {aws(moto)}, 'format' = 'json', 'sink.batch.max-size' = '2')"
    )
    rows = [(n, f"n{n}", f"{n}.50") for n in range(7)]
    values = ", ".join(f"({n}, '{text}', {amount})" for n, text, amount in rows)
    t_env.execute_sql(f"INSERT INTO t VALUES {values}").wait()
    found = [json.loads(part + "}") for part in moto.delivered(name).split("}")[:-1]]
    assert sorted(row["id"] for row in found) == list(range(7))
    assert found[0].keys() == {"id", "name", "amount"}
    assert all(row["name"] == f"n{row['id']}" and row["amount"] == row["id"] + 0.5 for row in found)


def test_firehose_takes_no_updates_and_names_a_missing_delivery_stream(s3_server: S3Server) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        f"CREATE TABLE t (n BIGINT) WITH ('connector' = 'firehose', 'delivery-stream' = 'nowhere', "
        f"{aws(KinesisServer(s3_server.endpoint))}, 'format' = 'json')"
    )
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        t_env.execute_sql("INSERT INTO t SELECT COUNT(*) FROM (VALUES (1), (2)) AS v (x)")
    with pytest.raises(DataStreamError, match="the delivery stream 'nowhere' is not there: .*; create it first"):
        t_env.execute_sql("INSERT INTO t VALUES (1)").wait()


def test_firehose_cannot_be_read() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        "CREATE TABLE t (id BIGINT) WITH ('connector' = 'firehose', 'delivery-stream' = 'd', 'format' = 'json', "
        "'aws.region' = 'x')"
    )
    with pytest.raises(ValidationError, match="'firehose' can only be used as a sink"):
        t_env.execute_sql("SELECT * FROM t")


def test_plans_and_definitions_show_no_keys(kinesis: KinesisServer) -> None:
    t_env = declared(kinesis, "id BIGINT", "s")
    for statement in ("EXPLAIN SELECT * FROM t", "SHOW CREATE TABLE t"):
        shown = next(iter(t_env.execute_sql(statement).collect()))[0]
        assert SECRET not in shown
