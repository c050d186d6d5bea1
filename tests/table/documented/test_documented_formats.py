"""The examples of Flink's documentation: formats of messages."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from datastream import Row
from datastream.formats.avro import AvroSchema, ConfluentRegistryAvroSerializationSchema
from datastream.table.udf import udf
from tests.support.documented_examples import READ, environment, rows_of
from tests.support.formats.protobuf_tables import SimpleTest
from tests.support.formats.registry_server import RegistryServer


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


ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "dbserver1.inventory.products",
    "fields": [
        {
            "name": "before",
            "default": None,
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "Value",
                    "fields": [
                        {"name": "id", "type": "long"},
                        {"name": "name", "type": "string"},
                        {"name": "description", "type": ["null", "string"], "default": None},
                        {
                            "name": "weight",
                            "default": None,
                            "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}],
                        },
                    ],
                },
            ],
        },
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
    ],
}


def test_debezium_avro(kafka: Any, registry: RegistryServer) -> None:
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
          'format' = 'debezium-avro-confluent',
          'debezium-avro-confluent.url' = '{registry.url}'
        )""")
    product = {**PRODUCT, "weight": Decimal("5.18")}
    event = {"op": "u", "ts_ms": 1589362330904, "before": {**product, "weight": Decimal("5.15")}, "after": product}
    schema = AvroSchema(json.dumps(ENVELOPE))
    writer = ConfluentRegistryAvroSerializationSchema.for_generic(f"{topic}-value", schema, registry.url)
    kafka.produce(topic, [writer.serialize(event)])
    assert rows_of(env, "SELECT id, name, CAST(weight AS STRING) FROM topic_products") == [
        "-U (111, 'scooter', '5.15')",
        "+U (111, 'scooter', '5.18')",
    ]


SOME_TABLE = (
    "CREATE TEMPORARY VIEW some_table AS "
    "SELECT * FROM (VALUES ('1', 'ada', 'ada@x'), ('2', 'bob', CAST(NULL AS STRING))) AS v (id, name, email)"
)


def test_avro_with_a_key_of_text(kafka: Any, registry: RegistryServer) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(SOME_TABLE)
    env.execute_sql(f"""
        CREATE TABLE user_created (

          -- one column mapped to the Kafka raw UTF-8 key
          the_kafka_key STRING,

          -- a few columns mapped to the Avro fields of the Kafka value
          id STRING,
          name STRING,
          email STRING

        ) WITH (

          'connector' = 'kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          {READ},

          -- UTF-8 string as Kafka keys, using the 'the_kafka_key' table column
          'key.format' = 'raw',
          'key.fields' = 'the_kafka_key',

          'value.format' = 'avro-confluent',
          'value.avro-confluent.url' = '{registry.url}',
          'value.fields-include' = 'EXCEPT_KEY'
        )""")
    env.execute_sql("""
        INSERT INTO user_created
        SELECT
          -- replicating the user id into a column mapped to the kafka key
          id as the_kafka_key,

          -- all values
          id, name, email
        FROM some_table""")
    assert [record.key for record in kafka.read(topic)] == [b"1", b"2"]
    assert rows_of(env, "SELECT * FROM user_created") == ["+I ('1', '1', 'ada', 'ada@x')", "+I ('2', '2', 'bob', None)"]
    assert "POST /subjects/" + f"{topic}-value/versions" in registry.requests


def test_avro_with_a_key_in_avro(kafka: Any, registry: RegistryServer) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(SOME_TABLE)
    env.execute_sql(f"""
        CREATE TABLE user_created (

          -- one column mapped to the 'id' Avro field of the Kafka key
          kafka_key_id STRING,

          -- a few columns mapped to the Avro fields of the Kafka value
          id STRING,
          name STRING,
          email STRING

        ) WITH (

          'connector' = 'kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          {READ},

          -- Watch out: schema evolution in the context of a Kafka key is almost never backward nor
          -- forward compatible due to hash partitioning.
          'key.format' = 'avro-confluent',
          'key.avro-confluent.url' = '{registry.url}',
          'key.fields' = 'kafka_key_id',

          -- In this example, we want the Avro types of both the Kafka key and value to contain the field 'id'
          -- => adding a prefix to the table column associated to the Kafka key field avoids clashes
          'key.fields-prefix' = 'kafka_key_',

          'value.format' = 'avro-confluent',
          'value.avro-confluent.url' = '{registry.url}',
          'value.fields-include' = 'EXCEPT_KEY',

          -- subjects have a default value since Flink 1.13, though can be overridden:
          'key.avro-confluent.subject' = 'user_events_example2-key2',
          'value.avro-confluent.subject' = 'user_events_example2-value2'
        )""")
    env.execute_sql("INSERT INTO user_created SELECT id, id, name, email FROM some_table")
    assert rows_of(env, "SELECT * FROM user_created") == ["+I ('1', '1', 'ada', 'ada@x')", "+I ('2', '2', 'bob', None)"]
    asked = [each for each in registry.requests if each.startswith("POST")]
    assert sorted(set(asked)) == [f"POST /subjects/user_events_example2-{each}2/versions" for each in ("key", "value")]


