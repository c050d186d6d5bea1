"""The format ``protobuf``: a message is a Protobuf message, whose fields are the columns of their names."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.formats.protobuf.message_class import MessageClass
from datastream.table.connectors.options import Option
from datastream.table.types.row_type import RowField, RowType

from .format import Decoder, Layout, TableFormat, WrongValue, unreadable
from .protobuf_code import message_reader, message_writer
from .protobuf_fields import check_fields

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor


class ProtobufFormat(TableFormat):
    """See the module. What becomes of absent fields and of NULL is as in Flink."""

    name = "protobuf"
    lines = False
    options = (
        Option(
            "message-class-name",
            required=True,
            doc="The generated class, `orders_pb2.Order`; or the message's full name, `shop.Order`, if the program "
            "has imported its module.",
        ),
        Option("ignore-parse-errors", "boolean", False, doc="Messages that cannot be read are dropped and counted."),
        Option("read-default-values", "boolean", False, doc="Absent fields have their defaults instead of NULL."),
        Option("write-null-string-literal", default="", doc="Stands for NULL among strings of an ARRAY or MAP."),
    )

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        message = _checked_class(layout, options["message-class-name"])
        kind = RowType([RowField(name, layout.type_of(name)) for name in wanted])
        defaults = options["read-default-values"]
        return _ProtobufDecoder(layout.of, message, kind, defaults, options["ignore-parse-errors"])

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        message = _checked_class(layout, options["message-class-name"])
        kind = RowType([RowField(column.name, column.type) for column in layout.columns])
        return _ProtobufEncoder(layout.of, message, kind, options["write-null-string-literal"])


def _checked_class(layout: Layout, name: str | None) -> MessageClass:
    """The class of messages of a table, whose columns fit it.

    Raises:
        ValidationError: there is no such class, or a column does not fit it.
    """
    option = "protobuf.message-class-name"
    if name is None:
        raise ValidationError(f"{layout.of}: the option '{option}' is missing")
    found = _registered(name) or _imported(name, f"{layout.of}: option '{option}'")
    message = MessageClass.of(found, f"{layout.of}: option '{option}'")
    kind = RowType([RowField(column.name, column.type) for column in layout.columns])
    check_fields(message.descriptor, kind, layout.of, "")
    return message


def _registered(name: str) -> Any:
    """The class of a message that a module which is imported has defined; None: there is none."""
    from google.protobuf import descriptor_pool, message_factory

    try:
        descriptor: Descriptor = descriptor_pool.Default().FindMessageTypeByName(name.replace("$", "."))
    except KeyError:
        return None
    return message_factory.GetMessageClass(descriptor)


def _imported(name: str, where: str) -> Any:
    """The class ``module.Class``, perhaps within other classes."""
    parts = name.split(".")
    reason = "expected module.Class"
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        try:
            found: Any = importlib.import_module(module)
            for part in parts[count:]:
                found = getattr(found, part)
            return found
        except ModuleNotFoundError as error:
            if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
                reason = f"{type(error).__name__}: {error}"
                break
            reason = f"there is no module {module}"
        except Exception as error:  # what runs in a module of users may raise anything
            reason = f"{type(error).__name__}: {error}"
            break
    raise ValidationError(
        f"{where}: there is no class {name} of Protobuf messages ({reason}): give the class that protoc generates for "
        "Python, such as orders_pb2.Order, or import its module in the program and give the message's full name"
    )


class _ProtobufDecoder(Decoder):
    """Reads messages.

    Args:
        of: The table, for errors.
        message: Their class.
        kind: The columns that are wanted.
        defaults: Whether absent fields have their defaults.
        drops: Whether a message that cannot be read is dropped.
    """

    def __init__(self, of: str, message: MessageClass, kind: RowType, defaults: bool, drops: bool) -> None:
        self._of, self._message, self._kind, self._defaults = of, message, kind, defaults
        self.drops_errors = drops

    @cached_property
    def _read(self) -> Callable[[Any], tuple[Any, ...]]:
        return message_reader(self._message.descriptor, self._kind, self._defaults)

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        parse, read = self._message.cls.FromString, self._read
        return [read(parse(data)) for data in messages]

    def row(self, data: bytes) -> tuple[Any, ...] | None:
        try:
            return self._read(self._message.cls.FromString(data))
        except WrongValue as wrong:
            reason = f"column {wrong.place}: {wrong.reason}"
        except Exception as error:  # DecodeError, and what texts of old syntaxes give
            reason = str(error)
        raise unreadable(self._of, f"cannot read a {self._message.name}: {reason}; the message is {cut(data)}")


class _ProtobufEncoder(SerializationSchema):
    """Writes messages.

    Args:
        of: The table, for errors.
        message: Their class.
        kind: The columns.
        null: Stands for NULL among strings.
    """

    def __init__(self, of: str, message: MessageClass, kind: RowType, null: str) -> None:
        self._of, self._message, self._kind, self._null = of, message, kind, null

    @cached_property
    def _write(self) -> Callable[[Any, tuple[Any, ...]], None]:
        return message_writer(self._message.descriptor, self._kind, self._null)

    def serialize(self, value: Any) -> bytes:
        message = self._message.cls()
        try:
            self._write(message, value)
            data: bytes = message.SerializeToString()
        except WrongValue as wrong:
            reason = f"column {wrong.place}: {wrong.reason}, got {cut(wrong.value)}"
        except Exception as error:  # a required field is missing
            reason = str(error)
        else:
            return data
        raise FormatError(f"{self._of}: cannot write a {self._message.name}: {reason}; the row is {cut(value)}")
