"""The format ``debezium-avro-confluent``: Debezium's changes as Avro records, with their schema in a registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes

from .avro_format import AvroConfluentFormat
from .changes import ChangeDecoder, ChangeEncoder, ChangeFormat
from .debezium import message, rows_of
from .format import Decoder, Layout, unreadable
from .row_columns import row_column

_AVRO = AvroConfluentFormat()
_FIELDS = ("before", "after", "op")


class DebeziumAvroFormat(ChangeFormat):
    """See the module."""

    name = "debezium-avro-confluent"
    lines = False
    options = _AVRO.options

    def change_decoder(
        self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any], metadata: Sequence[str]
    ) -> ChangeDecoder:
        read = Layout(tuple(Column(name, layout.type_of(name)) for name in wanted or layout.names[:1]), layout.of)
        return _DebeziumAvroDecoder(layout.of, _AVRO.decoder(_envelope(read), _FIELDS, options), len(wanted))

    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        if options["subject"] is None and layout.subject is None:
            raise ValidationError(f"{layout.of}: the option '{self.name}.subject' is missing")
        return ChangeEncoder(_AVRO.encoder(_envelope(layout), options), message)


def _envelope(layout: Layout) -> Layout:
    fields = (row_column("before", layout), row_column("after", layout), Column("op", DataTypes.STRING()))
    return Layout(fields, layout.of, layout.subject)


class _DebeziumAvroDecoder(ChangeDecoder):
    """Reads messages.

    Args:
        of: The table, for errors.
        messages: Reads the fields of messages.
        count: How many columns of rows are wanted.
    """

    def __init__(self, of: str, messages: Decoder, count: int) -> None:
        self._of, self._messages, self._count = of, messages, count

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        present = [data for data in messages if data]
        found = iter(self._messages.rows(present))
        return [self._changes(*next(found)) if data else None for data in messages]

    def row(self, data: bytes) -> Any:
        (found,) = (self._messages.row(data),)
        assert found is not None
        try:
            return self._changes(*found)
        except ValueError as error:
            raise unreadable(
                self._of, f"this is no change as Debezium writes it: {error}; the message is {cut(data)}"
            ) from None

    def _changes(self, before: Any, after: Any, op: Any) -> list[Any]:
        pairs = [(kind, before if field == "before" else after) for kind, field in rows_of(op)]
        if any(row is None for _, row in pairs):
            missing = "after" if op in ("c", "r") or before is not None else "before"
            raise ValueError(
                f"the field '{missing}' of an event with the op '{op}' is null; of PostgreSQL, Debezium gives "
                "'before' if the table has REPLICA IDENTITY FULL"
            )
        return [(kind, *row[: self._count]) for kind, row in pairs]
