"""Messages that cannot be read go aside instead of failing the job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.functions import OutputTag
from datastream.stored_types import stored_as
from datastream.types import TypeInformation, Types

from .schema import DeserializationSchema, Position, drops_unreadable, records_fit


@stored_as("dead_letter")
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


def dead_letters_in(records: Sequence[Any]) -> int:
    """How many of a source's records are pairs (tag, dead letter)."""
    return sum([type(record) is tuple and len(record) == 2 and isinstance(record[1], DeadLetter) for record in records])


def checked_tag(tag: OutputTag) -> OutputTag:
    """A tag that dead letters may have.

    Raises:
        ValidationError: it is no OutputTag, or its type is not that of any Python object.
    """
    if not isinstance(tag, OutputTag):
        raise ValidationError(
            f'with_dead_letters: expected an OutputTag such as OutputTag("unreadable"), '
            f"got {type(tag).__name__} {cut(tag)}"
        )
    if tag.type_info != Types.PICKLED_BYTE_ARRAY():
        raise ValidationError(
            f"with_dead_letters: dead letters are Python objects, which the tag's type cannot hold: "
            f"{cut(tag.type_info)}; use OutputTag({tag.tag_id!r}) without a type"
        )
    return tag


class DeadLetterSchema(DeserializationSchema):
    """A schema whose failures become pairs (tag, DeadLetter), which the engine sends to the tag's side output."""

    def __init__(self, schema: DeserializationSchema, tag: OutputTag) -> None:
        if drops_unreadable(schema):
            raise ValidationError(
                f"with_dead_letters: this {type(schema).__name__} ignores what it cannot read, so there would be no "
                "dead letters; leave out ignore_parse_errors"
            )
        self._schema = schema
        self.tag = checked_tag(tag)
        self._records_fit = records_fit(schema)

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
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        """The tag."""
        return (self.tag,)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records that can be read."""
        return self._schema.get_produced_type()
