"""The examples of the documentation of Flink, Delta Lake and Apache Iceberg: files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from tests.support.documented_examples import READ, environment, rows_of
from tests.support.servers.iceberg_rest import rest_catalog


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


@pytest.mark.parametrize("form", ["orc", "parquet"])
def test_formats_of_columns(tmp_path: Path, form: str) -> None:
    env = environment("BATCH")
    env.execute_sql(f"""
        CREATE TABLE user_behavior (
          user_id BIGINT,
          item_id BIGINT,
          category_id BIGINT,
          behavior STRING,
          ts TIMESTAMP(3),
          dt STRING
        ) PARTITIONED BY (dt) WITH (
         'connector' = 'filesystem',
         'path' = '{tmp_path}/user_behavior',
         'format' = '{form}'
        )""")
    env.execute_sql(
        "INSERT INTO user_behavior VALUES (1, 10, 100, 'buy', TIMESTAMP '2020-05-20 12:30:00.123', '2020-05-20'), "
        "(2, 20, 200, 'pv', CAST(NULL AS TIMESTAMP(3)), '2020-05-21')"
    )
    assert sorted(path.name for path in (tmp_path / "user_behavior").glob("dt=*")) == ["dt=2020-05-20", "dt=2020-05-21"]
    query = "SELECT user_id, item_id, category_id, behavior, CAST(ts AS STRING), dt FROM user_behavior"
    assert sorted(rows_of(env, query)) == [
        "+I (1, 10, 100, 'buy', '2020-05-20 12:30:00.123', '2020-05-20')",
        "+I (2, 20, 200, 'pv', None, '2020-05-21')",
    ]


def test_delta(tmp_path: Path) -> None:
    env = environment()
    env.execute_sql("CREATE CATALOG my_delta WITH ('type' = 'delta-catalog', 'catalog-type' = 'in-memory')")
    env.execute_sql("USE CATALOG my_delta")
    env.execute_sql(f"""
        CREATE TABLE testTable (
          id BIGINT,
          data STRING,
          part_a STRING,
          part_b STRING
        )
        PARTITIONED BY (part_a, part_b)
        WITH (
          'connector' = 'delta',
          'table-path' = '{tmp_path}/table',
          'delta.appendOnly' = 'true'
        )""")
    env.execute_sql("INSERT INTO testTable VALUES (1, 'a', 'x', 'y'), (2, 'b', 'x', 'z')")
    assert DeltaTable(f"{tmp_path}/table").metadata().configuration == {"delta.appendOnly": "true"}
    rows = ["+I (1, 'a', 'x', 'y')", "+I (2, 'b', 'x', 'z')"]
    assert sorted(rows_of(env, "SELECT * FROM testTable")) == rows
    assert rows_of(env, "SELECT id FROM testTable WHERE part_b = 'z'") == ["+I (2,)"]
    query = "SELECT * FROM testTable /*+ OPTIONS('mode' = 'streaming', 'startingVersion' = '0') */"
    assert sorted(rows_of(env, query, 2)) == rows


@pytest.mark.long
def test_iceberg(tmp_path: Path) -> None:
    env = environment("BATCH")
    with rest_catalog() as url:
        create_catalog = f"""
            CREATE CATALOG iceberg_catalog WITH (
              'type'                 = 'iceberg',
              'catalog-impl'         = 'org.apache.iceberg.rest.RESTCatalog',
              'uri'                  = '{url}',
              'io-impl'              = 'org.apache.iceberg.io.ResolvingFileIO',
              'property-version'     = '1'
            )"""
        env.execute_sql(create_catalog)
        env.execute_sql("CREATE DATABASE IF NOT EXISTS iceberg_catalog.nyc")
        env.execute_sql("""
            CREATE TABLE iceberg_catalog.nyc.taxis
            (
              vendor_id BIGINT,
              trip_id BIGINT,
              trip_distance FLOAT,
              fare_amount DOUBLE,
              store_and_fwd_flag STRING
            )""")
        env.execute_sql("""
            INSERT INTO iceberg_catalog.nyc.taxis
            VALUES (1, 1000371, 1.8, 15.32, 'N'), (2, 1000372, 2.5, 22.15, 'N'), (2, 1000373, 0.9, 9.01, 'N'),
              (1, 1000374, 8.4, 42.13, 'Y')""")
        assert sorted(rows_of(env, "SELECT * FROM iceberg_catalog.nyc.taxis")) == [
            "+I (1, 1000371, 1.8, 15.32, 'N')",
            "+I (1, 1000374, 8.4, 42.13, 'Y')",
            "+I (2, 1000372, 2.5, 22.15, 'N')",
            "+I (2, 1000373, 0.9, 9.01, 'N')",
        ]
        env.execute_sql("""
            CREATE TABLE `iceberg_catalog`.`nyc`.`sample` (
              id BIGINT COMMENT 'unique id',
              data STRING NOT NULL
            ) WITH ('format-version'='2')""")
        env.execute_sql("INSERT INTO `iceberg_catalog`.`nyc`.`sample` VALUES (1, 'a')")
        streaming = environment()
        streaming.execute_sql(create_catalog)
        for each in (env, streaming):
            each.execute_sql("USE CATALOG iceberg_catalog")
            each.execute_sql("USE nyc")
        query = "SELECT * FROM sample /*+ OPTIONS('streaming'='true', 'monitor-interval'='1s')*/"
        assert rows_of(streaming, query, 1) == ["+I (1, 'a')"]
        env.execute_sql("INSERT OVERWRITE sample VALUES (1, 'b')")
        assert rows_of(env, "SELECT * FROM sample") == ["+I (1, 'b')"]
