"""Prints a stream in the driver: ``stream.print()``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from datastream.io import Batch, CollectingSink, SinkWriter, WriterContext
from datastream.types import TypeInformation
from datastream.types.printed import printer


class PrintSink(CollectingSink):
    """Prints every record in the driver, a line each, once the epoch is committed.

    As in Flink, a record of a declared type is printed in Java's form, ``(be,1)``, and one without a type as
    ``str(record)``. A line is ``value`` or ``identifier> value``; with a parallelism above 1, ``subtask> value`` or
    ``identifier:subtask> value``. A character that the output's encoding cannot hold is printed as Python escapes it,
    ``\\ud800``.
    """

    def __init__(
        self,
        identifier: str | None = None,
        to_stderr: bool = False,
        with_subtask: bool | None = None,
        record_type: TypeInformation | None = None,
    ) -> None:
        """
        Args:
            identifier: Put before each record. Default: nothing, as for an empty text.
            to_stderr: Print to the standard error. Default: to the standard output.
            with_subtask: Put the number of the writing subtask, from 1, before each record. Default: if there are
                several.
            record_type: Declared type of the records. Default: none.
        """
        self._identifier = identifier
        self._to_stderr = to_stderr
        self._with_subtask = with_subtask
        self._record_type = record_type

    def create_writer(self, context: WriterContext) -> SinkWriter:
        with_subtask = context.parallelism > 1 if self._with_subtask is None else self._with_subtask
        return _PrintWriter(context.subtask, self._prefix(context.subtask, with_subtask), printer(self._record_type))

    def receive(self, epoch: int, values: list[Any]) -> None:
        lines = [line for _, texts in sorted(values, key=lambda value: value[0]) for line in texts]
        if lines:
            stream = sys.stderr if self._to_stderr else sys.stdout
            text = "\n".join(lines) + "\n"
            try:
                stream.write(text)
            except UnicodeEncodeError as error:  # nothing is written yet, and the epoch is committed
                stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
            stream.flush()

    def _prefix(self, subtask: int, with_subtask: bool) -> str:
        parts = [self._identifier] if self._identifier else []
        if with_subtask:
            parts.append(str(subtask + 1))
        return ":".join(parts) + "> " if parts else ""


class _PrintWriter(SinkWriter):
    def __init__(self, subtask: int, prefix: str, printed: Callable[[Any], str]) -> None:
        self._subtask = subtask
        self._prefix = prefix
        self._printed = printed
        self._lines: list[str] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._lines = []

    def write(self, batch: Batch) -> None:
        try:
            texts = [self._printed(record) for record in batch.records]
        except Exception:  # a record was changed since its type was tested, or types are not tested at all
            texts = [self._printed_or_str(record) for record in batch.records]
        prefix = self._prefix
        self._lines += [prefix + text for text in texts] if prefix else texts

    def _printed_or_str(self, record: Any) -> str:
        try:
            return self._printed(record)
        except Exception:
            return str(record)

    def prepare_commit(self) -> tuple[int, list[str]] | None:
        return (self._subtask, self._lines) if self._lines else None
