"""Protobuf messages as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, cut
from datastream.formats.positions import one_by_one
from datastream.formats.protobuf.message_class import MessageClass
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor


class ProtobufDeserializationSchema(DeserializationSchema):
    """Reads protobuf messages as objects of their class.

    The class travels to the workers by its description, so that its module need not be there. An addition to
    PyFlink's names.

    Args:
        message_class: A generated class, or one made of a descriptor.

    Raises:
        ValidationError: it is no class of messages.
    """

    def __init__(self, message_class: type) -> None:
        self._class = MessageClass.of(message_class, type(self).__name__)
        self._requires = requires_fields(self._class.descriptor)

    def deserialize(self, data: bytes) -> Any:
        """The message in `data`.

        Raises:
            FormatError: the bytes are no such message, or a required field is missing.
        """
        try:
            message = self._class.cls.FromString(data)
        except Exception as error:  # DecodeError, and what the bytes of old syntaxes give
            raise _unreadable(self._class.name, error, data) from error
        if self._requires and not message.IsInitialized():
            raise FormatError(
                f"cannot read a {self._class.name}: the required fields {cut(message.FindInitializationErrors())} "
                f"are missing; it is {cut(data)}"
            )
        return message

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The messages; those that are None are no records."""
        if not self._requires:
            read = self._class.cls.FromString
            try:
                return [read(data) for data in messages if data is not None]
            except Exception:  # one of them is found again below, with a better message
                pass
        return one_by_one(self.deserialize, messages, position)


class ProtobufSerializationSchema(SerializationSchema):
    """Writes messages of one class. An addition to PyFlink's names.

    Args:
        message_class: A generated class, or one made of a descriptor.

    Raises:
        ValidationError: it is no class of messages.
    """

    def __init__(self, message_class: type) -> None:
        self._class = MessageClass.of(message_class, type(self).__name__)

    def serialize(self, value: Any) -> bytes:
        """The bytes of a message.

        Raises:
            FormatError: it is no message of the class, or a required field is missing.
        """
        if type(value) is not self._class.cls:
            descriptor = getattr(value, "DESCRIPTOR", None)
            # The same message may have another class: one of the worker's own pool.
            if descriptor is None or getattr(descriptor, "full_name", None) != self._class.name:
                raise FormatError(
                    f"cannot write as protobuf: expected a message {self._class.name}, "
                    f"found {type(value).__name__} {cut(value)}"
                )
        try:
            data: bytes = value.SerializeToString()
        except Exception as error:  # EncodeError, and what a class that only looks like a message gives
            raise FormatError(f"cannot write a {self._class.name}: {error}; it is {cut(value)}") from error
        return data


def _unreadable(name: str, error: Exception, data: bytes) -> FormatError:
    return FormatError(f"cannot read a {name}: {error}; it is {cut(data)}")


def requires_fields(descriptor: Descriptor) -> bool:
    """Whether a message, or one that it may hold, has required fields."""
    seen: set[str] = set()
    waiting = [descriptor]
    while waiting:
        one = waiting.pop()
        if one.full_name in seen:
            continue
        seen.add(one.full_name)
        if any(field.is_required for field in one.fields) or one.is_extendable:
            return True
        waiting += [field.message_type for field in one.fields if field.message_type is not None]
    return False
