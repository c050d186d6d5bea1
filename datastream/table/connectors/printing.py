"""Rows as the text that Flink prints: ``+I[1, a]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from datastream import java_maps
from datastream.codegen import SourceText
from datastream.table.types.logical_types import (
    ArrayType,
    DataType,
    IntType,
    MapType,
    MultisetType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of

KINDS = ("+I", "-U", "+U", "-D")


def row_printer(types: Sequence[DataType], updates: bool) -> Callable[[tuple[Any, ...]], str]:
    """A function: tuple of a row -> the text that Flink's print connector gives.

    Args:
        types: Of the columns.
        updates: Whether the row's kind comes before the columns.
    """
    code = SourceText(KINDS=KINDS, join=", ".join)
    first = 1 if updates else 0
    with code.function("def printed(row)"):
        texts = [_text(code, kind, f"row[{i}]") for i, kind in enumerate(types, first)]
        kind = "{KINDS[row[0]]}" if updates else "+I"
        code.line(f'return f"{kind}[{", ".join("{" + text + "}" for text in texts)}]"')
    return code.compiled("printed", "printing of rows")


def _text(code: SourceText, kind: DataType, value: str) -> str:
    """An expression for the text of a value that may be None; it stands in an f-string."""
    text = _of_value(code, kind, value)
    null = code.bind("null", "null")
    return f"{null} if {value} is None else {text}"


def _of_value(code: SourceText, kind: DataType, value: str) -> str:
    match kind:
        case ArrayType():
            return f"{_elements(code, kind.element_type)}({value})"
        case MapType():
            return f"{_entries(code, kind.key_type, kind.value_type)}({value})"
        case MultisetType():
            return f"{_entries(code, kind.element_type, IntType())}({value})"
        case RowType():
            return f"{_row(code, kind)}({value})"
    text = traits_of(kind).java_text
    return value if text is None else f"{code.bind(text)}({value})"


def _elements(code: SourceText, element: DataType) -> str:
    name = code.variable("elements")
    with code.function(f"def {name}(values)"):
        code.line(f'return f"[{{join([str({_text(code, element, "e")}) for e in values])}}]"')
    return name


def _entries(code: SourceText, key: DataType, content: DataType) -> str:
    name = code.variable("entries")
    hash_of = traits_of(key).java_hash
    entries = "values.items()"
    if hash_of is not None:
        entries = f"{code.bind(_ordered)}(values, {code.bind(hash_of)})"
    with code.function(f"def {name}(values)"):
        pair = f'f"{{{_text(code, key, "k")}}}={{{_text(code, content, "e")}}}"'
        code.line(f"pairs = [{pair} for k, e in {entries}]")
        code.line('return f"{{{join(pairs)}}}"')
    return name


def _row(code: SourceText, kind: RowType) -> str:
    name = code.variable("nested")
    with code.function(f"def {name}(row)"):
        texts = [_text(code, field.data_type, f"row[{i}]") for i, field in enumerate(kind)]
        code.line(f'return f"+I[{", ".join("{" + text + "}" for text in texts)}]"')
    return name


def _ordered(entries: dict[Any, Any], hash_of: Callable[[Any], int]) -> Any:
    """The entries in the order of Java's HashMap; a NULL key has the hash 0."""
    return java_maps.hash_order(entries, lambda key: 0 if key is None else hash_of(key))


class RowText:
    """A row -> its text: a function that travels without its generated code.

    Args:
        types: Of the columns.
        updates: Whether rows are changes.
    """

    def __init__(self, types: tuple[DataType, ...], updates: bool) -> None:
        self._types, self._updates = types, updates

    @cached_property
    def _printed(self) -> Any:
        return row_printer(self._types, self._updates)

    def __call__(self, row: tuple[Any, ...]) -> str:
        return self._printed(row)  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        return {"_types": self._types, "_updates": self._updates}
