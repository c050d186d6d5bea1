"""What comes out of streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.connectors.collect_sink import CollectSink


def collect(*streams: DataStream, name: str = "collect") -> Any:
    """Run the job of some streams to its end, and return their records.

    It runs on the executor that the settings name. Records of one subtask keep their order; those of several
    interleave as they come, so compare them sorted or with parallelism 1.

    Args:
        streams: Bounded streams of one environment.
        name: Of the job.

    Returns:
        A list of records for one stream, a tuple of lists for several.

    Raises:
        DataStreamError: The job failed.
    """
    sinks = attach(streams)
    streams[0].get_execution_environment().execute(name)
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
