"""Tuples of columns as lines of CSV, without line ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from datastream.codegen import SourceText
from datastream.errors import FormatError, cut
from datastream.formats import SerializationSchema
from datastream.formats.csv.faults import NoText
from datastream.formats.csv.options import CsvOptions
from datastream.formats.csv.quoting import Quoting
from datastream.table.functions import types
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of

from .format import Layout
from .numbers import trimmed

#: The types that get quotes only where nothing else is possible. Texts and times may get them anyway.
_NUMBERS = (*types.NUMBER, BooleanType, DayTimeIntervalType, YearMonthIntervalType)
#: The characters of numbers and truth values.
_PLAIN = set("0123456789+-.EZNaIinftytruefals")


class CsvEncoder(SerializationSchema):
    """Writes tuples; made by `CsvFormat`."""

    def __init__(self, layout: Layout, options: Mapping[str, Any], dialect: CsvOptions) -> None:
        self._layout, self._options, self._dialect = layout, dict(options), dialect

    @cached_property
    def _write(self) -> Callable[[Sequence[Any]], list[bytes]]:
        quoting, literal = Quoting(self._dialect), self._dialect.null
        bare = _PLAIN.isdisjoint(self._dialect.special) and not (literal and _PLAIN.issuperset(literal))
        code = SourceText(field=quoting.field, null=literal, none=literal or "")
        parts = []
        for i, column in enumerate(self._layout.columns):
            kind, value = column.type, f"row[{i}]"
            write = self._writer(kind)
            text = (
                value if write is str and isinstance(kind, CharType | VarCharType) else f"{code.bind(write)}({value})"
            )
            free = not isinstance(kind, _NUMBERS)
            if free or not bare:
                text = f"field({text}, null, {i == 0}, {free})"
            parts.append(f"(none if {value} is None else {text})")
        with code.function("def write(rows)"):
            code.line(f"join = {self._dialect.delimiter!r}.join")
            code.line(f"return [join(({', '.join(parts)},)).encode() for row in rows]")
        return code.compiled("write", "writer of CSV")

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        try:
            return self._write(values)
        except Exception as error:
            why = str(error) if isinstance(error, NoText) else f"{type(error).__name__}: {error}"
            raise FormatError(f"{self._layout.of}: a row cannot be written: {why}; {self._bad(values)}") from error

    def _bad(self, values: Sequence[Any]) -> str:
        for value in values:
            try:
                self._write((value,))
            except Exception:  # this only looks for the row; the error is reported already
                return f"the row is {cut(value)}"
        return f"one of {len(values)} rows"

    def _writer(self, kind: DataType) -> Callable[[Any], str]:
        match kind:
            case DecimalType():
                if self._options["write-bigdecimal-in-scientific-notation"]:
                    return lambda number: str(trimmed(number))
                return lambda number: format(trimmed(number), "f")
            case ArrayType():
                write = self._part(kind.element_type)
                return lambda values: self._dialect.array_delimiter.join(map(write, values))
            case RowType():
                writers = [self._part(field.data_type) for field in kind]
                return lambda row: self._dialect.array_delimiter.join(
                    [write(value) for write, value in zip(writers, row, strict=True)]
                )
        return traits_of(kind).csv_text

    def _part(self, kind: DataType) -> Callable[[Any], str]:
        write, none = self._writer(kind), self._dialect.null or ""
        return lambda value: none if value is None else write(value)


def text_of(kind: DataType) -> Callable[[Any], str]:
    """A function: value of a type that is neither an array nor a row -> its text in CSV."""
    return traits_of(kind).csv_text
