"""The examples of Flink's documentation of connectors and formats, with other addresses alone, on the real systems.

What is added so that they end: ``scan.startup.mode`` and ``scan.bounded.mode`` of topics that are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration
from datastream.config.settings import settings
from datastream.table import TableEnvironment
from tests.support.databases import Database, mysql, postgresql, sqlite
from tests.support.formats.protobuf_tables import SimpleTest
from tests.support.servers import mysql as mysql_server
from tests.support.servers.postgres import postgres

READ = "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(mode: str = "STREAMING") -> TableEnvironment:
    options = {"execution.runtime-mode": mode, "parallelism.default": "1", "table.dml-sync": "true"}
    return TableEnvironment.create(Configuration.from_dict(options))


def rows_of(env: TableEnvironment, query: str) -> list[str]:
    with env.execute_sql(query).collect() as rows:
        return [f"{row.get_row_kind()!s} {tuple(row)}" for row in rows]


def test_kafka(kafka: Any) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE KafkaTable (
          `event_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
          `partition` BIGINT METADATA VIRTUAL,
          `offset` BIGINT METADATA VIRTUAL,
          `user_id` BIGINT,
          `item_id` BIGINT,
          `behavior` STRING
        ) WITH (
          'connector' = 'kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          'properties.group.id' = 'testGroup',
          {READ},
          'format' = 'csv'
        )""")
    env.execute_sql(
        "INSERT INTO KafkaTable VALUES (TO_TIMESTAMP_LTZ(1000, 3), 1, 10, 'buy'), "
        "(TO_TIMESTAMP_LTZ(2000, 3), 2, 20, 'pv')"
    )
    assert rows_of(env, "SELECT `partition`, `offset`, user_id, item_id, behavior FROM KafkaTable") == [
        "+I (0, 0, 1, 10, 'buy')",
        "+I (0, 1, 2, 20, 'pv')",
    ]


def test_protobuf(kafka: Any) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE simple_test (
          uid BIGINT,
          name STRING,
          category_type INT,
          content BINARY,
          price DOUBLE,
          value_map map<BIGINT, row<v1 BIGINT, v2 INT>>,
          value_arr array<row<v1 BIGINT, v2 INT>>,
          corpus_int INT,
          corpus_str STRING
        ) WITH (
         'connector' = 'kafka',
         'topic' = '{topic}',
         'properties.bootstrap.servers' = '{kafka.bootstrap}',
         'properties.group.id' = 'testGroup',
         {READ},
         'format' = 'protobuf',
         'protobuf.message-class-name' = '{SimpleTest.DESCRIPTOR.full_name}',
         'protobuf.ignore-parse-errors' = 'true'
        )""")
    env.execute_sql(
        "INSERT INTO simple_test VALUES (1, 'a', 2, X'03', 4.5, MAP[5, ROW(CAST(6 AS BIGINT), 7)], "
        "ARRAY[ROW(CAST(8 AS BIGINT), 9)], 1, 'IMAGES'), "
        "(2, 'b', 3, CAST(NULL AS BINARY(1)), CAST(NULL AS DOUBLE), CAST(NULL AS MAP<BIGINT, ROW<v1 BIGINT, v2 INT>>), "
        "CAST(NULL AS ARRAY<ROW<v1 BIGINT, v2 INT>>), CAST(NULL AS INT), CAST(NULL AS STRING))"
    )
    kafka.produce(topic, [b"\xff"])
    found = rows_of(
        env, "SELECT uid, name, price, value_map[5].v2, value_arr[1].v1, corpus_int, corpus_str FROM simple_test"
    )
    assert found == ["+I (1, 'a', 4.5, 7, 8, 1, 'IMAGES')", "+I (2, 'b', None, None, None, None, None)"]


def test_upsert_kafka(kafka: Any) -> None:
    """``viewtime`` is a TIMESTAMP there, which Flink itself refuses: event time has at most 3 digits."""
    env = environment()
    views, regions = kafka.topic(partitions=1), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE pageviews_per_region (
          user_region STRING,
          pv BIGINT,
          uv BIGINT,
          PRIMARY KEY (user_region) NOT ENFORCED
        ) WITH (
          'connector' = 'upsert-kafka',
          'topic' = '{regions}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          'scan.bounded.mode' = 'latest-offset',
          'key.format' = 'avro',
          'value.format' = 'avro'
        )""")
    env.execute_sql(f"""
        CREATE TABLE pageviews (
          user_id BIGINT,
          page_id BIGINT,
          viewtime TIMESTAMP(3),
          user_region STRING,
          WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND
        ) WITH (
          'connector' = 'kafka',
          'topic' = '{views}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          {READ},
          'format' = 'json'
        )""")
    shown = ({"user_id": n % 2, "page_id": n, "viewtime": "2026-01-31 12:00:00", "user_region": "eu"} for n in range(3))
    kafka.produce(views, [json.dumps(each) for each in shown])
    env.execute_sql("""
        INSERT INTO pageviews_per_region
        SELECT
          user_region,
          COUNT(*),
          COUNT(DISTINCT user_id)
        FROM pageviews
        GROUP BY user_region""")
    assert rows_of(env, "SELECT * FROM pageviews_per_region")[-1] == "+U ('eu', 3, 2)"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(scope="module")
