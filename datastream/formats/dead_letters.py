"""Messages that cannot be read go aside instead of failing the job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError
from datastream.functions import OutputTag
from datastream.types import TypeInformation

from .schema import DeserializationSchema, Position


@dataclass(frozen=True)
class DeadLetter:
    """A message that could not be read.

    Attributes:
        data: Its bytes.
        error: Why.
        topic: The topic, queue or file it came from, or None.
        partition: The partition, or None.
        offset: Its offset: of a message in its partition, of a line's first byte in its file; or None.
    """

    data: bytes
    error: str
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None


class DeadLetterSchema(DeserializationSchema):
    """A schema whose failures become pairs (tag, DeadLetter), which the engine sends to the tag's side output."""

    def __init__(self, schema: DeserializationSchema, tag: OutputTag) -> None:
        self._schema = schema
        self.tag = tag
        self.exact = schema.exact

    def deserialize(self, data: bytes) -> Any:
        """The record in `data`, or (tag, DeadLetter)."""
        try:
            return self._schema.deserialize(data)
        except FormatError as error:
            return self.tag, DeadLetter(data, str(error))

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The records of messages, and pairs (tag, DeadLetter), without the Nones."""
        try:
            return self._schema.deserialize_block(messages, position)
        except FormatError:
            return self._one_by_one(messages, position)

    def _one_by_one(self, messages: Sequence[bytes | None], position: Position | None) -> list[Any]:
        records: list[Any] = []
        for i, data in enumerate(messages):
            if data is None:
                continue
            try:
                record = self._schema.deserialize(data)
            except FormatError as error:
                where = (None, None, None) if position is None else position(i)
                record = (self.tag, DeadLetter(data, str(error), *where))
            if record is not None:
                records.append(record)
        return records

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        """The tag."""
        return (self.tag,)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records that can be read."""
        return self._schema.get_produced_type()
