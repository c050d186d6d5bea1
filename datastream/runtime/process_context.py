"""What a process function without keys is told about a record."""

from __future__ import annotations

from typing import Any, NoReturn

from datastream.errors import UnsupportedOperation
from datastream.functions import ProcessFunction
from datastream.runtime.hosts.host import system_clock
from datastream.time import MIN_WATERMARK, TimerService


class ChainContext(ProcessFunction.Context):
    """The context of all process functions of a fused chain.

    Attributes:
        time: The timestamp of the record in hand in ms, or None.
        watermark: Event time so far, in ms.
    """

    __slots__ = ("time", "watermark", "_service")

    def __init__(self) -> None:
        self.time: int | None = None
        self.watermark = MIN_WATERMARK
        self._service = UnkeyedTimerService(self)

    def timestamp(self) -> int | None:
        return self.time

    def timer_service(self) -> TimerService:
        return self._service


class UnkeyedTimerService(TimerService):
    """Tells the time; timers need keys.

    Args:
        context: Whose `watermark` is event time so far.
    """

    def __init__(self, context: Any) -> None:
        self._context = context

    def current_processing_time(self) -> int:
        return system_clock()

    def current_watermark(self) -> int:
        watermark: int = self._context.watermark
        return watermark

    def _refuse(self, timestamp: int) -> NoReturn:
        raise UnsupportedOperation("timers need a keyed stream: call key_by first")

    register_processing_time_timer = register_event_time_timer = _refuse
    delete_processing_time_timer = delete_event_time_timer = _refuse
