"""What comes out of streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.config.settings import settings
from datastream.connectors.collect_sink import CollectSink

EXECUTORS = ("local", "spark")


def collect(*streams: DataStream, name: str = "collect", executor: str | None = None) -> Any:
    """Run the job of some streams to its end, and return their records.

    Records of one subtask keep their order; those of several
    interleave as they come, so compare them sorted or with parallelism 1.

    Args:
        streams: Bounded streams of one environment.
        name: Of the job.
        executor: ``local`` or ``spark``; default: that of `datastream run`, or of the fixture ``run``, else Spark.

    Returns:
        A list of records for one stream, a tuple of lists for several.

    Raises:
        DataStreamError: The job failed.
        ValueError: There is no such executor.
    """
    if executor not in (None, *EXECUTORS):
        raise ValueError(f"expected 'local' or 'spark', got {executor!r}")
    sinks = attach(streams)
    given = settings()
    before = given.executor
    given.executor = executor or before
    try:
        streams[0].get_execution_environment().execute(name)
    finally:
        given.executor = before
    lists = records(sinks)
    return lists[0] if len(lists) == 1 else tuple(lists)


def attach(streams: Sequence[DataStream]) -> list[CollectSink]:
    """Give each stream a sink that keeps its records."""
    sinks = [CollectSink() for _ in streams]
    for stream, sink in zip(streams, sinks, strict=True):
        stream.sink_to(sink).set_parallelism(stream.get_parallelism())
    return sinks


def records(sinks: Sequence[CollectSink]) -> list[list[Any]]:
    """What the sinks got, once the job has ended."""
    for sink in sinks:
        sink.close()
    return [list(sink) for sink in sinks]
