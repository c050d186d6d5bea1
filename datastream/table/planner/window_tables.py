"""Window table functions: TUMBLE, HOP, CUMULATE and SESSION in FROM."""

from __future__ import annotations

from dataclasses import replace

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Expression, Field, Literal, Name
from datastream.table.plan.relations import (
    Column,
    Relation,
    Window,
    WindowTable,
    distinct_names,
)
from datastream.table.sql.syntax import WindowRef
from datastream.table.types.logical_types import TimestampType

from .scope import Scope
from .sources import Source, rename_columns
from .timed_joins import check_in_time
from .windows import ADDED, check_time, length


def plan_window_table(node: WindowRef, relation: Relation, scope: Scope, functions: FunctionLookup) -> Source:
    """The rows of a window function such as TUMBLE: those of a table, with their window.

    Args:
        node: The function's call.
        relation: The table.
        scope: Its columns.
        functions: Finds functions.
    """
    time = scope.resolve(Name((node.time,), position=node.position))
    index = time.index if isinstance(time, Field) else -1
    check_time(relation.columns[index] if index >= 0 else None, node.time, time, functions.of_batch)
    check_in_time(relation, index, functions, time.position)
    lengths = [length(each) if i == 0 else _offset(each) for i, each in enumerate(node.intervals)]
    two = node.kind in ("hop", "cumulate")
    size, slide = (_offset(node.intervals[1]), lengths[0]) if two else (lengths[0], 0)
    offset = lengths[2 if two else 1] if len(lengths) > (2 if two else 1) else 0
    if node.kind == "cumulate" and size % slide:
        raise wrong("CUMULATE: the size has to be a multiple of the step", node.position)
    partition = []
    for name in node.partition:
        found = scope.resolve(Name((name,), position=node.position))
        assert isinstance(found, Field)
        partition.append(found.index)
    start, end, rowtime = ADDED
    column = relation.columns[index]
    stamp = TimestampType(3, False)
    added = (Column(start, stamp), Column(end, stamp), Column(rowtime, column.type.not_null(), column.time))
    names = distinct_names([*relation.names, *(each.name for each in added)])
    both = (*relation.columns, *added)
    columns = tuple(replace(c, name=n) for c, n in zip(both, names, strict=True))
    window = Window(node.kind, index, size, slide, offset)
    made: Relation = WindowTable(relation, window, tuple(partition), columns=columns)
    given = [each.name for each in both]
    doubled = frozenset(i for i, name in enumerate(given) if given.count(name) > 1)
    if doubled and node.names:
        raise wrong(f"Field names must be unique. Found duplicates: [{given[min(doubled)]}]", node.position)
    made = rename_columns(made, node.names, node)
    named = Scope.of(made, (node.alias,) if node.alias else scope.tables[0] if scope.tables else ())
    return made, named if node.names else replace(named, columns=both, doubled=doubled)


def _offset(interval: Expression) -> int:
    if isinstance(interval, Literal) and isinstance(interval.value, int):
        return interval.value
    return length(interval)
