"""The format ``json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.table.connectors.options import Option
from datastream.table.types.logical_types import CharType, DataType, VarCharType

from .format import Decoder, Layout, TableFormat, WrongValue, unreadable
from .json_exact import ExactReader, described
from .json_fast import FastReader
from .json_writing import JsonEncoder, check_keys
from .partial_rows import read_part


class JsonFormat(TableFormat):
    """A row is a JSON object; its fields have the columns' names."""

    name = "json"
    options = (
        Option("fail-on-missing-field", "boolean", False, doc="A missing field is an error; otherwise NULL."),
        Option("ignore-parse-errors", "boolean", False, doc="A wrong value is NULL; what is no object is dropped."),
        Option(
            "timestamp-format.standard",
            default="sql",
            choices=("sql", "iso-8601"),
            doc="SQL: 2024-01-31 12:30:00.5; ISO-8601: 2024-01-31T12:30:00.5.",
        ),
        Option(
            "map-null-key.mode",
            default="fail",
            choices=("fail", "drop", "literal"),
            doc="What becomes of NULL keys of maps when they are written.",
        ),
        Option("map-null-key.literal", default="null", doc="Stands for NULL keys if the mode is LITERAL."),
        Option("encode.decimal-as-plain-number", "boolean", False, doc="Write decimals without exponents."),
        Option("encode.ignore-null-fields", "boolean", False, doc="Do not write fields that are NULL."),
        Option("decode.json-parser.enabled", "boolean", True, doc="Of Flink's readers; has no effect."),
    )

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        if options["fail-on-missing-field"] and options["ignore-parse-errors"]:
            raise ValidationError(
                f"{layout.of}: the options 'fail-on-missing-field' and 'ignore-parse-errors' contradict each other"
            )
        return _JsonDecoder(layout, wanted, options)

    def skips(self, kind: DataType, options: Mapping[str, Any]) -> bool:
        if options["fail-on-missing-field"]:
            return False
        return options["ignore-parse-errors"] or isinstance(kind, CharType | VarCharType)  # any value is text

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return JsonEncoder(layout, options)


class _JsonDecoder(Decoder):
    def __init__(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> None:
        self._of = layout.of
        for name in wanted:
            check_keys(layout.type_of(name), name, layout.of)
        self._fields = [(name, read_part(layout.type_of(name), layout.parts_of(name))) for name in wanted]
        self._standard = options["timestamp-format.standard"]
        self._strict = options["fail-on-missing-field"]
        self.drops_errors = options["ignore-parse-errors"]
        self._exact = ExactReader(self._standard, self._strict, self.drops_errors)

    @cached_property
    def _fast(self) -> Callable[[Sequence[bytes]], list[Any]]:
        return FastReader(self._standard, self._strict).compiled(self._fields)

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        return self._fast(messages)

    def row(self, data: bytes) -> tuple[Any, ...] | None:
        try:
            return self._exact.row(data, self._fields)
        except WrongValue as error:
            raise unreadable(self._of, f"{described(error)}; the message is {cut(data)}") from None
        except FormatError as error:
            raise unreadable(self._of, f"{error}; the message is {cut(data)}") from None
