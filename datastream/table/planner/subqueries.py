"""Queries inside of expressions become joins.

IN and EXISTS that are a condition of WHERE are semi joins and anti joins. Any other query gives columns of a join, of
which the expression is made that stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any
from typing import Literal as Choice

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.types import common_type
from datastream.table.plan.errors import refused, wrong
from datastream.table.plan.expression_trees import children, conjuncts, rebuild, replace_fields, shift_fields, walk
from datastream.table.plan.expressions import Alias, Call, Expression, Field, Literal, Position, Star, Subquery
from datastream.table.plan.relations import Aggregate, Column, Filter, Join, Project, Relation, Sort, Values
from datastream.table.plan.typed import may_be_null, type_of
from datastream.table.types.logical_types import BigIntType, BooleanType, NullType, is_nullable

from .correlated import (
    Unnesting,
    all_of,
    entered,
    fields_from,
    named_outside,
    or_else,
    outside_fields,
    projected,
    pulled_up,
    row_by_row,
    row_by_row_or_null,
    same,
)
from .resolver import Resolver
from .scope import Scope

_TRUE, _FALSE = (Literal(value, type=BooleanType(False)) for value in (True, False))
_UNKNOWN = Literal(None, type=BooleanType())
_ZERO = Literal(0, type=BigIntType(False))

#: Plans a query within the columns of the query around it.
Planning = Callable[[Any, Scope], Relation]


class Subqueries:
    """Plans the queries inside of expressions over a relation.

    Args:
        plan: Gives the relation of a query.
        functions: Finds functions.
        relation: The relation.
        scope: Its columns.

    Attributes:
        relation: With the joins that were wanted so far.
        scope: Its columns.
    """

    def __init__(self, plan: Planning, functions: FunctionLookup, relation: Relation, scope: Scope) -> None:
        self._plan, self._functions = plan, functions
        self.relation, self.scope = relation, scope
        self._planned: dict[int, Relation] = {}

    def where(self, condition: Expression) -> Expression | None:
        """What of a condition is left to be tested.

        Raises:
            UnsupportedOperation: A query has what is not supported.
        """
        if not has_query(condition):
            return condition
        rest: list[Expression] = []
        joined: list[tuple[Subquery, _Negated]] = []
        for part in conjuncts(condition):
            query, negated = _negated(part)
            if isinstance(query, Subquery) and query.kind in ("in", "exists") and not self._is_total(query):
                joined.append((replace(query, args=tuple(map(self.value, query.args))), negated))
            else:
                rest.append(self._tested(part))
        for query, negated in joined:
            self._keep(query, negated)
        return reduce(lambda a, b: Call("AND", (a, b)), rest) if rest else None

    def values(self, expressions: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Columns with what takes the place of queries in them."""
        return tuple(
            (Alias(self.value(each), f"EXPR${i}") if isinstance(each, Subquery) else self.value(each))
            if has_query(each)
            else each
            for i, each in enumerate(expressions)
        )

    def value(self, expression: Expression) -> Expression:
        """An expression with what takes the place of queries in it."""
        if not isinstance(expression, Subquery):
            parts = tuple(map(self.value, children(expression)))
            return rebuild(expression, parts) if parts else expression
        expression = replace(expression, args=tuple(map(self.value, expression.args)))
        match expression.kind:
            case "scalar":
                return self._scalar(expression)
            case "exists":
                return self._exists(expression)
            case "in":
                return self._in(expression)
        return self._some(expression)

    def _tested(self, condition: Expression) -> Expression:
        """What replaces a condition that only needs to be TRUE or not."""
        if isinstance(condition, Call) and condition.function.upper() in ("AND", "OR"):
            return replace(condition, args=tuple(map(self._tested, condition.args)))
        if isinstance(condition, Subquery) and condition.kind == "in":
            return self._in(replace(condition, args=tuple(map(self.value, condition.args))), tested=True)
        return self.value(condition)

    # -- conditions of WHERE -------------------------------------------------------------------------------------------

    def _keep(self, query: Subquery, negated: _Negated) -> None:
        """Keep the rows that have partners in a query, or those that have none."""
        relation = self.relation
        right = self._query(query)
        if query.kind == "in":
            self._check_columns(query, right)
        parts: list[Expression] = []
        right, given = self._independent(relation, right, parts, query.position)
        if query.kind == "in":
            parts += self._pairs(query, given, negated)
        kind = "anti" if negated else "semi"
        self.relation = Join(relation, right, kind, all_of(parts), columns=relation.columns)

    def _independent(
        self, relation: Relation, query: Relation, parts: list[Expression], position: Position | None
    ) -> tuple[Relation, list[Expression]]:
        """The right side of a join for a query, its columns over both sides; `parts` gets conditions."""
        width = len(relation.columns)
        if not named_outside(query):
            return query, [shift_fields(each, width) for each in fields_from(query.columns)]
        read, conditions, given = pulled_up(query)
        if not named_outside(read):
            own = all_of([each for each in conditions if not named_outside(each)])
            right = read if own is None else Filter(read, own, columns=read.columns)
            # Names of the query around it move to the left side, so they are replaced after its own columns.
            parts += [outside_fields(shift_fields(each, width)) for each in conditions if named_outside(each)]
            return right, [outside_fields(shift_fields(each, width)) for each in given]
        right, used, strict = self._unnested(query, position)
        both = (*relation.columns, *right.columns)
        start = width + len(query.columns)
        parts += [_joined(both, i, start + k, strict) for k, i in enumerate(used)]
        return right, fields_from(both, width, start)

    def _pairs(self, query: Subquery, given: list[Expression], negated: _Negated) -> list[Expression]:
        """The conditions that values equal the columns of a query."""
        resolver = Resolver(self.scope, self._functions)
        parts = []
        for arg, column in zip(query.args, given, strict=True):
            wanted = resolver.resolve(arg)
            part: Expression = Call("=", (wanted, column))
            if negated == "NOT":  # a NULL may be equal to anything, so such a row is not known to be none of them
                for each in (wanted, column):
                    if may_be_null(each):
                        part = Call("OR", (part, Call("IS NULL", (each,))))
            parts.append(resolver.condition(part, "IN"))
        return parts

    # -- values --------------------------------------------------------------------------------------------------------

    def _scalar(self, query: Subquery) -> Expression:
        value = self._query(query)
        if len(value.columns) != 1:
            raise wrong(f"A query that is a value has one column, not {len(value.columns)}", query.position)
        if not _is_one_row(value):
            single = Resolver(Scope.of(value), self._functions).resolve(
                Call("SINGLE_VALUE", (fields_from(value.columns)[0],), position=query.position)
            )
            assert isinstance(single, Call)
            value = Aggregate(value, (), (single,), columns=(Column("$single", type_of(single)),))
        read, conditions, (column,) = pulled_up(value)
        if isinstance(read, Aggregate) and not read.keys:
            given = self._totals(read, query.position)
        elif named_outside(read):
            return self._attached(value, query.position)[0]
        else:  # one row of constants
            given = self._beside(read, [], "inner", query.position) if read.columns else []
        result = outside_fields(replace_fields(column, given))
        for condition in conditions:
            result = Call("CASE", (outside_fields(replace_fields(condition, given)), result, _null_of(result)))
        return result

    def _is_total(self, query: Subquery) -> bool:
        return _is_total(self._query(query))

    def _total(self, relation: Relation, position: Position | None) -> list[Expression]:
        """The columns of a query for which `_is_total` holds."""
        read, _, columns = pulled_up(relation)
        assert isinstance(read, Aggregate)
        given = self._totals(read, position)
        return [outside_fields(replace_fields(each, given)) for each in columns]

    def _totals(self, aggregate: Aggregate, position: Position | None) -> list[Expression]:
        """Aggregates of all rows of a query, also where it has none, or none yet."""
        used = sorted(named_outside(aggregate))
        unnesting = Unnesting(self.relation, used, self._functions, position)
        made = unnesting.aggregate(aggregate) if used else aggregate
        found = self._attached_by(made, used, len(aggregate.columns), unnesting.strict, position)
        return [or_else(each, nothing) for each, nothing in zip(found, unnesting.nothing(aggregate), strict=True)]

    def _exists(self, query: Subquery) -> Expression:
        relation = self._query(query)
        if _is_total(relation):
            return _TRUE
        names = [f"$column{i}" for i in range(len(relation.columns))]
        relation = Project(relation, (_TRUE,), columns=(Column(names[0] if names else "$true", BooleanType(False)),))
        (found,) = self._attached(relation, query.position, distinct=True)
        return Call("IS NOT NULL", (found,), position=query.position)

    def _in(self, query: Subquery, tested: bool = False) -> Expression:
        right = self._query(query)
        self._check_columns(query, right)
        if _is_total(right):
            equal = [Call("=", pair) for pair in zip(query.args, self._total(right, query.position), strict=True)]
            return reduce(lambda a, b: Call("AND", (a, b)), equal)
        args = [Resolver(self.scope, self._functions).resolve(arg) for arg in query.args]
        nullable = any(map(may_be_null, args)) or any(is_nullable(column.type) for column in right.columns)
        several = len(args) > 1
        if nullable and several and not tested:
            raise refused(
                "IN (query) of several columns that may be NULL is supported only as a condition of WHERE, HAVING or "
                "ON, alone or joined to others by AND and OR",
                query.position,
            )
        marked = projected(right, [*fields_from(right.columns), _TRUE], [*right.names, "$there"])
        there = self._attached(marked, query.position, args=args, distinct=True)[-1]
        known = Call("IS NOT NULL", (there,), position=query.position)
        if not nullable or several:
            return known
        rows, values = self._counted(right, (("COUNT", ()), ("COUNT", (0,))), query.position)
        return _case(
            (Call("=", (rows, _ZERO)), _FALSE),
            (Call("IS NULL", (args[0],)), _UNKNOWN),
            (known, _TRUE),
            (Call("<", (values, rows)), _UNKNOWN),
            otherwise=_FALSE,
        )

    def _some(self, query: Subquery) -> Expression:
        """``a < SOME (query)``, by the greatest of its values, and whether NULL is among them."""
        right = self._query(query)
        if len(right.columns) != 1:
            raise wrong(f"{query.written} (query) has one column, not {len(right.columns)}", query.position)
        arg = Resolver(self.scope, self._functions).resolve(query.args[0])
        self._check_types(query.written, arg, right.columns[0], query.position)
        if _is_total(right):
            return Call(query.operator, (arg, *self._total(right, query.position)))
        best = "MAX" if query.operator in ("<", "<=", "<>") else "MIN"
        calls = ((best, (0,)), ("COUNT", ()), ("COUNT", (0,)), *((("MIN", (0,)),) if query.operator == "<>" else ()))
        most, rows, values, *least = self._counted(right, calls, query.position)
        holds = Call(query.operator, (arg, most))
        if least:
            holds = Call("OR", (holds, Call("<>", (arg, least[0]))))
        return _case(
            (Call("=", (rows, _ZERO)), _FALSE),
            (holds, _TRUE),
            (Call("<", (values, rows)), _UNKNOWN),
            otherwise=holds,
        )

    def _counted(
        self, relation: Relation, calls: tuple[tuple[str, tuple[int, ...]], ...], position: Position | None
    ) -> list[Expression]:
        """Aggregates of a query's rows."""
        resolver, columns = Resolver(Scope.of(relation), self._functions), fields_from(relation.columns)
        made = [resolver.resolve(Call(name, tuple(columns[i] for i in args) or (Star(),))) for name, args in calls]
        typed = tuple(call for call in made if isinstance(call, Call))
        given = tuple(Column(f"$count{i}", type_of(call)) for i, call in enumerate(typed))
        return self._totals(Aggregate(relation, (), typed, columns=given), position)

    # -- joins ---------------------------------------------------------------------------------------------------------

    def _attached(
        self, query: Relation, position: Position | None, args: list[Expression] | None = None, distinct: bool = False
    ) -> list[Expression]:
        """The columns of a query, NULL where it has no rows; it has one row for each of those of the relation.

        Args:
            query: As entered.
            position: Where it is written.
            args: What its first columns equal.
            distinct: It may have equal rows, of which one is meant.
        """
        count, used, strict = len(query.columns), sorted(named_outside(query)), True
        if used:
            query, used, strict = self._unnested(query, position)
        if distinct:
            query = Aggregate(query, tuple(range(len(query.columns))), (), columns=query.columns)
        return self._attached_by(query, used, count, strict, position, args or [])

    def _attached_by(
        self,
        right: Relation,
        used: list[int],
        count: int,
        strict: bool,
        position: Position | None,
        args: list[Expression] | None = None,
    ) -> list[Expression]:
        both, start = (*self.relation.columns, *right.columns), len(self.relation.columns)
        parts = [_joined(both, i, start + count + k, strict) for k, i in enumerate(used)]
        resolver = Resolver(self.scope, self._functions)
        for arg, column in zip(args or (), fields_from(both, start), strict=False):
            parts.append(resolver.condition(Call("=", (arg, column)), "IN"))
        return self._beside(right, parts, "left", position)[:count]

    def _beside(
        self, right: Relation, parts: list[Expression], kind: str, position: Position | None
    ) -> list[Expression]:
        """Join a relation, whose columns nothing but the result names."""
        start = len(self.relation.columns)
        added = tuple(
            Column(f"$value{start + i}", each.type if kind == "inner" else each.type.nullable())
            for i, each in enumerate(right.columns)
        )
        self.relation = Join(self.relation, right, kind, all_of(parts), columns=(*self.relation.columns, *added))
        hidden = frozenset(range(start, start + len(added)))
        self.scope = self.scope.beside(Scope(added, ((),) * len(added))).hiding(hidden)
        return [Field(start + i, each.name, type=each.type, position=position) for i, each in enumerate(added)]

    def _unnested(self, query: Relation, position: Position | None) -> tuple[Relation, list[int], bool]:
        """A query's rows for all values of the columns outside that it names; which these are; see `Unnesting`."""
        used = sorted(named_outside(query))
        unnesting = Unnesting(self.relation, used, self._functions, position)
        made = unnesting.run(query)
        return made, used, unnesting.strict

    def planned(self, query: Subquery) -> Relation:
        """What a query means, within the columns of this relation."""
        return self._query(query)

    # -- queries -------------------------------------------------------------------------------------------------------

    def _query(self, query: Subquery) -> Relation:
        """What a query means; it is planned once, however often that is asked."""
        known = self._planned.get(id(query.relation))
        if known is None:
            known = self._planned[id(query.relation)] = self._plan_query(query)
        return known

    def _plan_query(self, query: Subquery) -> Relation:
        relation = entered(self._plan(query.relation, self.scope))
        if query.kind == "exists" and named_outside(relation):
            while isinstance(relation, Sort) and not relation.offset and relation.limit != 0:
                relation = relation.input  # any row will do
        return relation

    def _check_columns(self, query: Subquery, right: Relation) -> None:
        if len(query.args) != len(right.columns):
            raise wrong(
                f"{query.written or 'IN'}: {len(query.args)} value{'s' * (len(query.args) != 1)} on the left, and the "
                f"query has {len(right.columns)} columns ({', '.join(right.names)})",
                query.position,
            )
        resolver = Resolver(self.scope, self._functions)
        for arg, column in zip(query.args, right.columns, strict=True):
            self._check_types(query.written or "IN", resolver.resolve(arg), column, arg.position)

    @staticmethod
    def _check_types(what: str, value: Expression, column: Column, position: Position | None) -> None:
        if common_type([type_of(value), column.type]) is None:
            raise wrong(f"{what}: {value} is {type_of(value)}, the query's '{column.name}' {column.type}", position)


