"""Queries become relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.collections import NUMBERED, UNNEST
from datastream.table.functions.lookup import FunctionLookup, TableLookup
from datastream.table.functions.types import common_type
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal, Name, Order, Star
from datastream.table.plan.relations import (
    Column,
    ProcessTable,
    Relation,
    Scan,
    Values,
    Window,
    WindowTable,
    distinct_names,
)
from datastream.table.plan.typed import type_of
from datastream.table.sql.syntax import (
    JoinRef,
    LateralRef,
    MatchRef,
    ProcessRef,
    QueryNode,
    Select,
    SetQuery,
    SubqueryRef,
    TableNode,
    TableRef,
    ValuesQuery,
    WindowRef,
    With,
)
from datastream.table.types.logical_types import BigIntType, DataType, IntType, NullType

from . import building
from .bare_null import check_values
from .constants import NotConstant, constant
from .correlated import entered
from .grouped_queries import below_aggregates, place_selected, split
from .join_hints import state_ttls, with_ttl, with_ttls
from .joins_with_subqueries import join_with_subqueries
from .lookup_hints import lookup_hints
from .matches import matched
from .process_tables import Given, GivenTable, process_table
from .resolver import Resolver, is_aggregate
from .scope import Scope
from .set_types import cast_to
from .shared_columns import equal_columns, shared_columns, with_shared
from .subqueries import Subqueries, has_query, lateral
from .temporal import period, snapshot_join, time_travel
from .timed_joins import check_in_time
from .windows import ADDED, check_time, length

#: What FROM names: a relation, and the names of its columns.
Source = tuple[Relation, Scope]


def plan(node: QueryNode, tables: TableLookup, functions: FunctionLookup, numbered: bool = True) -> Relation:
    """The relation of a query.

    Args:
        node: The query.
        tables: Finds tables.
        functions: Finds functions.
        numbered: A name that columns share gets a number: ``a``, ``a0``. Otherwise it stays as it is.

    Raises:
        ValidationError: A name or a type is wrong; the message has line and column.
        UnsupportedOperation: It has something that is not supported.
    """
    relation = _Planner(tables, functions, {}).query(node)
    if not numbered or len(set(relation.names)) == len(relation.names):
        return relation
    return building.rename(relation, distinct_names(relation.names))


def values(rows: tuple[tuple[Expression, ...], ...], tables: TableLookup, functions: FunctionLookup) -> Relation:
    """The table of rows of expressions, which read no columns.

    Raises:
        ValidationError: A row has more values than another, or the values of a column have no type in common.
    """
    return _Planner(tables, functions, {}).values(rows)


class _Planner:
    """Plans one query; `named` are the tables of WITH, `outer` the columns of the query around it."""

    def __init__(
        self,
        tables: TableLookup,
        functions: FunctionLookup,
        named: dict[str, Relation],
        outer: Scope | None = None,
    ) -> None:
        self._tables, self._functions, self._named, self._outer = tables, functions, named, outer
        self._lookups: dict[str, Mapping[str, str]] = {}
        self._ttls: dict[str, int] = {}

    def query(self, node: QueryNode) -> Relation:
        match node:
            case With(tables=tables, query=query):
                inner = _Planner(self._tables, self._functions, dict(self._named), self._outer)
                for name, names, each in tables:
                    inner._named[name] = _checked(_renamed(inner.query(each), names, node), name, node)
                return inner.query(query)
            case SetQuery():
                left, right = self.query(node.left), self.query(node.right)
                if node.kind == "union" and not node.all:
                    both = building.union(left, right, self._functions, node.position)
                else:
                    both = building.set_operation(left, right, node.kind, node.all, node.position)
                return self._ordered(both, Scope.of(both), node.order, node.offset, node.limit)
            case ValuesQuery(rows=rows):
                return self.values(rows)
            case Select():
                return self._select(node)
            case TableRef() | SubqueryRef() | WindowRef() | JoinRef() | MatchRef() | ProcessRef():
                return self._source(node)[0]
        raise refused(f"{type(node).__name__} is no query", node.position)

    # -- SELECT --------------------------------------------------------------------------------------------------------

    def _select(self, node: Select) -> Relation:
        around = self._lookups, self._ttls
        self._lookups = lookup_hints(node.hints, node.source, node.position)
        ttls = self._ttls = state_ttls(node.hints, node.source, node.position)
        relation, scope = self._source(node.source) if node.source is not None else _one_row()
        self._lookups, self._ttls = around
        scope = scope.inside(self._outer)
        check_values(node.expressions)
        functions = self._functions
        if node.where is not None:
            queries = self._subqueries(relation, scope)
            where = queries.where(node.where)
            relation, scope = queries.relation, queries.scope
            if where is not None:
                relation = building.filter(relation, where, functions, scope=scope)
        node, relation, scope = self._within_keys(node, relation, scope)
        if node.group is None and node.having is None and not self._aggregates(node):
            queries = self._subqueries(relation, scope)
            asked = any(has_query(each.arg) for each in node.order)
            order = _with_values(place_selected(node.order, node.expressions), queries)
            node = replace(node, expressions=queries.values(node.expressions), order=order)
            return self._projected(node, queries.relation, queries.scope, asked)
        if _asks(node):
            queries = self._subqueries(relation, scope)
            node = self._within_aggregates(node, queries)
            relation, scope = queries.relation, queries.scope
        if _asks(node):
            return self._around_groups(node, relation, scope)
        made = with_ttl(self._grouped_by(node, relation, scope), node.source, ttls)
        if node.distinct:
            made = building.distinct(made, self._functions)
        order = place_selected(node.order, node.expressions)
        try:
            return self._ordered(made, Scope.of(made), order, node.offset, node.limit)
        except ValueError:
            if node.distinct:
                raise
        hidden, order = _hidden(order)
        wide = self._grouped_by(replace(node, expressions=(*node.expressions, *hidden)), relation, scope)
        wide = with_ttl(wide, node.source, ttls)
        return _without_hidden(self._ordered(wide, Scope.of(wide), order, node.offset, node.limit), made)

    def _subqueries(self, relation: Relation, scope: Scope) -> Subqueries:
        def planned(query: QueryNode, around: Scope) -> Relation:
            return _Planner(self._tables, self._functions, self._named, around).query(query)

        return Subqueries(planned, self._functions, relation, scope)

    def _within_keys(self, node: Select, relation: Relation, scope: Scope) -> tuple[Select, Relation, Scope]:
        """A SELECT without queries in what GROUP BY takes, nor where the same is written elsewhere."""
        if node.group is None or not any(map(has_query, node.group.keys)):
            return node, relation, scope
        queries = self._subqueries(relation, scope)
        values = [(key, queries.value(key)) for key in node.group.keys if has_query(key)]

        def change(expression: Expression) -> Expression:
            for key, value in values:
                if expression == key:
                    return value
            parts = tuple(map(change, children(expression)))
            return rebuild(expression, parts) if parts else expression

        columns = tuple(
            Alias(change(each), f"EXPR${i}") if any(each == key for key, _ in values) else change(each)
            for i, each in enumerate(node.expressions)
        )
        made = replace(
            node,
            group=replace(node.group, keys=tuple(map(change, node.group.keys))),
            expressions=columns,
            having=None if node.having is None else change(node.having),
            order=tuple(replace(each, arg=change(each.arg)) for each in place_selected(node.order, node.expressions)),
        )
        return made, queries.relation, queries.scope

    def _within_aggregates(self, node: Select, queries: Subqueries) -> Select:
        """A SELECT without queries in what aggregates take."""

        def change(expression: Expression) -> Expression:
            return below_aggregates(expression, lambda call: is_aggregate(call, self._functions), queries.value)

        having = None if node.having is None else change(node.having)
        return replace(node, expressions=tuple(map(change, node.expressions)), having=having)

    def _around_groups(self, node: Select, relation: Relation, scope: Scope) -> Relation:
        """A SELECT with GROUP BY and queries in its columns or in HAVING."""
        made = split(node)
        groups = self._grouped_by(made.groups, relation, scope)
        queries = self._subqueries(groups, made.scope(groups, scope))
        condition = None if made.condition is None else queries.where(made.condition)
        relation, scope = queries.relation, queries.scope
        if condition is not None:
            relation = building.filter(relation, condition, self._functions, scope=scope, where="HAVING")
        queries = self._subqueries(relation, scope)
        asked = any(has_query(each.arg) for each in node.order)
        node = replace(node, expressions=queries.values(made.columns), order=_with_values(made.order, queries))
        return self._projected(node, queries.relation, queries.scope, asked)

    def _grouped_by(
        self,
        node: Select,
        relation: Relation,
        scope: Scope,
    ) -> Relation:
        """A SELECT with GROUP BY: the rows of all its sets."""
        keys = [] if node.group is None else list(node.group.keys)
        if node.group is None or (sets := node.group.sets) is None:
            return self._grouped(node, relation, scope, keys)
        parts = [self._grouped(node, relation, scope, keys, one, len(sets) == 1) for one in sets]
        return reduce(lambda a, b: building.set_operation(a, b, "union", True), parts)

    def _grouped(
        self,
        node: Select,
        relation: Relation,
        scope: Scope,
        keys: list[Expression],
        chosen: tuple[int, ...] | None = None,
        alone: bool = True,
    ) -> Relation:
        """A SELECT with GROUP BY; of GROUPING SETS one set, `alone` or not, whose other keys are NULL."""
        resolver = Resolver(scope, self._functions)
        told = _Groupings(resolver, keys, range(len(keys)) if chosen is None else chosen)
        expressions, having = list(map(told.within, node.expressions)), node.having and told.within(node.having)
        if chosen is not None:
            absent = _Absent(resolver, [key for i, key in enumerate(keys) if i not in chosen])
            expressions = [
                Alias(found, each.parts[-1])
                if isinstance(each, Name) and (found := absent.instead(each)) is not None
                else _replaced(each, absent, self._functions)
                for each in expressions
            ]
            having = having and _replaced(having, absent, self._functions)
            keys = [keys[i] for i in chosen]
        if chosen == () and not alone:  # the rows are grouped by their set, so that no rows make none
            some = Call(">", (Call("COUNT", (Star(),)), Literal(0, type=IntType(False))))
            having = some if having is None else Call("AND", (having, some))
        return building.aggregate(
            relation,
            keys,
            expressions,
            self._functions,
            scope=scope,
            having=having,
            naming=building.sql_names,
            shared=True,
        )

    def _projected(self, node: Select, relation: Relation, scope: Scope, asked: bool = False) -> Relation:
        """A SELECT without aggregates; ORDER BY may name columns that it does not give.

        Args:
            node: The SELECT.
            relation: What it reads.
            scope: The columns of that.
            asked: ORDER BY has values over that in place of queries.
        """
        given = dict(naming=building.sql_names, shared=True)
        made = building.project(relation, node.expressions, self._functions, scope=scope, **given)  # type: ignore[arg-type]
        if node.distinct:
            made = building.distinct(made, self._functions)
        order = place_selected(node.order, node.expressions)
        if asked and node.distinct:
            raise refused("ORDER BY with a query is not supported after SELECT DISTINCT", node.position)
        try:
            if not asked:
                return self._ordered(made, Scope.of(made), order, node.offset, node.limit)
        except ValueError:
            if node.distinct:
                raise
        hidden, order = _hidden(order, made.names if asked else ())
        wide = building.project(relation, [*node.expressions, *hidden], self._functions, scope=scope, **given)  # type: ignore[arg-type]
        return _without_hidden(self._ordered(wide, Scope.of(wide), order, node.offset, node.limit), made)

    def _ordered(
        self, relation: Relation, scope: Scope, order: tuple[Order, ...], offset: int, limit: int | None
    ) -> Relation:
        if any(has_query(each.arg) for each in order):
            queries = self._subqueries(relation, scope)
            order = _with_values(order, queries)
            ordered = self._ordered(queries.relation, queries.scope, order, offset, limit)
            return _without_hidden(ordered, relation)
        if order:
            placed = [replace(each, arg=_by_place(each.arg, relation)) for each in order]
            relation = building.sort(relation, placed, self._functions, scope=scope)
        if offset or limit is not None:
            relation = building.limit(relation, offset, limit)
        return relation

    def _aggregates(self, node: Select) -> bool:
        """Whether the columns have aggregates, which make one row of all without GROUP BY."""
        for each in node.expressions:
            for part in walk(each):
                if isinstance(part, Call) and is_aggregate(part, self._functions):
                    return True
        return False

    # -- FROM ----------------------------------------------------------------------------------------------------------

    def _source(self, node: QueryNode) -> Source:
        relation, scope = self._rows(node)
        return relation, scope.inside(self._outer)

    def _rows(self, node: QueryNode) -> Source:
        match node:
            case TableRef():
                return self._table(node)
            case SubqueryRef(query=query, alias=alias, names=names):
                relation = _renamed(self.query(query), names, node)
                return relation, Scope.of(relation, (alias,) if alias else ())
            case WindowRef():
                return self._window(node)
            case JoinRef():
                return self._join(node)
            case MatchRef(alias=alias, names=names):
                made = _renamed(matched(node, *self._source(node.table), self._functions), names, node)
                return made, Scope.of(made, (alias,) if alias else ())
            case ProcessRef(alias=alias, names=names):
                relation = _renamed(self._process(node), names, node)
                return relation, Scope.of(relation, (alias,) if alias else ())
            case LateralRef():
                return self._lateral(node, *_one_row(), "inner")
        relation = self.query(node)
        return relation, Scope.of(relation)

    def _table(self, node: TableRef, joined: bool = False) -> Source:
        if node.as_of is not None and not joined:
            raise time_travel(node.as_of.position)
        relation = self._named.get(node.path[0]) if len(node.path) == 1 else None
        if relation is None:
            relation = self._tables.find(node.path)
        if relation is None:
            known = [*self._named, *self._tables.names()]
            raise unknown("table", ".".join(node.path), known, node.position)
        if node.options:
            relation = _with_options(relation, dict(node.options), node)
        relation = _renamed(relation, node.names, node)
        return relation, Scope.of(relation, (node.alias,) if node.alias else node.path)

    def _window(self, node: WindowRef) -> Source:
        relation, scope = self._source(node.table)
        time = scope.resolve(Name((node.time,), position=node.position))
        index = time.index if isinstance(time, Field) else -1
        check_time(relation.columns[index] if index >= 0 else None, node.time, time, self._functions.of_batch)
        check_in_time(relation, index, self._functions, time.position)
        lengths = [length(each) if i == 0 else _offset(each) for i, each in enumerate(node.intervals)]
        two = node.kind in ("hop", "cumulate")
        size, slide = (_offset(node.intervals[1]), lengths[0]) if two else (lengths[0], 0)
        offset = lengths[2 if two else 1] if len(lengths) > (2 if two else 1) else 0
        if node.kind == "cumulate" and size % slide:
            raise wrong("CUMULATE: the size has to be a multiple of the step", node.position)
        partition = []
        for name in node.partition:
            found = scope.resolve(Name((name,), position=node.position))
            assert isinstance(found, Field)
            partition.append(found.index)
        start, end, rowtime = ADDED
        column = relation.columns[index]
        stamp = _timestamp()
        added = (Column(start, stamp), Column(end, stamp), Column(rowtime, column.type.not_null(), column.time))
        names = distinct_names([*relation.names, *(each.name for each in added)])
        both = (*relation.columns, *added)
        columns = tuple(replace(c, name=n) for c, n in zip(both, names, strict=True))
        window = Window(node.kind, index, size, slide, offset)
        made: Relation = WindowTable(relation, window, tuple(partition), columns=columns)
        given = [each.name for each in both]
        doubled = frozenset(i for i, name in enumerate(given) if given.count(name) > 1)
        if doubled and node.names:
            raise wrong(f"Field names must be unique. Found duplicates: [{given[min(doubled)]}]", node.position)
        made = _renamed(made, node.names, node)
        named = Scope.of(made, (node.alias,) if node.alias else scope.tables[0] if scope.tables else ())
        return made, named if node.names else replace(named, columns=both, doubled=doubled)

    def _process(self, node: ProcessRef) -> Relation:
        given = []
        for each in node.args:
            value = each.value
            if isinstance(value, TableNode):
                table = GivenTable(self._source(value.table)[0], value.partition, value.position)
                given.append(Given(table, each.name, each.position))
            else:
                given.append(Given(value, each.name, each.position))
        return process_table(node.function, given, self._functions, node.position)

    def _join(self, node: JoinRef) -> Source:
        left, left_scope = self._source(node.left)
        if isinstance(node.right, LateralRef):
            if node.kind not in ("inner", "cross", "left"):
                raise wrong(f"{node.kind.upper()} JOIN with a table function: only inner and left", node.position)
            made, scope = self._lateral(node.right, left, left_scope, "left" if node.kind == "left" else "inner")
            return self._laterally(made, scope, node)
        if isinstance(node.right, SubqueryRef) and node.right.lateral:
            return self._lateral_query(node, node.right, left, left_scope)
        as_of = node.right.as_of if isinstance(node.right, TableRef) else None
        right, right_scope = self._source(node.right) if as_of is None else self._table(node.right, joined=True)  # type: ignore[arg-type]
        scope = left_scope.beside(right_scope)
        pairs = shared_columns(node, left_scope, right_scope)
        condition = node.condition if pairs is None else equal_columns(pairs, scope)
        kind = "inner" if node.kind == "cross" else node.kind
        if condition is not None and as_of is None and has_query(condition):
            sides = (left, left_scope), (right, right_scope)
            made, scope = join_with_subqueries(*sides, kind, condition, self._subqueries, self._functions)
            return with_ttls(made, node, self._ttls), scope
        made = building.join(left, right, kind, condition, self._functions, scope=scope, unique=True)
        if as_of is not None:
            assert isinstance(node.right, TableRef)
            hints = self._lookups.get(node.right.alias or node.right.path[-1], {})
            made = snapshot_join(made, period(as_of, left_scope, right_scope, self._functions), hints)
        made = with_ttls(made, node, self._ttls)
        columns = tuple(replace(column, name=old.name) for column, old in zip(made.columns, scope.columns, strict=True))
        joined = replace(scope, columns=columns)
        return (made, joined) if not pairs else with_shared(made, joined, pairs, kind, self._functions)

    def _lateral_query(self, node: JoinRef, query: SubqueryRef, left: Relation, left_scope: Scope) -> Source:
        if node.kind not in ("inner", "cross", "left") or node.using or node.natural:
            raise wrong("LATERAL (SELECT ...) is allowed in inner and left joins, with ON or without", node.position)
        inner = _Planner(self._tables, self._functions, self._named, left_scope)
        right = entered(_renamed(inner.query(query.query), query.names, query))
        scope = left_scope.beside(Scope.of(right, (query.alias,) if query.alias else ()))
        resolver, written = Resolver(scope, self._functions), node.condition
        condition = None if written is None else resolver.condition(written, "ON")
        kind = "left" if node.kind == "left" else "inner"
        made = lateral(left, right, kind, condition, self._functions, query.position)
        return made, replace(scope, columns=made.columns)

    def _laterally(self, made: Relation, scope: Scope, node: JoinRef) -> Source:
        """What a join with a table function keeps by its condition."""
        if node.using or node.natural:
            raise wrong("A join with a table function takes ON, and neither USING nor NATURAL", node.position)
        condition = node.condition
        if condition is None or (isinstance(condition, Literal) and condition.value is True):
            return made, scope
        if node.kind == "left":
            raise refused("LEFT JOIN with a table function is there only ON TRUE", condition.position)
        return building.filter(made, condition, self._functions, scope=scope), scope

    def _lateral(self, node: LateralRef, left: Relation, scope: Scope, kind: str) -> Source:
        made = building.correlate(left, node.call, node.names, kind, self._functions, scope=scope)
        added = made.columns[len(left.columns) :]
        alias = (node.alias,) if node.alias else ()
        widths = {UNNEST: 1, NUMBERED: 2}
        if (
            node.alias
            and not node.names
            and isinstance(node.call, Call)
            and len(added) == widths.get(node.call.function)
        ):
            added = (
                replace(added[0], name=node.alias),
                *added[1:],
            )  # the alias of single values names their column, too
            made = replace(made, columns=(*left.columns, *added))
        return made, scope.beside(Scope(added, (alias,) * len(added)))

    # -- VALUES --------------------------------------------------------------------------------------------------------

    def values(self, rows: tuple[tuple[Expression, ...], ...]) -> Relation:
        resolver = Resolver(Scope((), ()), self._functions)
        check_values(each for row in rows for each in row)
        resolved = [[resolver.resolve(each) for each in row] for row in rows]
        count = len(resolved[0])
        for row, written in zip(resolved, rows, strict=True):
            if len(row) != count:
                raise wrong(f"VALUES: a row has {len(row)} values, the first {count}", written[0].position)
        types = [self._common([row[i] for row in resolved]) for i in range(count)]
        columns = tuple(Column(building.sql_names(i), kind) for i, kind in enumerate(types))
        try:
            made = tuple(tuple(map(self._constant, row, types)) for row in resolved)
            return Values(made, columns=columns)
        except NotConstant:  # such as CURRENT_TIMESTAMP: as many projections as rows
            one, _ = _one_row()
            each_row = [building.projection(one, row, [column.name for column in columns]) for row in resolved]
            return reduce(
                lambda a, b: building.set_operation(a, b, "union", True), [cast_to(r, types) for r in each_row]
            )

    def _common(self, values: list[Expression]) -> DataType:
        found = common_type([type_of(value) for value in values])
        if found is None:
            texts = ", ".join(str(type_of(value)) for value in values[:5])
            raise wrong(f"VALUES: the values of a column have no type in common: {texts}", values[0].position)
        return found

    def _constant(self, expression: Expression, wanted: DataType) -> Any:
        if type_of(expression).nullable() == wanted.nullable():
            return constant(expression, self._functions)
        return constant(Cast(expression, wanted, type=wanted), self._functions)


def _asks(node: Select) -> bool:
    """Whether the columns of a SELECT, HAVING or ORDER BY have queries in them."""
    written = [*node.expressions, *(each.arg for each in node.order)]
    return any(map(has_query, written)) or (node.having is not None and has_query(node.having))


def _timestamp() -> DataType:
    """The type of a window's start and end."""
    from datastream.table.types.logical_types import TimestampType

    return TimestampType(3, False)


