"""Conditions and limits are given to a table's connector, which may leave out rows that are not wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from datastream.io.predicates import Operator, Predicate
from datastream.table.functions.types import WHOLE
from datastream.table.plan.expression_trees import conjuncts, replace_fields
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Filter, Project, Relation, Scan, Sort
from datastream.table.plan.temporal_relations import LookupJoin
from datastream.table.types.logical_types import (
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    TimestampType,
    VarCharType,
)

from .rebuild import with_inputs
from .temporal_joins import Tables

_COMPARISONS: dict[str, Operator] = {
    "equals": "=",
    "notEquals": "<>",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}
_TURNED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: Types of columns -> types of the constants that they are compared with as they are.
_ALIKE: tuple[tuple[tuple[type, ...], tuple[type, ...]], ...] = (
    (WHOLE, WHOLE),
    ((DecimalType,), (*WHOLE, DecimalType)),
    ((VarCharType,), (CharType, VarCharType)),
    ((BooleanType,), (BooleanType,)),
    ((DateType,), (DateType,)),
    ((TimestampType,), (TimestampType,)),
)


def with_predicates(relation: Relation, tables: Tables) -> Relation:
    """The same with the conditions in scans that their tables take. They stay above these, too."""
    if isinstance(relation, LookupJoin):
        return replace(relation, left=with_predicates(relation.left, tables))
    if not isinstance(relation, Filter) or not isinstance(relation.input, Scan):
        return with_inputs(relation, lambda each: with_predicates(each, tables))
    scan = relation.input
    if scan.versions or tables.replaces(scan):  # an earlier row would be taken for the last one of its key
        return relation
    fields = [Field(i, each.name, type=each.type) for i, each in enumerate(scan.columns)]
    conditions = conjuncts(replace_fields(relation.condition, fields))  # below a union its names are another side's
    found = (each for condition in conditions for each in predicates_of(condition))
    taken = tuple(each for each in found if tables.takes(scan, each))
    return replace(relation, input=replace(scan, predicates=taken)) if taken else relation


def with_limits(relation: Relation, tables: Tables) -> Relation:
    """The same with limits in scans all of whose rows pass the operators up to a LIMIT without ORDER BY."""
    relation = with_inputs(relation, lambda each: with_limits(each, tables))
    if isinstance(relation, Sort) and not relation.order and relation.limit is not None:
        return replace(relation, input=_limited(relation.input, relation.limit + relation.offset, tables))
    return relation


def _limited(relation: Relation, limit: int, tables: Tables) -> Relation:
    if isinstance(relation, Project):
        return replace(relation, input=_limited(relation.input, limit, tables))
    if isinstance(relation, Scan) and not relation.versions and not tables.replaces(relation):
        return replace(relation, limit=limit)
    return relation


def predicates_of(condition: Expression) -> Iterator[Predicate]:
    """What a condition on columns says of one of them alone; nothing if it is of another kind."""
    match condition:
        case Field(name=name):
            yield Predicate(name, "=", (True,))
        case Call(function="not", args=(Field(name=name),)):
            yield Predicate(name, "=", (False,))
        case Call(function="isNull", args=(Field(name=name),)):
            yield Predicate(name, "IS NULL")
        case Call(function="isNotNull", args=(Field(name=name),)):
            yield Predicate(name, "IS NOT NULL")
        case Call(function="in", args=(Field() as field, *values)):
            found = [each.value for each in values if isinstance(each, Literal) and _is_alike(field, each)]
            if len(found) == len(values):
                yield Predicate(field.name, "IN", tuple(found))
        case Call(function="between", args=(Field() as field, Literal() as low, Literal() as high)):
            if _is_alike(field, low) and _is_alike(field, high):
                yield Predicate(field.name, ">=", (low.value,))
                yield Predicate(field.name, "<=", (high.value,))
        case Call(function=function, args=(Field() as field, Literal() as value)) if function in _COMPARISONS:
            if _is_alike(field, value):
                yield Predicate(field.name, _COMPARISONS[function], (value.value,))
        case Call(function=function, args=(Literal() as value, Field() as field)) if function in _COMPARISONS:
            if _is_alike(field, value):
                operator = _COMPARISONS[function]
                yield Predicate(field.name, _TURNED.get(operator, operator), (value.value,))


def _is_alike(field: Field, value: Literal) -> bool:
    """Whether a constant, which is not NULL, is compared with a column as it is."""
    return value.value is not None and any(
        isinstance(field.type, kinds) and isinstance(value.type, others) for kinds, others in _ALIKE
    )