def mysql_url() -> Iterator[str]:
    with mysql_server.mysql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def users(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        found = sqlite(tmp_path)
    elif request.param == "mysql":
        found = mysql(request.getfixturevalue("mysql_url"), "users")
    else:
        found = postgresql(request.getfixturevalue("server"), "users")
    found.run("CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(100), age INT, status BOOLEAN)")
    return found


def test_jdbc(users: Database, tmp_path: Path) -> None:
    env, own = environment(), users.options()
    user = f", 'username' = '{own.user_name}', 'password' = '{own.password}'" if own.user_name is not None else ""
    env.execute_sql(f"""
        CREATE TABLE MyUserTable (
          id BIGINT,
          name STRING,
          age INT,
          status BOOLEAN,
          PRIMARY KEY (id) NOT ENFORCED
        ) WITH (
          'connector' = 'jdbc',
          'url' = '{own.url}',
          'table-name' = 'users'{user}
        )""")
    (tmp_path / "T.csv").write_text("1,a,30,true\n2,c,41,true\n")
    env.execute_sql(
        "CREATE TABLE T (id BIGINT, name STRING, age INT, status BOOLEAN, PRIMARY KEY (id) NOT ENFORCED) "
        f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'T.csv'}', 'format' = 'csv')"
    )
    env.execute_sql("""
        INSERT INTO MyUserTable
        SELECT id, name, age, status FROM T""")
    rows = rows_of(env, "SELECT id, name, age, status FROM MyUserTable")
    assert sorted(rows) == ["+I (1, 'a', 30, True)", "+I (2, 'c', 41, True)"]
    env.execute_sql(
        "CREATE TEMPORARY VIEW myTopic AS SELECT key, PROCTIME() AS proctime "
        "FROM (VALUES (CAST(2 AS BIGINT)), (CAST(3 AS BIGINT))) AS v(key)"
    )
    joined = rows_of(
        env,
        """
        SELECT key, name FROM myTopic
        LEFT JOIN MyUserTable FOR SYSTEM_TIME AS OF myTopic.proctime
        ON myTopic.key = MyUserTable.id""",
    )
    assert sorted(joined) == ["+I (2, 'c')", "+I (3, None)"]


