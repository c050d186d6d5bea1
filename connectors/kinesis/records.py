"""Records of Kinesis, and how they become records of the job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from datastream.errors import FormatError, cut
from datastream.formats.contents import reason_of
from datastream.formats.schema import ContentSchema, ReadingSchema


class KinesisRecord(NamedTuple):
    """A record of a stream.

    Attributes:
        data: Its content.
        partition_key: Its partition key.
        sequence_number: Its number in the shard; records that a producer has put into one have the same.
        arrival: When the service took it, in ms since 1970.
        stream: The stream.
        shard: The shard's id.
    """

    data: bytes
    partition_key: str
    sequence_number: str
    arrival: int
    stream: str
    shard: str


class KinesisDeserializationSchema(ReadingSchema, ABC):
    """Makes a record of the job of a record of Kinesis: with its partition key, say. PyFlink's takes a Java object."""

    @abstractmethod
    def deserialize(
        self,
        record_value: bytes,
        partition_key: str,
        seq_num: str,
        approx_arrival_timestamp: int,
        stream: str,
        shard_id: str,
    ) -> Any:
        """The record, or None: no record."""

    def records_of(self, records: Sequence[KinesisRecord]) -> list[Any]:
        """The job's record for each, or None. Sources call this.

        Raises:
            FormatError: One cannot be read; names it.
        """
        return [self._one(record) for record in records]

    def _one(self, record: KinesisRecord) -> Any:
        try:
            return self.deserialize(*record)
        except Exception as error:  # a user's function may raise anything
            raise unreadable(error, record) from error


class DataOnly(ContentSchema, KinesisDeserializationSchema):
    """Makes records of the content alone.

    Args:
        schema: How.
    """

    def deserialize(
        self,
        record_value: bytes,
        partition_key: str,
        seq_num: str,
        approx_arrival_timestamp: int,
        stream: str,
        shard_id: str,
    ) -> Any:
        return self._schema.deserialize(record_value)

    def records_of(self, records: Sequence[KinesisRecord]) -> list[Any]:
        found = self._at_once([record.data for record in records], lambda i: (records[i].stream, None, None))
        return super().records_of(records) if found is None else found


def unreadable(error: Exception, record: KinesisRecord) -> FormatError:
    """The error for a record that cannot be read."""
    return FormatError(
        f"the record {record.sequence_number} of the shard {record.shard} of the stream {record.stream!r} cannot be "
        f"read: {reason_of(error)}; its data: {cut(record.data)}; schema.with_dead_letters(tag) would send such "
        "records to a side output"
    )
