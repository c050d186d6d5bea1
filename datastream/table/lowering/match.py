"""MATCH_RECOGNIZE: patterns of rows."""

from __future__ import annotations

from datastream.graph.operators import MatchRecognize
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import placed_message
from datastream.table.plan.expressions import Order
from datastream.table.plan.relations import Match
from datastream.table.planner.timed_joins import comes_in_time
from datastream.table.types.logical_types import DateType, LocalZonedTimestampType, TimestampType

from .context import Lowered
from .layouts import match_layout
from .lowering import Lowering, listed, lowers, types
from .match_code import MatchCompiler, arguments_in
from .orders import column_of, in_words, placed

_TIMES = (TimestampType, LocalZonedTimestampType, DateType)

#: What makes a column one of time.
_HOW = "Declare WATERMARK FOR a column AS it in the table, or give the table a column AS PROCTIME()"


@lowers(Match)
def lower_match(lowering: Lowering, relation: Match, upserted: frozenset[int] | None) -> Lowered:
    """A row for each match."""
    below, context = lowering.lower(relation.input), lowering.context
    time = _match_time(relation, below, context.batch, context.functions)
    args = arguments_in(relation)
    below, places = lowering.add_columns(below, args)
    compiler = MatchCompiler(relation, dict(zip(args, places, strict=True)), context.functions)
    order = placed(relation.order)
    node = lowering.keyed(
        below,
        relation.partition,
        MatchRecognize,
        f"Match({listed(relation.columns)})",
        program=compiler.program(lowering.options.zone),
        pattern=compiler.pattern,
        skip=compiler.skip,
        within_ms=None if relation.within_us is None else relation.within_us // 1000,
        order=order,
        processing=time == "proctime",
        layout=match_layout(below.columns, relation.partition, in_words(order, below.columns), relation.pattern),
        output_type=inside_row(types(relation.columns)),
    )
    return Lowered(node, relation.columns, False)


def _match_time(relation: Match, below: Lowered, batch: bool, functions: FunctionLookup) -> str | None:
    """The kind of time that orders the rows; in batch mode None.

    Raises:
        TableException: It is no time.
    """
    if below.updates:
        raise TableException(
            "Match Recognize doesn't support consuming update changes: read a table whose rows are new ones only"
        )
    order = relation.order
    if batch:
        if not order:
            raise TableException("You must specify non-empty order by.")
        _check_ascending(order[0], "a table")
        place = column_of(order[0].arg)
        if place is None or not isinstance(below.columns[place].type, _TIMES):
            raise _wrong(order[0], "You must specify time point for order by as the first one.")
        return None
    if not order:
        raise TableException(f"You must specify either rowtime or proctime for order by. {_HOW}")
    place = column_of(order[0].arg)
    time = None if place is None else below.columns[place].time
    if place is None or time is None or not comes_in_time(relation.input, place, functions):
        raise _wrong(order[0], f"You must specify either rowtime or proctime for order by as the first one. {_HOW}")
    _check_ascending(order[0], "a streaming table")
    return time


def _check_ascending(order: Order, of: str) -> None:
    if not order.ascending:
        raise _wrong(order, f"Primary sort order of {of} must be ascending on time.")


def _wrong(order: Order, message: str) -> TableException:
    return TableException(placed_message(message, order.position or order.arg.position))
