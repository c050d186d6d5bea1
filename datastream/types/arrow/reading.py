"""Values of columns: one function a type, made once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from datastream.errors import FormatError
from datastream.types.arrays import PrimitiveArrayTypeInfo
from datastream.types.arrow.data_types import element_of, is_list, names_of, to_arrow
from datastream.types.arrow.leaf_reading import leaf_reader
from datastream.types.arrow.leaves import Values, leaf_of
from datastream.types.list_and_map import MapTypeInfo
from datastream.types.row import row_factory
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

Read = Callable[[pa.Array], Values]


def reader(
    kind: TypeInformation, path: str = "", nullable: bool = True, unpickle: bool = False, tuples: bool = False
) -> Read:
    """What makes values of a type of an Arrow array.

    Args:
        kind: The type.
        path: The field, for messages.
        nullable: Whether there may be nulls.
        unpickle: Whether values may be unpickled; else a type that needs it is refused.
        tuples: Of rows, make tuples of the values; those in a row stay rows.

    Raises:
        FormatError: The type has no Arrow form.
    """
    leaf = leaf_of(kind)
    if leaf is not None:
        nullable = nullable or leaf.takes_none
        read = leaf_reader(kind, path, unpickle)
    elif isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        read = _gaps(_structs(kind, path, unpickle, tuples))
    elif isinstance(kind, MapTypeInfo):
        read = _gaps(_maps(kind, path, unpickle))
    else:
        read = _gaps(_lists(kind, path, unpickle))

    def read_plain(array: pa.Array) -> Values:
        array = _plain(array)
        if array.null_count and not nullable:
            raise FormatError(f"{_where(path)}expected {kind!r} without nulls, found a null")
        return read(array)

    return read_plain


def _plain(array: pa.Array) -> pa.Array:
    """The array without the wrappings that only save space or give a name."""
    while True:
        if isinstance(array, pa.DictionaryArray):
            array = array.dictionary_decode()
        elif isinstance(array, pa.RunEndEncodedArray):
            array = pc.run_end_decode(array)
        elif isinstance(array, pa.ExtensionArray):
            array = array.storage
        else:
            return array


def _where(path: str) -> str:
    return f"field {path}: " if path else ""


def refuse(path: str, expected: object, array: pa.Array) -> NoReturn:
    """Say that a column is of another type."""
    raise FormatError(f"{_where(path)}expected {expected!r}, found Arrow's {array.type}; declare a type that holds it")


def _gaps(read: Read) -> Read:
    """Read the values that are there, then put None in the places of nulls."""

    def expand(array: pa.Array) -> Values:
        if not array.null_count:
            return read(array)
        found = iter(read(array.drop_null()))
        return [next(found) if there else None for there in array.is_valid().to_pylist()]

    return expand


def _structs(kind: RowTypeInfo | TupleTypeInfo, path: str, unpickle: bool, tuples: bool) -> Read:
    names = names_of(kind)
    rows = isinstance(kind, RowTypeInfo)
    readers = [
        reader(field, f"{path}.{name}" if path else name, rows, unpickle)
        for name, field in zip(names, kind.field_types, strict=True)
    ]
    make: Callable[[Any], Any] = tuple
    if as_rows := isinstance(kind, RowTypeInfo) and not tuples:
        make = row_factory(kind.field_names)
    named = isinstance(kind, RowTypeInfo) and kind.named

    def read(array: pa.Array) -> Values:
        if not is_.is_struct(array.type):
            refuse(path, kind, array)
        places = columns_of([field.name for field in array.type], names, named, path)
        if not readers:
            return [make([]) for _ in range(len(array))]
        columns = [read(array.field(place)) for read, place in zip(readers, places, strict=True)]
        records = zip(*columns, strict=True)
        return list(map(make, map(list, records))) if as_rows else list(records)

    return read


def columns_of(found: list[str], names: list[str], named: bool, path: str) -> list[int]:
    """The places of fields among columns: by name; or, where the type has no names, by position if none fits."""
    if not named and len(found) == len(names) and set(found) != set(names):
        return list(range(len(names)))
    for name in names:
        if found.count(name) != 1:
            several = "several" if name in found else "no"
            raise FormatError(f"{_where(path)}expected a column {name!r}, found {several} such among {found[:50]}")
    return [found.index(name) for name in names]


def _lists(kind: TypeInformation, path: str, unpickle: bool) -> Read:
    to_arrow(kind)  # refuses types that it does not know
    element = element_of(kind)
    assert element is not None
    read_items = reader(element, f"{path}[]", not isinstance(kind, PrimitiveArrayTypeInfo), unpickle)

    def read(array: pa.Array) -> Values:
        if not is_list(array.type):
            refuse(path, kind, array)
        # Lengths instead of offsets: the other layouts of lists have none, and pyarrow 26 casts views wrongly.
        bounds = list(accumulate(pc.list_value_length(array).to_pylist(), initial=0))
        return _parts(read_items(array.flatten()), bounds)

    return read


def _maps(kind: MapTypeInfo, path: str, unpickle: bool) -> Read:
    read_keys = reader(kind.key_type, f"{path}[key]", False, unpickle)
    read_items = reader(kind.value_type, f"{path}[]", True, unpickle)

    def read(array: pa.Array) -> Values:
        if not is_.is_map(array.type):
            refuse(path, kind, array)
        bounds = array.offsets.to_pylist()
        start, length = bounds[0], bounds[-1] - bounds[0]
        keys = _parts(read_keys(array.keys.slice(start, length)), bounds)
        items = _parts(read_items(array.items.slice(start, length)), bounds)
        try:
            maps = [dict(zip(*pair, strict=True)) for pair in zip(keys, items, strict=True)]
        except TypeError:
            raise FormatError(f"{_where(path)}a {kind.key_type!r} cannot be the key of a dict") from None
        if sum(map(len, maps)) != length:
            raise FormatError(f"{_where(path)}a map has the same key twice")
        return maps

    return read


def _parts(items: Values, bounds: list[int]) -> Values:
    start = bounds[0]
    return [items[a - start : b - start] for a, b in pairwise(bounds)]
