"""Columns of values: one function a type, made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from datastream.errors import FormatError, cut
from datastream.types.arrays import PrimitiveArrayTypeInfo
from datastream.types.arrow.data_types import element_of, names_of, to_arrow
from datastream.types.arrow.leaves import Leaf, Misfit, Values, leaf_of
from datastream.types.list_and_map import MapTypeInfo
from datastream.types.row import Row, values_of
from datastream.types.row import names_of as row_names
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

Write = Callable[[Values], pa.Array]
_NONE = type(None)


def writer(kind: TypeInformation, nullable: bool = True) -> Write:
    """What makes an Arrow array of values of a type. Raises Misfit, or what pyarrow raises: see `conversion_error`."""
    leaf = leaf_of(kind)
    if leaf is not None:
        return _leaf(leaf, nullable)
    if isinstance(kind, RowTypeInfo):
        return _gaps(_rows(kind), Row, nullable)
    if isinstance(kind, TupleTypeInfo):
        return _gaps(_tuples(kind), tuple, nullable)
    if isinstance(kind, MapTypeInfo):
        return _gaps(_maps(kind), dict, nullable)
    return _gaps(_lists(kind), list, nullable)


def _leaf(leaf: Leaf, nullable: bool) -> Write:
    build, normal = leaf.build, leaf.normal
    if leaf.exact is object:
        return build  # any class will do, so that only pickle can tell
    nullable = nullable or leaf.takes_none
    allowed = {leaf.exact, _NONE} if nullable else {leaf.exact}

    def write(values: Values) -> pa.Array:
        if set(map(type, values)) <= allowed:
            try:
                return build(values)
            except (Misfit, pa.ArrowException, OverflowError, ValueError):
                pass  # some legal values need their normal form, and the others a message
        return build([None if v is None and nullable else normal(v) for v in values])

    return write


def _gaps(write: Write, wanted: type, nullable: bool) -> Write:
    """Write the values that are there, then put nulls in the places of None."""

    def expand(values: Values) -> pa.Array:
        kinds = set(map(type, values))
        if _NONE not in kinds:
            _check(kinds, wanted)
            return write(values)
        if not nullable:
            raise Misfit
        _check(kinds - {_NONE}, wanted)
        places = iter(range(len(values)))
        index = [None if v is None else next(places) for v in values]
        return write([v for v in values if v is not None]).take(pa.array(index, pa.int64()))

    return expand


def _check(kinds: set[type], wanted: type) -> None:
    if not kinds <= {wanted} and not all(issubclass(kind, wanted) for kind in kinds):
        raise Misfit


def _struct(kind: RowTypeInfo | TupleTypeInfo, nullable: bool) -> Callable[[Sequence[Any]], pa.Array]:
    columns = [writer(field, nullable) for field in kind.field_types]
    width = len(columns)
    arrow = to_arrow(kind)
    fields = list(arrow)

    def write(values: Sequence[Any]) -> pa.Array:
        if not set(map(len, values)) <= {width}:
            raise Misfit
        if not fields:
            return pa.array([{}] * len(values), arrow)
        flat = list(chain.from_iterable(values))  # twice as fast as a pass for each column
        arrays = [write_column(flat[i::width]) for i, write_column in enumerate(columns)]
        return pa.StructArray.from_arrays(arrays, fields=fields)

    return write


def values_writer(kind: RowTypeInfo) -> Callable[[Sequence[Any]], pa.Array]:
    """The same as `writer`, for tuples or lists of the fields' values."""
    return _struct(kind, nullable=True)


def _tuples(kind: TupleTypeInfo) -> Write:
    return _struct(kind, nullable=False)


def _rows(kind: RowTypeInfo) -> Write:
    struct = _struct(kind, nullable=True)
    names = kind.field_names

    def write(rows: Values) -> pa.Array:
        if set(map(row_names, rows)) <= {None, names}:
            return struct(list(map(values_of, rows)))
        return struct([row_fields(row, names) for row in rows])

    return write


