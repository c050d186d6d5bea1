"""A job from a system into the same system: ``SYSTEM WHERE``, where WHERE is JSON."""

import json
import sys

from pyflink.common import SimpleStringSchema, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment

from datastream.connectors import DataGeneratorSource, DeliveryGuarantee

system, where = sys.argv[1], json.loads(sys.argv[2])
env = StreamExecutionEnvironment.get_execution_environment()


def read(source):
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "in").uid("in")


def jdbc_sink():
    from pyflink.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink

    options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(where["url"]).build()
    row = Types.ROW([Types.LONG(), Types.STRING()])
    batches = JdbcExecutionOptions.builder().with_batch_size(2000).build()
    return JdbcSink.exactly_once_sink("INSERT INTO results VALUES (?, ?)", row, options, batches)


if system == "jdbc":
    from datastream.connectors.jdbc import JdbcSource

    rows = read(JdbcSource.builder().set_db_url(where["url"]).set_table("numbers").set_partition_column("id").build())
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(jdbc_sink()).uid("out")
elif system == "changes":
    from datastream.connectors.jdbc import PostgresChangeSource

    builder = PostgresChangeSource.builder().set_db_url(where["url"]).set_table("numbers").set_slot_name("chaos")
    rows = read(builder.build())
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(jdbc_sink()).uid("out")
elif system == "cassandra":
    from datastream.connectors.cassandra import CassandraRowSink, CassandraSettings, CassandraSource

    host, port = where["address"].split(":")
    rows = read(CassandraSource.builder().set_host(host, int(port)).set_table(f"{where['keyspace']}.numbers").build())
    settings = CassandraSettings((host,), int(port), keyspace=where["keyspace"])
    sink = CassandraRowSink(settings, "INSERT INTO results (id, name) VALUES (?, ?)")
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(sink).uid("out")
elif system in ("elasticsearch", "elasticsearch-sink"):
    from datastream.connectors.elasticsearch import (
        ElasticsearchConnection,
        ElasticsearchEmitter,
        ElasticsearchSinkBuilder,
        ElasticsearchSource,
    )

    connection = ElasticsearchConnection((where["address"],), where["user"], where["password"])
    if system == "elasticsearch":
        documents = read(ElasticsearchSource(where["in"], {"match_all": {}}, connection))
    else:
        documents = read(DataGeneratorSource(lambda n: {"id": n, "text": f"n{n}"}, where["count"]))
    sink = (
        ElasticsearchSinkBuilder()
        .set_hosts(where["address"])
        .set_connection_username(where["user"])
        .set_connection_password(where["password"])
        .set_emitter(ElasticsearchEmitter.static_index(where["out"]))  # no key: ids follow from the epoch
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .build()
    )
    documents.map(lambda found: {"id": found["id"], "text": found["text"].upper()}).sink_to(sink).uid("out")
elif system in ("rabbitmq-source", "rabbitmq-sink"):
    from pyflink.datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSource

    host, port = where["address"].split(":")
    config = RMQConnectionConfig.Builder().set_host(host).set_port(int(port)).set_virtual_host("/")
    config = config.set_user_name("guest").set_password("guest").build()
    if system == "rabbitmq-source":
        from pyflink.common import Encoder
        from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy

        lines = env.add_source(RMQSource(config, where["in"], True, SimpleStringSchema())).uid("in")
        sink = FileSink.for_row_format(where["out"], Encoder.simple_string_encoder())
        sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
        lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
    else:
        lines = read(DataGeneratorSource(lambda n: f"{n},N{n}", where["count"]))
        lines.sink_to(RMQSink(config, where["out"], SimpleStringSchema())).uid("out")
elif system == "s3":
    from pyflink.common import Encoder
    from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat

    lines = read(FileSource.for_record_stream_format(StreamFormat.text_line_format(), where["in"]).build())
    sink = FileSink.for_row_format(where["out"], Encoder.simple_string_encoder()).build()
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
else:
    sys.exit(f"unknown system {system!r}")

env.execute(f"chaos: {system}")
