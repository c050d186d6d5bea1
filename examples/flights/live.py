"""A table on the terminal that changes while the job runs, and the summary at its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from airport_hours import AirportHour
from alerts import Alert
from carrier_statistics import Carrier, Statistics, carrier_of
from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

COMPANY = (" Inc.", " Co.", " Corporation")
BUSY_FLIGHTS = 10
"""Hours of fewer flights are not among the worst."""
WORST = 5
"""Hours and alerts that are shown."""

BAR_CELLS = (5, 6)
BAR_MINUTES = 4.0
"""A bar's cells for early and for late arrivals, and the minutes that each cell stands for."""


class Board:
    """What the driver knows of the job's results; shown as a live table inside its ``with`` block.

    Args:
        live: Draw the table while the job runs; never done where stdout is no terminal.
    """

    def __init__(self, live: bool = True) -> None:
        self.latest: dict[str, tuple[str, Statistics]] = {}
        self.hours: dict[tuple[str, str], AirportHour] = {}
        self.alerts: list[Alert] = []
        self.cancelled = self.too_late = self.alert_count = 0
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

    def update(self, latest: dict[str, tuple[str, Statistics]]) -> None:
        """Take newer statistics of some carriers, by their names."""
        for name, new in latest.items():
            old = self.latest.get(name)
            if old is None or new[1][1] > old[1][1]:
                self.latest[name] = new

    def update_hours(self, hours: Iterable[AirportHour]) -> None:
        """Take newer lines of some hours."""
        self.hours.update((hour[:2], hour) for hour in hours)

    def add_alerts(self, count: int, worst: list[Alert]) -> None:
        """Take more alerts.

        Args:
            count: How many.
            worst: Those of them with the longest delays.
        """
        self.alert_count += count
        self.alerts = sorted(self.alerts + worst, key=lambda alert: -alert.third)[:WORST]

    def worst_hours(self) -> list[AirportHour]:
        """The busy hours of the longest mean delays."""
        busy = [hour for hour in self.hours.values() if hour.flights >= BUSY_FLIGHTS]
        return sorted(busy, key=lambda hour: -hour.delay_mean)[:WORST]

    @property
    def flights(self) -> int:
        """Flights that took off."""
        return sum(row[1] for _, row in self.latest.values())

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
            return Group(self.table(), Text("\n".join(self._told())))
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
        if not self.live:
            lines += ["", *self._told(), ""]
        lines.append(f"{self.seconds:.1f} s, {self.rate:,.0f} flights/s, start included")
        return "\n".join(lines)

    def _told(self) -> Iterator[str]:
        """Hours and alerts, a line each."""
        yield f"{len(self.hours):,} hours of airports, too late for theirs: {self.too_late:,} flights; the worst hours:"
        for hour in self.worst_hours():
            mean, longest = f"{hour.delay_mean:+.1f}", f"{hour.delay_max:+}"
            yield f"  {hour.origin}  {hour.hour}  {hour.flights:>3} flights  mean {mean:>6} min  longest {longest} min"
        yield f"{self.alert_count:,} alerts of planes whose delays grew; the longest:"
        for alert in self.alerts:
            grown = f"{alert.first:+} {alert.second:+} {alert.third:+} min"
            yield f"  {alert.tail:<6}  {alert.departure}  {short(alert.airline):<20}  {grown}"


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
