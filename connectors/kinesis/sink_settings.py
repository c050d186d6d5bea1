"""The settings of a sink of Kinesis or Firehose."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.formats import SerializationSchema

from .partition_keys import PartitionKeyGenerator
from .service import Service
from .streams import Stream


@dataclass(frozen=True)
class Limits:
    """Limits of requests.

    Attributes:
        batch_size: Records of a request.
        batch_bytes: Bytes of a request.
        record_bytes: Bytes of a record, with its partition key.
    """

    batch_size: int
    batch_bytes: int
    record_bytes: int


STREAMS = Limits(500, 5 << 20, 1 << 20)
FIREHOSE = Limits(500, 4 << 20, 1000 << 10)


@dataclass(frozen=True)
class SinkSettings:
    """The settings of a sink.

    Attributes:
        service: Where the stream is.
        stream: Which.
        schema: How records become content.
        keys: Makes partition keys; None: Firehose has none.
        limits: Of requests.
        fail_on_error: A record that the service has no room for fails the job.
    """

    service: Service
    stream: Stream
    schema: SerializationSchema
    keys: PartitionKeyGenerator | None
    limits: Limits
    fail_on_error: bool = False

    @property
    def sink(self) -> str:
        """The sink's name."""
        return "KinesisStreamsSink" if self.keys else "KinesisFirehoseSink"

    @property
    def what(self) -> str:
        """The stream, for people."""
        return f"the {'stream' if self.keys else 'delivery stream'} {self.stream.name!r}"
