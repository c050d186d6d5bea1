"""JSON objects into tuples of the wanted columns, for messages that are as they should be.

msgspec reads the wanted fields of a message into a struct, and checks their types in C. A generated function makes
tuples of a block of structs. What does not fit raises some exception; then `json_exact` has the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from datastream.codegen import SourceText
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    DataType,
    DecimalType,
    IntType,
    MapType,
    MultisetType,
    NullType,
    SmallIntType,
    TinyIntType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of

from .numbers import decimal_bounds, fitted, range_of
from .partial_rows import read_fields


class FastReader:
    """Makes the function that reads blocks.

    Args:
        standard: Of timestamps: ``sql`` or ``iso-8601``.
        strict: Whether a missing field is an error; otherwise it is NULL.
    """

    def __init__(self, standard: str, strict: bool) -> None:
        self._standard = standard
        self._strict = strict
        self._code = SourceText()

    def compiled(self, fields: Sequence[tuple[str, DataType]]) -> Callable[[Sequence[bytes]], list[Any]]:
        """A function: messages -> a tuple for each, or None for the message ``null``.

        Args:
            fields: Names and types, in the order of the tuples.
        """
        try:
            struct = self._struct(fields)
        except (ValueError, RecursionError):  # names that a struct cannot have; types that are too deep
            return _refuse
        code = self._code
        decode = code.bind(msgspec.json.Decoder(struct | None).decode)
        with code.function("def read(messages)"):
            code.lines("found = []", "add = found.append")
            with code.block("for data in messages"):
                code.line(f"s = {decode}(data)")
                with code.block("if s is None"):
                    code.lines("add(None)", "continue")
                code.line(f"add({self._tuple(fields, 's')})")
            code.line("return found")
        return code.compiled("read", "reader of JSON")

    def _struct(self, fields: Sequence[tuple[str, DataType | None]]) -> type:
        members = [
            (f"f{i}", self._shape(kind) | None) if self._strict else (f"f{i}", self._shape(kind) | None, None)
            for i, (_, kind) in enumerate(fields)
            if kind is not None
        ]
        names = {f"f{i}": name for i, (name, _) in enumerate(fields)}
        return msgspec.defstruct("Fields", members, rename=names, gc=False)

    def _tuple(self, fields: Sequence[tuple[str, DataType | None]], struct: str) -> str:
        """Lines that take a struct apart; the text of the tuple."""
        parts = []
        for i, (_, kind) in enumerate(fields):
            if kind is None:
                parts.append("None")
                continue
            made = self._value(kind, "{}")
            if made == "{}":
                parts.append(f"{struct}.f{i}")
                continue
            name = self._code.variable()
            self._code.line(f"{name} = {struct}.f{i}")
            with self._code.block(f"if {name} is not None"):
                self._code.line(f"{name} = {made.replace('{}', name)}")
            parts.append(name)
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _shape(self, kind: DataType) -> Any:
        match kind:
            case TinyIntType() | SmallIntType() | IntType() | BigIntType():
                least, most = range_of(kind)
                return Annotated[int, Meta(ge=least, le=most)]
            case ArrayType():
                return list[self._shape(kind.element_type) | None]  # type: ignore[misc]
            case MapType():
                return dict[str, self._shape(kind.value_type) | None]  # type: ignore[misc]
            case MultisetType():
                return dict[str, int]
            case RowType():
                return self._struct(read_fields(kind))
            case NullType():
                return None
        shape = traits_of(kind).json_shape
        if shape is None:
            raise ValueError(f"{kind} has no form in JSON")
        return shape

    def _value(self, kind: DataType, value: str) -> str:
        """The expression for a value of what msgspec gave, which is not None; `value` itself where nothing changes."""
        bind = self._code.bind
        match kind:
            case DecimalType():
                unit, limit = (bind(each) for each in _bounds(kind))
                return f"{bind(fitted)}({value}, {unit}, {limit})"
            case DayTimeIntervalType():
                return f"{value} * 1000"
            case ArrayType():
                inner = self._value(kind.element_type, "e")
                return (
                    f"tuple({value})" if inner == "e" else f"tuple([None if e is None else {inner} for e in {value}])"
                )
            case MapType():
                inner = self._value(kind.value_type, "e")
                return value if inner == "e" else f"{{k: None if e is None else {inner} for k, e in {value}.items()}}"
            case RowType():
                name = self._code.variable("row")
                with self._code.function(f"def {name}(s)"):
                    self._code.line(f"return {self._tuple(read_fields(kind), 's')}")
                return f"{name}({value})"
        read = traits_of(kind).json_reader(self._standard)
        return value if read is None else f"{bind(read)}({value})"


def _bounds(kind: DecimalType) -> tuple[Decimal, Decimal]:
    return decimal_bounds(kind.precision, kind.scale)


def _refuse(messages: Sequence[bytes]) -> list[Any]:
    raise NotImplementedError
