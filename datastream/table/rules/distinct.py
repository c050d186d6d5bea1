"""SELECT DISTINCT of rows that differ anyway, as Flink removes it."""

from __future__ import annotations

from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import Aggregate, Project, Relation
from datastream.table.plan.upsert_keys import PrimaryKey, unique_keys

from .rebuild import with_inputs


def without_needless_distinct(relation: Relation, primary_key: PrimaryKey) -> Relation:
    """The same, in which rows are not made distinct by columns that hold a key of theirs."""
    relation = with_inputs(relation, lambda each: without_needless_distinct(each, primary_key))
    if not isinstance(relation, Aggregate) or relation.calls or not relation.keys:
        return relation
    if not any(key <= set(relation.keys) for key in unique_keys(relation.input, primary_key)):
        return relation
    columns = relation.input.columns
    fields = (Field(i, columns[i].name, type=columns[i].type) for i in relation.keys)
    return Project(relation.input, tuple(fields), columns=relation.columns)
