"""A table on the terminal that changes while the job runs, and the summary at its end."""

from __future__ import annotations

import sys
import time
from operator import itemgetter
from typing import Any

from carrier_statistics import Carrier, Statistics, carrier_of
from rich.console import Console
from rich.live import Live
from rich.table import Table

from datastream.io import Sink, Writer, WriterContext


class Board:
    """What the driver knows of the job's results; shown as a live table inside its ``with`` block.

    Args:
        live: Draw the table while the job runs; never done where stdout is no terminal.
    """

    def __init__(self, live: bool = True) -> None:
        self.latest: dict[str, Statistics] = {}
        self.cancelled = 0
        self.started = time.monotonic()
        self._console = Console()
        self._live = Live(console=self._console, auto_refresh=False) if live and sys.stdout.isatty() else None

    def __enter__(self) -> Board:
        self.started = time.monotonic()
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, latest: dict[str, Statistics]) -> None:
        """Take newer statistics of some carriers."""
        for carrier, new in latest.items():
            old = self.latest.get(carrier)
            if old is None or new[2] > old[2]:
                self.latest[carrier] = new
        self.draw()

    def draw(self) -> None:
        """Show the present state, if this board is live."""
        if self._live is not None:
            self._live.update(self.table(), refresh=True)

    @property
    def flights(self) -> int:
        """Flights that took off."""
        return sum(row[2] for row in self.latest.values())

    @property
    def rate(self) -> float:
        """Flights a second since the start of the job, the engine's own start included."""
        return (self.flights + self.cancelled) / max(time.monotonic() - self.started, 1e-9)

    def table(self) -> Table:
        """The carriers, those with most flights first."""
        total = self.flights + self.cancelled
        table = Table(title=f"{total:,} flights, {self.rate:,.0f} flights/s", caption="delays in minutes")
        table.add_column("airline", no_wrap=True)
        for name in ("flights", "late", "departure", "arrival", "longest"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in sorted(map(carrier_of, self.latest.values()), key=lambda row: -row.flights):
            table.add_row(
                row.name,
                f"{row.flights:,}",
                f"{100 * row.late / row.flights:.1f} %",
                f"{row.dep_delay_mean:+.1f}",
                "" if row.arr_delay_mean is None else f"{row.arr_delay_mean:+.1f}",
                f"{row.dep_delay_max:,}",
            )
        return table

    def summary(self) -> str:
        """The result in a few lines."""
        rows = [carrier_of(row) for row in self.latest.values()]
        lines = [f"{self.flights:,} flights of {len(rows)} carriers, {self.cancelled:,} cancelled"]
        arrived = [row for row in rows if row.arr_delay_mean is not None]
        if arrived:
            ranked = sorted(arrived, key=lambda row: row.arr_delay_mean or 0.0)
            lines += [f"best:  {told(ranked[0])}", f"worst: {told(ranked[-1])}"]
        lines.append(f"{self.rate:,.0f} flights/s, start included")
        return "\n".join(lines)


def told(row: Carrier) -> str:
    """A carrier's punctuality in words."""
    return f"{row.name}, arrives {row.arr_delay_mean:+.1f} min from schedule on average"


class BoardSink(Sink):
    """Base of sinks whose epochs end on a `Board` in the driver. The board does not travel to workers."""

    collects = True

    def __init__(self, board: Board) -> None:
        self.board: Board | None = board

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "board": None}


class LiveTable(BoardSink):
    """Shows statistics by carrier. A task sends only the newest of each carrier, once an epoch."""

    def writer(self, context: WriterContext) -> Writer:
        return LatestWriter()

    def receive(self, epoch: int, values: list[dict[str, Statistics]]) -> None:
        if self.board is not None:
            for latest in values:
                self.board.update(latest)


class LatestWriter(Writer):
    """Keeps the last statistics of each carrier."""

    def __init__(self) -> None:
        self.latest: dict[str, Statistics] = {}

    def write(self, records: list[Statistics]) -> None:
        self.latest.update(zip(map(itemgetter(0), records), records, strict=True))

    def prepare_commit(self) -> dict[str, Statistics] | None:
        return self.latest or None


class CancelledCount(BoardSink):
    """Counts the records that reach it."""

    def writer(self, context: WriterContext) -> Writer:
        return CountWriter()

    def receive(self, epoch: int, values: list[int]) -> None:
        if self.board is not None:
            self.board.cancelled += sum(values)
            self.board.draw()


class CountWriter(Writer):
    """Counts records."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, records: list[Any]) -> None:
        self.count += len(records)

    def prepare_commit(self) -> int | None:
        return self.count or None
