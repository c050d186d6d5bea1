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


def write_files(lines):
    from pyflink.common import Encoder
    from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy

    sink = FileSink.for_row_format(where["out"], Encoder.simple_string_encoder())
    sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")


def generate(record):
    return read(DataGeneratorSource(record, where["count"]))


def jdbc_sink():
    from pyflink.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink

    options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(where["url"]).build()
    row = Types.ROW([Types.LONG(), Types.STRING()])
    batches = JdbcExecutionOptions.builder().with_batch_size(2000).build()
    return JdbcSink.exactly_once_sink("INSERT INTO results VALUES (?, ?)", row, options, batches)


if system in ("jdbc", "jdbc-mysql", "jdbc-sqlite"):
    from datastream.connectors.jdbc import JdbcSource

    rows = read(JdbcSource.builder().set_db_url(where["url"]).set_table("numbers").set_partition_column("id").build())
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(jdbc_sink()).uid("out")
elif system == "changes":
    from datastream.connectors.jdbc import PostgresChangeSource

    builder = PostgresChangeSource.builder().set_db_url(where["url"]).set_table("numbers").set_slot_name("chaos")
    rows = read(builder.build())
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(jdbc_sink()).uid("out")
elif system == "mysql-cdc":
    from pyflink.table import StreamTableEnvironment

    t_env = StreamTableEnvironment.create(env)
    t_env.execute_sql(f"""
        CREATE TABLE numbers (id BIGINT, name STRING, kind STRING METADATA FROM 'row_kind' VIRTUAL) WITH (
            'connector' = 'mysql-cdc', 'hostname' = '127.0.0.1', 'port' = '{where["port"]}',
            'username' = '{where["user"]}', 'password' = '{where["password"]}',
            'database-name' = '{where["database"]}', 'table-name' = 'numbers',
            'scan.read-changelog-as-append-only.enabled' = 'true'
        )""")
    changes = t_env.to_data_stream(t_env.sql_query("SELECT id, name, kind FROM numbers"))
    changes.map(lambda row: (row[0], row[2] + row[1])).sink_to(jdbc_sink()).uid("out")
elif system == "postgres-cdc":
    from pyflink.table import StreamTableEnvironment

    t_env = StreamTableEnvironment.create(env)
    address = where["source"]
    t_env.execute_sql(f"""
        CREATE TABLE numbers (id BIGINT, name STRING) WITH (
            'connector' = 'postgres-cdc', 'hostname' = '{address["host"]}', 'port' = '{address.get("port", 5432)}',
            'username' = '{address["user"]}', 'password' = '{address.get("password", "none")}',
            'database-name' = '{address["dbname"]}', 'schema-name' = 'public', 'table-name' = 'numbers',
            'slot.name' = 'chaos'
        )""")
    changes = t_env.to_changelog_stream(t_env.from_path("numbers"))
    changes.map(lambda row: (row[0], f"{row.get_row_kind()}{row[1]}")).sink_to(jdbc_sink()).uid("out")
elif system == "cassandra":
    from datastream.connectors.cassandra import CassandraRowSink, CassandraSettings, CassandraSource

    host, port = where["address"].split(":")
    rows = read(CassandraSource.builder().set_host(host, int(port)).set_table(f"{where['keyspace']}.numbers").build())
    settings = CassandraSettings((host,), int(port), keyspace=where["keyspace"])
    sink = CassandraRowSink(settings, "INSERT INTO results (id, name) VALUES (?, ?)")
    rows.map(lambda row: (row.id, row.name.upper())).sink_to(sink).uid("out")
