"""Rows of the engine's formats into tuples of values as they are inside, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from datastream.codegen import SourceText
from datastream.table.types.logical_types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DoubleType,
    FloatType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.values import to_inside, to_python
from datastream.types.row import row_factory

#: The types whose values are the same on both sides; the engine has tested them.
_SAME = (
    BooleanType,
    TinyIntType,
    SmallIntType,
    IntType,
    BigIntType,
    FloatType,
    DoubleType,
    CharType,
    VarCharType,
    BinaryType,
    VarBinaryType,
)


def tuples_of(kind: RowType) -> Callable[[Sequence[Any]], list[Any]]:
    """A function: rows whose fields are those of a type, in order -> their tuples."""
    code = SourceText()
    with code.function("def tuples(rows)"):
        values = _values(code, kind, "v", to_inside)
        code.lines("found = []", "add = found.append")
        with code.block("for row in rows"):
            code.lines("v = row._values", f"add(({values}{',' if len(kind) == 1 else ''}))")
        code.line("return found")
    return code.compiled("tuples", "tuples of rows")


def rows_of(kind: RowType) -> Callable[[Sequence[Any]], list[Any]]:
    """A function: tuples of a type -> rows with its names."""
    code = SourceText(make=row_factory(kind.names))
    with code.function("def rows(tuples)"):
        code.line(f"return [make([{_values(code, kind, 'v', to_python)}]) for v in tuples]")
    return code.compiled("rows", "rows of tuples")


def inside_tuples(kind: RowType) -> Callable[[Sequence[Any]], list[Any]]:
    """A function: tuples of the values of such rows -> tuples of the values as they are inside."""
    return _tuples(kind, to_inside)


def python_tuples(kind: RowType) -> Callable[[Sequence[Any]], list[Any]]:
    """The opposite of `inside_tuples`."""
    return _tuples(kind, to_python)


def _tuples(
    kind: RowType, converter: Callable[[DataType], Callable[[Any], Any]]
) -> Callable[[Sequence[Any]], list[Any]]:
    if all(isinstance(field.data_type, _SAME) for field in kind):
        return list
    code = SourceText()
    with code.function("def convert(tuples)"):
        values = _values(code, kind, "v", converter)
        code.line(f"return [({values}{',' if len(kind) == 1 else ''}) for v in tuples]")
    return code.compiled("convert", "tuples of tuples")


class Conversion:
    """A function of a block of records, which may be pickled.

    Args:
        make: Makes it, for a type.
        kind: The type.
    """

    def __init__(self, make: Callable[[RowType], Callable[[Sequence[Any]], list[Any]]], kind: RowType) -> None:
        self._make, self._kind = make, kind

    @cached_property
    def _convert(self) -> Callable[[Sequence[Any]], list[Any]]:
        return self._make(self._kind)

    def __getstate__(self) -> dict[str, Any]:
        return {"_make": self._make, "_kind": self._kind}

    def __call__(self, records: Sequence[Any]) -> list[Any]:
        return self._convert(records)


def _values(code: SourceText, kind: RowType, row: str, converter: Callable[[DataType], Callable[[Any], Any]]) -> str:
    texts = []
    for i, field in enumerate(kind):
        value = f"{row}[{i}]"
        if not isinstance(field.data_type, _SAME):
            value = f"None if {value} is None else {code.bind(converter(field.data_type))}({value})"
        texts.append(value)
    return ", ".join(texts)
