"""Reads a queue's messages: pulled, stored, acknowledged, and then made into records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, cut
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext
from datastream.io.queues import QueueReader, QueueSplit

if TYPE_CHECKING:
    from .source import RMQSource


class RMQReader(QueueReader):
    """Reads a queue's messages.

    Args:
        source: The settings.
        context: The place.
    """

    def __init__(self, source: RMQSource, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._schema, self._queue = source.deserialization_schema, source.queue_name
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(self._schema) else None

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        for bodies in super().read(split):
            self._bytes.inc(sum(map(len, bodies.records)))
            records = self._records(bodies.records)
            if self._dead is not None:
                self._dead.inc(dead_letters_in(records))
            yield Batch(records)

    def _records(self, bodies: list[bytes]) -> list[Any]:
        """The records of messages.

        Raises:
            FormatError: One cannot be read; names it.
        """
        try:
            return self._schema.deserialize_block(bodies, lambda _: (self._queue, None, None))
        except Exception as error:  # a user's schema may raise anything
            for body in bodies:
                try:
                    self._schema.deserialize(body)
                except Exception as own:
                    raise self._unreadable(own, body) from own
            raise self._unreadable(error, None) from error

    def _unreadable(self, error: Exception, body: bytes | None) -> FormatError:
        reason = str(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
        which = "" if body is None else f"; its body: {cut(body)}"
        return FormatError(
            f"a message of the queue {self._queue!r} cannot be read: {reason}{which}; "
            "schema.with_dead_letters(tag) would send such messages to a side output"
        )