def _one_row() -> Source:
    """One row without columns: what SELECT without FROM reads."""
    return Values(((),), columns=()), Scope((), ())


def _renamed(relation: Relation, names: tuple[str, ...], node: QueryNode) -> Relation:
    if names and len(names) != len(relation.columns):
        raise wrong(f"{len(names)} names for {len(relation.columns)} columns", node.position)
    return building.rename(relation, names) if names else relation


def _checked(relation: Relation, name: str, node: With) -> Relation:
    """A table of WITH, whose columns have names of their own."""
    if twice := [each for i, each in enumerate(relation.names) if each in relation.names[:i]]:
        raise wrong(f"Table '{name}' has two columns '{twice[0]}': name its columns, as {name} (a, b)", node.position)
    return relation


def _with_options(relation: Relation, options: dict[str, str], node: TableRef) -> Relation:
    if isinstance(relation, Scan):
        return replace(relation, options={**relation.options, **options})
    if len(relation.inputs) == 1 and not isinstance(relation, ProcessTable):
        return replace(relation, input=_with_options(relation.inputs[0], options, node))  # type: ignore[call-arg]
    raise wrong(f"OPTIONS is allowed only after a table, and {'.'.join(node.path)} is a view", node.position)


def _with_values(order: tuple[Order, ...], queries: Subqueries) -> tuple[Order, ...]:
    """ORDER BY with what stands in place of queries in it."""
    return tuple(replace(each, arg=queries.value(each.arg)) if has_query(each.arg) else each for each in order)


