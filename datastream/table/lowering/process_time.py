"""Time and timers of a partition, as a process table function sees them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.functions.process_functions import TimeContext
from datastream.table.types.values import EPOCH, EPOCH_UTC
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, Instant, TimerService

_MS = dt.timedelta(milliseconds=1)


class NamedTimers:
    """Timers of event time with names, over those of the engine, which have none.

    The state has for each name its time, and for each time the names of its timers; None is a timer without a name.

    Args:
        state: A map state of the partition.
        service: The engine's timers of the partition.
    """

    def __init__(self, state: Any, service: TimerService) -> None:
        self._state, self._service = state, service

    def register(self, name: str | None, time: int) -> None:
        """Set a timer, in ms; another one of the same name is replaced."""
        if name is not None:
            self.clear(name)
            self._state.put(name, time)
        names = self._state.get(time) or ()
        if name not in names:
            self._state.put(time, (*names, name))
        self._service.register_event_time_timer(time)

    def clear(self, name: str) -> None:
        """Remove the timer of a name."""
        time = self._state.get(name)
        if time is not None:
            self._state.remove(name)
            self._remove(name, time)

    def clear_unnamed(self, time: int) -> None:
        """Remove the timer of a time that has no name."""
        self._remove(None, time)

    def clear_all(self) -> None:
        """Remove all timers."""
        for key in list(self._state.keys()):
            if isinstance(key, int):
                self._service.delete_event_time_timer(key)
        self._state.clear()

    def due(self, time: int) -> list[str | None]:
        """The names of the timers of a time."""
        return list(self._state.get(time) or ())

    def take(self, name: str | None, time: int) -> bool:
        """Take out a timer that fires. Returns whether it is still there."""
        if name not in (self._state.get(time) or ()):
            return False
        if name is not None:
            self._state.remove(name)
        self._remove(name, time)
        return True

    def _remove(self, name: str | None, time: int) -> None:
        names = self._state.get(time) or ()
        left = tuple(each for each in names if each != name)
        if left:
            self._state.put(time, left)
        elif names:
            self._state.remove(time)
            self._service.delete_event_time_timer(time)


class PartitionTime(TimeContext[Any]):
    """The time of the row or timer in hand.

    Args:
        kind: Of the times that are given and taken: ``int``, ``datetime`` or `Instant`.
        now: Of the row or timer, in ms; None: the call has no ``on_time``.
        zone: Of datetimes; None: they have none.
        service: Knows the watermark.
        timers: Those of the partition; None: the function may set none.
        why_not: Why it may set none.
        tables: How many tables there are.
    """

    def __init__(
        self,
        kind: type,
        now: int | None,
        zone: str | None,
        service: TimerService,
        timers: NamedTimers | None,
        why_not: str,
        tables: int,
    ) -> None:
        self._given, self._now, self._service = _given(kind, zone), now, service
        self._zone, self._timers, self._why_not, self._tables = zone, timers, why_not, tables

    def time(self) -> Any:
        return None if self._now is None else self._given(self._now)

    def current_watermark(self) -> Any:
        watermark = self._service.current_watermark()
        return None if watermark <= MIN_WATERMARK else self._given(watermark)

    def table_watermark(self) -> Any:
        if self._tables > 1:
            raise UnsupportedOperation(
                "table_watermark: of several tables only the watermark of all together is known: call current_watermark"
            )
        return self.current_watermark()

    def register_on_time(self, name_or_time: Any, time: Any = None) -> None:
        timers = self._settable()
        if time is None:
            timers.register(None, self._ms(name_or_time))
        elif isinstance(name_or_time, str):
            timers.register(name_or_time, self._ms(time))
        else:
            raise ValidationError(f"register_on_time: the name of a timer must be a text, got {cut(name_or_time)}")

    def clear_timer(self, name_or_time: Any) -> None:
        timers = self._settable()
        if isinstance(name_or_time, str):
            timers.clear(name_or_time)
        else:
            timers.clear_unnamed(self._ms(name_or_time))

    def clear_all_timers(self) -> None:
        self._settable().clear_all()

    def _settable(self) -> NamedTimers:
        if self._timers is None:
            raise UnsupportedOperation(f"timers are not available: {self._why_not}")
        return self._timers

    def _ms(self, time: Any) -> int:
        if isinstance(time, dt.datetime):
            if time.tzinfo is None and self._zone is not None:
                time = time.replace(tzinfo=ZoneInfo(self._zone))
            since = EPOCH if time.tzinfo is None else EPOCH_UTC
            return int((time - since) // _MS)
        if isinstance(time, Instant):
            return int(time.to_epoch_milli())
        if isinstance(time, int) and not isinstance(time, bool):
            return time
        raise ValidationError(f"the time of a timer must be an int in ms, a datetime or an Instant, got {cut(time)}")


def _given(kind: type, zone: str | None) -> Callable[[int], Any]:
    """What makes a time of milliseconds."""
    if kind is int:
        return lambda ms: ms
    if kind is dt.datetime:
        return lambda ms: _datetime(ms, zone)
    if kind is Instant:
        return Instant.of_epoch_milli
    raise ValidationError(f"time_context: expected int, datetime or Instant, got {cut(kind)}")


def _datetime(ms: int, zone: str | None) -> dt.datetime:
    if ms >= MAX_WATERMARK:  # at the end of the input
        return dt.datetime.max if zone is None else dt.datetime.max.replace(tzinfo=ZoneInfo(zone))
    return EPOCH + ms * _MS if zone is None else (EPOCH_UTC + ms * _MS).astimezone(ZoneInfo(zone))
