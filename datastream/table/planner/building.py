"""Relations out of relations and expressions as they are written: what SQL and `Table` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal as Choice

from datastream.errors import ValidationError
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import refused, wrong
from datastream.table.plan.expression_trees import conjuncts, walk
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal, Name, Order, Position, Star
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Project,
    Relation,
    SetOperation,
    Sort,
    distinct_names,
)
from datastream.table.plan.typed import type_of
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary

from .bare_aggregates import bare_aggregates
from .grouping import GroupWindow, calls_in, grouped, over_all
from .over import overs_in, with_overs
from .resolver import Resolver, is_aggregate
from .scope import Scope
from .set_types import same_columns
from .timed_joins import bounded_by, check_in_time
from .windowed import windowed
from .windows import WindowProperty, written_window

__all__ = [
    "GroupWindow",
    "aggregate",
    "correlate",
    "filter",
    "join",
    "limit",
    "project",
    "rename",
    "set_operation",
    "sort",
    "window_aggregate",
]

#: Gives a column without a name one, by its place.
Naming = Callable[[int], str]


def api_names(place: int) -> str:
    """Names as the Table API gives them: ``_c1`` is the second column."""
    return f"_c{place}"


def sql_names(place: int) -> str:
    """Names as SQL gives them: ``EXPR$1`` is the second column."""
    return f"EXPR${place}"


def project(
    relation: Relation,
    expressions: Sequence[Expression],
    functions: FunctionLookup,
    *,
    scope: Scope | None = None,
    naming: Naming | None = None,
    shared: bool = False,
) -> Relation:
    """One column for each expression; with aggregates among them one row of all rows.

    Args:
        relation: The input.
        expressions: As written.
        functions: Finds functions.
        scope: The input's columns with the names of their tables. Default: under no name.
        naming: Of columns without a name. Default: the Table API's.
        shared: Columns may have one name, as in SQL. Default: it is an error, as in the Table API.
    """
    resolver = Resolver(scope or Scope.of(relation), functions)
    written = expanded(expressions, resolver.scope)
    resolved = [resolver.resolve(each) for each in written]
    calls = calls_in(resolved, functions)
    names = named(written, resolved, naming or api_names, shared, calls if naming is None else ())
    if calls:
        return over_all(relation, resolved, names, functions, naming is not None)
    wanted = [bare(each) for each in resolved]
    if overs_in(wanted):
        relation, wanted = with_overs(wanted, lambda parts: projection(relation, parts, _part_names(parts)))
    return projection(relation, wanted, names)


def filter(
    relation: Relation,
    condition: Expression,
    functions: FunctionLookup,
    *,
    scope: Scope | None = None,
    where: str = "WHERE",
) -> Relation:
    """Rows for which the condition is TRUE."""
    resolved = Resolver(scope or Scope.of(relation), functions).condition(condition, where)
    for part in walk(resolved):
        if is_aggregate(part, functions):
            raise wrong(f"{where} takes no aggregates, and {part} is one: filter what is grouped", part.position)
    if isinstance(relation, Join) and (found := bounded_by(relation, conjuncts(resolved), functions)) is not None:
        relation, left = found
        if not left:
            return relation
        resolved = left[0] if len(left) == 1 else Call("and", tuple(left), type=resolved.type)
    return Filter(relation, resolved, columns=relation.columns)


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
        scope: As in `project`.
        having: A condition on what comes out.
        naming: As in `project`.
        shared: As in `project`.
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
        part_names = _part_names(parts)
        return grouped(relation, resolved_keys, parts, part_names, condition, window, functions, sql)

    made, wanted = with_overs([bare(each) for each in resolved], below)
    return projection(made, wanted, names)


def _part_names(parts: Sequence[Expression]) -> list[str]:
    """Names of columns that are made of parts of expressions."""
    return distinct_names([part.name if isinstance(part, Field) else f"$p{i}" for i, part in enumerate(parts)])


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


def join(
    left: Relation,
    right: Relation,
    kind: str,
    condition: Expression | None,
    functions: FunctionLookup,
    *,
    scope: Scope | None = None,
    unique: bool = False,
) -> Relation:
    """A regular join.

    Raises:
        ValidationError: In the Table API, where both sides have a column of one name.
    """
    shared = set(left.names) & set(right.names)
    if shared and not unique:
        raise wrong(f"Both sides of the join have a column '{min(shared)}': rename one before")
    nullable = {"left": (False, True), "right": (True, False), "full": (True, True)}.get(kind, (False, False))
    columns = [_or_null(each, nullable[0]) for each in left.columns]
    columns += [_or_null(each, nullable[1]) for each in right.columns]
    both = scope or Scope.of(left).beside(Scope.of(right))
    resolved = None if condition is None else Resolver(both, functions).condition(condition, "ON")
    taken = distinct_names([each.name for each in columns])
    columns = [replace(each, name=name) for each, name in zip(columns, taken, strict=True)]
    return Join(left, right, kind, resolved, columns=tuple(columns))


def correlate(
    relation: Relation,
    call: Expression,
    names: Sequence[str],
    kind: str,
    functions: FunctionLookup,
    *,
    scope: Scope | None = None,
) -> Relation:
    """Each row with those that a table function makes of it.

    Args:
        relation: The input.
        call: Of the table function.
        names: Of its columns; none: those of its result type.
        kind: ``inner`` or ``left``.
        functions: Finds functions.
        scope: As in `project`.
    """
    from .table_functions import made_columns

    if not isinstance(call, Call):
        raise wrong(f"Expected a call of a table function, got {call}", call.position)
    resolver = Resolver(scope or Scope.of(relation), functions)
    resolved, made = made_columns(call, resolver, functions, names)
    columns = [*relation.columns, *(_or_null(each, kind == "left") for each in made)]
    taken = distinct_names([each.name for each in columns])
    columns = [replace(each, name=name) for each, name in zip(columns, taken, strict=True)]
    return Correlate(relation, resolved, kind, columns=tuple(columns))


def distinct(relation: Relation, functions: FunctionLookup) -> Relation:
    """Each row once."""
    fields: list[Expression] = [Field(i, column.name, type=column.type) for i, column in enumerate(relation.columns)]
    if windowed(relation) is not None:
        return grouped(relation, fields, fields, relation.names, None, None, functions)
    return Aggregate(relation, tuple(range(len(fields))), (), columns=relation.columns)


def union(left: Relation, right: Relation, functions: FunctionLookup, position: Position | None = None) -> Relation:
    """The rows of two relations, each once: those of windows are compared within their window."""
    together = set_operation(left, right, "union", True, position)
    if windowed(together) is not None:
        return distinct(together, functions)
    return set_operation(left, right, "union", False, position)


def set_operation(left: Relation, right: Relation, kind: str, all: bool, position: Position | None = None) -> Relation:
    """``union``, ``intersect`` or ``minus`` of the rows of two relations, columns by place.

    Raises:
        ValidationError: They have not as many columns, or columns of types that no value has in common.
    """
    left, right, columns = same_columns(left, right, kind, position)
    return SetOperation(left, right, kind, all, columns=columns)


def sort(
    relation: Relation, orders: Sequence[Expression], functions: FunctionLookup, *, scope: Scope | None = None
) -> Relation:
    """ORDER BY. An expression that is no `Order` is ascending."""
    resolver = Resolver(scope or Scope.of(relation), functions)
    resolved = [resolver.resolve(each if isinstance(each, Order) else Order(each)) for each in orders]
    order = tuple(each for each in resolved if isinstance(each, Order))
    for part in (part for each in order for part in walk(each)):
        if is_aggregate(part, functions):
            raise wrong(f"ORDER BY takes no aggregates of rows that are not grouped, and {part} is one", part.position)
    return Sort(relation, order, columns=relation.columns)


def limit(relation: Relation, offset: int, fetch: int | None) -> Relation:
    """OFFSET and LIMIT; after a sort they are its own."""
    if isinstance(relation, Sort) and relation.limit is None and not relation.offset:
        return replace(relation, offset=offset, limit=fetch)
    return Sort(relation, (), offset, fetch, columns=relation.columns)


def rename(relation: Relation, names: Sequence[str]) -> Relation:
    """The same with other names of the columns, from the left; those that are not named keep theirs."""
    if len(names) > len(relation.columns):
        raise wrong(f"{len(names)} names for {len(relation.columns)} columns")
    taken = [*names, *relation.names[len(names) :]]
    if twice := _twice(taken):
        raise wrong(f"Column '{twice}' would be there twice")
    return projection(relation, [Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)], taken)


def projection(relation: Relation, expressions: Sequence[Expression], names: Sequence[str]) -> Relation:
    """A projection of resolved expressions; the input itself where it changes nothing."""
    columns = tuple(
        Column(name, type_of(each), _time(each, relation)) for each, name in zip(expressions, names, strict=True)
    )
    same = columns == relation.columns and all(isinstance(e, Field) and e.index == i for i, e in enumerate(expressions))
    if not same:
        return Project(relation, tuple(expressions), columns=columns)
    if isinstance(relation, Project):
        return replace(relation, implied=False) if relation.implied else relation
    return Project(relation, tuple(expressions), columns=columns) if bare_aggregates(relation) else relation


def expanded(expressions: Iterable[Expression], scope: Scope) -> list[Expression]:
    """Expressions with the columns that a star stands for."""
    made: list[Expression] = []
    for each in expressions:
        if isinstance(each, Star):
            found = scope.of_table(each.table)
            if doubled := [i for i in found if i in scope.doubled]:
                name = scope.columns[doubled[0]].name
                same = [i for i in doubled if scope.columns[i].name == name]
                raise scope.ambiguous(name, same, each.position)
            made += [scope.field(i) for i in found] or _fields_of_row(each, scope)
        else:
            made.append(each)
    return made


def _fields_of_row(star: Star, scope: Scope) -> list[Expression]:
    """What ``a.*`` stands for where `a` is a column of rows."""
    try:
        row = scope.resolve(Name(star.table, position=star.position)).type
    except ValidationError:
        row = None
    if not isinstance(row, RowType):
        raise wrong(f"No table has columns for {star}", star.position)
    return [Name((*star.table, field.name), position=star.position) for field in row.fields]


def named(
    written: Sequence[Expression],
    expressions: Sequence[Expression],
    naming: Naming,
    shared: bool,
    calls: Sequence[Expression] = (),
) -> list[str]:
    """The names of columns.

    Args:
        written: The expressions as they are written: in SQL ``v.f.a`` is named ``a``, and ``(v.f).a`` is not.
        expressions: The same, resolved.
        naming: Of those without a name.
        shared: As in `project`.
        calls: Aggregates and properties of windows, which the Table API names by their own numbers.

    Raises:
        ValidationError: One is there twice.
    """
    names = []
    for place, each in enumerate(expressions):
        if isinstance(each, Alias):
            if each.more:
                raise wrong(f"{each.arg} gets one name, not {1 + len(each.more)}", each.position)
            names.append(each.name)
        elif naming is api_names:
            names.append(_api_name(each, calls) or naming(place))
        elif isinstance(each, Field):
            names.append(each.name)
        elif isinstance(name := written[place], Name):
            names.append(name.parts[-1])
        else:
            names.append(naming(place))
    if not shared and (twice := _twice(names)):
        raise wrong(f"Column '{twice}' would be there twice: name one with alias()")
    return names


def _api_name(expression: Expression, calls: Sequence[Expression]) -> str | None:
    """The name that the Table API gives an expression: ``id-STRING`` is a cast of ``id``."""
    if isinstance(expression, Cast) and not expression.safe and not isinstance(expression.arg, Cast):
        name = _api_name(expression.arg, calls)
        return None if name is None else f"{name}-{summary(expression.to)}"
    match expression:
        case Alias(name=name) | Field(name=name):
            return name
        case Call(function="get", args=(Alias() | Field() | Call() as row, Literal(value=key))):
            of = _api_name(row, calls)
            return None if of is None else f"{of}$_{key}" if isinstance(key, int) else f"{of}${key}"
    return f"EXPR${calls.index(expression)}" if expression in calls else None


def bare(expression: Expression) -> Expression:
    """An expression without its name."""
    return bare(expression.arg) if isinstance(expression, Alias) else expression


def names_of(expressions: Sequence[Expression]) -> list[Name]:
    """Columns by name, out of expressions that may only be that."""
    for each in expressions:
        if not isinstance(each, Name):
            raise refused(f"Expected a column, got {each}", each.position)
    return [each for each in expressions if isinstance(each, Name)]


def _time(expression: Expression, relation: Relation) -> Choice["rowtime", "proctime"] | None:
    if isinstance(expression, Field):
        return relation.columns[expression.index].time
    if isinstance(expression, Call) and expression.function == "proctime":
        return "proctime"
    return None


def _or_null(column: Column, nullable: bool) -> Column:
    return replace(column, type=column.type.nullable()) if nullable else column


def _twice(names: Sequence[str]) -> str | None:
    return next((name for i, name in enumerate(names) if name in names[:i]), None)
