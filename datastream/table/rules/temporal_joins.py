"""Joins with a table as of a time: by event time with its versions, by the machine's time with what it is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from datastream.errors import ValidationError
from datastream.io import Predicate
from datastream.table.catalogs.errors import TableException
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import placed_message
from datastream.table.plan.expression_trees import conjuncts, fields_of, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import Filter, Project, Relation, Scan, StreamScan, Watermark
from datastream.table.plan.temporal_relations import SnapshotJoin, TemporalJoin
from datastream.table.planner.timed_joins import comes_in_time
from datastream.table.planner.upsert_keys import PrimaryKey, unique_keys
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import summary

from .filters import filters_down
from .lookup_joins import looked_up, lookup_join
from .ranks import with_ranks
from .rebuild import with_inputs

_NO_KEY = (
    "Temporal Table Join requires primary key in versioned table, but no primary key can be found: {name} needs a "
    "PRIMARY KEY, or to be a view of the last row of each key, and ON has to compare all columns of the key"
)


@dataclass(frozen=True)
class Tables:
    """What is known of tables.

    Attributes:
        primary_key: The names of the columns of one's primary key.
        looks_up: Whether one can be looked up in.
        replaces: Whether the rows of one replace each other.
        takes: Whether one leaves out rows for which a predicate is not true.
        skips: Whether one leaves out fields of a type of its ROW columns, which are in no state as they are read.
    """

    primary_key: PrimaryKey
    looks_up: Callable[[Scan], bool] = lambda scan: False
    replaces: Callable[[Scan], bool] = lambda scan: False
    takes: Callable[[Scan, Predicate], bool] = lambda scan, predicate: False
    skips: Callable[[Scan, DataType], bool] = lambda scan, kind: False


def with_temporal_joins(relation: Relation, functions: FunctionLookup, tables: Tables) -> Relation:
    """The same with operators for joins with tables as of a time.

    Raises:
        ValidationError: A table has no versions, or the join is none of those that there are.
    """
    relation = with_inputs(relation, lambda each: with_temporal_joins(each, functions, tables))
    if not isinstance(relation, SnapshotJoin):
        return relation
    try:
        return _as_of_its_time(relation, functions, tables)
    except (ValidationError, TableException) as error:
        raise type(error)(placed_message(str(error), relation.period.position)) from None


def _as_of_its_time(relation: SnapshotJoin, functions: FunctionLookup, tables: Tables) -> Relation:
    time = _time_of(relation)
    of_event_time = relation.left.columns[time].time == "rowtime"
    scan = None if of_event_time else looked_up(relation.right)
    if scan is not None and tables.looks_up(scan):
        return lookup_join(relation, scan, functions)
    return _temporal_join(relation, time, functions, tables)


def _time_of(join: SnapshotJoin) -> int:
    """The left column as of which the right table is read."""
    width = len(join.left.columns)
    if any(index >= width for index in fields_of(join.period)):
        raise ValidationError(
            "Temporal Table Join requires time attribute in the left table, but no time attribute found: FOR "
            "SYSTEM_TIME AS OF names the time of the table before JOIN"
        )
    if isinstance(join.period, Field) and join.left.columns[join.period.index].time is not None:
        return join.period.index
    raise ValidationError(
        "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field, got "
        f"{join.period}: declare WATERMARK FOR it in its table, or give that table a column AS PROCTIME()"
    )


def _temporal_join(join: SnapshotJoin, time: int, functions: FunctionLookup, tables: Tables) -> TemporalJoin:
    right = with_ranks(filters_down(join.right, functions))
    column = join.left.columns[time]
    keys = [] if join.condition is None else _right_keys(join.condition, len(join.left.columns))
    if not keys or join.condition is None:
        raise ValidationError(
            "Currently the join key in Temporal Table Join can not be empty: ON has to compare columns of both sides"
        )
    versioned_at = _versioned_at(right, functions) if column.time == "rowtime" else None
    if column.time == "rowtime" and versioned_at is None:
        raise ValidationError(
            "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but "
            f"no row time attribute can be found in ({', '.join(right.names)}): declare WATERMARK FOR one of them in "
            "its table. The rows of a database are looked up as of a time of the left table that is PROCTIME()"
        )
    compared = frozenset(each.index - len(join.left.columns) for each in keys if isinstance(each, Field))
    if not any(key and key <= compared for key in unique_keys(right, tables.primary_key)):
        raise ValidationError(_NO_KEY.format(name=f"({', '.join(right.names)})"))
    if versioned_at is None:
        raise TableException(
            "Processing-time temporal join is not supported yet: only tables of connectors that can be looked up in "
            "can be joined as of a processing time"
        )
    of_right = right.columns[versioned_at]
    if column.type.nullable() != of_right.type.nullable():
        types = " and ".join(f"{summary(each.type.nullable())} *ROWTIME*" for each in (column, of_right))
        raise ValidationError(
            "Event-Time Temporal Table Join requires same rowtime type in left table and versioned table, but the "
            f"rowtime types are {types}."
        )
    right = _versions(right, tables)
    return TemporalJoin(join.left, right, join.kind, join.condition, time, versioned_at, columns=join.columns)


def _versions(relation: Relation, tables: Tables) -> Relation:
    """A relation whose rows are versions, as they are read where the table itself has changes.

    Raises:
        TableException: It leaves out some of the changes.
    """
    if isinstance(relation, StreamScan):
        return replace(relation, versions=relation.changelog)
    if isinstance(relation, Scan):
        return replace(relation, versions=True) if tables.replaces(relation) else relation
    if not isinstance(relation, Project | Filter | Watermark):
        return relation
    made = _versions(relation.input, tables)
    if isinstance(relation, Filter) and _has_versions(made):
        raise TableException(
            "Filter is not allowed for right changelog input of event time temporal join, it will corrupt the "
            f"versioning of data. Please consider removing the filter {relation.condition} before joining."
        )
    return replace(relation, input=made)


def _has_versions(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter | Watermark):
        relation = relation.input
    return isinstance(relation, Scan | StreamScan) and relation.versions


def _right_keys(condition: Expression, width: int) -> list[Expression]:
    """What of the right side is equal to something of the left one."""
    found = []
    for part in conjuncts(condition):
        if isinstance(part, Call) and part.function == "equals":
            sides = [_sides(each, width) for each in part.args]
            found += [each for each, side in zip(part.args, sides, strict=True) if side == {1} and {0} in sides]
    return found


def _sides(expression: Expression, width: int) -> set[int]:
    return {int(part.index >= width) for part in walk(expression) if isinstance(part, Field)}


def _versioned_at(relation: Relation, functions: FunctionLookup) -> int | None:
    """The column by which the rows of a relation have their versions."""
    for index, column in enumerate(relation.columns):
        if column.time == "rowtime" and comes_in_time(relation, index, functions):
            return index
    return None
