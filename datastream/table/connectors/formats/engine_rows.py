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


class TuplesOf:
    """A function: rows of a type -> their tuples. It may be pickled.

    Args:
        kind: The type.
    """

    def __init__(self, kind: RowType) -> None:
        self._kind = kind

    @cached_property
    def _tuples(self) -> Callable[[Sequence[Any]], list[Any]]:
        return tuples_of(self._kind)

    def __getstate__(self) -> dict[str, Any]:
        return {"_kind": self._kind}

    def __call__(self, rows: Sequence[Any]) -> list[Any]:
        return self._tuples(rows)


def rows_of(kind: RowType) -> Callable[[Sequence[Any]], list[Any]]:
    """A function: tuples of a type -> rows with its names."""
    code = SourceText(make=row_factory(kind.names))
    with code.function("def rows(tuples)"):
        code.line(f"return [make([{_values(code, kind, 'v', to_python)}]) for v in tuples]")
    return code.compiled("rows", "rows of tuples")


def _values(code: SourceText, kind: RowType, row: str, converter: Callable[[DataType], Callable[[Any], Any]]) -> str:
    texts = []
    for i, field in enumerate(kind):
        value = f"{row}[{i}]"
        if not isinstance(field.data_type, _SAME):
            value = f"None if {value} is None else {code.bind(converter(field.data_type))}({value})"
        texts.append(value)
    return ", ".join(texts)
