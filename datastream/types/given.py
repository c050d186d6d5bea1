"""Objects of Python that are given as records of a type: what they have as attributes, a row has as fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.types.row import Row, row_factory
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation


def as_given(value: Any, kind: TypeInformation | None) -> Any:
    """The value; of an object, or a dict, that is to be a row the row of its attributes, as in PyFlink.

    What it has besides the fields of the row is left out, and fields that it does not have are None.
    """
    if isinstance(kind, RowTypeInfo):
        found = _named(value)
        if found is not None:
            pairs = zip(kind.field_names, kind.field_types, strict=True)
            return row_factory(kind.field_names)([as_given(found.get(name), field) for name, field in pairs])
        if isinstance(value, (tuple, list)) and len(value) == len(kind.field_types):
            return _each(value, kind.field_types)
    if isinstance(kind, TupleTypeInfo) and isinstance(value, (tuple, list)) and len(value) == len(kind.field_types):
        return _each(value, kind.field_types)
    return value


def _each(values: tuple[Any, ...] | list[Any], kinds: tuple[TypeInformation, ...]) -> Any:
    """The same tuple or list, if nothing in it is an object."""
    made = [as_given(value, kind) for value, kind in zip(values, kinds, strict=True)]
    return values if all(new is old for new, old in zip(made, values, strict=True)) else tuple(made)


def _named(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (Row, tuple, list, type)):
        return None
    return getattr(value, "__dict__", None)
