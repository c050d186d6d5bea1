"""From a producer's clock to that of a consumer of committed records, on one machine, while a job works between."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import orjson
from confluent_kafka import TopicPartition

from bench.engine import durations, parts_of
from bench.even_load import writing
from bench.kafka_broker import PARTITIONS, consumer, topic
from bench.kafka_engine import environment, flow, sink_to, source_of
from bench.kafka_functions import counted
from bench.kafka_marks import marked_sink, marked_source, medians
from bench.work import temporary_folder
from datastream.api.data_stream import DataStream
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.time import WatermarkStrategy

_PER_S = 100
_LIMIT_S = 120.0


def engine(bootstrap: str, seconds: float, warm_s: float, guarantee: str, keyed: bool, **_given: Any) -> dict[str, Any]:
    """A job with parallelism 1 on two cores, its parts noted."""
    env = environment(1, cores=2)
    topics = topic(bootstrap), topic(bootstrap)
    with topics[0] as source, topics[1] as target, temporary_folder() as checkpoint, temporary_folder() as marks:
        settings().checkpoint_dir = checkpoint
        found = marked_source(source_of(bootstrap, source, False), marks)
        lines = env.from_source(found, WatermarkStrategy.no_watermarks(), "source")
        stream = _by_key(lines) if keyed else flow(lines, False)
        stream.sink_to(marked_sink(sink_to(bootstrap, target, guarantee), marks)).uid("sink")
        client = env.execute_async("latency")
        ended = handle_of(client).future
        result = _measure(bootstrap, source, target, seconds, warm_s, lambda: ended.result() if ended.done() else None)
        parts = durations(handle_of(client).query.recentProgress)[-result["epochs_at_most"] :]
        result["parts"] |= {**_spark(parts), **medians(marks, result["from"])}
        client.cancel()
    return result


def pyspark(bootstrap: str, seconds: float, warm_s: float, keyed: bool, **_given: Any) -> dict[str, Any]:
    """PySpark's own: Kafka's connector, and a Python UDF or a count by key in Java."""
    from bench.kafka_spark import session, start

    spark = session(2)
    with topic(bootstrap) as source, topic(bootstrap) as target, temporary_folder() as checkpoint:
        query = start(spark, bootstrap, source, target, checkpoint, keyed, latency=True, startingOffsets="earliest")
        result = _measure(bootstrap, source, target, seconds, warm_s, lambda: _check(query))
        result["parts"] |= _spark(durations(query.recentProgress)[-result["epochs_at_most"] :])
        query.stop()
    spark.stop()
    return result


def _check(query: Any) -> None:
    failure = query.exception()
    if failure is not None:
        raise failure


def _by_key(lines: DataStream) -> DataStream:
    """The count by key, with the clock of the record that was counted last."""

    def read(data: bytes) -> tuple[str, int, int]:
        fields = orjson.loads(data)
        return fields["user"], 1, fields["at"]

    counts = lines.map(read).key_by(lambda one: one[0]).reduce(lambda old, new: (old[0], old[1] + 1, new[2]))
    return counts.map(lambda one: counted(one[0], one[1], at=one[2]))


def _spark(parts: list[dict[str, int]]) -> dict[str, float]:
    if not parts:
        return {}
    return {"epoch": statistics.median(d["triggerExecution"] for d in parts), **parts_of(parts)}


def _measure(
    bootstrap: str, source: str, target: str, seconds: float, warm_s: float, check: Callable[[], object]
) -> dict[str, Any]:
    """Write at an even rate; how long after its making each record comes out, once the job is warm.

    `check` raises when the job has failed.
    """
    with writing(bootstrap, source, _PER_S, linger_ms=0, keys=True):
        reader = consumer(bootstrap, isolation_level="read_committed", fetch_wait_max_ms=10)
        reader.assign([TopicPartition(target, number, 0) for number in range(PARTITIONS)])
        began = _first(reader, check)
        start = began + warm_s
        late: list[float] = []
        while time.time() < start + seconds:
            for message in reader.consume(1000, 0.001):
                now = time.time()
                made = orjson.loads(message.value())["at"] / 1000
                if made >= start:  # not what had piled up while the job started
                    late.append(1000 * (now - made))
        reader.close()
    ranks = statistics.quantiles(late, n=100)
    return {
        "value": statistics.median(late),
        "records": len(late),
        "from": start,
        "epochs_at_most": max(1, int(len(late) / _PER_S / 0.2)),
        "parts": {"least": min(late), "p90": ranks[89], "p99": ranks[98], "most": max(late)},
    }


def _first(reader: Any, check: Callable[[], object]) -> float:
    """Wait for the first record that comes out."""
    deadline = time.time() + _LIMIT_S
    while time.time() < deadline:
        message = reader.poll(0.05)
        check()
        if message is not None and message.error() is None:
            return time.time()
    raise RuntimeError(f"the job gave no record within {_LIMIT_S:.0f} s")
