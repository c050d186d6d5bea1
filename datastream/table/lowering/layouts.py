"""What the state of a plan's operators is made of, in words: a job of another layout cannot go on from it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from datastream.table.plan.expressions import Call, Expression
from datastream.table.plan.relations import Column, Frame, PatternVariable, Window
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import summary


def aggregate_layout(
    keys: Sequence[DataType],
    calls: Sequence[Call],
    changes: bool,
    window: Window | None,
    zone: str = "",
    processing: bool = False,
) -> str:
    """Of aggregates by key.

    Args:
        keys: Types of the key's columns.
        calls: The aggregates.
        changes: Rows are taken out again.
        window: By which windows; None: there are none.
        zone: The time zone whose clock they are of; empty: UTC.
        processing: They are of the machine's time.
    """
    made = ", ".join(map(_call, calls)) or "rows"
    text = f"{made} by ({_types(keys)})"
    if changes:
        text += " of rows with updates"
    return text if window is None else text + _windows(window, zone, processing)


def rows_of_windows_layout(
    columns: Sequence[Column], keys: Sequence[int], window: Window, zone: str, processing: bool
) -> str:
    """Of rows by key and window; see `aggregate_layout`."""
    by = _types([columns[key].type for key in keys])
    return f"rows ({_types([column.type for column in columns])}) by ({by}){_windows(window, zone, processing)}"


def _windows(window: Window, zone: str, processing: bool) -> str:
    lengths = (window.size_us, window.slide_us, window.offset_us)
    text = " and given" if window.start is not None else " and"
    text += f" {window.kind} windows of {', '.join(f'{each / 1000:g} ms' for each in lengths if each)}"
    text += f" in {zone}" if zone else ""
    return text + (" of processing time" if processing else "")


def join_layout(
    kind: str,
    keys: Sequence[Expression],
    left: Sequence[Column],
    right: Sequence[Column],
    timed: bool,
    by: str = "",
) -> str:
    """Of a join; `timed`: rows are forgotten after a time; `by`: ``window `` or ``interval ``."""
    sides = (f"({_types([column.type for column in side])})" for side in (left, right))
    text = f"rows {' and '.join(sides)} of a {kind} {by}join by ({_types(map(type_of, keys))})"
    return text if timed or by else text + ", side by side"


def rows_layout(columns: Sequence[Column], keys: Sequence[int]) -> str:
    """Of the last row of each key."""
    by = _types([columns[key].type for key in keys])
    return f"last rows ({_types([column.type for column in columns])}) by ({by})"


def over_layout(
    columns: Sequence[Column], partition: Sequence[int], order: str, frame: Frame, calls: Sequence[Call]
) -> str:
    """Of OVER windows."""
    start, end = ("UNBOUNDED" if bound is None else bound for bound in (frame.start, frame.end))
    over = f"{'ROWS' if frame.rows else 'RANGE'} {start} to {end}"
    by = _types([columns[i].type for i in partition])
    rows = _types([column.type for column in columns])
    return f"{', '.join(map(_call, calls))} over {over} of rows ({rows}) by ({by}) in the order of ({order})"


def match_layout(
    columns: Sequence[Column], partition: Sequence[int], order: str, pattern: Sequence[PatternVariable]
) -> str:
    """Of the rows of matches of a pattern."""
    variables = " ".join(f"{each.name}{_quantifier(each)}" for each in pattern)
    rows, by = _types([column.type for column in columns]), _types([columns[i].type for i in partition])
    return f"matches of ({variables}) in rows ({rows}) by ({by}) in the order of ({order})"


def _quantifier(variable: PatternVariable) -> str:
    bounds = f"{{{variable.least},{'' if variable.most is None else variable.most}}}"
    return ("" if bounds == "{1,1}" else bounds) + ("" if variable.greedy or variable.least == variable.most else "?")


def sink_layout(columns: Sequence[Column], primary: Sequence[int], upsert: Sequence[int] | None, conflict: str) -> str:
    """Of the rows that have a primary key of a sink; see `SinkMaterialize`."""
    known = "all columns" if upsert is None else f"({_types([columns[i].type for i in upsert])})"
    shown = "" if conflict == "deduplicate" else ", and the one that is shown"
    by = _types([columns[i].type for i in primary])
    return f"rows ({_types([column.type for column in columns])}) by ({by}), known by {known}{shown}"


def top_layout(columns: Sequence[Column], order: Sequence[tuple[int, bool, bool]], rows: int | None) -> str:
    """Of rows in order, this number of them; None: all."""
    by = ", ".join(f"{columns[i].name} {'ASC' if ascending else 'DESC'}" for i, ascending, _ in order)
    count = "all" if rows is None else str(rows)
    return f"{count} rows ({_types([column.type for column in columns])}) in the order of ({by})"


def _call(call: Call) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    # Functions that have no name in SQL are numbered.
    name = re.sub(r"(?<=.)\$\d+$", "", call.function)
    return f"{name}({distinct}{_types(map(type_of, call.args))})"


def _types(kinds: Sequence[DataType] | map[DataType]) -> str:
    return ", ".join(summary(kind.nullable()) for kind in kinds)