def lateral(
    left: Relation,
    right: Relation,
    kind: str,
    condition: Expression | None,
    functions: FunctionLookup,
    position: Position | None,
) -> Relation:
    """Each row with those that a query has for it.

    Args:
        left: The rows.
        right: The query, as entered.
        kind: ``inner`` or ``left``.
        condition: Over the columns of both, resolved.
        functions: Finds functions.
        position: Where the query is written.
    """
    beside = row_by_row(left, right) if kind == "inner" else row_by_row_or_null(left, right, condition)
    if beside is not None:
        inner = kind == "inner" and condition is not None
        return Filter(beside, condition, columns=beside.columns) if inner else beside  # type: ignore[arg-type]
    used = sorted(named_outside(right))
    unnesting = Unnesting(left, used, functions, position)
    made = unnesting.run(right) if used else right
    both, start = (*left.columns, *made.columns), len(left.columns) + len(right.columns)
    parts = [_joined(both, i, start + k, unnesting.strict) for k, i in enumerate(used)]
    parts += [] if condition is None else [condition]
    names = [*(f"$left{i}" for i in range(len(left.columns))), *(f"$right{i}" for i in range(len(made.columns)))]
    given = tuple(
        replace(each, name=name, type=each.type.nullable() if kind == "left" and i >= len(left.columns) else each.type)
        for i, (each, name) in enumerate(zip(both, names, strict=True))
    )
    joined = Join(left, made, kind, all_of(parts), columns=given)
    columns = tuple(replace(each, name=old.name) for each, old in zip(given[:start], both[:start], strict=True))
    return Project(joined, tuple(fields_from(given, 0, start)), columns=columns)


