"""Functions that plans call and queries do not: what a sink demands of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import type_of
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import DataType

#: The value, which may not be NULL, and the column that it is for.
NOT_NULL = "$notNull"


def _not_null_type(args: Sequence[Expression]) -> DataType:
    return type_of(args[0]).not_null()


def null_written(column: str) -> NoReturn:
    """Raise the error of a NULL that is written where none may be."""
    raise ValueError(
        f"{column} is NOT NULL, however, a null value is being written into it. You can set job configuration "
        "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently"
    )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        NOT_NULL,
        (),
        (2, 2),
        _not_null_type,
        "({0} if {0} is not None else null_written({1}))",
        strict=False,
        names={"null_written": null_written},
        doc="The value, which may not be NULL.",
    ),
)
