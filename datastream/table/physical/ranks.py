"""How the first rows of each key are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datastream.table.functions.over import NUMBER
from datastream.table.logical_types import BooleanType
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Filter,
    Frame,
    OverAggregate,
    Project,
    Rank,
    Relation,
    Scan,
    StreamScan,
    Values,
    Watermark,
)

#: Gives the columns by which the rows of a table replace each other.
UpsertKey = Callable[[Scan], Sequence[Column]]

#: Aggregates whose values only rise, and only fall, as rows are added.
_RISE, _FALL = ("count", "max"), ("min",)


def as_over(relation: Rank) -> Relation:
    """The same by the numbers of all rows."""
    call = Call("ROW_NUMBER", type=NUMBER)
    columns = (*relation.input.columns, relation.columns[-1] if relation.numbered else Column("$number", NUMBER))
    over = OverAggregate(relation.input, relation.partition, relation.order, Frame(True), (call,), columns=columns)
    number = Field(len(columns) - 1, columns[-1].name, type=NUMBER)
    bounds = (Literal(each, type=NUMBER) for each in (relation.first, relation.last))
    condition = Call("between", (number, *bounds), type=BooleanType(False))
    kept: Relation = Filter(over, condition, columns=columns)
    if relation.numbered:
        return kept
    fields: tuple[Expression, ...] = tuple(Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns))
    return Project(kept, fields, columns=relation.columns)


def only_forward(relation: Rank, upsert_key: UpsertKey) -> tuple[int, ...] | None:
    """The columns by which rows replace each other, if an update never moves a row backwards; None: it may.

    That is so of aggregates that only rise, where the order descends, and the other way round.

    Args:
        relation: The rows.
        upsert_key: By which the rows of a table replace each other; empty: they do not.
    """
    below = relation.input
    places: list[int | None] = list(range(len(below.columns)))
    while isinstance(below, Project):
        fields = [None if place is None else below.expressions[place] for place in places]
        places = [each.index if isinstance(each, Field) else None for each in fields]
        below = below.input
    if not isinstance(below, Aggregate) or not _only_adds(below.input, upsert_key):
        return None
    groups = len(below.keys)
    for each in relation.order:
        assert isinstance(each.arg, Field)
        place = places[each.arg.index]
        if place is None:
            return None
        if place >= groups:
            function = below.calls[place - groups].function
            if function not in (_FALL if each.ascending else _RISE):
                return None
    keys = [places.index(group) for group in range(groups) if group in places]
    return tuple(keys) if len(keys) == groups and set(relation.partition) <= set(keys) else None


def _only_adds(relation: Relation, upsert_key: UpsertKey) -> bool:
    """Whether a relation has new rows only."""
    match relation:
        case Scan():
            return not upsert_key(relation)
        case Values():
            return True
        case StreamScan(changelog=changelog, upserts=upserts):
            return not changelog and not upserts
        case Project(input=below) | Filter(input=below) | Watermark(input=below):
            return _only_adds(below, upsert_key)
    return False


def rank_words(fields: Mapping[str, Any]) -> str:
    """What the state of the first rows is made of, besides rows in order."""
    return "".join(f", {name}" for name in ("waits", "windows", "newest", "arrivals", "upsert") if fields.get(name))
