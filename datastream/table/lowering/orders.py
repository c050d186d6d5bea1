"""Orders of rows, by the places of columns: for each key its index, whether it ascends, whether NULL comes first."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.plan.expressions import Alias, Expression, Field, Order
from datastream.table.plan.relations import Column

Placed = tuple[tuple[int, bool, bool], ...]


def placed(order: Sequence[Order]) -> Placed:
    """An order by columns."""
    places = [column_of(each.arg) for each in order]
    return at_places(order, [place for place in places if place is not None])


def at_places(order: Sequence[Order], places: Sequence[int]) -> Placed:
    """An order by what is at these places."""
    return tuple(
        (place, each.ascending, each.ascending if each.nulls_first is None else each.nulls_first)
        for place, each in zip(places, order, strict=True)
    )


def in_words(order: Placed, columns: Sequence[Column]) -> str:
    """An order by columns, as layouts have it."""
    return "".join(f"{columns[place].name} {'ASC' if up else 'DESC'}" for place, up, _ in order)


def column_of(expression: Expression) -> int | None:
    """The column that an expression is; None: it is none."""
    while isinstance(expression, Alias):
        expression = expression.arg
    return expression.index if isinstance(expression, Field) else None