def test_filesystem(kafka: Any, tmp_path: Path) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE kafka_table (
          user_id STRING,
          order_amount DOUBLE,
          log_ts TIMESTAMP(3),
          WATERMARK FOR log_ts AS log_ts - INTERVAL '5' SECOND
        ) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
          'properties.bootstrap.servers' = '{kafka.bootstrap}', {READ})""")
    fs_table = f"""
        CREATE TABLE fs_table (
          user_id STRING,
          order_amount DOUBLE,
          dt STRING,
          `hour` STRING
        ) PARTITIONED BY (dt, `hour`) WITH (
          'connector'='filesystem',
          'path'='{tmp_path}',
          'format'='parquet',
          'sink.partition-commit.delay'='1 h',
          'sink.partition-commit.policy.kind'='success-file'
        )"""
    env.execute_sql(fs_table)
    orders = ((n, f"2020-05-20 {11 + n}:30:00") for n in range(3))
    kafka.produce(topic, [json.dumps({"user_id": f"u{n}", "order_amount": n / 2, "log_ts": at}) for n, at in orders])
    env.execute_sql("""
        INSERT INTO fs_table
        SELECT
          user_id,
          order_amount,
          DATE_FORMAT(log_ts, 'yyyy-MM-dd'),
          DATE_FORMAT(log_ts, 'HH')
        FROM kafka_table""")
    batch = environment("BATCH")
    batch.execute_sql(fs_table)
    found = rows_of(batch, "SELECT * FROM fs_table WHERE dt='2020-05-20' and `hour`='12'")
    assert found == ["+I ('u1', 0.5, '2020-05-20', '12')"]
    assert len(list(tmp_path.rglob("_SUCCESS"))) == 3


PRODUCT = {"id": 111, "name": "scooter", "description": "Big 2-wheel scooter", "weight": 5.18}
CANAL = {"id": "111", "name": "scooter", "description": "Big 2-wheel scooter", "weight": "5.18"}
MESSAGES: dict[str, dict[str, Any]] = {
    "debezium-json": {
        "before": {**PRODUCT, "weight": 5.15},
        "after": PRODUCT,
        "source": {},
        "op": "u",
        "ts_ms": 1589362330904,
        "transaction": None,
    },
    "canal-json": {
        "data": [CANAL],
        "database": "inventory",
        "es": 1589373560000,
        "id": 9,
        "isDdl": False,
        "mysqlType": {"id": "INTEGER", "name": "VARCHAR(255)", "description": "VARCHAR(512)", "weight": "FLOAT"},
        "old": [{"weight": "5.15"}],
        "pkNames": ["id"],
        "sql": "",
        "sqlType": {"id": 4, "name": 12, "description": 12, "weight": 7},
        "table": "products",
        "ts": 1589373560798,
        "type": "UPDATE",
    },
    "maxwell-json": {
        "database": "test",
        "table": "e",
        "type": "update",
        "ts": 1477053217,
        "xid": 23396,
        "commit": True,
        "position": "master.000006:800911",
        "server_id": 23042,
        "thread_id": 108,
        "primary_key": [1, "2016-10-21 05:33:37.523000"],
        "primary_key_columns": ["id", "c"],
        "data": PRODUCT,
        "old": {"weight": 5.15},
    },
    "ogg-json": {
        "before": {**PRODUCT, "weight": 5.15},
        "after": PRODUCT,
        "op_type": "U",
        "op_ts": "2020-05-13 15:40:06.000000",
        "current_ts": "2020-05-13 15:40:07.000000",
        "primary_keys": ["id"],
        "pos": "00000000000000000000143",
        "table": "PRODUCTS",
    },
}


@pytest.mark.parametrize("form", MESSAGES)
def test_formats_of_changes(kafka: Any, form: str) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE topic_products (
          id BIGINT,
          name STRING,
          description STRING,
          weight DECIMAL(10, 2)
        ) WITH (
          'connector' = 'kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          'properties.group.id' = 'testGroup',
          {READ},
          'format' = '{form}'
        )""")
    kafka.produce(topic, [json.dumps(MESSAGES[form])])
    assert rows_of(env, "SELECT id, name, CAST(weight AS STRING) FROM topic_products") == [
        "-U (111, 'scooter', '5.15')",
        "+U (111, 'scooter', '5.18')",
    ]
