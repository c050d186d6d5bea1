"""A function as a sink: ``stream.add_sink(function)``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from datastream.io import Batch, Sink, SinkWriter, WriterContext


class FunctionSink(Sink):
    """Calls a function with each record, in the worker. At least once: a task that is retried calls again."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        """
        Args:
            function: Called with one record; what it returns is dropped. It must be picklable.
        """
        self._function = function

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _FunctionWriter(self._function)


class _FunctionWriter(SinkWriter):
    def __init__(self, function: Callable[[Any], object]) -> None:
        self._function = function

    def write(self, batch: Batch) -> None:
        deque(map(self._function, batch.records), maxlen=0)  # a loop without bytecode of its own
