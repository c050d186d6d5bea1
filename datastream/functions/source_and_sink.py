"""The markers of the old source and sink functions."""

from __future__ import annotations

from datastream.errors import UnsupportedOperation


class SourceFunction:
    """Marks the sources that `StreamExecutionEnvironment.add_source` takes.

    Raises:
        UnsupportedOperation: A Java source function or its class name is given.
    """

    def __init__(self, source_func: object = None) -> None:
        if source_func is not None:
            raise UnsupportedOperation(
                f"SourceFunction({source_func!r}): Java source functions cannot run here. "
                "Use a connector's source, or write a Source in Python."
            )


class SinkFunction:
    """Marks the sinks that `DataStream.add_sink` takes.

    Raises:
        UnsupportedOperation: A Java sink function or its class name is given.
    """

    def __init__(self, sink_func: object = None) -> None:
        if sink_func is not None:
            raise UnsupportedOperation(
                f"SinkFunction({sink_func!r}): Java sink functions cannot run here. "
                "Use a connector's sink, or write a Sink in Python."
            )
