"""What a process function without keys can ask about a record."""

from __future__ import annotations

from collections.abc import Callable

from datastream.functions import ProcessFunction
from datastream.time import MIN_WATERMARK, NO_TIMESTAMP, TimerService

from .hosts.host import system_clock
from .hosts.unkeyed_timers import UnkeyedTimers


class ChainContext(ProcessFunction.Context):
    """The context of all process functions of a fused chain.

    Attributes:
        time: The timestamp of the record in hand in ms, or None.
        watermark: Event time so far, in ms.
    """

    __slots__ = ("time", "watermark", "_service")

    def __init__(self, clock: Callable[[], int] = system_clock) -> None:
        self.time: int | None = None
        self.watermark = MIN_WATERMARK
        self._service = UnkeyedTimers(self, clock)

    def timestamp(self) -> int:
        return NO_TIMESTAMP if self.time is None else self.time

    def timer_service(self) -> TimerService:
        return self._service
