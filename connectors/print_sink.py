"""Prints a stream in the driver: ``stream.print()``."""

from __future__ import annotations

import sys
from typing import Any

from datastream.io import Batch, CollectingSink, SinkWriter, WriterContext


class PrintSink(CollectingSink):
    """Prints ``str(record)`` of every record in the driver, a line each, once the epoch is committed.

    As Flink's PrintSink, a line is ``value``, ``identifier> value``, ``subtask> value`` or
    ``identifier:subtask> value``. Flink adds the subtask, counted from 1, when the parallelism is above 1;
    here it is an option.
    """

    def __init__(self, identifier: str | None = None, to_stderr: bool = False, with_subtask: bool = False) -> None:
        """
        Args:
            identifier: Put before each record. Default: nothing.
            to_stderr: Print to the standard error. Default: to the standard output.
            with_subtask: Put the number of the writing task, from 1, before each record. Default: no.
        """
        self._identifier = identifier
        self._to_stderr = to_stderr
        self._with_subtask = with_subtask

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _PrintWriter(context.subtask)

    def receive(self, epoch: int, values: list[Any]) -> None:
        lines: list[str] = []
        for subtask, texts in sorted(values, key=lambda value: value[0]):
            prefix = self._prefix(subtask)
            lines.extend(texts if not prefix else [prefix + text for text in texts])
        if lines:
            stream = sys.stderr if self._to_stderr else sys.stdout
            stream.write("\n".join(lines) + "\n")
            stream.flush()

    def _prefix(self, subtask: int) -> str:
        parts = [] if self._identifier is None else [self._identifier]
        if self._with_subtask:
            parts.append(str(subtask + 1))
        return ":".join(parts) + "> " if parts else ""


class _PrintWriter(SinkWriter):
    def __init__(self, subtask: int) -> None:
        self._subtask = subtask
        self._texts: list[str] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._texts = []

    def write(self, batch: Batch) -> None:
        self._texts.extend(map(str, batch.records))

    def prepare_commit(self) -> tuple[int, list[str]] | None:
        return (self._subtask, self._texts) if self._texts else None
