"""The format ``raw``: a message is the value of the one column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import FormatError, ValidationError
from datastream.formats import SerializationSchema
from datastream.formats.raw import RawDeserializationSchema, RawSerializationSchema
from datastream.table.connectors.options import Option

from .format import Decoder, Layout, TableFormat, unreadable


class RawFormat(TableFormat):
    """See the module. A NULL has no bytes: it is not written to files, and a message without a value in Kafka."""

    name = "raw"
    options = (
        Option("charset", default="UTF-8", doc="Of texts."),
        Option("endianness", default="big-endian", choices=("big-endian", "little-endian"), doc="Of numbers."),
    )

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        return _RawDecoder(layout, wanted, _checked(RawDeserializationSchema, layout, options))

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return _RawEncoder(layout.of, _checked(RawSerializationSchema, layout, options))


def _checked(schema: Any, layout: Layout, options: Mapping[str, Any]) -> Any:
    if len(layout.columns) != 1:
        raise ValidationError(f"{layout.of}: it holds one column, but there are {', '.join(layout.names) or 'none'}")
    try:
        return schema(layout.columns[0].type.to_type_info(), options["charset"], options["endianness"])
    except ValidationError as error:
        raise ValidationError(f"{layout.of}: column {layout.names[0]}: {error}") from None


class _RawDecoder(Decoder):
    def __init__(self, layout: Layout, wanted: Sequence[str], schema: RawDeserializationSchema) -> None:
        self._of, self._name, self._wanted, self._schema = layout.of, layout.names[0], bool(wanted), schema

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        read = self._schema.deserialize
        return [(read(data),) for data in messages] if self._wanted else [()] * len(messages)

    def row(self, data: bytes) -> tuple[Any, ...] | None:
        try:
            return (self._schema.deserialize(data),) if self._wanted else ()
        except FormatError as error:
            raise unreadable(self._of, f"column {self._name}: {error}") from None


class _RawEncoder(SerializationSchema):
    def __init__(self, of: str, schema: RawSerializationSchema) -> None:
        self._of, self._schema = of, schema

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        try:
            return self._schema.serialize_block([value for (value,) in values])
        except FormatError:  # of a NULL, which has no bytes, or the row says what is wrong
            return [self.serialize(value) for value in values]

    def serialize(self, value: Any) -> bytes:
        if value[0] is None:
            return None  # type: ignore[return-value]
        try:
            return self._schema.serialize(value[0])
        except FormatError as error:
            raise FormatError(f"{self._of}: {error}") from None
