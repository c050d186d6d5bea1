"""Sinks that tell the `Board` in the driver what each epoch brought, all of an epoch at once."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from airport_hours import AirportHour
from alerts import Alert
from carrier_statistics import Statistics

from datastream.io import Batch, CollectingSink, SinkWriter, WriterContext

if TYPE_CHECKING:
    from live import Board

MOST_ALERTS = 5
"""Alerts that a task sends in an epoch, besides their number: those of the longest delays."""


class BoardSink(CollectingSink):
    """Writes to a `Board` in the driver. The board does not travel to workers."""

    def __init__(self, board: Board) -> None:
        self.board: Board | None = board

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "board": None}


class LiveTable(BoardSink):
    """Shows statistics by carrier. A task sends only the newest of each carrier, once an epoch."""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return LatestWriter()

    def receive(self, epoch: int, values: list[dict[str, tuple[str, Statistics]]]) -> None:
        if self.board is not None:
            for latest in values:
                self.board.update(latest)


class LatestWriter(SinkWriter):
    """Keeps the last statistics of each carrier, by its name."""

    def begin(self, epoch: int, attempt: int) -> None:
        self.latest: dict[str, tuple[str, Statistics]] = {}

    def write(self, batch: Batch) -> None:
        self.latest.update(zip(map(itemgetter(0), batch.records), batch.records, strict=True))

    def prepare_commit(self) -> dict[str, tuple[str, Statistics]] | None:
        return self.latest or None


class LiveHours(BoardSink):
    """Shows the worst hours of airports. A task sends the newest line of each hour that fired in the epoch."""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return HoursWriter()

    def receive(self, epoch: int, values: list[list[tuple[Any, ...]]]) -> None:
        if self.board is not None:
            for hours in values:
                self.board.update_hours(AirportHour(*hour) for hour in hours)


class HoursWriter(SinkWriter):
    """Keeps the last line of each airport's hour."""

    def begin(self, epoch: int, attempt: int) -> None:
        self.latest: dict[tuple[str, str], AirportHour] = {}

    def write(self, batch: Batch) -> None:
        self.latest.update((record[:2], record) for record in batch.records)

    def prepare_commit(self) -> list[tuple[Any, ...]] | None:
        return [tuple(hour) for hour in self.latest.values()] or None


class LiveAlerts(BoardSink):
    """Shows how many alerts there were, and those of the longest delays."""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return AlertsWriter()

    def receive(self, epoch: int, values: list[tuple[int, list[tuple[Any, ...]]]]) -> None:
        if self.board is not None:
            for count, worst in values:
                self.board.add_alerts(count, [Alert(*alert) for alert in worst])


class AlertsWriter(SinkWriter):
    """Counts alerts, and keeps those of the longest delays."""

    def begin(self, epoch: int, attempt: int) -> None:
        self.alerts: list[Alert] = []

    def write(self, batch: Batch) -> None:
        self.alerts += batch.records

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

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return CountWriter()

    def receive(self, epoch: int, values: list[int]) -> None:
        if self.board is not None:
            setattr(self.board, self.what, getattr(self.board, self.what) + sum(values))


class CountWriter(SinkWriter):
    """Counts records."""

    def begin(self, epoch: int, attempt: int) -> None:
        self.count = 0

    def write(self, batch: Batch) -> None:
        self.count += len(batch.records)

    def prepare_commit(self) -> int | None:
        return self.count or None