def test_avro_of_upserts(kafka: Any, registry: RegistryServer) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(SOME_TABLE)
    env.execute_sql(f"""
        CREATE TABLE user_created (

          -- one column mapped to the Kafka raw UTF-8 key
          kafka_key_id STRING,

          -- a few columns mapped to the Avro fields of the Kafka value
          id STRING,
          name STRING,
          email STRING,

          PRIMARY KEY (kafka_key_id) NOT ENFORCED

        ) WITH (

          'connector' = 'upsert-kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          'scan.bounded.mode' = 'latest-offset',

          -- UTF-8 string as Kafka keys
          -- We don't specify 'key.fields' in this case since it's dictated by the primary key of the table
          'key.format' = 'raw',

          -- In this example, we want the Avro types of both the Kafka key and value to contain the field 'id'
          -- => adding a prefix to the table column associated to the kafka key field to avoid clashes
          'key.fields-prefix' = 'kafka_key_',

          'value.format' = 'avro-confluent',
          'value.avro-confluent.url' = '{registry.url}',
          'value.fields-include' = 'EXCEPT_KEY'
        )""")
    env.execute_sql("INSERT INTO user_created SELECT id, id, name, email FROM some_table")
    assert rows_of(env, "SELECT * FROM user_created") == ["+I ('1', '1', 'ada', 'ada@x')", "+I ('2', '2', 'bob', None)"]


TEXTS = {
    "csv": "'csv.ignore-parse-errors' = 'true', 'csv.allow-comments' = 'true',",
    "json": "'json.fail-on-missing-field' = 'false', 'json.ignore-parse-errors' = 'true',",
    "avro": "",
}
#: A message that is no row.
PASSED_OVER = {"csv": "# a comment", "json": "{"}


@pytest.mark.parametrize("form", TEXTS)
def test_formats_of_rows(kafka: Any, form: str) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE user_behavior (
          user_id BIGINT,
          item_id BIGINT,
          category_id BIGINT,
          behavior STRING,
          ts TIMESTAMP(3)
        ) WITH (
         'connector' = 'kafka',
         'topic' = '{topic}',
         'properties.bootstrap.servers' = '{kafka.bootstrap}',
         'properties.group.id' = 'testGroup',
         {READ}, {TEXTS[form]}
         'format' = '{form}'
        )""")
    env.execute_sql(
        "INSERT INTO user_behavior VALUES (1, 10, 100, 'buy', TIMESTAMP '2020-05-20 12:30:00'), "
        "(2, 20, 200, 'pv', CAST(NULL AS TIMESTAMP(3)))"
    )
    if form in PASSED_OVER:
        kafka.produce(topic, [PASSED_OVER[form]])
    query = "SELECT user_id, item_id, category_id, behavior, CAST(ts AS STRING) FROM user_behavior"
    assert rows_of(env, query) == [
        "+I (1, 10, 100, 'buy', '2020-05-20 12:30:00.000')",
        "+I (2, 20, 200, 'pv', None)",
    ]


LOG = (
    '47.29.201.179 - - [28/Feb/2019:13:17:10 +0000] "GET /?p=1 HTTP/2.0" 200 5316 '
    '"https://domain.com/?p=1" "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) '
    'Chrome/72.0.3626.119 Safari/537.36" "2.75"'
)


def test_raw(kafka: Any) -> None:
    env, topic = environment(), kafka.topic(partitions=1)
    env.execute_sql(f"""
        CREATE TABLE nginx_log (
          log STRING
        ) WITH (
          'connector' = 'kafka',
          'topic' = '{topic}',
          'properties.bootstrap.servers' = '{kafka.bootstrap}',
          'properties.group.id' = 'testGroup',
          {READ},
          'format' = 'raw'
        )""")
    kafka.produce(topic, [LOG])

    @udf(result_type="ROW<hostname STRING, datetime STRING, url STRING, browser STRING>")
    def my_split_udf(log: str) -> Row:
        words = log.split('"')
        host, _, _, at, _ = words[0].split(" ", 4)
        return Row(host, at.strip("["), words[3], words[5].split("/")[0])

    env.create_temporary_function("my_split_udf", my_split_udf)
    found = rows_of(
        env,
        """
        SELECT t.hostname, t.datetime, t.url, t.browser
        FROM(
          SELECT my_split_udf(log) as t FROM nginx_log
        )""",
    )
    assert found == ["+I ('47.29.201.179', '28/Feb/2019:13:17:10', 'https://domain.com/?p=1', 'Mozilla')"]
    found = rows_of(
        env,
        r"""
        SELECT REGEXP_EXTRACT(log, '\[([^ ]+)', 1), SPLIT_INDEX(log, ' ', 0), SPLIT(log, ' ')[1]
        FROM nginx_log
        WHERE REGEXP(log, ' 200 ')""",
    )
    assert found == ["+I ('28/Feb/2019:13:17:10', '47.29.201.179', '47.29.201.179')"]
