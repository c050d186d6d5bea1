"""The form in which a file keeps rows, where its format has none for the usual Arrow types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from datastream.formats.columnar.columns import Times, members
from datastream.types import (
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from datastream.types.arrow import row_writer, to_arrow_schema

#: From the usual Arrow type of a single value, and its declared type, to the Arrow type that a file keeps.
Leaf = Callable[[Any, TypeInformation], Any]


def stored_as(row_type: RowTypeInfo, leaf: Leaf, tuples: bool = False) -> tuple[Any, Callable[[list[Any]], Any]]:
    """A file's Arrow schema, and what makes batches of it, of rows or of tuples of their values."""
    usual = to_arrow_schema(row_type)
    pairs = zip(usual, row_type.field_types, strict=True)
    stored = pa.schema([field.with_type(_mapped(field.type, kind, leaf)) for field, kind in pairs])
    write = row_writer(row_type, tuples)
    if stored.equals(usual):
        return usual, write
    fits = [fit for found in members([*usual], [*stored], Times(bare_is_utc=True), False) if (fit := found)]

    def to_batch(rows: list[Any]) -> Any:
        batch = write(rows)
        return pa.RecordBatch.from_arrays([fit(batch.column(i)) for i, fit in fits], schema=stored)

    return stored, to_batch


def _mapped(arrow: Any, kind: TypeInformation, leaf: Leaf) -> Any:
    match kind:
        case RowTypeInfo(fields) | TupleTypeInfo(fields):
            pairs = zip(arrow, fields, strict=True)
            return pa.struct([field.with_type(_mapped(field.type, inner, leaf)) for field, inner in pairs])
        case MapTypeInfo(key, value):
            return pa.map_(_mapped(arrow.key_type, key, leaf), _mapped(arrow.item_type, value, leaf))
        case ListTypeInfo(inner) | ObjectArrayTypeInfo(inner):
            return pa.list_(_mapped(arrow.value_type, inner, leaf))
    return leaf(arrow, kind)
