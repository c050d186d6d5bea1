"""GROUP BY and SELECT DISTINCT of rows of which no two are in one group, as Flink removes them."""

from __future__ import annotations

from datastream.table.plan.expressions import Call, Cast, Expression, Field
from datastream.table.plan.relations import Aggregate, Project, Relation
from datastream.table.planner.upsert_keys import PrimaryKey, unique_keys

from .rebuild import with_inputs

#: Aggregates that are their argument where there is one row. Flink leaves others as they are.
_OF_ONE = ("sum", "min", "max")


def without_one_row_groups(relation: Relation, primary_key: PrimaryKey) -> Relation:
    """The same, in which rows are not grouped by columns that hold a key of theirs."""
    relation = with_inputs(relation, lambda each: without_one_row_groups(each, primary_key))
    if not isinstance(relation, Aggregate) or not relation.keys or not all(map(_is_of_one, relation.calls)):
        return relation
    if not any(key <= set(relation.keys) for key in unique_keys(relation.input, primary_key)):
        return relation
    columns = relation.input.columns
    fields = (Field(i, columns[i].name, type=columns[i].type) for i in relation.keys)
    return Project(relation.input, (*fields, *map(_of_one, relation.calls)), columns=relation.columns)


def _is_of_one(call: Call) -> bool:
    return call.function in _OF_ONE and call.filter is None and len(call.args) == 1


def _of_one(call: Call) -> Expression:
    (arg,) = call.args
    assert call.type is not None
    return arg if arg.type == call.type else Cast(arg, call.type, type=call.type)
