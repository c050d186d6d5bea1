"""Sinks that tell the `Board` in the driver what each epoch brought, all of an epoch at once."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from airport_hours import AirportHour
from alerts import Alert
from carrier_statistics import Statistics

from datastream.io import Sink, Writer, WriterContext

if TYPE_CHECKING:
    from live import Board

MOST_ALERTS = 5
"""Alerts that a task sends in an epoch, besides their number: those of the longest delays."""


class BoardSink(Sink):
    """Writes to a `Board` in the driver. The board does not travel to workers."""

    collects = True

    def __init__(self, board: Board) -> None:
        self.board: Board | None = board

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "board": None}


class LiveTable(BoardSink):
    """Shows statistics by carrier. A task sends only the newest of each carrier, once an epoch."""

    def writer(self, context: WriterContext) -> Writer:
        return LatestWriter()

    def receive(self, epoch: int, values: list[dict[str, tuple[str, Statistics]]]) -> None:
        if self.board is not None:
            for latest in values:
                self.board.update(latest)


class LatestWriter(Writer):
    """Keeps the last statistics of each carrier, by its name."""

    def __init__(self) -> None:
        self.latest: dict[str, tuple[str, Statistics]] = {}

    def write(self, records: list[tuple[str, Statistics]]) -> None:
        self.latest.update(zip(map(itemgetter(0), records), records, strict=True))

    def prepare_commit(self) -> dict[str, tuple[str, Statistics]] | None:
        return self.latest or None


class LiveHours(BoardSink):
    """Shows the worst hours of airports. A task sends the newest line of each hour that fired in the epoch."""

    def writer(self, context: WriterContext) -> Writer:
        return HoursWriter()

    def receive(self, epoch: int, values: list[list[tuple[Any, ...]]]) -> None:
        if self.board is not None:
            for hours in values:
                self.board.update_hours(AirportHour(*hour) for hour in hours)


class HoursWriter(Writer):
    """Keeps the last line of each airport's hour."""

    def __init__(self) -> None:
        self.latest: dict[tuple[str, str], AirportHour] = {}

    def write(self, records: list[AirportHour]) -> None:
        self.latest.update((record[:2], record) for record in records)

    def prepare_commit(self) -> list[tuple[Any, ...]] | None:
        return [tuple(hour) for hour in self.latest.values()] or None


class LiveAlerts(BoardSink):
    """Shows how many alerts there were, and those of the longest delays."""

    def writer(self, context: WriterContext) -> Writer:
        return AlertsWriter()

    def receive(self, epoch: int, values: list[tuple[int, list[tuple[Any, ...]]]]) -> None:
        if self.board is not None:
            for count, worst in values:
                self.board.add_alerts(count, [Alert(*alert) for alert in worst])


class AlertsWriter(Writer):
    """Counts alerts, and keeps those of the longest delays."""

    def __init__(self) -> None:
        self.alerts: list[Alert] = []

    def write(self, records: list[Alert]) -> None:
        self.alerts += records

    def prepare_commit(self) -> tuple[int, list[tuple[Any, ...]]] | None:
        worst = sorted(self.alerts, key=lambda alert: -alert.third)[:MOST_ALERTS]
        return (len(self.alerts), [tuple(alert) for alert in worst]) if worst else None


class Count(BoardSink):
    """Counts the records that reach it.

    Args:
        board: Shows the count.
        what: Its attribute.
    """

    def __init__(self, board: Board, what: str) -> None:
        super().__init__(board)
        self.what = what

    def writer(self, context: WriterContext) -> Writer:
        return CountWriter()

    def receive(self, epoch: int, values: list[int]) -> None:
        if self.board is not None:
            setattr(self.board, self.what, getattr(self.board, self.what) + sum(values))


class CountWriter(Writer):
    """Counts records."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, records: list[Any]) -> None:
        self.count += len(records)

    def prepare_commit(self) -> int | None:
        return self.count or None
