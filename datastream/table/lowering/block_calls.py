"""Expressions apart from the functions in them that do not run row by row: those of pandas, and async ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from datastream.errors import UnsupportedOperation
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup, UserFunction
from datastream.table.plan.expression_trees import children, conjuncts, rebuild, shift_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Column, Correlate, Filter, Join, Project, Relation
from datastream.table.plan.typed import type_of

from .join_keys import join_keys


@dataclass(frozen=True)
class BlockCalls(Relation):
    """The columns of the input, and after them one for each call.

    Attributes:
        input: The input.
        calls: Either all of pandas or all async; their arguments are columns and constants.
    """

    input: Relation
    calls: tuple[Call, ...]


def apart(relation: Relation, functions: FunctionLookup) -> Relation:
    """The same rows, with functions that do not run row by row as `BlockCalls`; itself where there are none.

    Conditions that are without them are tested before; those of an inner join are tested after it.

    Raises:
        UnsupportedOperation: Such a function has no column among its arguments.
    """
    match relation:
        case Project(input=input, expressions=expressions) if _has(expressions, functions):
            below, made = _called(input, expressions, functions)
            return replace(relation, input=below, expressions=tuple(made))
        case Filter(input=input, condition=condition) if _has([condition], functions):
            parts = conjuncts(condition)
            first = [part for part in parts if not _has([part], functions)]
            below, made = _called(
                _filtered(input, first), [part for part in parts if _has([part], functions)], functions
            )
            return _first_columns(_filtered(below, made), relation)
        case Correlate(input=input, call=call) if _has(call.args, functions):
            width = len(input.columns)
            below, made = _called(input, call.args, functions)
            columns = (*below.columns, *relation.columns[width:])
            test = relation.condition
            if test is not None:
                test = shift_fields(test, len(below.columns) - width, width)
            above = Correlate(below, replace(call, args=tuple(made)), relation.kind, test, columns=columns)
            places = [*range(width), *range(len(below.columns), len(columns))]
            return _columns(above, places, relation)
        case Join(kind="inner", condition=Expression() as condition) if _has([condition], functions):
            rest = join_keys(conjuncts(condition), len(relation.left.columns)).rest
            behind = [part for part in rest if _has([part], functions)]
            if behind:
                first = [part for part in conjuncts(condition) if part not in behind]
                return apart(_filtered(replace(relation, condition=_all(first)), behind), functions)
    return relation


def block_function(expression: Expression, functions: FunctionLookup) -> UserFunction | None:
    """The function that an expression calls, if it does not run row by row."""
    if not isinstance(expression, Call):
        return None
    found = functions.find(expression.function)
    if found is None or isinstance(found, Entry | AggregateEntry):
        return None
    return found if found.kind == "async" or (found.kind == "scalar" and found.pandas) else None


def _has(expressions: Sequence[Expression], functions: FunctionLookup) -> bool:
    return any(block_function(part, functions) is not None for each in expressions for part in walk(each))


def _called(
    relation: Relation, expressions: Sequence[Expression], functions: FunctionLookup
) -> tuple[Relation, list[Expression]]:
    """A relation that has what the calls give, and the expressions over it; calls inside of calls come first."""
    made = list(expressions)
    while True:
        ready = [part for each in made for part in _ready(each, functions)]
        if not ready:
            return relation, made
        kind = _kind(ready[0], functions)
        calls: list[Call] = []
        for call in ready:
            if _kind(call, functions) == kind and _place(calls, call, functions) is None:
                calls.append(call)
        relation, fields = _step(relation, calls)
        made = [_replaced(each, calls, fields, functions) for each in made]


def _step(relation: Relation, calls: Sequence[Call]) -> tuple[Relation, list[Field]]:
    wanted: list[Expression] = [Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)]
    width = len(wanted)
    placed = []
    for call in calls:
        args = tuple(arg if isinstance(arg, Literal) else _added(arg, wanted) for arg in call.args)
        if not any(isinstance(arg, Field) for arg in args):
            raise UnsupportedOperation(f"{call}: a function that does not run row by row needs a column as an argument")
        placed.append(replace(call, args=args))
    if len(wanted) > width:
        more = [Column(f"${i}", type_of(each)) for i, each in enumerate(wanted[width:], width)]
        relation = Project(relation, tuple(wanted), columns=(*relation.columns, *more))
    results = [Column(f"${call}", type_of(call).nullable()) for call in calls]
    fields = [Field(len(wanted) + i, column.name, type=column.type) for i, column in enumerate(results)]
    return BlockCalls(relation, tuple(placed), columns=(*relation.columns, *results)), fields


def _added(arg: Expression, wanted: list[Expression]) -> Field:
    """The column of an argument, which is added where it is none yet."""
    if isinstance(arg, Field):
        return arg
    wanted.append(arg)
    return Field(len(wanted) - 1, f"${len(wanted) - 1}", type=type_of(arg))


def _ready(expression: Expression, functions: FunctionLookup) -> list[Call]:
    """Calls without others inside of them."""
    inside = [call for child in children(expression) for call in _ready(child, functions)]
    if inside or block_function(expression, functions) is None:
        return inside
    assert isinstance(expression, Call)
    return [expression]


def _replaced(
    expression: Expression, calls: Sequence[Call], fields: Sequence[Field], functions: FunctionLookup
) -> Expression:
    if isinstance(expression, Call) and (place := _place(calls, expression, functions)) is not None:
        return fields[place]
    parts = tuple(_replaced(part, calls, fields, functions) for part in children(expression))
    return rebuild(expression, parts) if parts else expression


def _place(calls: Sequence[Call], call: Call, functions: FunctionLookup) -> int | None:
    """Which of the calls gives the value of one: the same call, or an equal one of a deterministic function."""
    for i, other in enumerate(calls):
        function = functions.find(call.function)
        if other is call or (other == call and getattr(function, "deterministic", True)):
            return i
    return None


def _kind(call: Call, functions: FunctionLookup) -> str:
    function = block_function(call, functions)
    assert function is not None
    return function.kind


def _filtered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    if not conditions:
        return relation
    condition = _all(conditions)
    assert condition is not None
    return Filter(relation, condition, columns=relation.columns)


def _all(conditions: Sequence[Expression]) -> Expression | None:
    return reduce(lambda a, b: Call("and", (a, b), type=a.type), conditions) if conditions else None


def _first_columns(relation: Relation, wanted: Relation) -> Relation:
    return _columns(relation, list(range(len(wanted.columns))), wanted)


def _columns(relation: Relation, places: Sequence[int], wanted: Relation) -> Relation:
    fields = (Field(i, relation.columns[i].name, type=relation.columns[i].type) for i in places)
    return Project(relation, tuple(fields), columns=wanted.columns)
