"""MATCH_RECOGNIZE: patterns in the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal as Choice

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Call, Expression, Field, Literal, MatchTime, Order
from datastream.table.plan.relations import Column, Match, PatternVariable, Relation
from datastream.table.plan.typed import type_of
from datastream.table.sql.syntax import MatchRef, VariableNode
from datastream.table.types.intervals import DayTimeIntervalType

from .pattern_expressions import PatternResolver
from .patterns import checked_pattern
from .resolver import Resolver
from .scope import Scope


def matched(node: MatchRef, relation: Relation, scope: Scope, functions: FunctionLookup) -> Match:
    """The relation of a MATCH_RECOGNIZE.

    Args:
        node: As written.
        relation: What is before it.
        scope: Its columns.
        functions: Finds functions.

    Raises:
        ValidationError: A part of it is wrong.
    """
    resolver = Resolver(scope, functions)
    partition = [_column(each, resolver, "PARTITION BY").index for each in node.partition]
    order = tuple(replace(each, arg=_column(each.arg, resolver, "ORDER BY")) for each in node.order)
    pattern = checked_pattern(node.pattern)
    inner = PatternResolver(scope, pattern, _has_rowtime(order, relation), functions)
    conditions = _conditions(node, pattern, inner)
    measures = [inner.measure(each.arg) for each in node.measures]
    columns = [relation.columns[place] for place in partition]
    columns += [Column(a.name, type_of(e), _time(e)) for a, e in zip(node.measures, measures, strict=True)]
    _check_names(columns, [None] * len(partition) + list(node.measures))
    return Match(
        relation,
        tuple(partition),
        order,
        tuple(replace(each, condition=conditions.get(each.name)) for each in pattern),
        tuple(measures),
        node.skip,
        _target(node, node.pattern),
        _within(node.within),
        columns=tuple(replace(c, time=None) if i < len(partition) else c for i, c in enumerate(columns)),
    )


def _conditions(node: MatchRef, pattern: Sequence[PatternVariable], resolver: PatternResolver) -> dict[str, Expression]:
    """The conditions of variables. Those that are not in the pattern may have one too, as in Flink, if it is right."""
    names = [each.name for each in pattern]
    others = [PatternVariable(name) for name in node.define if name not in names]
    for each in others:
        resolver.knowing(others).condition(node.define[each.name])
    return {name: resolver.condition(each) for name, each in node.define.items() if name in names}


def _column(written: Expression, resolver: Resolver, clause: str) -> Field:
    found = resolver.resolve(written)
    if not isinstance(found, Field):
        raise wrong(f"{clause} of MATCH_RECOGNIZE takes columns, got {found}", written.position)
    return found


def _has_rowtime(order: Sequence[Order], relation: Relation) -> bool:
    """Whether matches have a time of rows; in batch mode any time is one."""
    first = order[0].arg if order else None
    return isinstance(first, Field) and relation.columns[first.index].time != "proctime"


def _target(node: MatchRef, pattern: Sequence[VariableNode]) -> int | None:
    if node.target is None:
        return None
    names = [each.name for each in pattern]
    (name,) = node.target.parts
    if name not in names:
        raise unknown("pattern variable", name, names, node.target.position)
    return names.index(name)


def _within(interval: Expression | None) -> int | None:
    """The length of WITHIN in µs; what is not positive is no limit, as in Flink."""
    if interval is None:
        return None
    if not isinstance(interval, Literal) or not isinstance(interval.type, DayTimeIntervalType):
        raise wrong(
            "Only constant intervals with millisecond resolution are supported as time constraints of patterns: WITHIN "
            "takes days, hours, minutes and seconds",
            interval.position,
        )
    length = int(interval.value) // 1000 * 1000
    return length if length > 0 else None


def _time(measure: Expression) -> Choice["rowtime", "proctime"] | None:
    if isinstance(measure, MatchTime):
        return "rowtime"
    return "proctime" if isinstance(measure, Call) and measure.function == "proctime" else None


def _check_names(columns: Sequence[Column], written: Sequence[Expression | None]) -> None:
    names = [column.name for column in columns]
    for place, (name, each) in enumerate(zip(names, written, strict=True)):
        if name in names[:place]:
            raise wrong(f"Columns ambiguously defined: '{name}'", None if each is None else each.position)
