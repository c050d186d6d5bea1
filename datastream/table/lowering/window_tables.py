"""Windows by time: what may be one, and each row with the windows that it is in."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.codegen.calc import RowCompiler
from datastream.table.codegen.expression_code import Code
from datastream.table.plan.expressions import Call, Cast, Expression, Field
from datastream.table.plan.relations import Column, Window
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import LocalZonedTimestampType, TimestampType, is_nullable
from datastream.time.zones import ZoneClock

from .lowering import Lowering


def clock_time(time: Expression) -> Cast:
    """What the session's clock shows at a point in time."""
    kind = TimestampType(6, is_nullable(type_of(time)))
    return Cast(time, kind, type=kind)


def zone_of(lowering: Lowering, window: Window, columns: Sequence[Column]) -> str:
    """The time zone whose clock a window is of; empty: UTC, or that of TIMESTAMP itself."""
    zoned = window.zoned or isinstance(columns[window.time].type, LocalZonedTimestampType)
    return lowering.options.zone if zoned and lowering.options.zone != "UTC" else ""


def check_window(lowering: Lowering, window: Window, columns: Sequence[Column]) -> None:
    """See whether there are such windows of these columns.

    Raises:
        UnsupportedOperation: There are none.
    """
    if columns[window.time].time == "proctime" and lowering.context.batch:
        raise UnsupportedOperation("windows of processing time are there in streaming mode only")
    if (window.size_us % 1000, window.slide_us % 1000, window.offset_us % 1000) != (0, 0, 0):
        raise UnsupportedOperation("the length of a window must be whole milliseconds")
    if window.kind == "cumulate" and window.size_us % window.slide_us:
        raise UnsupportedOperation("CUMULATE: the longest window must be a multiple of the step")


def window_columns(compiler: RowCompiler, window: Window, columns: Sequence[Column], zone: str) -> None:
    """Write the code of a window's columns: start, end, and the last moment in it.

    Args:
        compiler: Of the rows.
        window: The window.
        columns: Of the input.
        zone: The time zone whose clock the windows are of; empty: that of the time itself.
    """
    column = columns[window.time]
    field = Field(window.time, column.name, type=column.type)
    shown: Expression = Call("proctime", type=field.type) if column.time == "proctime" else field
    time = compiler.value(clock_time(shown) if zone else shown).text
    if is_nullable(column.type):
        time, given = compiler.names.variable(), time
        compiler.line(f"{time} = {compiler.names.bind(_timed)}({given})", f"window of {column.name}")
    start, end, last = (compiler.names.variable() for _ in range(3))
    size, slide, offset, what = window.size_us, window.slide_us, window.offset_us, f"window of {column.name}"
    shifted = f"({time} - {offset})" if offset else time
    if window.kind == "tumble":
        compiler.line(f"{start} = {time} - {shifted} % {size}", what)
        compiler.line(f"{end} = {start} + {size}", what)
    elif window.kind == "hop":
        compiler.block(f"for {start} in range({time} - {shifted} % {slide}, {time} - {size}, -{slide})", what)
        compiler.line(f"{end} = {start} + {size}", what)
    elif window.kind == "cumulate":
        compiler.line(f"{start} = {time} - {shifted} % {size}", what)
        first = f"{start} + ({time} - {start}) // {slide} * {slide} + {slide}"
        compiler.block(f"for {end} in range({first}, {start} + {size} + 1, {slide})", what)
    if column.time == "proctime":
        compiler.append([Code(start, False, True), Code(end, False, True), compiler.value(shown)])
        return
    passed = f"{compiler.names.bind(ZoneClock(zone).deadline)}({end})" if zone else end
    compiler.line(f"{last} = {passed} - 1000", what)
    compiler.append([Code(name, False, True) for name in (start, end, last)])


def _timed(time: int | None) -> int:
    if time is None:
        raise ValidationError("the time of a row must not be NULL where it is put into windows")
    return time
