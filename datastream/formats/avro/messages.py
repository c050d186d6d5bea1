"""What all Avro schemas of messages share: the generated reader and writer, made where they are first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, ValidationError
from datastream.formats.avro.code import local
from datastream.formats.avro.malformed import explained
from datastream.formats.avro.reading import ReadMessages, message_reader
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.writing import WriteMessages, message_writer
from datastream.formats.positions import place_of
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema
from datastream.types import TypeInformation


class AvroReader(DeserializationSchema):
    """Reads messages of one value each.

    Args:
        schema: The schema of the records.
        writer_schema: The schema that the bytes are in; None: the same.
        kind: The type of the records; None: generic ones.

    Raises:
        ValidationError: the one schema cannot be read as the other.
    """

    def __init__(self, schema: AvroSchema, writer_schema: AvroSchema | None, kind: TypeInformation | None) -> None:
        for given in (schema, writer_schema or schema):
            check_schema(given)
        self._schema = schema
        self._writer_schema = writer_schema or schema
        self._kind = kind
        self._read  # noqa: B018  made now, so that schemas which do not fit fail here

    @cached_property
    def _read(self) -> ReadMessages:
        try:
            return message_reader(self._writer_schema.node, self._schema.node, self._kind)
        except ValidationError as error:
            raise ValidationError(f"The Avro schema cannot be read: {error}") from None

    def deserialize(self, data: bytes) -> Any:
        """The record in `data`.

        Raises:
            FormatError: the bytes are no value of the schema; the message names the field.
        """
        return self.deserialize_block((data,))[0]

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The records of messages; those that are None are no records.

        Raises:
            FormatError: the bytes of one are no value of the schema; the message says where it came from.
        """
        try:
            return self._read(messages, 0)
        except Exception as error:  # the bytes may be anything, and so may what Python says of them
            raise unreadable(error, messages, position) from error


class AvroWriter(SerializationSchema):
    """Writes each record as one message.

    Args:
        schema: The schema.
        kind: The type of the records; None: generic ones.
    """

    def __init__(self, schema: AvroSchema, kind: TypeInformation | None) -> None:
        check_schema(schema)
        self._schema = schema
        self._kind = kind

    @cached_property
    def _write(self) -> WriteMessages:
        return message_writer(self._schema.node, self._kind)

    def serialize(self, value: Any) -> bytes:
        """The bytes of a record.

        Raises:
            FormatError: it does not fit the schema; the message names the field.
        """
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The bytes of each record."""
        return self._serialize(values, b"")

    def _serialize(self, values: Sequence[Any], head: bytes) -> list[bytes]:
        write = self._write
        try:
            return write(values, head)
        except Exception as error:  # a record may be of any class, whose methods may raise anything
            raise unwritable(error, values) from error


def check_schema(schema: object) -> None:
    """Refuse what is no schema."""
    if not isinstance(schema, AvroSchema):
        raise ValidationError(f"expected an AvroSchema, found {schema!r}: use AvroSchema.parse_string(text)")


def unreadable(error: Exception, messages: Sequence[bytes | None], position: Position | None) -> FormatError:
    """What to say of the message that a generated reader failed on."""
    data = local(error.__traceback__, "d")
    index = next((i for i, message in enumerate(messages) if message is data), 0)
    where = place_of(position, index)
    return explained(error, f"read Avro of {where}" if where else "read Avro", data)


def unwritable(error: Exception, values: Sequence[Any]) -> FormatError:
    """What to say of the record that a generated writer failed on."""
    return explained(error, "write as Avro", local(error.__traceback__, "v"))
