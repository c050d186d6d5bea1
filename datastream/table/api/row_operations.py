"""Operations by users' functions: `map`, `flat_map`, `aggregate`, `flat_aggregate`, lateral joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.api.query import Query, field_of
from datastream.table.api.window import GroupWindow
from datastream.table.dsl.base import functions_of
from datastream.table.dsl.expression import Expression
from datastream.table.dsl.text_expressions import checked_expression
from datastream.table.dsl.udf import UserDefinedFunctionWrapper
from datastream.table.functions.user_functions import UserFunction
from datastream.table.plan import expressions as plan
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.relations import Column, Project, Relation, RowFunction
from datastream.table.planner import building, grouping
from datastream.table.types.row_type import RowField, RowType

#: The column of whole rows that a function is given.
_ROW = "$row"


def mapped(query: Query, func: Any) -> Relation:
    """What a scalar function makes of each row."""
    relation, call, names, function = _called(query, func, "map", ("scalar", "async"))
    return _spread(query, building.project(relation, [call], query.functions), names, function, 0)


def flat_mapped(query: Query, func: Any) -> Relation:
    """The rows that a table function makes of each row."""
    relation, call, names, _ = _called(query, func, "flat_map", ("table",))
    correlated = building.correlate(relation, call, names, "inner", query.functions)
    made = [plan.Name((name,)) for name in correlated.names[len(relation.columns) :]]
    return building.project(correlated, made, query.functions)


def lateral(query: Query, func: Any, kind: str, predicate: Expression[Any] | None) -> Relation:
    """Each row with those that a table function makes of it."""
    call = "join_lateral" if kind == "inner" else "left_outer_join_lateral"
    relation = query.relation
    if isinstance(func, UserDefinedFunctionWrapper):
        relation, func = _with_rows(relation, keep=True), func(Expression(plan.Name((_ROW,))))
    node, names = _named(checked_expression(func, call, query.functions.is_of_users).node)
    query.functions.adopt(functions_of([func]))
    joined = building.correlate(relation, node, names, kind, query.functions)
    if relation is not query.relation:
        kept = [plan.Name((name,)) for name in joined.names if name != _ROW]
        joined = building.project(joined, kept, query.functions)
    if predicate is None:
        return joined
    condition = checked_expression(predicate, call, query.functions.is_of_users).node
    if kind == "left":
        if isinstance(condition, plan.Literal) and condition.value is True:
            return joined
        raise ValidationError("left_outer_join_lateral takes no condition but TRUE, as in Flink")
    query.functions.adopt(functions_of([predicate]))
    return building.filter(joined, condition, query.functions)


def aggregated(
    query: Query,
    keys: Sequence[plan.Expression],
    window: GroupWindow | None,
    func: Any,
    properties: Sequence[plan.Expression] = (),
) -> Relation:
    """The row that an aggregate function makes of each group, after the group's keys; then the window's properties."""
    relation, call, names, function = _called(query, func, "aggregate", ("aggregate",), keep=True)
    named = plan.Alias(call, "$result")
    if window is None:
        made = grouping.aggregate(relation, keys, [*keys, named], query.functions)
    else:
        more = [plan.Alias(each, f"${i}") for i, each in enumerate(properties)]
        made = grouping.window_aggregate(relation, window.planned, keys, [*keys, named, *more], query.functions)
    return _spread(query, made, names, function, len(keys))


def flat_aggregated(query: Query, keys: Sequence[plan.Expression], func: Any) -> Relation:
    """The rows that a table aggregate function makes of each group, after the group's keys."""
    relation, call, names, function = _called(query, func, "flat_aggregate", ("table_aggregate",), keep=True)
    resolved = query.session.resolve(relation, call)
    places = []
    for key in keys:
        if not isinstance(key, plan.Name) or key.parts[0] not in relation.names:
            raise ValidationError(f"flat_aggregate groups by columns, got {key}: add it with add_columns before")
        places.append(relation.names.index(key.parts[0]))
    assert isinstance(resolved, plan.Call) and isinstance(function.result_type, RowType)
    taken = _names(names, function.result_type)
    kinds = [field.data_type.nullable() for field in function.result_type]
    made = [Column(name, kind) for name, kind in zip(taken, kinds, strict=True)]
    columns = (*(relation.columns[place] for place in places), *made)
    return RowFunction(relation, "flat_aggregate", resolved, tuple(places), columns=columns)


def _called(
    query: Query, func: Any, call: str, kinds: tuple[str, ...], keep: bool = False
) -> tuple[Relation, plan.Call, tuple[str, ...], UserFunction]:
    """The call of a function, the relation that it is over, the names of its columns, and the function."""
    relation = query.relation
    if isinstance(func, UserDefinedFunctionWrapper):
        relation = _with_rows(relation, keep)
        func = func(Expression(plan.Name((_ROW,))))
    node, names = _named(checked_expression(func, call, query.functions.is_of_users).node)
    query.functions.adopt(functions_of([func]))
    function = query.functions.find(node.function) if isinstance(node, plan.Call) else None
    if not isinstance(node, plan.Call) or not isinstance(function, UserFunction) or function.kind not in kinds:
        raise ValidationError(f"{call} needs a function of kind {' or '.join(kinds)}, got {cut(func)}")
    return relation, node, names, function


def _with_rows(relation: Relation, keep: bool) -> Relation:
    """A relation of one column that has whole rows; with `keep` after all others."""
    fields = [plan.Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)]
    kind = RowType([RowField(column.name, column.type) for column in relation.columns], False)
    row = plan.Call("row", tuple(fields), type=kind)
    kept = (*fields, row) if keep else (row,)
    columns = (*relation.columns, Column(_ROW, kind)) if keep else (Column(_ROW, kind),)
    return Project(relation, kept, columns=columns)


def _spread(query: Query, relation: Relation, names: tuple[str, ...], function: UserFunction, keys: int) -> Relation:
    """A relation with the fields of the column after the keys, a row, as columns."""
    kind = function.result_type
    kept: list[plan.Expression] = [plan.Name((name,)) for name in relation.names[:keys]]
    more = [plan.Name((name,)) for name in relation.names[keys + 1 :]]
    last = plan.Name((relation.names[keys],))
    if isinstance(kind, RowType):
        taken = _names(names, kind)
        made = [plan.Alias(field_of(last, name), new) for name, new in zip(kind.names, taken, strict=True)]
        return building.project(relation, [*kept, *made, *more], query.functions)
    only = plan.Alias(last, (*names, "f0")[0])
    return building.project(relation, [*kept, only, *more], query.functions)


def replaced(node: plan.Expression, by: Mapping[plan.Expression, plan.Expression]) -> plan.Expression:
    """An expression with others in the place of some of its parts."""
    if node in by:
        return by[node]
    parts = tuple(replaced(part, by) for part in children(node))
    return rebuild(node, parts) if parts else node


def _names(given: tuple[str, ...], kind: RowType) -> list[str]:
    if given and len(given) != len(kind):
        raise ValidationError(f"{len(given)} names for the {len(kind)} columns that the function returns")
    return list(given or kind.names)


def _named(node: plan.Expression) -> tuple[plan.Expression, tuple[str, ...]]:
    if isinstance(node, plan.Alias):
        return node.arg, (node.name, *node.more)
    return node, ()
