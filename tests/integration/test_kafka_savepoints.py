"""From Kafka to Kafka exactly once, over a stop with a savepoint and a restore with another parallelism, and a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.checks import check, results
from tests.chaos.kinds import JOBS
from tests.chaos.messages import PARTITIONS, values, write_input
from tests.support.processes import Run, Runs, datastream
from tests.support.servers.kafka import Broker

WINDOW_MS = 1000


def after_epochs(job: Run, epochs: int) -> Run:
    job.until(lambda: job.err.count('"event": "epoch"') >= epochs, f"{epochs} epochs")
    return job


@pytest.mark.long
@pytest.mark.parametrize(("job", "first", "second"), [("count", 2, 4), ("window", 4, 1)])
def test_a_restored_job_writes_each_result_once(
    runs: Runs, kafka: Broker, tmp_path: Path, job: str, first: int, second: int
) -> None:
    source, output = (kafka.topic(PARTITIONS, f"savepoint-{end}", retention_ms=-1) for end in ("in", "out"))
    write_input(kafka, source)

    def start(checkpoint: str, parallelism: int, *options: object) -> Run:
        small = ("-D", "datastream.epoch.max-records=800", "-D", "datastream.trigger.interval-ms=400")
        script = JOBS / "kafka_to_kafka.py", job, kafka.bootstrap, source, output, "--window-ms", WINDOW_MS
        folder = ("--checkpoint-dir", tmp_path / checkpoint, "--log-format", "json")
        return runs.job(*small, *folder, "-p", parallelism, *options, *script)

    stopped = after_epochs(start("first", first), 3)
    stop = runs.start(*datastream("stop", "--savepointPath", tmp_path / "savepoints", tmp_path / "first"))
    path = stop.succeed().removeprefix("Savepoint completed. Path: ").strip()
    stopped.succeed()

    restored = ("--from-savepoint", path)
    after_epochs(start("second", second, *restored), 3).process.kill()
    start("second", second, *restored).succeed()

    faults = check(job, WINDOW_MS, values(kafka, output))
    assert not faults.counts, faults.examples
    assert faults.records == results(job, WINDOW_MS)
