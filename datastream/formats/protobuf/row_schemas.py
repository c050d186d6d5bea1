"""Protobuf messages as named rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from datastream.formats.avro.malformed import explained
from datastream.formats.positions import one_by_one
from datastream.formats.protobuf.message_class import MessageClass
from datastream.formats.protobuf.message_schemas import ProtobufDeserializationSchema
from datastream.formats.protobuf.row_code import row_reader, row_writer
from datastream.formats.protobuf.row_types import row_type
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema
from datastream.types import Row, RowTypeInfo


class ProtobufRowDeserializationSchema(DeserializationSchema):
    """Reads protobuf messages as named rows; their type is derived from the message, see `row_type`.

    A field that is absent is None where protobuf can tell (``optional``, messages, members of a oneof), else its
    zero value. An addition to PyFlink's names.

    Args:
        message_class: A generated class, or one made of a descriptor.

    Raises:
        ValidationError: it is no class of messages.
    """

    _records_fit = True

    def __init__(self, message_class: type) -> None:
        self._messages = ProtobufDeserializationSchema(message_class)
        self._class = MessageClass.of(message_class, type(self).__name__)
        self._type = row_type(self._class.descriptor)

    @cached_property
    def _to_row(self) -> Callable[[Any], Row]:
        return row_reader(self._class.descriptor)

    def deserialize(self, data: bytes) -> Row:
        """The row in `data`.

        Raises:
            FormatError: the bytes are no such message; the message names the field where it is known.
        """
        message = self._messages.deserialize(data)
        try:
            return self._to_row(message)
        except Exception as error:  # text of old syntaxes may be no UTF-8, and is only looked at here
            raise explained(error, f"read a {self._class.name}", data) from error

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The rows of messages; those that are None are no records."""
        found = self._messages.deserialize_block(messages, position)
        try:
            return list(map(self._to_row, found))
        except Exception:  # one of them is found again below, with a better message
            return one_by_one(self.deserialize, messages, position)

    def get_produced_type(self) -> RowTypeInfo:
        """The type of the rows."""
        return self._type


class ProtobufRowSerializationSchema(SerializationSchema):
    """Writes rows as protobuf messages. None is an absent field; a field that is never absent may not be None.

    An addition to PyFlink's names.

    Args:
        message_class: A generated class, or one made of a descriptor.

    Raises:
        ValidationError: it is no class of messages.
    """

    def __init__(self, message_class: type) -> None:
        self._class = MessageClass.of(message_class, type(self).__name__)
        self._type = row_type(self._class.descriptor)

    @cached_property
    def _fill(self) -> Callable[[Any, Any], None]:
        return row_writer(self._class.descriptor)

    def serialize(self, value: Any) -> bytes:
        """The bytes of a row.

        Raises:
            FormatError: it does not fit the message; the error names the field.
        """
        message = self._class.cls()
        try:
            self._fill(message, value)
            data: bytes = message.SerializeToString()
        except Exception as error:  # values may be of any class, whose methods may raise anything
            raise explained(error, f"write as {self._class.name}", value) from error
        return data
