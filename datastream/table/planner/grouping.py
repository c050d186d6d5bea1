"""GROUP BY: its sets, its window, which aggregates there are, what they need, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import Alias, Call, Expression, Field, Literal, Name, Star
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Filter,
    Project,
    Relation,
    SetOperation,
    Window,
    WindowAggregate,
)
from datastream.table.plan.typed import type_of
from datastream.table.sql.syntax import Select
from datastream.table.types.logical_types import IntType, is_nullable

from .grouping_sets import Absent, Groupings, without_absent
from .over import overs_in, with_overs
from .projections import Naming, api_names, bare, expanded, named, part_names, projection, sql_names, time_of
from .resolver import Resolver, is_aggregate
from .scope import Scope
from .set_types import same_columns
from .timed_joins import check_in_time
from .windows import GroupWindow, Placed, WindowProperty, only_of_window, window_of, written_window


def plan_groups(node: Select, relation: Relation, scope: Scope, functions: FunctionLookup) -> Relation:
    """A SELECT with GROUP BY: the rows of all its sets.

    Args:
        node: The SELECT.
        relation: What it reads.
        scope: The columns of that.
        functions: Finds functions.
    """
    keys = [] if node.group is None else list(node.group.keys)
    if node.group is None or (sets := node.group.sets) is None:
        return _of_set(node, relation, scope, functions, keys)
    parts = [_of_set(node, relation, scope, functions, keys, one, len(sets) == 1) for one in sets]
    return reduce(_union_all, parts)


def _of_set(
    node: Select,
    relation: Relation,
    scope: Scope,
    functions: FunctionLookup,
    keys: list[Expression],
    chosen: tuple[int, ...] | None = None,
    alone: bool = True,
) -> Relation:
    """A SELECT with GROUP BY; of GROUPING SETS one set, `alone` or not, whose other keys are NULL."""
    resolver = Resolver(scope, functions)
    told = Groupings(resolver, keys, range(len(keys)) if chosen is None else chosen)
    expressions, having = list(map(told.within, node.expressions)), node.having and told.within(node.having)
    if chosen is not None:
        absent = Absent(resolver, [key for i, key in enumerate(keys) if i not in chosen])
        expressions = [
            Alias(found, each.parts[-1])
            if isinstance(each, Name) and (found := absent.instead(each)) is not None
            else without_absent(each, absent, functions)
            for each in expressions
        ]
        having = having and without_absent(having, absent, functions)
        keys = [keys[i] for i in chosen]
    if chosen == () and not alone:  # the rows are grouped by their set, so that no rows make none
        some = Call(">", (Call("COUNT", (Star(),)), Literal(0, type=IntType(False))))
        having = some if having is None else Call("AND", (having, some))
    return aggregate(
        relation,
        keys,
        expressions,
        functions,
        scope=scope,
        having=having,
        naming=sql_names,
        shared=True,
    )


def _union_all(left: Relation, right: Relation) -> Relation:
    left, right, columns = same_columns(left, right, "union")
    return SetOperation(left, right, "union", True, columns=columns)


def aggregate(
    relation: Relation,
    keys: Sequence[Expression],
    expressions: Sequence[Expression],
    functions: FunctionLookup,
    *,
    scope: Scope | None = None,
    having: Expression | None = None,
    naming: Naming | None = None,
    shared: bool = False,
) -> Relation:
    """Rows by key: ``group_by(*keys).select(*expressions)``.

    Args:
        relation: The input.
        keys: As written.
        expressions: Of keys and aggregates, as written.
        functions: Finds functions.
        scope: As in `building.project`.
        having: A condition on what comes out.
        naming: As in `building.project`.
        shared: As in `building.project`.
    """
    resolver = Resolver(scope or Scope.of(relation), functions)
    windows = [found for found in map(written_window, keys) if found is not None]
    if len(windows) > 1:
        raise wrong("GROUP BY takes one window", keys[-1].position)
    window = windows[0].resolved(resolver) if windows else None
    if window is not None:
        check_in_time(relation, window.window.time, functions, keys[0].position)
        keys = [key for key in keys if written_window(key) is None]
        expressions = [window.properties_of(each) for each in expressions]
        having = None if having is None else window.properties_of(having)
    resolved_keys = [resolver.resolve(each) for each in keys]
    written = expanded(expressions, resolver.scope)
    resolved = [resolver.resolve(each) for each in written]
    condition = None if having is None else resolver.condition(having, "HAVING")
    calls = calls_in(resolved, functions) if naming is None else ()
    names = named(written, resolved, naming or api_names, shared, calls)
    sql = naming is not None
    if not overs_in(resolved):
        return grouped(relation, resolved_keys, resolved, names, condition, window, functions, sql)

    def below(parts: list[Expression]) -> Relation:
        names_of_parts = part_names(parts)
        return grouped(relation, resolved_keys, parts, names_of_parts, condition, window, functions, sql)

    made, wanted = with_overs([bare(each) for each in resolved], below)
    return projection(made, wanted, names)


def window_aggregate(
    relation: Relation,
    window: GroupWindow,
    keys: Sequence[Expression],
    expressions: Sequence[Expression],
    functions: FunctionLookup,
) -> Relation:
    """Rows by window and key: ``window(w).group_by(w, *keys).select(*expressions)``."""
    resolver = Resolver(Scope.of(relation), functions)
    resolved_keys = [resolver.resolve(each) for each in keys]
    placed = window.resolved(resolver)
    check_in_time(relation, placed.window.time, functions, None)
    written = expanded(expressions, resolver.scope)
    resolved = [resolver.resolve(placed.properties_of(each)) for each in written]
    calls_in(resolved, functions)
    parts = [part for each in resolved for part in walk(each)]
    made = [part for part in parts if isinstance(part, WindowProperty) or is_aggregate(part, functions)]
    names = named(written, resolved, api_names, False, list(dict.fromkeys(made)))
    return grouped(relation, resolved_keys, resolved, names, None, placed, functions)


def over_all(
    relation: Relation, expressions: Sequence[Expression], names: Sequence[str], functions: FunctionLookup, sql: bool
) -> Relation:
    """One row of all rows."""
    return grouped(relation, [], expressions, names, None, None, functions, sql)


def grouped(
    relation: Relation,
    keys: Sequence[Expression],
    expressions: Sequence[Expression],
    names: Sequence[str],
    having: Expression | None,
    window: Placed | None,
    functions: FunctionLookup,
    sql: bool = False,
) -> Relation:
    """A projection of what is needed, the aggregates, a condition, and a projection of what is wanted.

    Args:
        relation: The input.
        keys: Resolved.
        expressions: Resolved, with their names.
        names: Of the columns.
        having: A condition, resolved.
        window: A window; None: that of the keys, if there is any.
        functions: Finds functions.
        sql: Whether SQL says so: Flink's plan has a projection below the aggregates then, and otherwise above them.

    Raises:
        ValidationError: An expression is of a column that is no key.
    """
    parts = [bare(each) for each in (*expressions, *([] if having is None else [having]))]
    window = window or window_of(relation, list(map(bare, keys)), calls_in(parts, functions), functions)
    own: list[Field] = []  # keys that are columns of the window
    if window is not None and window.input is not None:
        relation = window.input
        keys = [key for key in map(window.below, keys) if not only_of_window(key, functions)]
        expressions = [window.below(each) for each in expressions]
        conditions = [*([] if having is None else [window.below(having)]), *window.conditions]
        having = _all_of(conditions)
    elif window is not None and window.of is not None:
        own = [key for key in map(bare, keys) if isinstance(key, Field) and window.of.property_of(key.index)]
        keys = [key for key in keys if bare(key) not in own]
    keys = [bare(key) for key in keys]
    wanted = [bare(each) for each in expressions]
    calls = calls_in([*wanted, *([] if having is None else [having])], functions)
    inputs = _Inputs(relation, [*keys])
    span = None if window is None else _span(window.window, inputs, relation)
    made = tuple(
        replace(
            call,
            args=tuple(map(inputs.field, call.args)),
            filter=None if call.filter is None else inputs.field(call.filter),
        )
        for call in calls
    )
    if not sql:
        made = tuple(replace(call, args=()) if _counts_rows(call) else call for call in made)
    below = inputs.relation(not sql)
    columns = [replace(below.columns[i], time=None) for i in range(len(keys))]
    columns += [Column(f"${i}", type_of(call)) for i, call in enumerate(calls)]
    places: dict[Expression, int] = {each: i for i, each in reversed(list(enumerate([*keys, *calls])))}
    result: Relation
    if window is None:
        result = Aggregate(below, tuple(range(len(keys))), made, columns=tuple(columns))
    else:
        assert span is not None
        asked = _properties([*wanted, *([] if having is None else [having])])
        properties = [each.name for each in asked] + [_property(window, each) for each in own]
        for each, name in zip([*asked, *own], properties, strict=True):
            places[each] = len(columns)
            of_window = name in ("rowtime", "proctime") and window.column is not None
            kind = window.property(name).type or type_of(each)
            columns.append(Column(f"${name}", kind, window.column.time if of_window else None))  # type: ignore[union-attr]
        result = WindowAggregate(below, span, tuple(range(len(keys))), made, tuple(properties), columns=tuple(columns))
    if having is not None:
        condition = _above(having, places, result, relation)
        result = Filter(result, condition, columns=result.columns)
    above = tuple(_above(each, places, result, relation) for each in wanted)
    outer = tuple(Column(name, type_of(each), time_of(each, result)) for name, each in zip(names, above, strict=True))
    return Project(result, above, sql and window is None and _are_columns(above, result), columns=outer)


def _counts_rows(call: Call) -> bool:
    """Whether a count is that of rows, as what it counts is never NULL."""
    return call.function == "count" and not call.distinct and not any(is_nullable(type_of(arg)) for arg in call.args)


def _are_columns(expressions: Sequence[Expression], relation: Relation) -> bool:
    """Whether expressions are all columns of a relation, in order."""
    found = [each.index if isinstance(each, Field) else None for each in expressions]
    return found == list(range(len(relation.columns)))


class _Inputs:
    """What an aggregation reads of its input: each expression once."""

    def __init__(self, relation: Relation, keys: list[Expression]) -> None:
        self._relation = relation
        self._expressions = keys

    def add(self, expression: Expression) -> int:
        """The place of an expression."""
        if expression not in self._expressions:
            self._expressions.append(expression)
        return self._expressions.index(expression)

    def field(self, expression: Expression) -> Field:
        """An expression as a column of what is read."""
        index = self.add(expression)
        return Field(index, self._name(index), type=expression.type)

    def relation(self, implied: bool) -> Relation:
        """The projection; `implied`: of columns alone, and of no other projection, it is none in Flink's plan."""
        columns = tuple(self._column(i, each) for i, each in enumerate(self._expressions))
        below = self._relation
        implied &= all(isinstance(each, Field) for each in self._expressions)
        implied &= not isinstance(below, Project) or below.implied
        return Project(below, tuple(self._expressions), implied, columns=columns)

    def _column(self, index: int, expression: Expression) -> Column:
        time = self._relation.columns[expression.index].time if isinstance(expression, Field) else None
        return Column(self._name(index), type_of(expression), time)

    def _name(self, index: int) -> str:
        expression = self._expressions[index]
        name = expression.name if isinstance(expression, Field) else f"$f{index}"
        before = [e.name for e in self._expressions[:index] if isinstance(e, Field)]
        return f"{name}${index}" if name in before else name


