"""INTERSECT ALL and EXCEPT ALL by counting equal rows, as Flink does."""

from __future__ import annotations

from datastream.table.functions.collections import UNNEST
from datastream.table.functions.repeating import TIMES
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Aggregate, Column, Correlate, Project, Relation, SetOperation
from datastream.table.types.data_types import DataTypes
from datastream.table.types.row_type import RowType

from .rebuild import with_inputs

_COUNT = DataTypes.BIGINT(False)
_ROWS = DataTypes.ARRAY(DataTypes.INT(), False)


def with_counted_rows(relation: Relation) -> Relation:
    """The same, in which such an operation is the rows of both sides, grouped, each so often as its counts say."""
    relation = with_inputs(relation, with_counted_rows)
    if isinstance(relation, SetOperation) and relation.all and relation.kind != "union":
        return _counted(relation)
    return relation


def _counted(relation: SetOperation) -> Relation:
    columns, width = relation.columns, len(relation.columns)
    counted = (*columns, Column("$left", _COUNT), Column("$right", _COUNT))
    sides = _marked(relation.left, (1, 0), counted), _marked(relation.right, (0, 1), counted)
    both = SetOperation(sides[0], sides[1], "union", True, columns=counted)
    counts = tuple(Field(i, counted[i].name, type=_COUNT) for i in (width, width + 1))
    sums = tuple(Call("sum0", (each,), type=_COUNT) for each in counts)
    groups = Aggregate(both, tuple(range(width)), sums, columns=counted)
    times = Call("least" if relation.kind == "intersect" else "minus", counts, type=_COUNT)
    call = Call(UNNEST, (Call(TIMES, (times,), type=_ROWS),), type=RowType())
    rows = Correlate(groups, call, "inner", columns=(*counted, Column("$row", DataTypes.INT())))
    return Project(rows, _fields(columns), columns=columns)


def _marked(side: Relation, mark: tuple[int, int], columns: tuple[Column, ...]) -> Relation:
    """The rows of a side followed by 1 and 0, for the counts."""
    marks = (Literal(each, type=_COUNT) for each in mark)
    return Project(side, (*_fields(side.columns), *marks), columns=columns)


def _fields(columns: tuple[Column, ...]) -> tuple[Expression, ...]:
    return tuple(Field(i, column.name, type=column.type) for i, column in enumerate(columns))
