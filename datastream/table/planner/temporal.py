"""``JOIN table FOR SYSTEM_TIME AS OF time``, as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from datastream.errors import UnsupportedOperation
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import refused, wrong
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Expression, Field, Position
from datastream.table.plan.relations import Column, Join, Relation
from datastream.table.plan.temporal_relations import SnapshotJoin
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import LocalZonedTimestampType, TimestampType
from datastream.table.types.type_text import summary

from .resolver import Resolver
from .scope import Scope


def period(as_of: Expression, left: Scope, right: Scope, functions: FunctionLookup) -> Expression:
    """As of when a table is read, over the columns of both sides.

    Raises:
        ValidationError: It is no time.
        UnsupportedOperation: It is the same for all rows.
    """
    found = Resolver(left.beside(right), functions).resolve(as_of)
    read = [part.index for part in walk(found) if isinstance(part, Field)]
    if not read:
        raise time_travel(as_of.position)
    if not isinstance(type_of(found), TimestampType | LocalZonedTimestampType):
        raise wrong(
            f"The system time period specification expects Timestamp type but is '{summary(type_of(found))}'",
            as_of.position,
        )
    return found


def time_travel(position: Position | None) -> UnsupportedOperation:
    """The error for a table as of one time."""
    return refused(
        "FOR SYSTEM_TIME AS OF is supported only after JOIN, with a time attribute of the left table: no catalog here "
        "keeps what its tables were",
        position,
    )


def snapshot_join(joined: Relation, as_of: Expression, hints: Mapping[str, str]) -> SnapshotJoin:
    """A join with a table as of a time.

    Args:
        joined: The same as a regular join.
        as_of: Over the columns of both.
        hints: Options of LOOKUP.

    Raises:
        ValidationError: Rows of the right side without partners are wanted.
    """
    assert isinstance(joined, Join)
    if joined.kind not in ("inner", "left"):
        raise wrong(
            f"FOR SYSTEM_TIME AS OF is allowed after JOIN and LEFT JOIN, not after {joined.kind.upper()} JOIN",
            as_of.position,
        )
    columns = _without_times(joined.columns, len(joined.left.columns))
    return SnapshotJoin(joined.left, joined.right, joined.kind, joined.condition, as_of, hints, columns=columns)


def _without_times(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """Columns of which those of the right side are no time attributes: its rows come in the left side's time."""
    return tuple(column if i < width else replace(column, time=None) for i, column in enumerate(columns))
