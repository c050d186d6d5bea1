"""Relations out of relations and expressions as they are written: what SQL and `Table` share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import refused, wrong
from datastream.table.plan.expression_trees import conjuncts, walk
from datastream.table.plan.expressions import Call, Expression, Field, Name, Order, Position
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Relation,
    SetOperation,
    Sort,
    distinct_names,
)

from .grouping import calls_in, grouped, over_all
from .over import overs_in, with_overs
from .projections import Naming, api_names, bare, expanded, named, part_names, projection, twice_in
from .resolver import Resolver, is_aggregate
from .scope import Scope
from .set_types import same_columns
from .timed_joins import bounded_by
from .windowed import windowed


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
        relation, wanted = with_overs(wanted, lambda parts: projection(relation, parts, part_names(parts)))
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
    if twice := twice_in(taken):
        raise wrong(f"Column '{twice}' would be there twice")
    return projection(relation, [Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)], taken)


def names_of(expressions: Sequence[Expression]) -> list[Name]:
    """Columns by name, out of expressions that may only be that."""
    for each in expressions:
        if not isinstance(each, Name):
            raise refused(f"Expected a column, got {each}", each.position)
    return [each for each in expressions if isinstance(each, Name)]


def _or_null(column: Column, nullable: bool) -> Column:
    return replace(column, type=column.type.nullable()) if nullable else column
