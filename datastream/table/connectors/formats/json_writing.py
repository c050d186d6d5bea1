"""Tuples of columns as JSON objects.

A generated function makes a struct of each tuple, whose fields have the columns' names; msgspec writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import msgspec

from datastream.codegen import SourceText
from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.formats.json.java_writing import as_in_java, double_form, float_form
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    MultisetType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of

from .format import Layout
from .numbers import trimmed


class JsonEncoder(SerializationSchema):
    """Writes tuples; made by `JsonFormat`.

    Raises:
        ValidationError: a column's type has no form in JSON.
    """

    def __init__(self, layout: Layout, options: Mapping[str, Any]) -> None:
        self._layout, self._options = layout, dict(options)
        for column in layout.columns:
            check_keys(column.type, column.name, layout.of)

    @cached_property
    def _write(self) -> Callable[[Sequence[Any]], list[bytes]]:
        fields = [(column.name, column.type) for column in self._layout.columns]
        return _Writer(self._options).compiled(fields)

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        try:
            return self._write(values)
        except FormatError as error:
            raise FormatError(f"{self._layout.of}: {error}") from None
        except Exception as error:
            raise FormatError(
                f"{self._layout.of}: a row cannot be written: {type(error).__name__}: {error}; {self._bad(values)}"
            ) from error

    def _bad(self, values: Sequence[Any]) -> str:
        for value in values:
            try:
                self._write((value,))
            except Exception:  # this only looks for the row; the error is reported already
                return f"the row is {cut(value)}"
        return f"one of {len(values)} rows"


class _Writer:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._standard = options["timestamp-format.standard"]
        self._mode = options["map-null-key.mode"]
        self._literal = options["map-null-key.literal"]
        self._plain = options["encode.decimal-as-plain-number"]
        self._omit = options["encode.ignore-null-fields"]
        self._code = SourceText()

    def compiled(self, fields: Sequence[tuple[str, DataType]]) -> Callable[[Sequence[Any]], list[bytes]]:
        """A function: tuples -> their bytes."""
        code = self._code
        encode = code.bind(msgspec.json.Encoder(decimal_format="number").encode)
        with code.function("def write(rows)"):
            row = self._row(fields, "row")
            code.line(f"return {code.bind(as_in_java)}([{encode}({row}) for row in rows])")
        return code.compiled("write", "writer of JSON")

    def _row(self, fields: Sequence[tuple[str, DataType]], row: str) -> str:
        """The expression for a struct of a tuple."""
        values = [self._nullable(kind, f"{row}[{i}]") for i, (_, kind) in enumerate(fields)]
        try:
            struct = self._struct([name for name, _ in fields])
        except ValueError:  # a name that a struct cannot have
            return f"{{{', '.join(f'{name!r}: {value}' for (name, _), value in zip(fields, values, strict=True))}}}"
        plain = all(value == f"{row}[{i}]" for i, value in enumerate(values))
        return f"{self._code.bind(struct)}({f'*{row}' if plain else ', '.join(values)})"

    def _struct(self, names: Sequence[str]) -> type:
        members = [(f"f{i}", Any, None) for i in range(len(names))]
        rename = {f"f{i}": name for i, name in enumerate(names)}
        return msgspec.defstruct("Fields", members, rename=rename, gc=False, omit_defaults=self._omit)

    def _nullable(self, kind: DataType, value: str) -> str:
        made = self._value(kind, value)
        return made if made == value else f"None if {value} is None else {made}"

    def _value(self, kind: DataType, value: str) -> str:
        """The expression for what msgspec writes of a value that is not None; `value` itself: it can write that."""
        bind = self._code.bind
        match kind:
            case FloatType():
                return float_form(self._code, value)
            case DoubleType():
                return double_form(self._code, value)
            case DecimalType():
                return f"{bind(_plain_decimal if self._plain else trimmed)}({value})"
            case DayTimeIntervalType():
                return f"{value} // 1000"
            case ArrayType():
                inner = self._nullable(kind.element_type, "e")
                return value if inner == "e" else f"[{inner} for e in {value}]"
            case MapType():
                return f"{self._entries(kind.value_type)}({value})"
            case MultisetType():
                return f"{self._entries(None)}({value})"
            case RowType():
                name = self._code.variable("row")
                with self._code.function(f"def {name}(r)"):
                    self._code.line(f"return {self._row([(f.name, f.data_type) for f in kind], 'r')}")
                return f"{name}({value})"
        write = traits_of(kind).json_writer(self._standard)
        return value if write is None else f"{bind(write)}({value})"

    def _entries(self, kind: DataType | None) -> str:
        name = self._code.variable("entries")
        inner = "e" if kind is None else self._nullable(kind, "e")
        with self._code.function(f"def {name}(found)"):
            with self._code.block("if None in found"):
                self._code.line(f"found = {self._code.bind(self._without_null_key)}(found)")
            self._code.line("return found" if inner == "e" else f"return {{k: {inner} for k, e in found.items()}}")
        return name

    def _without_null_key(self, found: dict[Any, Any]) -> dict[Any, Any]:
        if self._mode == "fail":
            raise FormatError(
                f"JSON has no form for the NULL key of the map {cut(found)}: set the option 'map-null-key.mode' to "
                "DROP or LITERAL"
            )
        if self._mode == "drop":
            return {key: value for key, value in found.items() if key is not None}
        return {self._literal if key is None else key: value for key, value in found.items()}


def _plain_decimal(value: Decimal) -> Any:
    return msgspec.Raw(format(value, "f").encode())


def check_keys(kind: DataType, place: str, of: str) -> None:
    """See that maps have keys of text.

    Raises:
        ValidationError: one has other keys.
    """
    match kind:
        case MapType() | MultisetType():
            key = kind.key_type if isinstance(kind, MapType) else kind.element_type
            if not isinstance(key, CharType | VarCharType):
                raise ValidationError(f"{of}: column {place}: JSON has only keys of type STRING, not {key}")
            if isinstance(kind, MapType):
                check_keys(kind.value_type, place, of)
        case ArrayType():
            check_keys(kind.element_type, place, of)
        case RowType():
            for field in kind:
                check_keys(field.data_type, f"{place}.{field.name}", of)
