"""Queries inside of WHERE: IN and EXISTS become semi joins and anti joins, and a single value a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any, Literal

from datastream.errors import ValidationError
from datastream.table.functions.types import common_type

from .errors import refused, wrong
from .expressions import Alias, Call, Expression, Field, Subquery
from .lookup import FunctionLookup
from .relations import Aggregate, Filter, Join, Project, Relation, Values
from .resolver import Resolver, children, rebuilt, walk
from .scope import Scope
from .typed import may_be_null, type_of


class Subqueries:
    """Plans the queries inside of a condition.

    Args:
        plan: Gives the relation of a query.
        functions: Finds functions.
    """

    def __init__(self, plan: Callable[[Any], Relation], functions: FunctionLookup) -> None:
        self._plan, self._functions = plan, functions

    def where(
        self, relation: Relation, scope: Scope, condition: Expression
    ) -> tuple[Relation, Scope, Expression | None]:
        """The relation with its joins, its scope, and what of the condition is left to be tested.

        Raises:
            UnsupportedOperation: A query names a column of the query around it, or stands where it is not carried out.
        """
        if not any(isinstance(part, Subquery) for part in walk(condition)):
            return relation, scope, condition
        rest: list[Expression] = []
        joined: list[tuple[Subquery, _Negated]] = []
        for part in _conjuncts(condition):
            query, negated = _negated(part)
            if isinstance(query, Subquery) and query.kind != "scalar":
                joined.append((query, negated))
                continue
            relation, scope, part = self._with_values(relation, scope, part)
            rest.append(part)
        for query, negated in joined:
            relation = self._joined(relation, scope, query, negated)
        return relation, scope, reduce(lambda a, b: Call("AND", (a, b)), rest) if rest else None

    def values(
        self, relation: Relation, scope: Scope, expressions: tuple[Expression, ...]
    ) -> tuple[Relation, Scope, tuple[Expression, ...]]:
        """The relation with the values of queries in these expressions, its scope, and the expressions with them."""
        made = []
        for place, each in enumerate(expressions):
            if any(isinstance(part, Subquery) for part in walk(each)):
                relation, scope, value = self._with_values(relation, scope, each)
                each = Alias(value, f"EXPR${place}") if isinstance(each, Subquery) else value
            made.append(each)
        return relation, scope, tuple(made)

    def _joined(self, relation: Relation, scope: Scope, query: Subquery, negated: _Negated) -> Relation:
        right = self._query(query)
        kind = "anti" if negated else "semi"
        if query.kind == "exists":
            return Join(relation, right, kind, None, columns=relation.columns)
        if len(query.args) != len(right.columns):
            raise wrong(
                f"IN: {len(query.args)} value{'s' * (len(query.args) != 1)} on the left, and the query has "
                f"{len(right.columns)} columns ({', '.join(right.names)})",
                query.position,
            )
        resolver, width = Resolver(scope, self._functions), len(relation.columns)
        both = Resolver(scope.beside(Scope.of(right)), self._functions)
        condition: Expression | None = None
        for i, (arg, column) in enumerate(zip(query.args, right.columns, strict=True)):
            wanted, given = resolver.resolve(arg), Field(width + i, column.name, type=column.type)
            if common_type([type_of(wanted), column.type]) is None:
                raise wrong(
                    f"IN: {wanted} is {type_of(wanted)}, the query's '{column.name}' {column.type}", arg.position
                )
            part: Expression = Call("=", (wanted, given))
            if negated == "NOT":  # a NULL may be equal to anything, so such a row is not known to be none of them
                for each in (wanted, given):
                    if may_be_null(each):
                        part = Call("OR", (part, Call("IS NULL", (each,))))
            condition = part if condition is None else Call("AND", (condition, part))
        assert condition is not None
        return Join(relation, right, kind, both.condition(condition, "IN"), columns=relation.columns)

    def _with_values(
        self, relation: Relation, scope: Scope, expression: Expression
    ) -> tuple[Relation, Scope, Expression]:
        """An expression with columns of a join in place of queries that give one value."""
        if isinstance(expression, Subquery):
            if expression.kind != "scalar":
                raise refused(
                    f"{expression.kind.upper()} (query) is carried out only as a whole condition of WHERE, or joined "
                    "to others by AND",
                    expression.position,
                )
            value = self._query(expression)
            if len(value.columns) != 1:
                raise wrong(f"A query that is a value has one column, not {len(value.columns)}", expression.position)
            if not _is_one_row(value):
                raise refused(
                    "A query that is a value has to be an aggregate without GROUP BY, such as (SELECT MAX(a) FROM t)",
                    expression.position,
                )
            sure = _is_one_row(value, always=True)
            kind = value.columns[0].type
            column = replace(value.columns[0], type=kind if sure else kind.nullable(), time=None)
            index = len(relation.columns)
            name = f"$value{index}"
            columns = (*relation.columns, replace(column, name=name))
            relation = Join(relation, value, "inner" if sure else "left", None, columns=columns)
            scope = scope.beside(Scope((columns[-1],), ((),))).hiding(frozenset({index}))
            return relation, scope, Field(index, name, type=column.type, position=expression.position)
        parts = []
        for part in children(expression):
            relation, scope, made_part = self._with_values(relation, scope, part)
            parts.append(made_part)
        return relation, scope, rebuilt(expression, tuple(parts)) if parts else expression

    def _query(self, query: Subquery) -> Relation:
        try:
            return self._plan(query.relation)
        except ValidationError as error:
            if "No column" not in str(error):
                raise
            said = str(error)
            raise ValidationError(
                f"{said}{' ' if said.endswith('?') else '. '}A query inside of another one cannot name the columns of "
                "that one here: write a join"
            ) from None


def _conjuncts(condition: Expression) -> list[Expression]:
    if isinstance(condition, Call) and condition.function.upper() == "AND":
        return [part for arg in condition.args for part in _conjuncts(arg)]
    return [condition]


#: How a query is negated: `NOT` is not TRUE where it is not known, `isNotTrue` is.
_Negated = Literal["", "NOT", "isNotTrue"]


def _negated(part: Expression) -> tuple[Expression, _Negated]:
    if isinstance(part, Call) and part.function == "isNotTrue":
        return part.args[0], "isNotTrue"
    negated = False
    while isinstance(part, Call) and part.function.upper() == "NOT":
        part, negated = part.args[0], not negated
    return part, "NOT" if negated else ""


def _is_one_row(relation: Relation, always: bool = False) -> bool:
    """Whether a relation has never more than one row; `always`: and one from the beginning."""
    if isinstance(relation, Project) or (isinstance(relation, Filter) and not always):
        return _is_one_row(relation.input, always)
    if isinstance(relation, Values):
        return len(relation.rows) == 1
    return isinstance(relation, Aggregate) and not relation.keys and not always