def _hidden(order: tuple[Order, ...], names: Sequence[str] = ()) -> tuple[list[Expression], tuple[Order, ...]]:
    """Columns for what ORDER BY takes that is no place of a column, nor one of its names, and the order by them."""
    hidden: list[Expression] = []
    made = []
    for i, each in enumerate(order):
        if isinstance(each.arg, Name) and len(each.arg.parts) == 1 and list(names).count(each.arg.parts[0]) == 1:
            each = replace(each, arg=Literal(list(names).index(each.arg.parts[0]) + 1, type=IntType(False)))
        if not isinstance(each.arg, Literal):
            hidden.append(Alias(each.arg, f"$order{i}"))
            each = replace(each, arg=Name((f"$order{i}",)))
        made.append(each)
    return hidden, tuple(made)


def _without_hidden(ordered: Relation, wanted: Relation) -> Relation:
    fields = [Field(i, column.name, type=column.type) for i, column in enumerate(wanted.columns)]
    return building.projection(ordered, fields, wanted.names)


def _by_place(expression: Expression, relation: Relation) -> Expression:
    """ORDER BY 2: the second column. A number below 0 is a constant."""
    number = isinstance(expression, Literal) and isinstance(expression.value, int)
    if isinstance(expression, Literal) and number and not isinstance(expression.value, bool) and expression.value >= 0:
        if not 1 <= expression.value <= len(relation.columns):
            raise wrong(f"ORDER BY {expression.value}: there are {len(relation.columns)} columns", expression.position)
        column = relation.columns[expression.value - 1]
        return Field(expression.value - 1, column.name, type=column.type, position=expression.position)
    return expression


