"""Queries that name columns of the query around them, as queries that do not.

The rows of such a query depend on the columns that it names. It becomes one that gives the rows for all values that
these columns have, and the values beside them: the query around it joins it by them. The way is that of Neumann and
Kemper, Unnesting Arbitrary Queries (BTW 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import reduce
from typing import Any

from datastream.table.functions.entry import AggregateEntry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.types import common_type
from datastream.table.plan.errors import refused
from datastream.table.plan.expression_trees import conjuncts, replace_fields, rewrite, shift_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field, Literal, Order, Outer, Position
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Project,
    Rank,
    Relation,
    SetOperation,
    Sort,
    Values,
)
from datastream.table.plan.typed import may_be_null, type_of
from datastream.table.types.logical_types import BooleanType

_TRUTH = BooleanType(False)


def entered(relation: Relation) -> Relation:
    """A query as the query around it sees it: what it names of that one has depth 0."""
    if not any(_outers(relation, 1)):
        return relation

    def change(each: Expression) -> Expression:
        return replace(each, depth=each.depth - 1) if isinstance(each, Outer) else each

    made: Relation = _mapped(relation, change)
    return made


def named_outside(*parts: Relation | Expression | None) -> set[int]:
    """The columns of the query around them that entered queries and expressions name."""
    return {each.index for part in parts for each in _outers(part)}


def with_fields(expression: Expression, places: dict[int, int], columns: tuple[Column, ...]) -> Expression:
    """An expression with fields for columns of the query around it.

    Args:
        expression: As entered.
        places: Index there -> index here.
        columns: Those here.
    """

    def change(each: Expression) -> Expression:
        if not isinstance(each, Outer) or each.depth:
            return each
        column = columns[places[each.index]]
        return Field(places[each.index], column.name, type=column.type, position=each.position)

    return rewrite(expression, change)


def fields_from(columns: tuple[Column, ...], start: int = 0, end: int | None = None) -> list[Expression]:
    """Columns as expressions."""
    found = list(enumerate(columns))[start:end]
    return [Field(i, column.name, type=column.type) for i, column in found]


def projected(relation: Relation, expressions: list[Expression], names: list[str]) -> Relation:
    """A projection without attributes of time."""
    columns = tuple(Column(name, type_of(each)) for name, each in zip(names, expressions, strict=True))
    return Project(relation, tuple(expressions), columns=columns)


class Unnesting:
    """Makes one query independent of the query around it.

    Args:
        outside: The query around it.
        used: The indexes of its columns that the query names.
        functions: Finds functions.
        position: Where the query is written, for errors.

    Attributes:
        strict: Rows for NULLs in these columns are none, so that they can be joined by ``=``.
    """

    def __init__(
        self, outside: Relation, used: list[int], functions: FunctionLookup, position: Position | None
    ) -> None:
        self._outside, self._used, self._functions, self._position = outside, used, functions, position
        self.strict = True

    def run(self, relation: Relation) -> Relation:
        """The rows of an entered query for each combination of values, which follows its columns.

        Raises:
            UnsupportedOperation: It has what cannot be made independent.
        """
        if not named_outside(relation):
            return self._beside(relation)
        match relation:
            case Filter():
                return self._filter(relation)
            case Project(input=input, expressions=expressions):
                below = self.run(input)
                made = [self._here(each, below, len(input.columns)) for each in expressions]
                return self._behind(below, made, relation.columns, len(input.columns))
            case Aggregate():
                return self._aggregate(relation)
            case Join():
                return self._join(relation)
            case SetOperation(left=left, right=right):
                left, right = self.run(left), self.run(right)
                return replace(relation, left=left, right=right, columns=(*relation.columns, *self._added(left)))
            case Sort():
                return self._sort(relation)
            case Correlate():
                return self._correlate(relation)
        raise refused(
            f"A query that names columns of the query around it cannot have {type(relation).__name__} here",
            self._position,
        )

    def aggregate(self, relation: Aggregate) -> Relation:
        """Aggregates of all rows, by combination: nothing where there are no rows."""
        below = self.run(relation.input)
        width, count = len(relation.input.columns), len(relation.keys)
        keys = (*relation.keys, *range(width, len(below.columns)))
        made_calls = [self._here(call, below, width) for call in relation.calls]
        calls = tuple(call for call in made_calls if isinstance(call, Call))
        added = self._added(below)
        columns = (*relation.columns[:count], *added, *relation.columns[count:])
        made = Aggregate(below, keys, calls, columns=columns)
        order = [*range(count), *range(count + len(added), len(columns)), *range(count, count + len(added))]
        expressions = [Field(i, columns[i].name, type=columns[i].type) for i in order]
        return projected(made, list(expressions), [columns[i].name for i in order])

    def nothing(self, relation: Aggregate) -> list[Literal]:
        """What aggregates of all rows give where there are none."""
        return [Literal(0 if _counts(call, self._functions) else None, type=call.type) for call in relation.calls]

    # -- relations -----------------------------------------------------------------------------------------------------

    def _filter(self, relation: Filter) -> Relation:
        input, width = relation.input, len(relation.input.columns)
        if not named_outside(input):
            equal, rest = self._equal(conjuncts(relation.condition))
            if len(equal) == len(self._used):
                values = [equal[i] for i in self._used]
                kept = all_of([*rest, *(Call("isNotNull", (v,), type=_TRUTH) for v in values if may_be_null(v))])
                made = input if kept is None else Filter(input, rewrite(kept, self._by(equal)), columns=input.columns)
                names = [*input.names, *(f"$outer{i}" for i in self._used)]
                return projected(made, [*fields_from(input.columns), *values], names)
        below = self.run(input)
        return Filter(below, self._here(relation.condition, below, width), columns=below.columns)

    def _equal(self, parts: list[Expression]) -> tuple[dict[int, Expression], list[Expression]]:
        """What columns outside are said to equal, and the conditions that are left."""
        equal: dict[int, Expression] = {}
        rest = []
        for part in parts:
            pair = part.args if isinstance(part, Call) and part.function == "equals" else ()
            for one, other in (pair, pair[::-1]) if len(pair) == 2 else ():
                known = isinstance(one, Outer) and not one.depth and one.index not in equal
                if known and not any(_outers(other)) and _alike(one, other):
                    equal[one.index] = other  # type: ignore[attr-defined]
                    break
            else:
                rest.append(part)
        return equal, rest

    @staticmethod
    def _by(equal: dict[int, Expression]) -> Callable[[Expression], Expression]:
        return lambda each: equal[each.index] if isinstance(each, Outer) and not each.depth else each

    def _aggregate(self, relation: Aggregate) -> Relation:
        made = self.aggregate(relation)
        if relation.keys:
            return made
        values, width = self._values(), len(self._used)
        columns = (*values.columns, *(replace(each, type=each.type.nullable()) for each in made.columns))
        places = [len(relation.columns) + i for i in range(width)]
        condition = all_of([same(columns[i], i, columns[width + p], width + p) for i, p in enumerate(places)])
        joined = Join(values, made, "left", condition, columns=columns)
        results = self._or_nothing(relation, joined, width)
        return projected(joined, [*results, *fields_from(columns, 0, width)], [*relation.names, *values.names])

    def _or_nothing(self, relation: Aggregate, joined: Relation, start: int) -> list[Expression]:
        return [
            or_else(Field(start + i, column.name, type=joined.columns[start + i].type), nothing)
            for i, (column, nothing) in enumerate(zip(relation.columns, self.nothing(relation), strict=True))
        ]

    def _join(self, relation: Join) -> Relation:
        left, right, kind = relation.left, relation.right, relation.kind
        width, count = len(left.columns), len(self._used)
        in_left = bool(named_outside(left)) or bool(named_outside(relation.condition)) or kind == "left"
        in_right = bool(named_outside(right))
        alone = kind in ("semi", "anti")
        if kind == "full" or (kind == "right" and (in_left or not in_right)):
            raise refused(f"A {kind.upper()} JOIN cannot name columns of the query around it", self._position)
        if not in_left and not alone:  # only the right side
            made = self.run(right)
            return replace(relation, right=made, columns=(*relation.columns, *self._added(made)))
        begun = self.run(left)
        places = {index: width + k for k, index in enumerate(self._used)}
        other = self.run(right) if in_right else right
        both = (*begun.columns, *other.columns)
        condition = None if relation.condition is None else shift_fields(relation.condition, count, width)
        parts = [] if condition is None else [with_fields(condition, places, both)]
        start = len(begun.columns) + len(right.columns)
        if in_right:
            parts += [same(both[width + k], width + k, both[start + k], start + k) for k in range(count)]
        if alone:
            return Join(begun, other, kind, all_of(parts), columns=begun.columns)
        given = (*relation.columns[:width], *self._added(begun), *relation.columns[width:])
        given += tuple(replace(each, type=each.type.nullable()) for each in other.columns[len(right.columns) :])
        joined = Join(begun, other, kind, all_of(parts), columns=given)
        order = [*range(width), *range(width + count, start), *range(width, width + count)]
        return projected(joined, [fields_from(given)[i] for i in order], [given[i].name for i in order])

    def _sort(self, relation: Sort) -> Relation:
        below, width = self.run(relation.input), len(relation.input.columns)
        if relation.limit is None:
            if relation.offset:
                raise refused(
                    "OFFSET without LIMIT cannot be in a query that names columns of the query around it",
                    self._position,
                )
            return below
        order = [self._here(each, below, width) for each in relation.order]
        by = tuple(each for each in order if isinstance(each, Order))
        if any(not isinstance(each.arg, Field) for each in by) or not by:
            raise refused(
                "LIMIT in a query that names columns of the query around it needs an ORDER BY of columns",
                self._position,
            )
        partition = tuple(range(width, len(below.columns)))
        first, last = relation.offset + 1, relation.offset + relation.limit
        return Rank(below, partition, by, first, last, numbered=False, columns=below.columns)

    def _correlate(self, relation: Correlate) -> Relation:
        below, width, count = self.run(relation.input), len(relation.input.columns), len(self._used)
        made = relation.columns[width:]
        columns = (*below.columns, *made)
        call = self._here(relation.call, below, width)
        assert isinstance(call, Call)
        test = relation.condition
        if test is not None:
            places = {index: width + k for k, index in enumerate(self._used)}
            test = with_fields(shift_fields(test, count, width), places, columns)
        wide = Correlate(below, call, relation.kind, test, columns=columns)
        found, end = fields_from(columns), width + count
        order = [*range(width), *range(end, len(columns)), *range(width, end)]
        return projected(wide, [found[i] for i in order], [columns[i].name for i in order])

    def _beside(self, relation: Relation) -> Relation:
        """A query that names nothing outside, with each combination of values."""
        values = self._values()
        return Join(relation, values, "inner", None, columns=(*relation.columns, *values.columns))

    def _values(self) -> Relation:
        """The combinations of values that the columns have."""
        self.strict = False
        found = fields_from(self._outside.columns)
        made = projected(self._outside, [found[i] for i in self._used], [f"$outer{i}" for i in self._used])
        return Aggregate(made, tuple(range(len(self._used))), (), columns=made.columns)

    def _added(self, relation: Relation) -> tuple[Column, ...]:
        return relation.columns[len(relation.columns) - len(self._used) :]

    def _here(self, expression: Expression, below: Relation, width: int) -> Expression:
        return with_fields(expression, {index: width + k for k, index in enumerate(self._used)}, below.columns)

    def _behind(self, below: Relation, made: list[Expression], columns: tuple[Column, ...], width: int) -> Relation:
        values = fields_from(below.columns, width)
        names = [*(column.name for column in columns), *below.names[width:]]
        return projected(below, [*made, *values], names)


def row_by_row(left: Relation, right: Relation) -> Relation | None:
    """Each row with those that an entered query makes of it alone.

    Args:
        left: The rows.
        right: Projections, conditions and table functions over one row without columns.

    Returns:
        The columns of both; None: the query reads something else, too.
    """
    width, given = len(left.columns), _hidden(left)

    def beside(relation: Relation) -> Relation | None:
        if isinstance(relation, Values) and relation.rows == ((),):
            return left
        below = beside(relation.input) if isinstance(relation, Filter | Project | Correlate) else None
        if below is None:
            return None
        columns = (*given, *relation.columns)
        if isinstance(relation, Filter):
            return Filter(below, _behind_left(relation.condition, width), columns=columns)
        if isinstance(relation, Project):
            return Project(
                below,
                (*fields_from(left.columns), *(_behind_left(each, width) for each in relation.expressions)),
                columns=columns,
            )
        assert isinstance(relation, Correlate)
        call, test = _behind_left(relation.call, width), relation.condition
        assert isinstance(call, Call)
        return Correlate(
            below, call, relation.kind, None if test is None else _behind_left(test, width), columns=columns
        )

    found = beside(right)
    if found is None:
        return None
    columns = (*left.columns, *found.columns[width:])
    return Project(found, tuple(fields_from(found.columns)), columns=columns)


def row_by_row_or_null(left: Relation, right: Relation, condition: Expression | None) -> Relation | None:
    """Each row with those that an entered query makes of it alone, or NULLs where none of them meets a condition.

    Args:
        left: The rows.
        right: Conditions and selected columns of a table function over one row without columns.
        condition: Over the columns of both; None: each row meets it.

    Returns:
        The columns of both; None: the query reads something else, or computes columns.
    """
    read, conditions, columns = pulled_up(right)
    if not isinstance(read, Correlate) or read.kind != "inner" or not all(isinstance(each, Field) for each in columns):
        return None
    if not isinstance(read.input, Values) or read.input.rows != ((),):
        return None
    width = len(left.columns)

    selected = [*fields_from(left.columns), *(_behind_left(each, width) for each in columns)]
    tests = [_behind_left(each, width) for each in conditions]
    if condition is not None:
        tests.append(replace_fields(condition, selected))
    call = _behind_left(read.call, width)
    assert isinstance(call, Call)
    made = tuple(replace(each, type=each.type.nullable()) for each in read.columns)
    wide = Correlate(left, call, "left", all_of(tests), columns=(*_hidden(left), *made))
    fields = fields_from(wide.columns)
    found = [fields[each.index] for each in selected if isinstance(each, Field)]
    named = (*left.columns, *(replace(c, type=c.type.nullable()) for c in right.columns))
    return Project(wide, tuple(found), columns=named)


def _behind_left(expression: Expression, width: int) -> Expression:
    """An expression of an entered query, over rows that follow those around it, which have so many columns."""
    return outside_fields(shift_fields(expression, width))


def _hidden(relation: Relation) -> tuple[Column, ...]:
    """The columns of a query under names that none of another has."""
    return tuple(replace(each, name=f"$left{i}") for i, each in enumerate(relation.columns))


def pulled_up(relation: Relation) -> tuple[Relation, list[Expression], list[Expression]]:
    """What a query reads; the conditions on its rows; and its columns as expressions over what it reads."""
    match relation:
        case Filter(input=input, condition=condition):
            read, conditions, columns = pulled_up(input)
            return read, [*conditions, *(replace_fields(part, columns) for part in conjuncts(condition))], columns
        case Project(input=input, expressions=expressions):
            read, conditions, columns = pulled_up(input)
            return read, conditions, [replace_fields(each, columns) for each in expressions]
    return relation, [], fields_from(relation.columns)


def outside_fields(expression: Expression) -> Expression:
    """An entered expression, as one over a join that has the query around it on the left."""
    return rewrite(
        expression,
        lambda each: (
            Field(each.index, each.name, type=each.type) if isinstance(each, Outer) and not each.depth else each
        ),
    )


def all_of(parts: list[Expression]) -> Expression | None:
    """The condition that all of some resolved conditions are TRUE; None: there are none."""
    return reduce(lambda a, b: Call("and", (a, b), type=BooleanType()), parts) if parts else None


def or_else(value: Expression, nothing: Literal) -> Expression:
    """A value, or another one where it is NULL."""
    return value if nothing.value is None else Call("coalesce", (value, nothing), type=nothing.type)


def same(one: Column, at: int, other: Column, place: int) -> Expression:
    fields = Field(at, one.name, type=one.type), Field(place, other.name, type=other.type)
    return Call("isNotDistinctFrom", fields, type=_TRUTH)


def _alike(one: Expression, other: Expression) -> bool:
    """Whether equal values of one type are equal ones of the other."""
    found = common_type([type_of(one), type_of(other)])
    return found is not None and type(type_of(one)) is type(type_of(other))


def _counts(call: Call, functions: FunctionLookup) -> bool:
    entry = functions.find(call.function)
    return isinstance(entry, AggregateEntry) and entry.name in ("count", "sum0", "APPROX_COUNT_DISTINCT")


def _mapped(value: Any, change: Callable[[Expression], Expression]) -> Any:
    """A relation, or what is in one, with other expressions."""
    match value:
        case Expression():
            return rewrite(value, change)
        case Relation():
            made = {each.name: _mapped(getattr(value, each.name), change) for each in fields(value)}
            return replace(value, **{name: new for name, new in made.items() if new is not getattr(value, name)})
        case tuple() if any(isinstance(each, Expression) for each in value):
            return tuple(_mapped(each, change) for each in value)
    return value


def _outers(value: Any, least: int = 0) -> Iterator[Outer]:
    """The columns outside that are named; `least` 0: of the next query alone, 1: of any one."""
    match value:
        case Expression():
            yield from (each for each in walk(value) if isinstance(each, Outer) and (each.depth > 0) is (least > 0))
        case Relation():
            for each in fields(value):
                yield from _outers(getattr(value, each.name), least)
        case tuple():
            for part in value:
                if isinstance(part, Expression):
                    yield from _outers(part, least)
