"""Kafka to Kafka by SQL, exactly once: running counts by key, and counts in tumbling windows of event time."""

import argparse

from pyflink.table import EnvironmentSettings, TableEnvironment

parser = argparse.ArgumentParser()
parser.add_argument("brokers")
parser.add_argument("input")
parser.add_argument("counts")
parser.add_argument("windows")
parser.add_argument("--window-ms", type=int, default=1000)
args = parser.parse_args()

COMMON = f"'properties.bootstrap.servers' = '{args.brokers}'"

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("pipeline.name", "chaos: sql")
env.execute_sql(f"""
    CREATE TABLE messages (
        k STRING,
        number BIGINT,
        at TIMESTAMP(3) METADATA FROM 'timestamp',
        WATERMARK FOR at AS at - INTERVAL '0.001' SECOND
    ) WITH (
        'connector' = 'kafka', 'topic' = '{args.input}', {COMMON}, 'properties.group.id' = 'readers-for-{args.counts}',
        'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'csv'
    )
""")


def create_output(name, topic, columns, key):
    """Declare a table that is written exactly once."""
    env.execute_sql(f"""
        CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH (
            'connector' = 'upsert-kafka', 'topic' = '{topic}', {COMMON}, 'key.format' = 'csv', 'value.format' = 'csv',
            'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'writers-of-{topic}'
        )
    """)


create_output("counts", args.counts, "k STRING, n BIGINT, number BIGINT", "k")
create_output("windows", args.windows, "k STRING, start BIGINT, n BIGINT", "k, start")
both = env.create_statement_set()
both.add_insert_sql("INSERT INTO counts SELECT k, COUNT(*), LAST_VALUE(number) FROM messages GROUP BY k")
both.add_insert_sql(f"""
    INSERT INTO windows
    SELECT k, TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_start) * CAST(1000 AS BIGINT), COUNT(*)
    FROM TABLE(TUMBLE(TABLE messages, DESCRIPTOR(at), INTERVAL '{args.window_ms / 1000:.3f}' SECOND))
    GROUP BY k, window_start, window_end
    ON CONFLICT DO DEDUPLICATE
""")
both.execute().wait()