class _Groupings:
    """Shows by GROUPING(a, b) and GROUPING_ID(a, b) which keys are in the set: a bit for each, 1 where it is not.

    Args:
        resolver: Of the input's columns.
        keys: All keys.
        chosen: The indexes of those that are in the set.
    """

    def __init__(self, resolver: Resolver, keys: Sequence[Expression], chosen: Sequence[int]) -> None:
        self._resolver, self._keys, self._chosen = resolver, keys, chosen

    def within(self, expression: Expression) -> Expression:
        """An expression with numbers in place of such calls."""
        if isinstance(expression, Call) and expression.function in ("GROUPING", "GROUPING_ID", "GROUP_ID"):
            found = Literal(self._number(expression), type=BigIntType(False), position=expression.position)
            return Cast(found, found.type or BigIntType(False), position=expression.position)
        parts = tuple(map(self.within, children(expression)))
        return rebuild(expression, parts) if parts else expression

    def _number(self, call: Call) -> int:
        number = 0
        keys = list(map(self._resolver.resolve, self._keys)) if call.args else []
        for arg in map(self._resolver.resolve, call.args):
            if arg not in keys:
                raise wrong(f"{call.function} is about keys of the group, and {arg} is none", call.position)
            number = 2 * number + (keys.index(arg) not in self._chosen)
        return number