def row_fields(row: Row, names: tuple[str, ...]) -> Values:
    """The values of a row in the order of these names, whatever its own order."""
    own = row._fields
    if own is None or own == names:
        return values_of(row)
    if len(own) != len(names) or set(own) != set(names):
        raise Misfit(f"the row has the fields {list(own)}")
    return row.get_fields_by_names(list(names))


def _lists(kind: TypeInformation) -> Write:
    arrow = to_arrow(kind)
    element = element_of(kind)
    assert element is not None  # to_arrow refused everything else
    write_items = writer(element, nullable=not isinstance(kind, PrimitiveArrayTypeInfo))

    def write(values: Values) -> pa.Array:
        items = write_items(list(chain.from_iterable(values)))
        return pa.ListArray.from_arrays(_offsets(values), items, type=arrow)

    return write


def _maps(kind: MapTypeInfo) -> Write:
    arrow = to_arrow(kind)
    write_keys, write_items = writer(kind.key_type, nullable=False), writer(kind.value_type)

    def write(values: Values) -> pa.Array:
        keys = write_keys(list(chain.from_iterable(values)))
        items = write_items([item for value in values for item in value.values()])
        return pa.MapArray.from_arrays(_offsets(values), keys, items, type=arrow)

    return write


def _offsets(values: Values) -> pa.Array:
    return pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())


def conversion_error(values: Values, kind: TypeInformation, nullable: bool, error: Exception) -> FormatError:
    """The error that says which value does not fit. `error` is why they could not be written."""
    try:
        for value in values:
            _find(value, kind, "", nullable)
    except _Found as found:
        return FormatError(str(found))
    return FormatError(f"the values have no form in Arrow: {error}")


class _Found(Exception):
    pass


def _raise(path: str, expected: str, value: Any, hint: str = "") -> None:
    where = f"field {path}: " if path else ""
    raise _Found(f"{where}expected {expected}, found {type(value).__name__} {cut(value)}{hint and '; ' + hint}")


def _find(value: Any, kind: TypeInformation, path: str, nullable: bool = True) -> None:
    """Raise _Found for the first part of a value that does not fit its type."""
    leaf = leaf_of(kind)
    if value is None:
        if not nullable and (leaf is None or not leaf.takes_none):
            _raise(path, f"{kind!r} without None", value)
    elif leaf is not None:
        try:
            leaf.normal(value)
        except Misfit as error:
            _raise(path, leaf.expected, value, str(error))
    elif isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        _find_field(value, kind, path)
    elif isinstance(kind, MapTypeInfo):
        if not isinstance(value, dict):
            _raise(path, "a dict", value)
        for key, item in value.items():
            _find(key, kind.key_type, f"{path}[key {cut(key)}]", False)
            _find(item, kind.value_type, f"{path}[{cut(key)}]")
    else:
        if not isinstance(value, list):
            _raise(path, f"a list for {kind!r}", value)
        for i, item in enumerate(value):
            _find(item, element_of(kind) or kind, f"{path}[{i}]", not isinstance(kind, PrimitiveArrayTypeInfo))


def _find_field(value: Any, kind: RowTypeInfo | TupleTypeInfo, path: str) -> None:
    wanted = Row if isinstance(kind, RowTypeInfo) else tuple
    names = names_of(kind)
    if not isinstance(value, wanted):
        _raise(path, f"a {wanted.__name__} of {len(names)} fields", value)
    fields: Any = value
    if isinstance(kind, RowTypeInfo):
        try:
            fields = row_fields(value, kind.field_names)
        except Misfit as error:
            _raise(path, f"a Row of the fields {names}", value, str(error))
    if len(fields) != len(names):
        _raise(path, f"a {wanted.__name__} of {len(names)} fields", value)
    for name, field, item in zip(names, kind.field_types, fields, strict=True):
        _find(item, field, f"{path}.{name}" if path else name, isinstance(kind, RowTypeInfo))
