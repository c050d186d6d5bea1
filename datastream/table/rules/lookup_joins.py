"""Joins with a table that is looked up in: what is the key, and what is tested before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from datastream.table.catalogs.errors import TableException
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.types import NUMBER, STRING, common_type
from datastream.table.plan.expression_trees import conjuncts, fields_of, shift_fields
from datastream.table.plan.expressions import Call, Cast, Expression, Field, Literal
from datastream.table.plan.relations import Column, Filter, Project, Relation, Scan, Watermark
from datastream.table.plan.temporal_relations import LookupJoin, LookupKey, SnapshotJoin
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import summary

from .constants import folded

#: What is compared with a column of the table: the column, and an expression of the left side or a constant.
_Pair = tuple[str, Expression]


def looked_up(relation: Relation) -> Scan | None:
    """The table that a relation reads row by row; None: it is no such relation."""
    while isinstance(relation, Project | Filter | Watermark):
        relation = relation.input
    return relation if isinstance(relation, Scan) else None


def lookup_join(join: SnapshotJoin, scan: Scan, functions: FunctionLookup) -> Relation:
    """The join with a table, which is looked up in for each row.

    Raises:
        TableException: No column of the table has to be equal to something of the left side.
    """
    width = len(join.left.columns)
    right = without_watermarks(join.right)
    keys: list[_Pair] = []
    before: list[Expression] = []
    after: list[Expression] = []
    parts = [] if join.condition is None else [folded(each, functions) for each in conjuncts(join.condition)]
    for part in parts:
        pair = _pair(part, right, width)
        if pair is not None and pair[0] not in [column for column, _ in keys]:
            keys.append(pair)
        else:
            of_left = all(index < width for index in fields_of(part))
            (before if of_left else after).append(part)
    if all(isinstance(value, Literal) for _, value in keys):
        raise TableException(
            "Temporal table join requires an equality condition on fields of table "
            f"[{'.'.join(scan.path)}]: ON has to compare a column of it with the left table"
        )
    left = join.left
    if join.kind == "inner" and before:
        left, before = Filter(left, _all(before), columns=left.columns), []
    return _made(join, left, right, keys, before, after)


def without_watermarks(relation: Relation) -> Relation:
    """The same rows, whose time says nothing."""
    if isinstance(relation, Watermark):
        return without_watermarks(relation.input)
    if isinstance(relation, Project | Filter):
        return replace(relation, input=without_watermarks(relation.input))
    return relation


def _made(
    join: SnapshotJoin,
    left: Relation,
    right: Relation,
    keys: Sequence[_Pair],
    before: Sequence[Expression],
    after: Sequence[Expression],
) -> Relation:
    """The join, over a left side that has a column for each key."""
    count, width = len(left.columns), len(join.right.columns)
    computed = [value for _, value in keys if not isinstance(value, Literal | Field)]
    if computed:
        fields = [Field(i, column.name, type=column.type) for i, column in enumerate(left.columns)]
        columns = [*left.columns, *(Column(f"$f{count + i}", type_of(each)) for i, each in enumerate(computed))]
        left = Project(left, (*fields, *computed), columns=tuple(columns))
    shift = len(computed)
    made = LookupJoin(
        left,
        right,
        join.kind,
        tuple(_key(column, value, count, computed) for column, value in keys),
        _all(before) if before else None,
        shift_fields(_all(after), shift, count) if after else None,
        join.hints,
        columns=(*join.columns[:count], *left.columns[count:], *join.columns[count:]),
    )
    if not shift:
        return made
    kept = [*range(count), *range(count + shift, count + shift + width)]
    fields = [Field(i, made.columns[i].name, type=made.columns[i].type) for i in kept]
    return Project(made, tuple(fields), columns=join.columns)


def _key(column: str, value: Expression, count: int, computed: Sequence[Expression]) -> LookupKey:
    if isinstance(value, Literal):
        return LookupKey(column, None, value.value)
    if isinstance(value, Field):
        return LookupKey(column, value.index)
    return LookupKey(column, count + next(i for i, each in enumerate(computed) if each is value))


def _all(parts: Sequence[Expression]) -> Expression:
    return reduce(lambda a, b: Call("and", (a, b), type=a.type), parts)


def _pair(part: Expression, right: Relation, width: int) -> _Pair | None:
    """A column of the table, and what it is equal to; None: the condition says something else."""
    if not isinstance(part, Call) or part.function != "equals" or len(part.args) != 2:
        return None
    for one, other in (part.args, part.args[::-1]):
        if not isinstance(one, Field) or one.index < width or any(i >= width for i in fields_of(other)):
            continue
        column = _stored_column(right, one.index - width)
        if column is not None and (isinstance(other, Literal) or fields_of(other)):
            value = _as(other, type_of(one))
            return None if value is None else (column, value)
    return None


def _as(value: Expression, wanted: DataType) -> Expression | None:
    """A value in the type of the column that it is compared with; None: that would make another one of it.

    Raises:
        TableException: They are compared by a conversion that Flink does not do here.
    """
    given, kind = type_of(value).nullable(), wanted.nullable()
    if given == kind or (isinstance(given, STRING) and isinstance(kind, STRING)):
        return value
    if isinstance(value, Literal):
        return None
    if not (isinstance(given, NUMBER) and isinstance(kind, NUMBER)):
        raise TableException(
            f"implicit type conversion between {summary(given)} and {summary(kind)} is not supported on join's "
            "condition now: write a CAST on the left side"
        )
    return Cast(value, kind, type=kind) if _widens(given, kind) else None


def _widens(given: DataType, kind: DataType) -> bool:
    found = common_type([given, kind])
    return found is not None and found.nullable() == kind


def _stored_column(relation: Relation, index: int) -> str | None:
    """The table's column that a column is."""
    while isinstance(relation, Project | Filter):
        if isinstance(relation, Project):
            expression = relation.expressions[index]
            if not isinstance(expression, Field):
                return None
            index = expression.index
        relation = relation.input
    return relation.columns[index].name


def reads_of(relation: LookupJoin) -> set[int]:
    """The left columns that the keys and the condition before read."""
    found = {key.left for key in relation.keys if key.left is not None}
    return found | (fields_of(relation.before) if relation.before is not None else set())