elif system in ("elasticsearch", "elasticsearch-sink", "opensearch"):
    from datastream.connectors.elasticsearch import (
        ElasticsearchConnection,
        ElasticsearchEmitter,
        ElasticsearchSinkBuilder,
        ElasticsearchSource,
        OpenSearchConnection,
    )

    reach = OpenSearchConnection if system == "opensearch" else ElasticsearchConnection
    connection = reach((where["address"],), where["user"], where["password"])
    if system == "elasticsearch":
        documents = read(ElasticsearchSource(where["in"], {"match_all": {}}, connection))
    else:
        documents = generate(lambda n: {"id": n, "text": f"n{n}"})
    sink = (
        ElasticsearchSinkBuilder()
        .set_hosts(connection)
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
        lines = env.add_source(RMQSource(config, where["in"], True, SimpleStringSchema())).uid("in")
        write_files(lines)
    else:
        lines = generate(lambda n: f"{n},N{n}")
        lines.sink_to(RMQSink(config, where["out"], SimpleStringSchema())).uid("out")
elif system in ("mqtt-source", "mqtt-sink"):
    from datastream.connectors.mqtt import MqttConnection, MqttSink, MqttSource

    server = MqttConnection("127.0.0.1", where["port"])
    if system == "mqtt-source":
        messages = MqttSource.builder().set_connection(server).set_topics(where["in"]).set_client_id("reader")
        lines = read(messages.set_deserializer(SimpleStringSchema()).set_id_property("id").build())
        write_files(lines)
    else:
        lines = generate(lambda n: f"{n},N{n}")
        publishing = MqttSink.builder().set_connection(server).set_topic(where["out"])
        lines.sink_to(publishing.set_serializer(SimpleStringSchema()).build()).uid("out")
elif system == "kafka-share":
    from datastream.connectors.kafka import KafkaShareSource

    records = KafkaShareSource.builder().set_bootstrap_servers(where["address"]).set_topics(*where["in"])
    records.set_group_id("reader").set_property("share.auto.offset.reset", "earliest")
    write_files(read(records.set_value_only_deserializer(SimpleStringSchema()).build()))
elif system == "dynamic-kafka":
    from datastream.connectors.dynamic_kafka import DynamicKafkaSource, SingleClusterTopicMetadataService
    from datastream.connectors.kafka import KafkaOffsetsInitializer

    service = SingleClusterTopicMetadataService("chaos", {"bootstrap.servers": where["address"]})
    records = DynamicKafkaSource.builder().set_stream_ids(where["in"]).set_kafka_metadata_service(service)
    records.set_starting_offsets(KafkaOffsetsInitializer.earliest()).set_bounded(KafkaOffsetsInitializer.latest())
    write_files(read(records.set_value_only_deserializer(SimpleStringSchema()).build()))
elif system == "hybrid":
    from pyflink.datastream.connectors.file_system import FileSource, StreamFormat
    from pyflink.datastream.connectors.hybrid_source import HybridSource
    from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

    archive = FileSource.for_record_stream_format(StreamFormat.text_line_format(), where["archive"]).build()
    records = KafkaSource.builder().set_bootstrap_servers(where["address"]).set_topics(*where["in"])
    records.set_starting_offsets(KafkaOffsetsInitializer.earliest()).set_bounded(KafkaOffsetsInitializer.latest())
    topic = records.set_value_only_deserializer(SimpleStringSchema()).build()
    write_files(read(HybridSource.builder(archive).add_source(topic).build()))
elif system in ("pubsub-source", "pubsub-sink"):
    from datastream.connectors.pubsub import PubSubSink, PubSubSource

    if system == "pubsub-source":
        builder = PubSubSource.new_builder().with_deserialization_schema(SimpleStringSchema())
        builder.with_project_name("tests").with_subscription_name(where["in"])
        source = builder.with_host_and_port_for_emulator(where["address"]).build()
        write_files(env.add_source(source).uid("in"))
    else:
        lines = generate(lambda n: f"{n},N{n}")
        builder = PubSubSink.new_builder().with_serialization_schema(SimpleStringSchema())
        builder.with_project_name("tests").with_topic_name(where["out"])
        lines.sink_to(builder.with_host_and_port_for_emulator(where["address"]).build()).uid("out")
elif system == "pulsar":
    from datastream.connectors.pulsar import PulsarSink, PulsarSource, StopCursor

    messages = PulsarSource.builder().set_service_url(where["url"]).set_topics(where["in"])
    messages.set_subscription_name("reader").set_bounded_stop_cursor(StopCursor.latest())
    lines = read(messages.set_deserialization_schema(SimpleStringSchema()).build())
    publishing = PulsarSink.builder().set_service_url(where["url"]).set_admin_url(where["admin"])
    publishing.set_topics(where["out"]).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    publishing.set_message_key(lambda line: line.split(",")[0])
    sink = publishing.set_serialization_schema(SimpleStringSchema()).build()
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
elif system == "http":
    from datastream.connectors.http import HttpCursor, HttpSink, HttpSource

    asking = HttpSource.builder().set_connection(f"{where['url']}/numbers").set_cursor(HttpCursor("after", "n"))
    sending = HttpSink.builder().set_connection(f"{where['url']}/results").set_serializer(SimpleStringSchema())
    rows = read(asking.set_bounded().build()).map(json.loads)
    texts = rows.map(lambda row: json.dumps({"n": row["n"], "name": row["name"].upper()}), Types.STRING())
    texts.sink_to(sending.set_batch(500).build()).uid("out")
elif system in ("kinesis-source", "kinesis-sink"):
    from datastream.connectors.kinesis import KinesisStreamsSink, KinesisStreamsSource, PartitionKeyGenerator

    if system == "kinesis-source":
        builder = KinesisStreamsSource.builder().set_stream_arn(where["stream"]).set_source_config(where["properties"])
        lines = read(builder.set_deserialization_schema(SimpleStringSchema()).set_bounded().build())
        write_files(lines)
    else:
        lines = generate(lambda n: f"{n},N{n}")
        builder = KinesisStreamsSink.builder().set_stream_name(where["stream"])
        builder.set_serialization_schema(SimpleStringSchema()).set_partition_key_generator(
            PartitionKeyGenerator.random()
        )
        lines.sink_to(builder.set_kinesis_client_properties(where["properties"]).build()).uid("out")
elif system == "firehose":
    from datastream.connectors.kinesis import KinesisFirehoseSink

    builder = KinesisFirehoseSink.builder().set_delivery_stream_name(where["stream"])
    builder.set_serialization_schema(SimpleStringSchema()).set_firehose_client_properties(where["properties"])
    generate(lambda n: f"{n},N{n}\n").sink_to(builder.build()).uid("out")
elif system == "twitter":
    from datastream.connectors.twitter import SampleStreamEndpoint, TwitterSource

    settings = {TwitterSource.BEARER_TOKEN: where["token"], TwitterSource.CLIENT_HOSTS: where["url"]}
    posts = env.add_source(TwitterSource(settings, SampleStreamEndpoint(backfill_minutes=5))).uid("in")
    write_files(posts.map(lambda line: json.loads(line)["data"]["text"], Types.STRING()))
elif system in ("redis-source", "redis-sink"):
    from datastream.connectors.redis import RedisCommand, RedisConnection, RedisSink, RedisStreamsSource

    reached = RedisConnection("127.0.0.1", where["port"])
    if system == "redis-source":
        lines = read(RedisStreamsSource(reached, where["in"], SimpleStringSchema(), bounded=True))
        write_files(lines)
    else:
        lines = generate(lambda n: f"{n},N{n}")
        target = where["out"]
        lines.sink_to(RedisSink(reached, lambda line: RedisCommand.rpush(target, line))).uid("out")
elif system == "s3":
    from pyflink.common import Encoder
    from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat

    lines = read(FileSource.for_record_stream_format(StreamFormat.text_line_format(), where["in"]).build())
    sink = FileSink.for_row_format(where["out"], Encoder.simple_string_encoder()).build()
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
elif system in ("nifi-source", "nifi-sink"):
    from datastream.connectors.nifi import NiFiSink, NiFiSource, SiteToSiteClient, StandardNiFiDataPacket

    port = SiteToSiteClient.Builder().url(where["url"])
    if system == "nifi-source":
        packets = env.add_source(NiFiSource(port.port_name(where["in"]).build_config())).uid("in")
        write_files(packets.map(lambda packet: packet.get_content().decode(), Types.STRING()))
    else:
        sink = NiFiSink(
            port.port_name(where["out"]).build_config(), lambda line, ctx: StandardNiFiDataPacket(line.encode())
        )
        generate(lambda n: f"{n},N{n}").sink_to(sink).uid("out")
elif system in ("delta-source", "delta-sink", "iceberg-source", "iceberg-sink"):
    from datastream import Row
    from datastream.connectors.delta import DeltaSink, DeltaSource
    from datastream.connectors.iceberg import IcebergSink, IcebergSource
    from datastream.time import Duration

    kind = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
    soon = Duration.of_millis(200)
    if system.endswith("sink"):
        if system == "delta-sink":
            sink = DeltaSink.builder().set_path(where["out"]).set_row_type(kind).build()
        else:
            writing = IcebergSink.builder().set_catalog("lake", where["catalog"]).set_table(where["out"])
            sink = writing.set_row_type(kind).build()
        generate(lambda n: n).map(lambda n: Row(id=n, name=f"N{n}"), kind).sink_to(sink).uid("out")
    else:
        if system == "delta-source":
            source = DeltaSource.builder().set_path(where["in"]).monitor_continuously(soon).build()
        else:
            reading = IcebergSource.builder().set_catalog("lake", where["catalog"]).set_table(where["in"])
            reading.set_starting_strategy("TABLE_SCAN_THEN_INCREMENTAL")
            source = reading.monitor_continuously(soon).build()
        write_files(read(source).map(lambda row: f"{row.id},{row.name}", Types.STRING()))
elif system == "spark-source":

    def files(spark):
        return spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).csv(where["in"])

    rows = env.from_spark(files, "in").uid("in")
    write_files(rows.map(lambda row: f"{row.id},{row.name}", Types.STRING()))
