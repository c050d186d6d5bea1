"""The examples of the documentation of Flink's connectors: Elasticsearch, OpenSearch, Kinesis and Pulsar."""

from __future__ import annotations

import pytest

from tests.support.documented_examples import environment, rows_of
from tests.support.servers.elasticsearch import ElasticsearchServer
from tests.support.servers.kinesis import KinesisServer
from tests.support.servers.opensearch import OpenSearchServer
from tests.support.servers.pulsar import PulsarServer


@pytest.mark.long
@pytest.mark.parametrize("connector", ["elasticsearch-7", "elasticsearch-8", "opensearch", "opensearch-2"])
def test_elasticsearch_and_opensearch(connector: str, request: pytest.FixtureRequest) -> None:
    server: ElasticsearchServer | OpenSearchServer = request.getfixturevalue(connector.partition("-")[0])
    env, index = environment(), server.index(user_name="keyword", pv="long")
    access = f"'username' = '{server.user}', 'password' = '{server.password}'," if server.user else ""
    env.execute_sql(f"""
        CREATE TABLE myUserTable (
          user_id STRING,
          user_name STRING,
          uv BIGINT,
          pv BIGINT,
          PRIMARY KEY (user_id) NOT ENFORCED
        ) WITH (
          'connector' = '{connector}',
          'hosts' = 'http://{server.address}',{access}
          'index' = '{index}'
        )""")
    env.execute_sql("""
        INSERT INTO myUserTable
        SELECT user_id, MAX(user_name), COUNT(DISTINCT page), COUNT(*)
        FROM (VALUES ('u1', 'ada', 1), ('u1', 'ada', 1), ('u2', 'bob', 1)) AS views (user_id, user_name, page)
        GROUP BY user_id""")
    assert server.documents(index) == {
        "u1": {"user_id": "u1", "user_name": "ada", "uv": 1, "pv": 2},
        "u2": {"user_id": "u2", "user_name": "bob", "uv": 1, "pv": 1},
    }


BEHAVIOR = """
          `user_id` BIGINT,
          `item_id` BIGINT,
          `category_id` BIGINT,
          `behavior` STRING,
          `ts` TIMESTAMP(3)"""
METADATA = """
          `arrival_time` TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL,
          `shard_id` VARCHAR(128) NOT NULL METADATA FROM 'shard-id' VIRTUAL,
          `sequence_number` VARCHAR(128) NOT NULL METADATA FROM 'sequence-number' VIRTUAL"""


@pytest.mark.parametrize("position", ["scan.stream.initpos", "source.init.position"])
def test_kinesis(kinesis: KinesisServer, position: str) -> None:
    """By both names of the position. Kinesalite knows streams by name alone, not by ``stream.arn``."""
    env, stream = environment(), kinesis.stream()
    access = ", ".join(f"'{name.replace('.provider', '')}' = '{value}'" for name, value in kinesis.properties.items())
    for name, columns in (("KinesisTable", BEHAVIOR), ("WithMetadata", f"{BEHAVIOR},{METADATA}")):
        env.execute_sql(f"""
            CREATE TABLE {name} ({columns}
            )
            PARTITIONED BY (user_id, item_id)
            WITH (
              'connector' = 'kinesis',
              'stream' = '{stream}',
              {access},
              '{position}' = 'TRIM_HORIZON',
              'format' = 'csv'
            )""")
    env.execute_sql(
        "INSERT INTO KinesisTable VALUES (1, 10, 100, 'buy', TIMESTAMP '2020-05-20 12:30:00'), "
        "(2, 20, 200, 'pv', CAST(NULL AS TIMESTAMP(3)))"
    )
    assert kinesis.contents(stream) == [b'1,10,100,buy,"2020-05-20 12:30:00"', b"2,20,200,pv,"]
    query = "SELECT user_id, item_id, category_id, behavior, CAST(ts AS STRING)"
    rows = ["1, 10, 100, 'buy', '2020-05-20 12:30:00.000'", "2, 20, 200, 'pv', None"]
    assert rows_of(env, f"{query} FROM KinesisTable", 2) == [f"+I ({row})" for row in rows]
    query += ", arrival_time > TIMESTAMP '2020-01-01 00:00:00', shard_id, sequence_number > '' FROM WithMetadata"
    assert rows_of(env, query, 2) == [f"+I ({row}, True, 'shardId-000000000000', True)" for row in rows]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_pulsar(pulsar: PulsarServer) -> None:
    env, topic = environment(), pulsar.topic()
    env.execute_sql(f"""
        CREATE TABLE PulsarTable (
          `user_id` BIGINT,
          `item_id` BIGINT,
          `behavior` STRING,
          `publish_time` TIMESTAMP_LTZ(3) METADATA FROM 'publish_time' VIRTUAL,
          WATERMARK FOR `publish_time` AS `publish_time` - INTERVAL '5' SECOND
        ) WITH (
          'connector' = 'pulsar',
          'topics' = '{topic}',
          'service-url' = '{pulsar.url}',
          'admin-url' = '{pulsar.admin_url}',
          'source.subscription-name' = 'flink-subscription',
          'source.start.message-id' = 'earliest',
          'source.stop.at-message-id' = 'latest',
          'format' = 'json'
        )""")
    env.execute_sql("INSERT INTO PulsarTable VALUES (1, 10, 'buy'), (2, 20, 'pv')")
    query = "SELECT user_id, item_id, behavior, publish_time > TO_TIMESTAMP_LTZ(0, 3) FROM PulsarTable"
    assert rows_of(env, query) == ["+I (1, 10, 'buy', True)", "+I (2, 20, 'pv', True)"]
