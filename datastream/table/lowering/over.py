"""OVER windows: aggregates and ranks of the rows around each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from datastream.errors import UnsupportedOperation
from datastream.graph.operators import OverAggregate as OverOperator
from datastream.graph.operators.relational import FoldCode, Position
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.aggregates import FoldCompiler
from datastream.table.codegen.inside_types import inside_row
from datastream.table.functions.over import BY_POSITION, OF_BATCHES, distance
from datastream.table.plan.errors import placed_message
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import OverAggregate
from datastream.table.planner.timed_joins import comes_in_time

from .aggregates import constants
from .context import Lowered
from .layouts import over_layout
from .lowering import Lowering, listed, lowers, types
from .orders import column_of, in_words, placed


@lowers(OverAggregate)
def lower_over(lowering: Lowering, relation: OverAggregate, upserted: frozenset[int] | None) -> Lowered:
    """Each row followed by aggregates."""
    batch, frame, calls = lowering.context.batch, relation.frame, relation.calls
    below = lowering.lower(relation.input)
    time = None if batch else _order_time(lowering, relation, below)
    order = placed(relation.order)
    fold, retracts = _compile(lowering, relation)
    updates = not batch and time is None
    node = lowering.keyed(
        below,
        relation.partition,
        OverOperator,
        f"OverAggregate({listed(relation.columns)})",
        fold=fold,
        changes=below.updates,
        layout=over_layout(below.columns, relation.partition, in_words(order, below.columns), frame, calls),
        ttl_ms=lowering.ttl_ms() if updates else 0,
        order=order,
        rows=frame.rows,
        start=frame.start,
        end=frame.end,
        retracts=retracts,
        timed=time == "rowtime",
        processing=time == "proctime",
        positions=_positions(calls, constants(relation.input)) if batch else (),
        output_type=inside_row(types(relation.columns), updates),
    )
    return Lowered(node, relation.columns, updates)


def _compile(lowering: Lowering, relation: OverAggregate) -> tuple[FoldCode, bool]:
    """The code of the aggregates, and whether it takes rows out again."""
    context = lowering.context
    calls = [call for call in relation.calls if not (context.batch and call.function in BY_POSITION)]
    rest = (False, context.functions, lowering.options.zone, constants(relation.input))
    if relation.frame.start is not None:
        with suppress(UnsupportedOperation):
            return FoldCompiler(calls, True, *rest, kinds=False).code, True
    return FoldCompiler(calls, False, *rest, kinds=False).code, False


def _order_time(lowering: Lowering, relation: OverAggregate, below: Lowered) -> str | None:
    """The kind of time that orders the rows, in streaming mode; None: it is no time.

    Raises:
        TableException: The window is one of batch mode.
    """
    for call in relation.calls:
        if call.function in OF_BATCHES:
            raise TableException(f"{call.function.upper()} Function is not supported in stream mode.")
    if len(relation.order) != 1:
        what = (
            "The window can only be ordered by a single time column. Order it by one column, or use "
            "EnvironmentSettings.in_batch_mode()"
        )
        raise TableException(placed_message(what, relation.calls[0].position if relation.calls else None))
    if not relation.order[0].ascending and relation.calls[0].function in ("RANK", "DENSE_RANK"):
        raise TableException(f"{relation.calls[0].function}() on streaming table is not supported currently")
    if not relation.order[0].ascending:
        raise TableException(
            "The window can only be ordered in ASCENDING mode: use EnvironmentSettings.in_batch_mode(), or number "
            "the rows with ROW_NUMBER() and keep the first ones, WHERE row_num <= n"
        )
    frame = relation.frame
    if frame.end is None or frame.end != 0 or (frame.start is not None and frame.start < 0):
        raise TableException(
            "OVER RANGE FOLLOWING windows are not supported yet: in streaming mode a window ends with CURRENT ROW"
        )
    place = column_of(relation.order[0].arg)
    in_time = place is not None and comes_in_time(relation.input, place, lowering.context.functions)
    time = below.columns[place].time if place is not None and in_time else None
    if time == "proctime" and below.updates:
        raise TableException(
            "OverAggregate doesn't support consuming update and delete changes: order by another column than "
            f"'{below.columns[place or 0].name}'"
        )
    return None if below.updates else time


def _positions(calls: Sequence[Call], constants: Mapping[int, Literal]) -> tuple[Position, ...]:
    """The functions of where a row is among others.

    Args:
        calls: All that a window has.
        constants: The columns that are constants.
    """

    def known(arg: Expression) -> Expression:
        return constants.get(arg.index, arg) if isinstance(arg, Field) else arg

    found = []
    for call in calls:
        if call.function == "NTILE":
            found.append(Position(call.function, distance=_whole(known(call.args[0]))))
        elif call.function in BY_POSITION:
            column, default = ([*map(column_of, call.args), None, None, None][i] for i in (0, 2))
            found.append(Position(call.function, column, distance(list(map(known, call.args))), default))
    return tuple(found)


def _whole(arg: Expression) -> int:
    if isinstance(arg, Literal) and isinstance(arg.value, int) and arg.value > 0:
        return arg.value
    raise UnsupportedOperation(f"NTILE takes a positive constant, got {arg}")