elif system == "spark-sink":
    from datastream import Row

    def save(frame, epoch):
        frame.write.mode("overwrite").csv(f"{where['out']}/epoch={epoch}")

    kind = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
    generate(lambda n: n).map(lambda n: Row(id=n, name=f"N{n}"), kind).to_spark(save).uid("out")
elif system == "upsert-kafka":
    from pyflink.table import StreamTableEnvironment

    t_env = StreamTableEnvironment.create(env)
    for name, topic, more in (
        ("numbers", where["in"], "'scan.bounded.mode' = 'latest-offset'"),
        (
            "results",
            where["out"],
            "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'chaos'",
        ),
    ):
        t_env.execute_sql(f"""
            CREATE TABLE {name} (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
                'connector' = 'upsert-kafka', 'topic' = '{topic}', 'key.format' = 'json', 'value.format' = 'json',
                'properties.bootstrap.servers' = '{where["brokers"]}', {more}
            )""")
    inserts = t_env.create_statement_set()
    # 'old' is above all other names, so it would stay if it were not taken away again.
    inserts.add_insert_sql("INSERT INTO results SELECT id, UPPER(MAX(name)) FROM numbers GROUP BY id")
    inserts.attach_as_datastream()
else:
    sys.exit(f"unknown system {system!r}")

env.execute(f"chaos: {system}")
