"""Fields of records: tuples, lists and rows by position; rows and dicts by name."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import Row, RowTypeInfo, TupleTypeInfo, TypeInformation, Types
from datastream.types.conversion import RESULTS, fit
from datastream.types.row import copy_row

Position = int | str
_PLAIN = (int, float, complex, str, bytes)


class project:
    """record -> a tuple (of a tuple or list) or `Row` (of a row) of some of its fields."""

    def __init__(self, indexes: tuple[int, ...]) -> None:
        self._indexes = indexes

    def __call__(self, record: Any) -> Any:
        if isinstance(record, Row):
            return Row(*(record[i] for i in self._indexes))
        return tuple(record[i] for i in self._indexes)


def projected(kind: TypeInformation | None, indexes: tuple[int, ...]) -> TypeInformation | None:
    """The type of what `project` returns, where that of the records is declared and has these fields."""
    if not isinstance(kind, (TupleTypeInfo, RowTypeInfo)) or max(indexes) >= len(kind.get_field_types()):
        return None
    chosen = [kind.get_field_types()[i] for i in indexes]
    if isinstance(kind, TupleTypeInfo):
        return Types.TUPLE(chosen)
    if len(set(indexes)) < len(indexes):  # a row has no name twice
        return None
    return Types.ROW_NAMED([kind.get_field_names()[i] for i in indexes], chosen)


class by_place:
    """record of a type -> the same without the names of rows, so that their fields are known by place."""

    def __init__(self, kind: TypeInformation) -> None:
        self._kind = kind

    def __call__(self, record: Any) -> Any:
        return _without_names(fit(record, self._kind, RESULTS), self._kind)


def _without_names(value: Any, kind: TypeInformation) -> Any:
    if not isinstance(kind, RowTypeInfo) or value is None:
        return value
    row = Row(*map(_without_names, value, kind.get_field_types()))
    row.set_row_kind(value.get_row_kind())
    return row


def field_of(position: Position) -> Callable[[Any], Any]:
    """record -> the field; a record that is itself a number or text is its own field 0."""
    get = itemgetter(position)

    def value(record: Any) -> Any:
        if isinstance(record, _PLAIN):
            return record
        try:
            return get(record)
        except (IndexError, KeyError, TypeError, AttributeError) as error:
            raise ValidationError(f"the record has no field {position!r}: {cut(record)}") from error

    return value


def with_field(record: Any, position: Position, value: Any) -> Any:
    """A copy of the record with one field changed."""
    if isinstance(record, _PLAIN):
        return value
    if isinstance(record, tuple) and isinstance(position, int):
        changed = (*record[:position], value, *record[position:][1:])  # -1 is the last one
        return type(record)(*changed) if hasattr(record, "_fields") else changed
    if isinstance(record, Row):
        row = copy_row(record)
        row[position] = value
        return row
    if isinstance(record, (list, dict)):
        copied: Any = record.copy()
        copied[position] = value
        return copied
    raise ValidationError(f"cannot set field {position!r} of a {type(record).__name__}: {cut(record)}")
