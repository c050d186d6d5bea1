"""The timer service of functions without keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from datastream.errors import UnsupportedOperation
from datastream.time import TimerService

from .host import system_clock


class UnkeyedTimers(TimerService):
    """Provides the time; timers need keys.

    Args:
        owner: Whose `watermark` is event time so far.
        clock: Returns the machine's time in ms.
    """

    def __init__(self, owner: Any, clock: Callable[[], int] = system_clock) -> None:
        self._owner = owner
        self._clock = clock

    def current_processing_time(self) -> int:
        return self._clock()

    def current_watermark(self) -> int:
        watermark: int = self._owner.watermark
        return watermark

    def _refuse(self, timestamp: int) -> NoReturn:
        raise UnsupportedOperation(
            "timers need a keyed stream: call key_by first (on both streams, if they are connected)"
        )

    register_processing_time_timer = register_event_time_timer = _refuse
    delete_processing_time_timer = delete_event_time_timer = _refuse
