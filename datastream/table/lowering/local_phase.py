"""Aggregates in two phases: before the exchange, of what a subtask has, and after it, of what these give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.graph.operators import LocalAggregate
from datastream.graph.operators.relational import FoldCode
from datastream.graph.slices import slice_length
from datastream.table.functions.entry import AggregateEntry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expressions import Call
from datastream.table.plan.relations import Window

from .context import Lowered
from .lowering import in_place, may_be_pickled


def in_two_phases(below: Lowered, keys: Sequence[int], calls: Sequence[Call], functions: FunctionLookup) -> bool:
    """Whether aggregates can have a phase before the exchange.

    Rows that are taken out again, values that count once, and functions of users need the rows themselves.
    """
    if below.updates or any(may_be_pickled(below.columns[key].type) for key in keys):
        return False
    entries = [functions.find(call.function) for call in calls]
    return not any(call.distinct for call in calls) and all(isinstance(each, AggregateEntry) for each in entries)


def local_phase(
    below: Lowered, keys: Sequence[int], fold: FoldCode, window: Window | None, name: str, zone: str = ""
) -> Lowered:
    """The phase before the exchange.

    Args:
        below: The rows.
        keys: Indexes of the key's columns.
        fold: The aggregates, with code that puts accumulators together.
        window: Whose slices are parted; None: there are none.
        name: Of the operator.
        zone: The time zone whose clock the window's time is of; empty: UTC.

    Returns:
        Rows of the key's columns, the end of the slice if there is a window, and an accumulator.
    """
    slices: dict[str, Any] = {}
    if window is not None:
        length = slice_length(window.kind, window.size_us, window.slide_us)
        slices = {"time": window.time, "slice": length, "offset": window.offset_us, "zone": zone}
    made = in_place(below.node, LocalAggregate, name, fold=fold, keys=tuple(keys), **slices)
    return Lowered(made, tuple(below.columns[key] for key in keys), False)
