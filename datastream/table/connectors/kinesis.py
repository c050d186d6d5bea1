"""The connectors ``kinesis`` and ``firehose``: streams whose records are rows that are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from datastream.connectors.kinesis import (
    FlinkKinesisConsumer,
    KinesisFirehoseSink,
    KinesisFirehoseSinkBuilder,
    KinesisStreamsSink,
    KinesisStreamsSinkBuilder,
    PartitionKeyGenerator,
)
from datastream.errors import ValidationError
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, VarCharType

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming, only_sink
from .kinesis_columns import ColumnsKey, TableRecords
from .messages import MessageConnector
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "timestamp": LocalZonedTimestampType(3, False),
    "sequence-number": VarCharType(_MOST, False),
    "shard-id": VarCharType(_MOST, False),
}
_AWS = (
    Option("aws.region", doc="The region. Default: that of `stream.arn`."),
    Option("aws.endpoint", doc="Address of another server. Default: Amazon's."),
    Option("aws.credentials.provider", doc="`AUTO`, `BASIC`, `ENV_VAR` or `PROFILE`; see [Kinesis](kinesis.md)."),
    Option("aws.credentials.basic.accesskeyid", doc="Of `BASIC`: the access key's id."),
    Option("aws.credentials.basic.secretkey", doc="Of `BASIC`: the secret key."),
    Option("aws.credentials.basic.sessiontoken", doc="Of `BASIC`: the session's token, if there is one."),
    Option("aws.credentials.profile.name", doc="Of `PROFILE`: the profile."),
    Option("aws.trust.all.certificates", "boolean", doc="Do not verify certificates."),
)
_SINK = (
    Option("sink.batch.max-size", "integer", 500, doc="Records of a request at most."),
    Option("sink.flush-buffer.size", "integer", doc="Bytes of a request at most. Default: what the service takes."),
    Option("sink.flush-buffer.timeout", "integer", 5000, doc="Records that waited so long are written, in ms."),
    Option("sink.fail-on-error", "boolean", False, doc="A record that the service has no room for fails the job."),
    Option("sink.requests.max-inflight", "integer", doc="No effect: a task makes one request after the other."),
    Option("sink.requests.max-buffered", "integer", doc="No effect."),
    SINK_PARALLELISM,
)
_SCAN = {
    "scan.stream.initpos": "flink.stream.initpos",
    "scan.stream.initpos-timestamp": "flink.stream.initpos.timestamp",
    "scan.stream.initpos-timestamp-format": "flink.stream.initpos.timestamp.format",
    "scan.stream.recordpublisher": "flink.stream.recordpublisher",
    "scan.shard.getrecords.maxrecordcount": "flink.shard.getrecords.maxrecordcount",
    "scan.shard.getrecords.intervalmillis": "flink.shard.getrecords.intervalmillis",
    "scan.shard.getrecords.maxretries": "flink.shard.getrecords.maxretries",
    "scan.shard.getrecords.backoff.base": "flink.shard.getrecords.backoff.base",
    "scan.shard.getrecords.backoff.max": "flink.shard.getrecords.backoff.max",
    "scan.shard.getrecords.backoff.expconst": "flink.shard.getrecords.backoff.expconst",
    "scan.shard.discovery.intervalmillis": "flink.shard.discovery.intervalmillis",
    "source.init.position": "source.init.position",
    "source.init.timestamp": "source.init.timestamp",
    "source.reader.type": "source.reader.type",
}
_Builder = TypeVar("_Builder", KinesisStreamsSinkBuilder, KinesisFirehoseSinkBuilder)


class _AwsConnector(MessageConnector):
    """What both have."""

    def _built(self, builder: _Builder, table: TableInfo, settings: Settings) -> _Builder:
        """A builder of a sink with what both connectors have."""
        content, _ = self.writing(table, settings)
        builder.set_serialization_schema(content)
        builder.set_max_batch_size(settings["sink.batch.max-size"])
        if settings["sink.flush-buffer.size"] is not None:
            builder.set_max_batch_size_in_bytes(settings["sink.flush-buffer.size"])
        builder.set_max_time_in_buffer_ms(settings["sink.flush-buffer.timeout"])
        builder.set_fail_on_error(settings["sink.fail-on-error"])
        return builder


class KinesisConnector(_AwsConnector):
    """Streams. Only new rows can be written."""

    name = "kinesis"
    options = (
        Option("stream.arn", doc="The stream, by its ARN."),
        Option("stream", doc="The stream, by its name; this or `stream.arn`."),
        Option("format", required=True, doc="Of the content of records."),
        *_AWS,
        Option(
            "scan.stream.initpos", doc="Where a new job starts: `LATEST` (default), `TRIM_HORIZON`, `AT_TIMESTAMP`."
        ),
        Option("scan.stream.initpos-timestamp", doc="Of `AT_TIMESTAMP`: ISO 8601 with a zone, or seconds since 1970."),
        Option("scan.stream.initpos-timestamp-format", doc="Refused: a pattern of Java."),
        Option("scan.stream.recordpublisher", doc="`POLLING`, the only one."),
        Option("scan.shard.getrecords.maxrecordcount", doc="Records of a request at most. Default: 10000."),
        Option("scan.shard.getrecords.intervalmillis", doc="Pause of a job that has read all there is. Default: 200."),
        Option("scan.shard.getrecords.maxretries", doc="Tries of a request after the first. Default: 8."),
        Option("scan.shard.getrecords.backoff.base", doc="Pause before the first of them, in ms. Default: 300."),
        Option("scan.shard.getrecords.backoff.max", doc="Longest pause, in ms. Default: 5000."),
        Option("scan.shard.getrecords.backoff.expconst", doc="Factor from pause to pause. Default: 1.5."),
        Option("scan.shard.discovery.intervalmillis", doc="How often new shards are looked for. Default: 10000."),
        Option("source.init.position", doc="The newer name of `scan.stream.initpos`."),
        Option("source.init.timestamp", doc="The newer name of `scan.stream.initpos-timestamp`."),
        Option("source.reader.type", doc="The newer name of `scan.stream.recordpublisher`."),
        SOURCE_PARALLELISM,
        Option("sink.partitioner", doc="Partition keys: `random` (default) or `fixed`. Not with PARTITIONED BY."),
        Option("sink.partitioner-field-delimiter", default="|", doc="Between the values of PARTITIONED BY in a key."),
        *_SINK,
    )
    metadata = METADATA

    def check(self, table: TableInfo) -> None:
        super().check(table)
        _stream(table, self.settings(table))
        self._keys(table, self.settings(table))

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        schema = TableRecords(*self.reading(table, settings, wanted))
        given = {name: table.options[option] for option, name in _SCAN.items() if option in table.options}
        with naming(table):
            source = FlinkKinesisConsumer(_stream(table, settings), schema, {**_aws(table), **given})
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        with naming(table):
            builder = self._built(KinesisStreamsSink.builder(), table, settings)
            builder.set_stream_name(_stream(table, settings)).set_kinesis_client_properties(_aws(table))
            sink = builder.set_partition_key_generator(self._keys(table, settings)).build()
        return self.written(stream, sink, settings, name)

    @staticmethod
    def _keys(table: TableInfo, settings: Settings) -> PartitionKeyGenerator:
        """Makes partition keys of rows."""
        given = settings["sink.partitioner"]
        if table.partition_keys:
            if given is not None:
                raise ValidationError(
                    f"{table}: PARTITIONED BY says what partition keys are made of; leave out 'sink.partitioner'"
                )
            names = [column.name for column in table.columns]
            columns = [(names.index(name), table.type_of(name)) for name in table.partition_keys]
            return PartitionKeyGenerator(ColumnsKey(columns, settings["sink.partitioner-field-delimiter"]))
        if given not in (None, "random", "fixed"):
            raise ValidationError(
                f"{table}: option 'sink.partitioner': expected 'random' or 'fixed', got {given!r}; classes of Java "
                "cannot be used here; PARTITIONED BY makes keys of columns"
            )
        return PartitionKeyGenerator.fixed() if given == "fixed" else PartitionKeyGenerator.random()


class FirehoseConnector(_AwsConnector):
    """Delivery streams of Firehose, which can only be written to, and only with new rows."""

    name = "firehose"
    options = (
        Option("delivery-stream", required=True, doc="The delivery stream."),
        Option("format", required=True, doc="Of the content of records."),
        *_AWS,
        *_SINK,
    )

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        raise only_sink(self.name)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        with naming(table):
            builder = self._built(KinesisFirehoseSink.builder(), table, settings)
            builder.set_delivery_stream_name(settings["delivery-stream"])
            sink = builder.set_firehose_client_properties(_aws(table)).build()
        return self.written(stream, sink, settings, name)


def _aws(table: TableInfo) -> dict[str, str]:
    return {name: value for name, value in table.options.items() if name.startswith("aws.")}


def _stream(table: TableInfo, settings: Settings) -> str:
    given = [settings[name] for name in ("stream.arn", "stream") if settings[name] is not None]
    if len(given) != 1:
        raise ValidationError(f"{table}: one of the options 'stream.arn' and 'stream' must be set, and not both")
    found: str = given[0]
    return found