def calls_in(expressions: Sequence[Expression], functions: FunctionLookup) -> list[Call]:
    """The aggregates of expressions, each once.

    Raises:
        ValidationError: One stands inside of another.
    """
    found: list[Call] = []
    for each in expressions:
        for part in walk(each):
            if not is_aggregate(part, functions):
                continue
            assert isinstance(part, Call)
            if getattr(functions.find(part.function), "over_only", False):
                raise wrong(f"{part.function.upper()} needs an OVER clause", part.position)
            for inner in children(part):
                for deep in walk(inner):
                    if is_aggregate(deep, functions):
                        raise wrong(f"{deep} is inside of {part}: aggregates take no aggregates", deep.position)
            if part not in found:
                found.append(part)
    return found


def _properties(expressions: Sequence[Expression]) -> list[WindowProperty]:
    found: list[WindowProperty] = []
    for each in expressions:
        found += [part for part in walk(each) if isinstance(part, WindowProperty) and part not in found]
    return found


def _above(expression: Expression, places: dict[Expression, int], result: Relation, relation: Relation) -> Expression:
    """An expression over what the aggregation gives."""
    if expression in places:
        index = places[expression]
        name = expression.name if isinstance(expression, Field) else result.columns[index].name
        return Field(index, name, type=result.columns[index].type, position=expression.position)
    if isinstance(expression, Field):
        raise wrong(
            f"Column '{expression.name}' is neither a key of the group nor inside an aggregate: "
            "group by it, or aggregate it; a number there is a constant, and not the place of a column",
            expression.position,
        )
    parts = tuple(_above(part, places, result, relation) for part in children(expression))
    return rebuild(expression, parts) if parts else expression


def _all_of(conditions: list[Expression]) -> Expression | None:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Call("and", tuple(conditions), type=type_of(conditions[0]))


def _span(window: Window, inputs: _Inputs, relation: Relation) -> Window:
    """A window over what an aggregation reads."""
    start = None if window.start is None else inputs.add(_field(relation, window.start))
    return replace(window, time=inputs.add(_field(relation, window.time)), start=start)


def _property(window: Placed, key: Field) -> str:
    found = None if window.of is None else window.of.property_of(key.index)
    assert found is not None
    return found


def _field(relation: Relation, index: int) -> Field:
    column = relation.columns[index]
    return Field(index, column.name, type=column.type)
