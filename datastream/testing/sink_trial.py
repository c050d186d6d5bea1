"""A sink, driven through one job that may crash once."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from datastream.io import Batch, Committer, CommitterContext, Sink, SinkWriter, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.types import pickles

from .crashes import Calls, Crash, method_name, pickled_settings, pickling

_LOGGER = logging.getLogger("datastream.testing")


class SinkTrial:
    """A job that writes epochs to a sink.

    Args:
        sink: The sink.
        folder: Where the spool is.
        calls: Makes the calls.
    """

    def __init__(self, sink: Sink, folder: Path, calls: Calls) -> None:
        self._settings = pickled_settings(sink)
        self._spool = Spool(str(folder / "spool"), "uid")
        self._calls = calls
        self._attempts = 0
        self._committed = 0
        self._writers: dict[int, SinkWriter] = {}

    def write(self, epochs: Sequence[Sequence[Sequence[Any]]]) -> None:
        """Write the records of each epoch and subtask."""
        while self._committed < len(epochs):
            with suppress(Crash):
                self._run(epochs)
            self._writers = {}
            gc.collect()

    def _run(self, epochs: Sequence[Sequence[Sequence[Any]]]) -> None:
        call = self._calls.call
        sink: Sink = pickles.loads(self._settings)
        context = CommitterContext("job", "uid", len(epochs[0]), _LOGGER, self._spool)
        committer: Committer | None = call(sink.create_committer, context)
        while self._committed < len(epochs):
            number = self._committed
            made = [
                self._task(subtask, records, len(epochs[0]))
                for subtask, records in enumerate(epochs[number])
                if records
            ]
            values = [value for value in map(pickles.loads, made) if value is not None]
            if committer is not None:
                call(committer.commit, number, values, number == len(epochs) - 1)
            self._committed += 1
        for writer in self._writers.values():
            call(writer.close)
        if committer is not None:
            call(committer.close)

    def _task(self, subtask: int, records: Sequence[Any], parallelism: int) -> bytes:
        """What a subtask prepared, pickled; after a crash of its worker or an error the task runs again."""
        while True:
            self._attempts += 1
            try:
                return self._write(subtask, records, parallelism, self._attempts)
            except Crash:
                if self._calls.scope == "job":
                    raise
            except Exception as error:
                if others := [str(other) for other in self._writers if other != subtask]:
                    error.add_note(f"it was in subtask {subtask}, the writer of subtask {', '.join(others)} was open")
                raise
            writer = self._writers.pop(subtask, None)
            if self._calls.scope == "task" and writer is not None:
                self._calls.clean_up(writer.abort)
                self._calls.clean_up(writer.close)
            del writer
            gc.collect()

    def _write(self, subtask: int, records: Sequence[Any], parallelism: int, attempt: int) -> bytes:
        call = self._calls.call
        writer = self._writers.get(subtask)
        if writer is None:
            metrics = MetricRegistry("job", "sink", "uid", subtask).group
            context = WriterContext("job", "uid", subtask, parallelism, metrics, _LOGGER, self._spool)
            sink: Sink = pickles.loads(self._settings)
            writer = self._writers[subtask] = call(sink.create_writer, context)
        assert writer is not None
        call(writer.begin, self._committed, attempt)
        for record in records:
            call(writer.write, Batch([record]))
        committable = call(writer.prepare_commit)
        with pickling(f"what {method_name(writer.prepare_commit)} returned", "return a plain value"):
            return pickles.dumps(committable)
