"""A job from Kafka to Kafka that is scaled by its backlog: a real load that rises and falls, each record once."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.services.conftest import TOKEN, Runner, Runners

#: A subtask processes some 500 records per second, whatever the machine; counts by key, exactly once.
COUNTS = """
import sys, time
from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer, KafkaRecordSerializationSchema, KafkaSink, KafkaSource
)
bootstrap, orders, totals = sys.argv[1:]

def slow(text):
    time.sleep(0.002)
    return int(text) % 16, text, 1

env = StreamExecutionEnvironment.get_execution_environment()
builder = KafkaSource.builder().set_bootstrap_servers(bootstrap).set_topics(orders).set_group_id(orders)
builder = builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
records = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("orders").map(slow)
counts = records.key_by(lambda record: record[0]).reduce(lambda a, b: (a[0], b[1], a[2] + b[2])).uid("counts")
schema = KafkaRecordSerializationSchema.builder().set_topic(totals)
schema = schema.set_value_serialization_schema(SimpleStringSchema()).build()
builder = KafkaSink.builder().set_bootstrap_servers(bootstrap).set_record_serializer(schema)
builder = builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix(totals)
counts.map(lambda record: f"{record[0]} {record[1]} {record[2]}").sink_to(builder.build()).uid("totals")
env.execute("counts")
"""
QUICK = ("--scaling-up-backlog", 10, "--scaling-up-after", 8, "--scaling-down-after", 15, "--scaling-cooldown", 10)


class Feed:
    """Writes numbers to a topic, so many each second."""

    def __init__(self, kafka: Any, topic: str) -> None:
        self.rate, self.written, self._kafka, self._topic = 0, 0, kafka, topic
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @contextmanager
    def running(self) -> Iterator[Feed]:
        self._thread.start()
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(0.5):
            count = self.rate // 2
            for part in range(4):
                some = [str(n).encode() for n in range(self.written, self.written + count) if n % 4 == part]
                self._kafka.produce(self._topic, some, partition=part)
            self.written += count


def scaled(runners: Runners, kafka: Any, orders: str, totals: str, *flags: object) -> Runner:
    """A runner of `COUNTS` with parallelisms from 1 to 4."""
    return runners.start(
        "--upgrade",
        "savepoint",
        "--checkpoint-dir",
        runners.folder / "checkpoint",
        "--scaling-min",
        1,
        "--scaling-max",
        4,
        "--master",
        "local[1]",
        "-D",
        "datastream.epoch.max-records=1000",
        *flags,
        runners.script(COUNTS),
        kafka.bootstrap,
        orders,
        totals,
        DATASTREAM_CONTROL_TOKEN=TOKEN,
    )


def parallelisms(runner: Runner) -> list[int]:
    return [event["parallelism"] for event in runner.events("scaling") if "parallelism" in event]


def assert_exact(kafka: Any, totals: str, written: int) -> None:
    """Each record has been counted once, and each count came once."""
    rows = [tuple(map(int, record.value.decode().split())) for record in kafka.read(totals, count=written)]
    assert Counter(number for _, number, _ in rows) == Counter(range(written))
    for key in range(16):
        counts = sorted(count for of, _, count in rows if of == key)
        assert counts == list(range(1, len(counts) + 1))


@pytest.mark.load
@pytest.mark.timeout(900)
def test_a_load_that_rises_and_falls(runners: Runners, kafka: Any) -> None:
    orders, totals = kafka.topic(4), kafka.topic()
    runner = scaled(runners, kafka, orders, totals, *QUICK)
    pid = runner.run.process.pid
    began = time.monotonic()

    def until(happened: Callable[[], bool], what: str) -> None:
        runner.run.until(happened, what, 400)
        print(f"{time.monotonic() - began:6.0f} s: {what}, {feed.rate} records/s")

    with Feed(kafka, orders).running() as feed:
        feed.rate = 150
        until(lambda: len(runner.events("epoch")) > 3, "epochs")
        time.sleep(20)
        assert parallelisms(runner) == []
        feed.rate = 1200
        until(lambda: parallelisms(runner)[-1:] == [4], "4 subtasks")
        assert parallelisms(runner) == [2, 4]
        until(lambda: len([e for e in runner.events("start") if e["parallelism"] == 4]) > 0, "a start with 4 subtasks")
        assert runner.job()["scaling"]["parallelism"] == 4
        time.sleep(20)
        feed.rate = 100
        until(lambda: parallelisms(runner)[-1:] == [1], "1 subtask")
        assert parallelisms(runner) == [2, 4, 2, 1]
        feed.stop()
    written = feed.written
    until(lambda: len(kafka.read(totals)) >= written, "all counts")
    for event in runner.events("scaling"):
        print(event)
    assert runner.run.process.pid == pid and runner.terminate() == 0, runner.run.told()
    assert_exact(kafka, totals, written)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_amid_changes(runners: Runners, kafka: Any) -> None:
    """Kills at any moment while the parallelism, from Kafka to Kafka, differs with each start."""
    chance = random.Random(15)
    orders, totals = kafka.topic(4), kafka.topic()

    def start() -> Runner:
        wanted = chance.choice([1, 2, 4])
        return scaled(
            runners, kafka, orders, totals, "--scaling-min", wanted, "--scaling-max", wanted, "--master", "local[2]"
        )

    with Feed(kafka, orders).running() as feed:
        feed.rate = 200
        for _ in range(5):
            runner = start()
            what = chance.choice(["savepoint", "begin", "finish", "epoch"])
            deadline = time.monotonic() + 25
            while time.monotonic() < deadline and len(runner.events("epoch")) < 2:
                assert runner.run.process.poll() is None, runner.run.told()
                if what in [event["step"] for event in runner.events("upgrade")]:
                    break
                time.sleep(0.02)
            time.sleep(chance.random() * chance.choice([0.2, 3]))
            print(what, [event["step"] for event in runner.events("upgrade")], len(runner.events("epoch")))
            runner.kill_all()
        feed.stop()
    last = start()
    last.run.until(lambda: len(kafka.read(totals)) >= feed.written, "all counts", 240)
    assert last.terminate() == 0, last.run.told()
    assert_exact(kafka, totals, feed.written)
