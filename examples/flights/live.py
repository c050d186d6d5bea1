"""A table on the terminal that changes while the job runs, and the summary at its end."""

from __future__ import annotations

import sys
import time
from operator import itemgetter
from typing import Any

from carrier_statistics import Carrier, Statistics, carrier_of
from rich import box
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from datastream.io import Sink, Writer, WriterContext

COMPANY = (" Inc.", " Co.", " Corporation")
BAR_CELLS = (5, 6)
BAR_MINUTES = 4.0
"""A bar's cells for early and for late arrivals, and the minutes that each cell stands for."""


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
        self._spinner = Spinner("dots", "starting", style="cyan")
        self._ended: float | None = None
        self._live: Live | None = None
        if live and sys.stdout.isatty():
            self._live = Live(console=self._console, get_renderable=self._shown, refresh_per_second=8)

    @property
    def live(self) -> bool:
        """Whether somebody looks on."""
        return self._live is not None

    def __enter__(self) -> Board:
        self.started = time.monotonic()
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended = time.monotonic()
        if self._live is not None:
            self._live.stop()

    def update(self, latest: dict[str, Statistics]) -> None:
        """Take newer statistics of some carriers."""
        for carrier, new in latest.items():
            old = self.latest.get(carrier)
            if old is None or new[2] > old[2]:
                self.latest[carrier] = new

    @property
    def flights(self) -> int:
        """Flights that took off."""
        return sum(row[2] for row in self.latest.values())

    @property
    def rate(self) -> float:
        """Flights a second since the start of the job, the engine's own start included."""
        return (self.flights + self.cancelled) / max(self.seconds, 1e-9)

    @property
    def seconds(self) -> float:
        """How long the job has run, or ran."""
        return (self._ended or time.monotonic()) - self.started

    def table(self) -> Table:
        """The carriers, those with most flights first; 78 columns wide."""
        title = Text(f"{self.flights + self.cancelled:,} flights", style="bold")
        title.append(f"  {self.seconds:.1f} s  {self.rate:,.0f} flights/s", style="not bold dim")
        table = Table(
            title=title,
            title_justify="left",
            title_style="",
            caption="mean delays and the longest one in minutes; late: left over 15 minutes late",
            caption_justify="left",
            box=box.SIMPLE_HEAD,
            border_style="dim",
            header_style="dim",
            collapse_padding=True,
            pad_edge=False,
        )
        table.add_column("airline", min_width=20, no_wrap=True)
        for name, width in (("flights", 7), ("late", 6), ("longest", 7), ("departs", 7), ("arrives", 7)):
            table.add_column(name, justify="right", min_width=width, no_wrap=True)
        table.add_column("early│late", min_width=sum(BAR_CELLS) + 1, no_wrap=True)
        for row in sorted(map(carrier_of, self.latest.values()), key=lambda row: -row.flights):
            table.add_row(
                short(row.name),
                f"{row.flights:,}",
                f"{100 * row.late / row.flights:.0f} %",
                f"{row.dep_delay_max:,}",
                f"{row.dep_delay_mean:+.1f}",
                "" if row.arr_delay_mean is None else f"{row.arr_delay_mean:+.1f}",
                "" if row.arr_delay_mean is None else bar(row.arr_delay_mean),
            )
        return table

    def _shown(self) -> RenderableType:
        if self.latest:
            return self.table()
        self._spinner.update(text=f"Spark is starting  {self.seconds:.1f} s")
        return self._spinner

    def summary(self) -> str:
        """The result in a few lines."""
        rows = [carrier_of(row) for row in self.latest.values()]
        lines = [f"{self.flights:,} flights of {len(rows)} carriers, {self.cancelled:,} cancelled"]
        arrived = [row for row in rows if row.arr_delay_mean is not None]
        if arrived:
            ranked = sorted(arrived, key=lambda row: row.arr_delay_mean or 0.0)
            lines += [f"best:  {told(ranked[0])}", f"worst: {told(ranked[-1])}"]
        lines.append(f"{self.seconds:.1f} s, {self.rate:,.0f} flights/s, start included")
        return "\n".join(lines)


def short(name: str) -> str:
    """An airline's name without its legal form."""
    for form in COMPANY:
        name = name.removesuffix(form)
    return name


def bar(minutes: float) -> Text:
    """A mean delay as a bar: green to the left of the schedule, red to the right of it."""
    left, right = BAR_CELLS
    cells = round(abs(minutes) / BAR_MINUTES)
    if minutes < 0:
        return Text.assemble(("━" * min(cells, left)).rjust(left), ("│", "dim"), style="green")
    return Text.assemble(" " * left, ("│", "dim"), ("━" * min(cells, right), "red"))


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


class CountWriter(Writer):
    """Counts records."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, records: list[Any]) -> None:
        self.count += len(records)

    def prepare_commit(self) -> int | None:
        return self.count or None
