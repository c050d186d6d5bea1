"""The examples of Flink's documentation: the connectors of Kafka."""

from __future__ import annotations

import json
from typing import Any

from tests.support.documented_examples import READ, environment, rows_of


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
