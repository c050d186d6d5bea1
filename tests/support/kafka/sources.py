"""Makes Kafka sources of a test's broker, and drives them as a job would."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from datastream.connectors.kafka import KafkaSource, KafkaSourceBuilder
from datastream.formats import SimpleStringSchema
from tests.support.drive import Driven, driven, read
from tests.support.waiting import wait_until

DEADLINE_S = 60.0


def builder(kafka: Any, *topics: str, pattern: str | None = None, partitions: Any = None) -> KafkaSourceBuilder:
    """A builder of a source of text."""
    made = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap)
    made.set_value_only_deserializer(SimpleStringSchema())
    if topics:
        made.set_topics(*topics)
    if pattern is not None:
        made.set_topic_pattern(pattern)
    if partitions is not None:
        made.set_partitions(partitions)
    return made


def drain(
    source: KafkaSource | Driven,
    start: Any,
    budget: int = 1_000,
    until: Callable[[list[Any]], Any] | None = None,
) -> tuple[list[Any], Any]:
    """All records from an offset on that are there, or until they are enough; each epoch is read twice.

    Returns:
        The records, and the offset behind them.
    """
    source = driven(source)
    records: list[Any] = []
    deadline = time.monotonic() + DEADLINE_S
    while True:
        assert time.monotonic() < deadline, f"{len(records)} records so far"
        end = json.loads(json.dumps(source.latest_offset(start, budget)))
        if end == start and (until is None or until(records)):
            return records, end
        once = read(source, start, end)
        assert read(source, start, end) == once, "a replay reads the same"
        records, start = records + once, end


def eventually(done: Callable[[], bool]) -> None:
    """Wait until something is so."""
    wait_until(done, "such a source", DEADLINE_S)
