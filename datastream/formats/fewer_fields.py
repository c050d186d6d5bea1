"""Records that have more fields than the type of a schema, such as that of a topic's keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.types import Row, RowTypeInfo, TypeInformation
from datastream.types.checks import converts, say_once
from datastream.types.conversion import fit
from datastream.types.row import row_factory, values_of


def fit_record(value: Any, kind: TypeInformation) -> Any:
    """A record that fits the type of a schema.

    The type may have fewer fields: it takes those of its names, or, where the record has none of them, the first ones,
    as Flink does always.

    Args:
        value: The record.
        kind: The type.

    Raises:
        TypeMismatch: It does not fit.
    """
    if isinstance(kind, RowTypeInfo) and converts():
        value = _chosen(value, kind)
    return fit(value, kind)


def _chosen(value: Any, kind: RowTypeInfo) -> Any:
    own, values = _fields(value)
    names = kind.field_names
    if len(values) <= len(names):
        return value
    found = [name for name in names if name in own]
    if len(found) == len(names):
        at = dict(zip(own, values, strict=True))
        chosen, how = [at[name] for name in names], "by name"
    elif found or isinstance(value, Mapping):
        return value
    else:
        chosen, how = list(values[: len(names)]), "by place"
    say_once(f"records of {len(values)} fields are written with the {len(names)} of {kind}, {how}")
    return row_factory(names)(chosen)


def _fields(value: Any) -> tuple[tuple[Any, ...], Any]:
    """The names and values of a record's fields."""
    if isinstance(value, Row):
        return value._fields or (), values_of(value)
    if isinstance(value, Mapping):
        return tuple(value), tuple(value.values())
    if isinstance(value, (tuple, list)):
        return getattr(value, "_fields", ()), value
    return (), ()
