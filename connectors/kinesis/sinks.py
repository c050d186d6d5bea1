"""The sinks: `KinesisStreamsSink` and `KinesisFirehoseSink`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from datastream.connectors.server_settings import checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.io import Backoff, BatchingSink, WriterContext
from datastream.without_effect import without_effect

from .partition_keys import PartitionKeyGenerator
from .putting import Putting
from .service import service_of
from .sink_settings import FIREHOSE, STREAMS, Limits, SinkSettings
from .streams import Stream, delivery_stream_of, stream_of

#: Records that are handed to a writer's requests at once: several requests.
_AT_ONCE = 5000


@dataclass(eq=False)
class _Sink(BatchingSink):
    """Puts each record, at least once: an epoch that runs again puts its records again.

    Attributes:
        settings: Its settings.
        batch_size: Records of a few requests; what is left of them is put again together.
        batch_ms: A batch that began so long ago ends with the next records, in ms.
        backoff: Tries of what the service had no room for, and pauses between them.
    """

    settings: SinkSettings
    batch_size: int = _AT_ONCE
    batch_ms: int | None = 5000
    backoff: Backoff = Backoff(retries=16)

    def validate(self) -> None:
        self.settings.service.validate()

    def connect(self, context: WriterContext) -> Putting:
        return Putting(self.settings, context)

    def write(self, connection: Putting, records: list[Any]) -> list[Any]:
        return connection.put(records)


class KinesisStreamsSink(_Sink):
    """Puts each record into a stream, at least once. Made by `builder`."""

    @staticmethod
    def builder() -> KinesisStreamsSinkBuilder:
        """A builder."""
        return KinesisStreamsSinkBuilder()


class KinesisFirehoseSink(_Sink):
    """Puts each record into a delivery stream of Firehose, at least once. Made by `builder`."""

    @staticmethod
    def builder() -> KinesisFirehoseSinkBuilder:
        """A builder."""
        return KinesisFirehoseSinkBuilder()


class _SinkBuilder:
    _built: ClassVar[str]
    _limits: ClassVar[Limits]

    def __init__(self) -> None:
        self._stream: Any = None
        self._schema: Any = None
        self._properties: Mapping[str, Any] = {}
        self._fail = False
        self._size, self._bytes = self._limits.batch_size, self._limits.batch_bytes
        self._record_bytes = self._limits.record_bytes
        self._ms = 5000

    def set_serialization_schema(self, serialization_schema: SerializationSchema) -> Self:
        """How records become content."""
        self._schema = serialization_schema
        return self

    def set_fail_on_error(self, fail_on_error: bool) -> Self:
        """Whether a record that the service has no room for fails the job. Default: it is put again."""
        self._fail = bool(fail_on_error)
        return self

    def set_max_batch_size(self, max_batch_size: int) -> Self:
        """Records of a request, from 1 to 500. Default: 500."""
        self._size = checked_number(max_batch_size, f"{self._built}: max_batch_size", 1, self._limits.batch_size)
        return self

    @without_effect("a subtask makes one request after the other, which keeps its order; use more subtasks")
    def set_max_in_flight_requests(self, max_in_flight_requests: int) -> Self:
        return self

    @without_effect("a subtask waits until its records are put")
    def set_max_buffered_requests(self, max_buffered_requests: int) -> Self:
        return self

    def set_max_batch_size_in_bytes(self, max_batch_size_in_bytes: int) -> Self:
        """Bytes of a request, with partition keys. Default: what the service takes."""
        self._bytes = checked_number(max_batch_size_in_bytes, f"{self._built}: max_batch_size_in_bytes", 1)
        return self

    def set_max_time_in_buffer_ms(self, max_time_in_buffer_ms: int) -> Self:
        """A batch that began so long ago is put with the next records, in ms; each is with its epoch. Default: 5000."""
        self._ms = checked_number(max_time_in_buffer_ms, f"{self._built}: max_time_in_buffer_ms", 1)
        return self

    def set_max_record_size_in_bytes(self, max_record_size_in_bytes: int) -> Self:
        """Bytes of a record, with its partition key; a larger one fails the job. Default: what the service takes."""
        self._record_bytes = checked_number(max_record_size_in_bytes, f"{self._built}: max_record_size_in_bytes", 1)
        return self

    @abstractmethod
    def build(self) -> _Sink:
        """The sink.

        Raises:
            ValidationError: Something is missing, wrong or unknown.
        """

    def _settings(self, stream: Stream, region: str | None, keys: PartitionKeyGenerator | None) -> SinkSettings:
        what = self._built
        if not isinstance(self._schema, SerializationSchema):
            raise ValidationError(
                f"{what}: set_serialization_schema needs a SerializationSchema such as SimpleStringSchema(), got "
                f"{cut(self._schema)}"
            )
        if self._record_bytes > self._bytes:
            raise ValidationError(
                f"{what}: a record of max_record_size_in_bytes={self._record_bytes:,} would not fit into a request of "
                f"max_batch_size_in_bytes={self._bytes:,}"
            )
        limits = Limits(self._size, self._bytes, self._record_bytes)
        service = service_of(self._properties, what, region)
        return SinkSettings(service, stream, self._schema, keys, limits, self._fail)


class KinesisStreamsSinkBuilder(_SinkBuilder):
    """Builds a `KinesisStreamsSink`; a stream, a schema, a generator of keys and a region are needed."""

    _built, _limits = "KinesisStreamsSink", STREAMS

    def __init__(self) -> None:
        super().__init__()
        self._keys: Any = None

    def set_stream_name(self, stream_name: str) -> Self:
        """The stream, of the account of the credentials."""
        self._stream = stream_name
        return self

    def set_stream_arn(self, stream_arn: str) -> Self:
        """The stream by its ARN. An addition to PyFlink's names; Java has it."""
        self._stream = stream_arn
        return self

    def set_partition_key_generator(self, partition_key_generator: PartitionKeyGenerator) -> Self:
        """Makes partition keys: ``PartitionKeyGenerator.random()``, ``.fixed()``, or one of a function."""
        self._keys = partition_key_generator
        return self

    def set_kinesis_client_properties(self, kinesis_client_properties: Mapping[str, Any]) -> Self:
        """Properties; see `AWSConfigConstants`. ``aws.region`` is needed, unless an ARN names it."""
        self._properties = dict(kinesis_client_properties)
        return self

    def build(self) -> KinesisStreamsSink:
        if not isinstance(self._keys, PartitionKeyGenerator):
            raise ValidationError(
                f"{self._built}: set_partition_key_generator needs a PartitionKeyGenerator, such as "
                f"PartitionKeyGenerator.random(), got {cut(self._keys)}"
            )
        stream, region = stream_of(self._stream, f"{self._built}: set_stream_name")
        return KinesisStreamsSink(self._settings(stream, region, self._keys), batch_ms=self._ms)


class KinesisFirehoseSinkBuilder(_SinkBuilder):
    """Builds a `KinesisFirehoseSink`; a delivery stream, a schema and a region are needed."""

    _built, _limits = "KinesisFirehoseSink", FIREHOSE

    def set_delivery_stream_name(self, delivery_stream_name: str) -> Self:
        """The delivery stream."""
        self._stream = delivery_stream_name
        return self

    def set_firehose_client_properties(self, firehose_client_properties: Mapping[str, Any]) -> Self:
        """Properties; see `AWSConfigConstants`. ``aws.region`` is needed."""
        self._properties = dict(firehose_client_properties)
        return self

    def build(self) -> KinesisFirehoseSink:
        stream = delivery_stream_of(self._stream, f"{self._built}: set_delivery_stream_name")
        return KinesisFirehoseSink(self._settings(stream, None, None), batch_ms=self._ms)
