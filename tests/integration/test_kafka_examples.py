"""The examples that read and write Kafka, by the command line, against a real broker."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from datastream.compat import install, installed, uninstall
from tests.support.flights import expected_alerts, expected_carriers, expected_hours, flights_that_left, possibly_late
from tests.support.processes import ROOT, Runs
from tests.support.servers.kafka import Broker

pytestmark = pytest.mark.long  # many processes of their own

EXAMPLES = ROOT / "examples"
FLIGHTS = EXAMPLES / "flights"
RESULTS = ("carriers", "hours", "too-late", "alerts")

LINES = ["to be or not to be", "", "that is the question", "whether to be"] * 50


@pytest.fixture(scope="module")
def dataset() -> Iterator[ModuleType]:
    """The job's module that finds its data."""
    path, before = list(sys.path), installed()
    install()  # the example imports pyflink
    sys.path.insert(0, str(FLIGHTS))
    try:
        yield import_module("dataset")
    finally:
        sys.path[:] = path
        if not before:
            uninstall()


def rows(kafka: Broker, topic: str) -> list[dict[str, Any]]:
    """The records of a topic, by partition and offset; keys are their first columns."""
    found = []
    for record in kafka.read(topic):
        row = json.loads(record.value or b"")
        assert record.key == next(iter(row.values())).encode()
        found.append(row)
    return found


def assert_counted(kafka: Broker, topic: str, lines: list[str]) -> None:
    """Each word has each count up to its number once, in order."""
    counts: dict[str, list[int]] = {}
    for row in rows(kafka, topic):
        counts.setdefault(row["word"], []).append(row["count"])
    words = Counter(word for line in lines for word in line.split())
    assert counts == {word: list(range(1, number + 1)) for word, number in words.items()}


def test_word_count(runs: Runs, kafka: Broker) -> None:
    lines, counts = kafka.topic(4, prefix="lines"), kafka.topic(2, prefix="counts")
    kafka.produce(lines, LINES)
    # Twice with one folder: what the first run has counted the second does not count again.
    job = ["--checkpoint-dir", "state", EXAMPLES / "kafka_word_count.py", "--bootstrap-servers", kafka.bootstrap]
    run = runs.job(*job, "--source", lines, "--sink", counts)
    words = sum(len(line.split()) for line in LINES)
    run.until(lambda: len(kafka.read(counts)) == words, "counts of the first lines")
    run.interrupt()
    assert run.wait() == 130, run.told()
    kafka.produce(lines, LINES)
    run = runs.job(*job, "--source", lines, "--sink", counts)
    run.until(lambda: len(kafka.read(counts)) >= 2 * words, "counts of the other lines")
    run.interrupt()
    assert run.wait() == 130, run.told()
    assert_counted(kafka, counts, 2 * LINES)
    run.assert_tidy()


def test_word_count_up_to_the_end_of_the_topic(runs: Runs, kafka: Broker) -> None:
    lines, counts = kafka.topic(2, prefix="lines"), kafka.topic(2, prefix="counts")
    kafka.produce(lines, LINES)
    run = runs.job(
        "--executor", "local", EXAMPLES / "kafka_word_count.py",
        "--bootstrap-servers", kafka.bootstrap, "--source", lines, "--sink", counts, "--bounded",
    )  # fmt: skip
    run.succeed()
    assert_counted(kafka, counts, LINES)


@pytest.mark.long
def test_flights(runs: Runs, kafka: Broker, dataset: ModuleType) -> None:
    """The shipped month, against pandas and plain Python over the same data."""
    table, airlines = dataset.MONTH, dataset.AIRLINES
    topic = f"{kafka.topic(prefix='of')}-flights"
    where = ["--bootstrap-servers", kafka.bootstrap]
    producer = runs.start(sys.executable, FLIGHTS / "kafka_producer.py", *where, "--topic", topic, "--month-only")
    assert "27,004 flights" in producer.succeed()

    said = runs.job(FLIGHTS / "kafka_job.py", *where, "--source", topic, "--bounded", "--no-live").succeed()
    assert "26,483 flights of 16 carriers, 521 cancelled" in said
    carriers, hours, late, alerts = (rows(kafka, f"{topic}-{result}") for result in RESULTS)

    assert len(carriers) == 26_483, "one for each flight that left"
    last = {row["carrier"]: tuple(row.values()) for row in carriers}
    assert last == expected_carriers(table, airlines)

    flights = flights_that_left(table)
    assert sorted(tuple(row.values()) for row in alerts) == expected_alerts(flights, airlines)
    # What came after its hour had ended fired it anew.
    sums = {key(row): numbers(row) for row in hours}
    for row in late:
        before = sums.get(key(row), (0, 0, -10_000))
        count, total, longest = numbers(row)
        sums[key(row)] = before[0] + count, before[1] + total, max(before[2], longest)
    assert sums == expected_hours(flights)
    assert {key(row) for row in late} <= possibly_late(flights).keys()


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["origin"], row["hour"]


def numbers(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["flights"], row["delay_sum"], row["delay_max"]
