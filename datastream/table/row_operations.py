"""Operations by users' functions: `map`, `flat_map`, `aggregate`, `flat_aggregate`, lateral joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.table.expression import Expression
from datastream.table.expression_base import functions_of
from datastream.table.legacy.text_expressions import checked_expression
from datastream.table.plan import building
from datastream.table.plan import expressions as plan
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.relations import Column, Project, Relation, RowFunction
from datastream.table.row_type import RowField, RowType
from datastream.table.udf import UserDefinedFunctionWrapper
from datastream.table.user_functions import UserFunction
from datastream.table.window import GroupWindow

if TYPE_CHECKING:
    from datastream.table.table import Table

#: The column of whole rows that a function is given.
_ROW = "$row"


def mapped(table: Table, func: Any) -> Table:
    """What a scalar function makes of each row."""
    relation, call, names, function = _called(table, func, "map", ("scalar", "async"))
    return _spread(table, building.project(relation, [call], table._functions), names, function, 0)


def flat_mapped(table: Table, func: Any) -> Table:
    """The rows that a table function makes of each row."""
    relation, call, names, _ = _called(table, func, "flat_map", ("table",))
    correlated = building.correlate(relation, call, names, "inner", table._functions)
    made = [plan.Name((name,)) for name in correlated.names[len(relation.columns) :]]
    return table._with(building.project(correlated, made, table._functions))


def lateral(table: Table, func: Any, kind: str, predicate: Expression[Any] | None) -> Table:
    """Each row with those that a table function makes of it."""
    call = "join_lateral" if kind == "inner" else "left_outer_join_lateral"
    relation = table._relation
    if isinstance(func, UserDefinedFunctionWrapper):
        relation, func = _with_rows(relation, keep=True), func(Expression(plan.Name((_ROW,))))
    node, names = _named(checked_expression(func, call, table._functions.is_of_users).node)
    table._functions.adopt(functions_of([func]))
    joined = building.correlate(relation, node, names, kind, table._functions)
    if relation is not table._relation:
        kept = [plan.Name((name,)) for name in joined.names if name != _ROW]
        joined = building.project(joined, kept, table._functions)
    if predicate is None:
        return table._with(joined)
    condition = checked_expression(predicate, call, table._functions.is_of_users).node
    if kind == "left":
        if isinstance(condition, plan.Literal) and condition.value is True:
            return table._with(joined)
        raise ValidationError("left_outer_join_lateral takes no condition but TRUE, as in Flink")
    table._functions.adopt(functions_of([predicate]))
    return table._with(building.filter(joined, condition, table._functions))


def aggregated(
    table: Table,
    keys: Sequence[plan.Expression],
    window: GroupWindow | None,
    func: Any,
    properties: Sequence[plan.Expression] = (),
) -> Table:
    """The row that an aggregate function makes of each group, behind the group's keys; then the window's properties."""
    relation, call, names, function = _called(table, func, "aggregate", ("aggregate",), keep=True)
    named = plan.Alias(call, "$result")
    if window is None:
        made = building.aggregate(relation, keys, [*keys, named], table._functions)
    else:
        more = [plan.Alias(each, f"${i}") for i, each in enumerate(properties)]
        made = building.window_aggregate(relation, window.planned, keys, [*keys, named, *more], table._functions)
    return _spread(table, made, names, function, len(keys))


def flat_aggregated(table: Table, keys: Sequence[plan.Expression], func: Any) -> Table:
    """The rows that a table aggregate function makes of each group, behind the group's keys."""
    relation, call, names, function = _called(table, func, "flat_aggregate", ("table_aggregate",), keep=True)
    resolved = table._t_env._session.resolve(relation, call)
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
    return table._with(RowFunction(relation, "flat_aggregate", resolved, tuple(places), columns=columns))


def flattened(nodes: list[plan.Expression], table: Table) -> list[plan.Expression]:
    """Expressions with the fields of rows in the place of ``flatten``."""
    found: list[plan.Expression] = []
    for node in nodes:
        if not isinstance(node, plan.Call) or node.function != "flatten":
            found.append(node)
            continue
        kind = table._t_env._session.resolve(table._relation, node.args[0]).type
        if not isinstance(kind, RowType):
            found.append(node.args[0])
            continue
        found += [_field(node.args[0], name) for name in kind.names]
    return found


def _called(
    table: Table, func: Any, call: str, kinds: tuple[str, ...], keep: bool = False
) -> tuple[Relation, plan.Call, tuple[str, ...], UserFunction]:
    """The call of a function, the relation that it is over, the names of its columns, and the function."""
    relation = table._relation
    if isinstance(func, UserDefinedFunctionWrapper):
        relation = _with_rows(relation, keep)
        func = func(Expression(plan.Name((_ROW,))))
    node, names = _named(checked_expression(func, call, table._functions.is_of_users).node)
    table._functions.adopt(functions_of([func]))
    function = table._functions.find(node.function) if isinstance(node, plan.Call) else None
    if not isinstance(node, plan.Call) or not isinstance(function, UserFunction) or function.kind not in kinds:
        raise ValidationError(f"{call} needs a function of kind {' or '.join(kinds)}, got {cut(func)}")
    return relation, node, names, function


def _with_rows(relation: Relation, keep: bool) -> Relation:
    """A relation of one column that has whole rows; with `keep` behind all others."""
    fields = [plan.Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)]
    kind = RowType([RowField(column.name, column.type) for column in relation.columns], False)
    row = plan.Call("row", tuple(fields), type=kind)
    kept = (*fields, row) if keep else (row,)
    columns = (*relation.columns, Column(_ROW, kind)) if keep else (Column(_ROW, kind),)
    return Project(relation, kept, columns=columns)


def _spread(table: Table, relation: Relation, names: tuple[str, ...], function: UserFunction, keys: int) -> Table:
    """A relation with the fields of the column behind the keys, a row, as columns."""
    kind = function.result_type
    kept: list[plan.Expression] = [plan.Name((name,)) for name in relation.names[:keys]]
    more = [plan.Name((name,)) for name in relation.names[keys + 1 :]]
    last = plan.Name((relation.names[keys],))
    if isinstance(kind, RowType):
        taken = _names(names, kind)
        made = [plan.Alias(_field(last, name), new) for name, new in zip(kind.names, taken, strict=True)]
        return table._with(building.project(relation, [*kept, *made, *more], table._functions))
    only = plan.Alias(last, (*names, "f0")[0])
    return table._with(building.project(relation, [*kept, only, *more], table._functions))


def replaced(node: plan.Expression, by: Mapping[plan.Expression, plan.Expression]) -> plan.Expression:
    """An expression with others in the place of some of its parts."""
    if node in by:
        return by[node]
    parts = tuple(replaced(part, by) for part in children(node))
    return rebuild(node, parts) if parts else node


def _field(row: plan.Expression, name: str) -> plan.Expression:
    from datastream.table.expression_base import literal

    return plan.Call("get", (row, literal(name)))


def _names(given: tuple[str, ...], kind: RowType) -> list[str]:
    if given and len(given) != len(kind):
        raise ValidationError(f"{len(given)} names for the {len(kind)} columns that the function gives")
    return list(given or kind.names)


def _named(node: plan.Expression) -> tuple[plan.Expression, tuple[str, ...]]:
    if isinstance(node, plan.Alias):
        return node.arg, (node.name, *node.more)
    return node, ()
