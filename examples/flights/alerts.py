"""Alerts: a plane that leaves later and later."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from carrier_statistics import LATE_MINUTES
from output import lines_of
from parsing import MINUTE_MS, Flight, clock_time
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

WITHIN_MS = 24 * 60 * MINUTE_MS

Departed = tuple[str, str, int, int]
"""What crosses the exchange: plane, carrier, departure in ms, delay in minutes."""

Growth = tuple[str, str, int, int, int, int]
"""Carrier, plane, departure of the third flight in ms, and the three delays in minutes."""


class Alert(NamedTuple):
    """The delays of three flights of a plane in a row, each longer than the one before; the columns of the files.

    Attributes:
        airline: Name of the airline of the third flight.
        tail: The plane.
        departure: When the third flight left, as text.
        first: Delay of the first flight, in minutes.
        second: Of the second.
        third: Of the third.
    """

    airline: str
    tail: str
    departure: str
    first: int
    second: int
    third: int


def to_departed(flight: Flight) -> Departed:
    return flight.tail, flight.carrier, flight.departure, flight.dep_delay


class GrowingDelays(KeyedProcessFunction):
    """By plane: an alert when its delay grew twice within a day, and it leaves late now.

    Two readers share the table, so flights may come out of order: each waits for the watermark to pass its departure.
    """

    def open(self, runtime_context: RuntimeContext) -> None:
        # By departure: a plane leaves once a minute at most.
        waiting = MapStateDescriptor("waiting", Types.LONG(), Types.PICKLED_BYTE_ARRAY())
        self.waiting = runtime_context.get_map_state(waiting)
        self.last_two = runtime_context.get_state(ValueStateDescriptor("last two", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value: Departed, ctx: KeyedProcessFunction.Context) -> None:
        departure, timers = value[2], ctx.timer_service()
        if departure > timers.current_watermark():  # else its turn is over
            self.waiting.put(departure, value)
            timers.register_event_time_timer(departure)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Growth]:
        tail, carrier, departure, delay = self.waiting.get(timestamp)
        self.waiting.remove(timestamp)
        before = self.last_two.value() or ()
        self.last_two.update((*before, (departure, delay))[-2:])
        if len(before) == 2:
            (since, first), (_, second) = before
            if first < second < delay and delay > LATE_MINUTES and departure - since <= WITHIN_MS:
                yield carrier, tail, departure, first, second, delay


def alert_of(growth: tuple[str, Growth]) -> Alert:
    """An alert as people read it, of an airline's name and what grew."""
    airline, (_, tail, departure, *delays) = growth
    return Alert(airline, tail, clock_time(departure), *delays)


def to_csv(alert: Alert) -> str:
    """One line of the output, without the line's end."""
    airline, *others = alert
    return ",".join((f'"{airline}"', *map(str, others)))


def read(output: Path) -> list[Alert]:
    """All alerts in the files of a folder."""
    rows: Any = csv.reader(lines_of(output))
    return [Alert(row[0], row[1], row[2], *map(int, row[3:])) for row in rows]