def has_query(expression: Expression) -> bool:
    """Whether a query is inside of an expression."""
    return any(isinstance(part, Subquery) for part in walk(expression))


def _joined(both: tuple[Column, ...], left: int, right: int, strict: bool) -> Expression:
    if not strict:
        return same(both[left], left, both[right], right)
    fields = tuple(Field(i, both[i].name, type=both[i].type) for i in (left, right))
    return Call("equals", fields, type=BooleanType())


def _null_of(expression: Expression) -> Literal:
    return Literal(None, type=expression.type.nullable() if expression.type is not None else NullType())


def _case(*whens: tuple[Expression, Expression], otherwise: Expression) -> Expression:
    return Call("CASE", (*(part for when in whens for part in when), otherwise))


#: How a query is negated: `NOT` is not TRUE where it is not known, `isNotTrue` is.
_Negated = Choice["", "NOT", "isNotTrue"]


def _negated(part: Expression) -> tuple[Expression, _Negated]:
    if isinstance(part, Call) and part.function == "isNotTrue":
        return part.args[0], "isNotTrue"
    negated = False
    while isinstance(part, Call) and part.function.upper() == "NOT":
        part, negated = part.args[0], not negated
    return part, "NOT" if negated else ""


def _is_total(relation: Relation) -> bool:
    """Whether a relation is one row of aggregates, which in streaming mode is not there before the first row."""
    read, conditions, _ = pulled_up(relation)
    return isinstance(read, Aggregate) and not read.keys and not conditions


def _is_one_row(relation: Relation) -> bool:
    """Whether a relation has never more than one row."""
    if isinstance(relation, (Project, Filter)):
        return _is_one_row(relation.input)
    if isinstance(relation, Values):
        return len(relation.rows) == 1
    return isinstance(relation, Aggregate) and not relation.keys
