"""Timers that belong to a window of a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.slots import EVENT_TIMERS, PROCESSING_TIMERS
from datastream.runtime.keyed_state import KeyedStates
from datastream.runtime.keyed_state.timers import TIMER
from datastream.time import TimeDomain
from datastream.whole_numbers import whole_number

_SLOTS = {TimeDomain.EVENT_TIME: EVENT_TIMERS, TimeDomain.PROCESSING_TIME: PROCESSING_TIMERS}


class WindowTimers:
    """Sets a timer of the key for each time that some of its windows have timers for, and keeps which those are.

    Args:
        states: The cell points at the key in hand.
    """

    def __init__(self, states: KeyedStates) -> None:
        self._cell = states.cell
        timers = states.timers
        self._register = {
            TimeDomain.EVENT_TIME: timers.register_event_time_timer,
            TimeDomain.PROCESSING_TIME: timers.register_processing_time_timer,
        }
        self._delete = {
            TimeDomain.EVENT_TIME: timers.delete_event_time_timer,
            TimeDomain.PROCESSING_TIME: timers.delete_processing_time_timer,
        }

    def set(self, domain: TimeDomain, time: int, at: Any) -> None:
        """Set the timer of a window; twice is once."""
        if type(time) is not int:
            time = whole_number(time, TIMER)
        times = self._cell.content.setdefault(_SLOTS[domain], {})
        windows = times.get(time)
        if windows is None:
            self._register[domain](time)
            times[time] = [at]
        elif at not in windows:
            windows.append(at)

    def delete(self, domain: TimeDomain, time: int, at: Any) -> None:
        """Take back the timer of a window, if there is one."""
        if type(time) is not int:
            time = whole_number(time, TIMER)
        windows = self._cell.content.get(_SLOTS[domain], {}).get(time, ())
        if at in windows:
            windows.remove(at)
            if not windows:
                self._forget(domain, time)
                self._delete[domain](time)

    def take(self, domain: TimeDomain, time: int) -> Iterator[Any]:
        """The windows whose timers of this time fire, in the order in which they were set; also those set meanwhile."""
        slot = _SLOTS[domain]
        while windows := self._cell.content.get(slot, {}).get(time):
            at = windows.pop(0)
            if not windows:
                self._forget(domain, time)
            yield at

    def _forget(self, domain: TimeDomain, time: int) -> None:
        content, slot = self._cell.content, _SLOTS[domain]
        del content[slot][time]
        if not content[slot]:
            del content[slot]
