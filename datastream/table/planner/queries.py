"""Queries become relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from datastream.table.functions.collections import NUMBERED, UNNEST
from datastream.table.functions.lookup import FunctionLookup, TableLookup, unknown_table
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import Alias, Call, Expression, Literal, Order
from datastream.table.plan.relations import (
    Correlate,
    ProcessTable,
    Relation,
    Scan,
    distinct_names,
)
from datastream.table.sql.syntax import (
    JoinRef,
    LateralRef,
    MatchRef,
    ModelNode,
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

from . import building
from .bare_null import check_values
from .correlated import entered, fields_from
from .grouped_queries import above_windows, below_aggregates, place_selected, split
from .grouping import plan_groups
from .join_hints import state_ttls, with_ttl, with_ttls
from .joins_with_subqueries import join_with_subqueries
from .lookup_hints import lookup_hints
from .matches import matched
from .order_by import drop_hidden, hide_columns, replace_queries, resolve_place
from .process_arguments import Given, GivenModel, GivenTable
from .process_tables import process_table
from .projections import projection, sql_names
from .resolver import Resolver, is_aggregate
from .scope import Scope
from .shared_columns import equal_columns, shared_columns, with_shared
from .sources import Source, one_row, rename_columns
from .subqueries import Subqueries, has_query, lateral
from .temporal import period, snapshot_join, time_travel
from .values import plan_values
from .window_tables import plan_window_table


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
                    inner._named[name] = _checked(rename_columns(inner.query(each), names, node), name, node)
                return inner.query(query)
            case SetQuery():
                left, right = self.query(node.left), self.query(node.right)
                if node.kind == "union" and not node.all:
                    both = building.union(left, right, self._functions, node.position)
                else:
                    both = building.set_operation(left, right, node.kind, node.all, node.position)
                return self._ordered(both, Scope.of(both), node.order, node.offset, node.limit)
            case ValuesQuery(rows=rows):
                return plan_values(rows, self._functions)
            case Select():
                return self._select(node)
            case TableRef() | SubqueryRef() | WindowRef() | JoinRef() | MatchRef() | ProcessRef():
                return self._source(node)[0]
        raise refused(f"{type(node).__name__} is no query", node.position)

    # -- SELECT --------------------------------------------------------------------------------------------------------

    def _select(self, node: Select) -> Relation:
        if node.qualify is not None:
            return self._qualified(node, node.qualify)
        around = self._lookups, self._ttls
        self._lookups = lookup_hints(node.hints, node.source, node.position)
        ttls = self._ttls = state_ttls(node.hints, node.source, node.position)
        relation, scope = self._source(node.source) if node.source is not None else one_row()
        self._lookups, self._ttls = around
        aliases = frozenset(each.name for each in node.expressions if isinstance(each, Alias))
        scope = replace(scope.inside(self._outer), aliases=aliases)
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
            order = replace_queries(place_selected(node.order, node.expressions), queries)
            node = replace(node, expressions=queries.values(node.expressions), order=order)
            return self._projected(node, queries.relation, queries.scope, asked)
        if _asks(node):
            queries = self._subqueries(relation, scope)
            node = self._within_aggregates(node, queries)
            relation, scope = queries.relation, queries.scope
        if _asks(node):
            return self._around_groups(node, relation, scope)
        made = with_ttl(plan_groups(node, relation, scope, self._functions), node.source, ttls)
        if node.distinct:
            made = building.distinct(made, self._functions)
        order = place_selected(node.order, node.expressions)
        try:
            return self._ordered(made, Scope.of(made), order, node.offset, node.limit)
        except ValueError:
            if node.distinct:
                raise
        hidden, order = hide_columns(order)
        wide = plan_groups(replace(node, expressions=(*node.expressions, *hidden)), relation, scope, self._functions)
        wide = with_ttl(wide, node.source, ttls)
        return drop_hidden(self._ordered(wide, Scope.of(wide), order, node.offset, node.limit), made)

    def _qualified(self, node: Select, written: Expression) -> Relation:
        """A SELECT with QUALIFY: a condition on its rows, before DISTINCT and ORDER BY."""
        if has_query(written):
            raise refused("A query in QUALIFY is not supported", written.position)
        condition, hidden = above_windows(written, node.expressions, lambda call: is_aggregate(call, self._functions))
        plain = replace(node, qualify=None, distinct=False, order=(), offset=0, limit=None)
        order = place_selected(node.order, node.expressions)

        def rows(ordered: Sequence[Expression]) -> tuple[Relation, Relation]:
            """All columns of the rows that are kept, and those that are selected."""
            wide = self._select(replace(plain, expressions=(*node.expressions, *hidden, *ordered)))
            kept = building.filter(wide, condition, self._functions, scope=Scope.of(wide), where="QUALIFY")
            count = len(wide.columns) - len(hidden) - len(ordered)
            return kept, projection(kept, fields_from(kept.columns, 0, count), kept.names[:count])

        _, made = rows(())
        if node.distinct:
            made = building.distinct(made, self._functions)
        try:
            return self._ordered(made, Scope.of(made), order, node.offset, node.limit)
        except ValueError:
            if node.distinct:
                raise
        given, order = hide_columns(order, made.names)
        wide, _ = rows(given)
        return drop_hidden(self._ordered(wide, Scope.of(wide), order, node.offset, node.limit), made)

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
        groups = plan_groups(made.groups, relation, scope, self._functions)
        queries = self._subqueries(groups, made.scope(groups, scope))
        condition = None if made.condition is None else queries.where(made.condition)
        relation, scope = queries.relation, queries.scope
        if condition is not None:
            relation = building.filter(relation, condition, self._functions, scope=scope, where="HAVING")
        queries = self._subqueries(relation, scope)
        asked = any(has_query(each.arg) for each in node.order)
        node = replace(node, expressions=queries.values(made.columns), order=replace_queries(made.order, queries))
        return self._projected(node, queries.relation, queries.scope, asked)

    def _projected(self, node: Select, relation: Relation, scope: Scope, asked: bool = False) -> Relation:
        """A SELECT without aggregates; ORDER BY may name columns that it does not give.

        Args:
            node: The SELECT.
            relation: What it reads.
            scope: The columns of that.
            asked: ORDER BY has values over that in place of queries.
        """
        given = dict(naming=sql_names, shared=True)
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
        hidden, order = hide_columns(order, made.names if asked else ())
        wide = building.project(relation, [*node.expressions, *hidden], self._functions, scope=scope, **given)  # type: ignore[arg-type]
        return drop_hidden(self._ordered(wide, Scope.of(wide), order, node.offset, node.limit), made)

    def _ordered(
        self, relation: Relation, scope: Scope, order: tuple[Order, ...], offset: int, limit: int | None
    ) -> Relation:
        if any(has_query(each.arg) for each in order):
            queries = self._subqueries(relation, scope)
            order = replace_queries(order, queries)
            ordered = self._ordered(queries.relation, queries.scope, order, offset, limit)
            return drop_hidden(ordered, relation)
        if order:
            placed = [replace(each, arg=resolve_place(each.arg, relation)) for each in order]
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
                relation = rename_columns(self.query(query), names, node)
                return relation, Scope.of(relation, (alias,) if alias else ())
            case WindowRef():
                return plan_window_table(node, *self._source(node.table), self._functions)
            case JoinRef():
                return self._join(node)
            case MatchRef(alias=alias, names=names):
                made = rename_columns(matched(node, *self._source(node.table), self._functions), names, node)
                return made, Scope.of(made, (alias,) if alias else ())
            case ProcessRef(alias=alias, names=names):
                relation = rename_columns(self._process(node), names, node)
                return relation, Scope.of(relation, (alias,) if alias else ())
            case LateralRef():
                one, scope = one_row()
                return self._lateral(node, one, scope.inside(self._outer), "inner")
        relation = self.query(node)
        return relation, Scope.of(relation)

    def _table(self, node: TableRef, joined: bool = False) -> Source:
        if node.as_of is not None and not joined:
            raise time_travel(node.as_of.position)
        relation = self._named.get(node.path[0]) if len(node.path) == 1 else None
        if relation is None:
            relation = self._tables.find(node.path)
        if relation is None:
            others = self._named if len(node.path) == 1 else ()
            raise unknown_table(self._tables, node.path, node.position, others=others)
        if node.options:
            relation = _with_options(relation, dict(node.options), node)
        relation = rename_columns(relation, node.names, node)
        return relation, Scope.of(relation, (node.alias,) if node.alias else node.path)

    def _process(self, node: ProcessRef) -> Relation:
        given = []
        for each in node.args:
            value = each.value
            if isinstance(value, TableNode):
                table = GivenTable(self._source(value.table)[0], value.partition, value.position)
                given.append(Given(table, each.name, each.position))
            elif isinstance(value, ModelNode):
                model = self._tables.find_model(value.path)
                if model is None:
                    raise unknown("model", ".".join(value.path), self._tables.model_names(), value.position)
                given.append(Given(GivenModel(model), each.name, each.position))
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
        right = entered(rename_columns(inner.query(query.query), query.names, query))
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
        if isinstance(made, Correlate) and node.kind == "left":
            if has_query(condition):
                raise refused("A query in ON of a LEFT JOIN with a table function is not supported", condition.position)
            tested = Resolver(scope, self._functions).condition(condition, "ON")
            return replace(made, condition=tested), scope
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


def _asks(node: Select) -> bool:
    """Whether the columns of a SELECT, HAVING or ORDER BY have queries in them."""
    written = [*node.expressions, *(each.arg for each in node.order)]
    return any(map(has_query, written)) or (node.having is not None and has_query(node.having))


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
