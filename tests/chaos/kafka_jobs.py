"""Jobs from Kafka to Kafka, exactly once. All trials of a series share a broker and the input topic."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from tests.chaos.checks import check, results
from tests.chaos.kinds import ANYWHERE, JOBS
from tests.chaos.messages import PARTITIONS, values, write_input
from tests.chaos.trial import Fault
from tests.support.servers.kafka import Broker, OwnBroker

Job = Literal["count", "map", "window"]

#: What the script `jobs/kafka_to_kafka.py` may do.
NAMES: tuple[Job, ...] = get_args(Job)

WINDOW_MS = 1000


class SharedBroker:
    """The broker of a series, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._broker: OwnBroker | None = None

    @property
    def broker(self) -> OwnBroker:
        """The broker.

        Raises:
            UnavailableError: It cannot be had.
        """
        with self._lock:
            if self._broker is None:
                self._broker = OwnBroker()
            return self._broker

    @cached_property
    def input(self) -> str:
        """The topic with all messages."""
        # The messages' time is long ago: by default a broker would delete them.
        topic = self.broker.topic(PARTITIONS, "chaos-in", retention_ms=-1)
        write_input(self.broker, topic)
        return topic

    def strike(self, away_s: float) -> None:
        """Kill it, and start it again after a time."""
        self.broker.kill()
        time.sleep(away_s)
        self.broker.start()

    def stop(self) -> None:
        if self._broker is not None:
            self._broker.stop()


class KafkaJob:
    """One of these jobs.

    Args:
        job: What it does.
        shared: The broker.
    """

    faults: tuple[Fault, ...] = (*ANYWHERE, "broker")
    alone = "broker"
    epoch_records = 400
    settings: Mapping[str, str] = {}

    def __init__(self, job: Job, shared: SharedBroker) -> None:
        self.name = f"kafka-{job}"
        self._job, self._shared = job, shared
        self._outputs: dict[Path, str] = {}

    def script(self, folder: Path) -> list[str]:
        broker = self._shared.broker
        (folder / "out").mkdir()
        output = self._outputs[folder] = broker.topic(PARTITIONS, "chaos-out", retention_ms=-1)
        args = self._job, broker.bootstrap, self._shared.input, output, "--window-ms", str(WINDOW_MS)
        return [str(JOBS / "kafka_to_kafka.py"), *args]

    def differences(self, folder: Path) -> list[str]:
        return _wrong(self._job, self._shared.broker, self._outputs.pop(folder))


class SqlJob:
    """A set of SQL statements: counts and windows of one input into two topics.

    Args:
        shared: The broker.
    """

    name = "kafka-sql"
    faults: tuple[Fault, ...] = tuple(fault for fault in (*ANYWHERE, "broker") if fault != "sink")
    alone = "broker"
    epoch_records = 400
    settings: Mapping[str, str] = {}

    def __init__(self, shared: SharedBroker) -> None:
        self._shared = shared
        self._outputs: dict[Path, list[str]] = {}

    def script(self, folder: Path) -> list[str]:
        broker = self._shared.broker
        (folder / "out").mkdir()
        outputs = self._outputs[folder] = [broker.topic(PARTITIONS, "chaos-out", retention_ms=-1) for _ in range(2)]
        args = broker.bootstrap, self._shared.input, *outputs, "--window-ms", str(WINDOW_MS)
        return [str(JOBS / "sql.py"), *args]

    def differences(self, folder: Path) -> list[str]:
        counts, windows = self._outputs.pop(folder)
        broker = self._shared.broker
        return [*_wrong("count", broker, counts), *_wrong("window", broker, windows)]


def _wrong(job: Job, broker: Broker, topic: str) -> list[str]:
    """What is wrong with what a job has written."""
    faults = check(job, WINDOW_MS, values(broker, topic))
    wrong = [f"{kind}: {n:,}, such as {'; '.join(faults.examples[kind])}" for kind, n in faults.counts.items()]
    expected = results(job, WINDOW_MS)
    if faults.records != expected:
        wrong.append(f"{faults.records:,} records, {expected:,} expected")
    return wrong
