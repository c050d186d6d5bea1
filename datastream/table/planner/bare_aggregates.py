"""Aggregates with no projection above them: Flink computes them, though they may never be read."""

from __future__ import annotations

from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import Aggregate, Filter, Join, Project, Relation, SetOperation, Watermark


def bare_aggregates(relation: Relation) -> set[int]:
    """The columns that have them, of an input of aggregates that are not made of a projection of their own."""
    match relation:
        case Aggregate(keys=keys, columns=columns):
            return set(range(len(keys), len(columns)))
        case Filter(input=below) | Watermark(input=below):
            return bare_aggregates(below)
        case Project(input=below, expressions=expressions):
            found = bare_aggregates(below)
            fields = [{part.index for part in walk(each) if isinstance(part, Field)} for each in expressions]
            return {i for i, read in enumerate(fields) if read & found}
        case Join(left=left, right=right, kind=kind):
            of_right = set() if kind in ("semi", "anti") else bare_aggregates(right)
            return bare_aggregates(left) | {i + len(left.columns) for i in of_right}
        case SetOperation(kind="union", all=True, left=left, right=right):
            return bare_aggregates(left) | bare_aggregates(right)
    return set()
