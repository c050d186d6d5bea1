"""The first rows of each key in an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from datastream.graph.operators import Rank as RankOperator
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.functions.over import NUMBER
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
from datastream.table.planner.windowed import of_whole_windows, windowed
from datastream.table.types.logical_types import BooleanType, LocalZonedTimestampType

from .context import Lowered
from .layouts import top_layout
from .lowering import Lowering, listed, lowers, types
from .orders import Placed, placed

#: Gives the columns by which the rows of a table replace each other.
OnlyAdds = Callable[[Scan], bool]

#: Aggregates whose values only rise, and only fall, as rows are added.
_RISE, _FALL = ("count", "max"), ("min",)


@lowers(Rank)
def lower_rank(lowering: Lowering, relation: Rank, upserted: frozenset[int] | None) -> Lowered:
    """The first rows, as changes, or once event time or the window has passed."""
    if lowering.context.batch:
        return lowering.lower(_as_over(relation))
    below = lowering.lower(relation.input)
    fields, order = _waiting(lowering, relation, below)
    updates = not fields.get("waits") and not fields.get("arrivals")
    kept = None if below.updates else relation.last
    node = lowering.keyed(
        below,
        relation.partition,
        RankOperator,
        f"Rank({listed(relation.columns)})",
        order=order,
        first=relation.first,
        last=relation.last,
        numbered=relation.numbered,
        changes=below.updates,
        layout=top_layout(below.columns, order, kept) + _in_words(fields),
        ttl_ms=0 if fields.get("waits") else lowering.ttl_ms(),
        output_type=inside_row(types(relation.columns), updates),
        **fields,
    )
    return Lowered(node, relation.columns, updates)


def _waiting(lowering: Lowering, relation: Rank, below: Lowered) -> tuple[dict[str, Any], Placed]:
    """What the operator waits for or may rely on, as its fields, and the order that is left."""
    order, zone = placed(relation.order), lowering.options.zone
    by_time = below.columns[order[0][0]].time if len(order) == 1 and not below.updates else None
    one, ascending = relation.last == 1, bool(order) and order[0][1]
    windows = windowed(relation.input)
    if windows is not None and not below.updates and of_whole_windows(relation.partition, windows):
        if windows.column.time == "proctime":
            raise TableException("Processing time Window TopN is not supported yet: windows of event time are.")
        (end, *_) = sorted(windows.ends)
        zoned = isinstance(windows.column.type, LocalZonedTimestampType) and zone != "UTC"
        newest = by_time == "rowtime" and one and not ascending
        return {"waits": True, "windows": True, "time": end, "zone": zone if zoned else "", "newest": newest}, order
    if by_time == "proctime" and ascending:
        return {"arrivals": True}, ()
    if by_time == "proctime" and one:
        return {"newest": True}, ()
    if by_time == "rowtime" and one and ascending:
        return {"waits": True, "time": order[0][0]}, order
    if by_time == "rowtime" and one:
        return {"newest": True}, order
    if below.updates:
        return {"upsert": only_forward(relation, lowering.context.only_adds)}, order
    return {}, order


def _in_words(fields: Mapping[str, Any]) -> str:
    """What the state of the first rows is made of, besides rows in order."""
    return "".join(f", {name}" for name in ("waits", "windows", "newest", "arrivals", "upsert") if fields.get(name))


def _as_over(relation: Rank) -> Relation:
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


def only_forward(relation: Rank, only_adds: OnlyAdds) -> tuple[int, ...] | None:
    """The columns by which rows replace each other, if an update never moves a row backwards; None: it may.

    That is so of aggregates that only rise, where the order descends, and the other way round.

    Args:
        relation: The rows.
        only_adds: Whether each row of a table is one more.
    """
    below = relation.input
    places: list[int | None] = list(range(len(below.columns)))
    while isinstance(below, Project):
        fields = [None if place is None else below.expressions[place] for place in places]
        places = [each.index if isinstance(each, Field) else None for each in fields]
        below = below.input
    if not isinstance(below, Aggregate) or not _only_adds(below.input, only_adds):
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


def _only_adds(relation: Relation, only_adds: OnlyAdds) -> bool:
    """Whether a relation has new rows only."""
    match relation:
        case Scan():
            return only_adds(relation)
        case Values():
            return True
        case StreamScan(changelog=changelog, upserts=upserts):
            return not changelog and not upserts
        case Project(input=below) | Filter(input=below) | Watermark(input=below):
            return _only_adds(below, only_adds)
    return False
