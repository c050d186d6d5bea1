"""Which host runs a window operation."""

from __future__ import annotations

from datastream.graph.operators import Window
from datastream.runtime.hosts.host import Setting
from datastream.windows import (
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    EventTimeTrigger,
    ProcessingTimeSessionWindows,
    ProcessingTimeTrigger,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from datastream.windows.operation import WindowOperation

from .base import WindowHostBase
from .counting import CountWindowHost
from .general import WindowHost
from .panes import PaneWindowHost, joins
from .sessions import SessionWindowHost
from .time_windows import TimeWindowHost

_REGULAR = {
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
}
_SESSIONS = {EventTimeSessionWindows, ProcessingTimeSessionWindows}


def window_host(op: Window, setting: Setting) -> WindowHostBase:
    """The fastest host that runs a window operation.

    Args:
        op: The operator.
        setting: Of the job.
    """
    operation = op.operation
    kind = type(operation.assigner)
    if operation.evictor is not None or not _fires_as_usual(operation):
        return WindowHost(op, setting)
    if kind is CountTumblingWindowAssigner:
        return CountWindowHost(op, setting)
    if kind in _SESSIONS:
        return SessionWindowHost(op, setting)
    if kind in _REGULAR:
        assigner: object = operation.assigner
        overlap = getattr(assigner, "slide", 0) and assigner.slide < assigner.size  # type: ignore[attr-defined]
        shares = overlap and operation.incremental is not None and joins(operation.incremental)
        return (PaneWindowHost if shares else TimeWindowHost)(op, setting)
    return WindowHost(op, setting)


def _fires_as_usual(operation: WindowOperation) -> bool:
    """Whether windows of time fire at their end, and others as their assigner has it."""
    usual = EventTimeTrigger if operation.assigner.is_event_time() else ProcessingTimeTrigger
    return operation.trigger is None or (
        type(operation.trigger) is usual and type(operation.assigner) in _REGULAR | _SESSIONS
    )