class _Absent:
    """Keys that are not in a set, for which NULL stands, however they are written.

    Args:
        resolver: Of the input's columns.
        keys: As written.
    """

    def __init__(self, resolver: Resolver, keys: Sequence[Expression]) -> None:
        self._resolver = resolver
        self._keys = [(key, resolver.resolve(key)) for key in keys]

    def instead(self, expression: Expression) -> Expression | None:
        """What stands for an expression; None: it is no such key."""
        found = expression
        if isinstance(expression, Name):
            try:
                found = self._resolver.resolve(expression)
            except ValidationError:  # of an alias, or none at all, which is reported later
                return None
        for written, key in self._keys:
            if expression == written or found == key:
                return Cast(Literal(None, type=NullType()), type_of(key).nullable())
        return None


def _replaced(expression: Expression, absent: _Absent, functions: FunctionLookup) -> Expression:
    """An expression with NULL for keys that are not in the set, but for what aggregates take."""
    found = absent.instead(expression)
    if found is not None:
        return found
    if is_aggregate(expression, functions):
        return expression
    parts = tuple(_replaced(part, absent, functions) for part in children(expression))
    return rebuild(expression, parts) if parts else expression


def _offset(interval: Expression) -> int:
    if isinstance(interval, Literal) and isinstance(interval.value, int):
        return interval.value
    return length(interval)
