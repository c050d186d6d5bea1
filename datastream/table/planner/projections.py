"""Projections: the columns that a star stands for, their names, and the relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal as Choice

from datastream.errors import ValidationError
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal, Name, Star
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Filter,
    Join,
    Project,
    Relation,
    SetOperation,
    Watermark,
    distinct_names,
)
from datastream.table.plan.typed import type_of
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary

from .scope import Scope

#: Gives a column without a name one, by its place.
Naming = Callable[[int], str]


def api_names(place: int) -> str:
    """Names as the Table API gives them: ``_c1`` is the second column."""
    return f"_c{place}"


def sql_names(place: int) -> str:
    """Names as SQL gives them: ``EXPR$1`` is the second column."""
    return f"EXPR${place}"


def projection(relation: Relation, expressions: Sequence[Expression], names: Sequence[str]) -> Relation:
    """A projection of resolved expressions; the input itself where it changes nothing."""
    columns = tuple(
        Column(name, type_of(each), time_of(each, relation)) for each, name in zip(expressions, names, strict=True)
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
    if not shared and (twice := twice_in(names)):
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


def part_names(parts: Sequence[Expression]) -> list[str]:
    """Names of columns that are made of parts of expressions."""
    return distinct_names([part.name if isinstance(part, Field) else f"$p{i}" for i, part in enumerate(parts)])


def time_of(expression: Expression, relation: Relation) -> Choice["rowtime", "proctime"] | None:
    """What time attribute an expression over a relation is; None: it is none."""
    if isinstance(expression, Field):
        return relation.columns[expression.index].time
    return "proctime" if isinstance(expression, Call) and expression.function == "proctime" else None


def twice_in(names: Sequence[str]) -> str | None:
    """The first name that is there twice."""
    return next((name for i, name in enumerate(names) if name in names[:i]), None)


def bare_aggregates(relation: Relation) -> set[int]:
    """The columns with aggregates and no projection above them: Flink computes them, though they may not be read."""
    match relation:
        case Aggregate(keys=keys, columns=columns):
            return set(range(len(keys), len(columns)))
        case Filter(input=below) | Watermark(input=below):
            return bare_aggregates(below)
        case Project(input=below, expressions=expressions):
            found = bare_aggregates(below)
            fields = [{part.index for part in walk(each) if isinstance(part, Field)} for each in expressions]
            return {i for i, read in enumerate(fields) if read & found}
        case Join(left=left, right=right, kind=kind):
            of_right = set() if kind in ("semi", "anti") else bare_aggregates(right)
            return bare_aggregates(left) | {i + len(left.columns) for i in of_right}
        case SetOperation(kind="union", all=True, left=left, right=right):
            return bare_aggregates(left) | bare_aggregates(right)
    return set()
