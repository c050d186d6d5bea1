"""Reads messages that are stored, and makes records of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, QueueSource, ReaderContext
from datastream.io.queues import QueueReader, QueueSplit

from .message import PubsubMessage
from .source_settings import SourceSettings


class PubSubReader(QueueReader):
    """Reads messages.

    Args:
        source: The source.
        settings: Its settings.
        context: The place.
    """

    def __init__(self, source: QueueSource, settings: SourceSettings, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._subscription = settings.subscription
        self._schema, self._timed = settings.schema, context.timestamps
        self._bytes = context.metrics.counter("numBytesIn")
        schema: Any = settings.schema
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(schema) else None

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        for batch in super().read(split):
            messages = [PubsubMessage._make(body) for body in batch.records]
            self._bytes.inc(sum([len(message.data) for message in messages]))
            found = self._schema.records_of(messages, self._subscription)
            if self._dead is not None:
                self._dead.inc(dead_letters_in(found))
            records = [record for record in found if record is not None]
            times: list[int | None] | None = None
            if self._timed:
                pairs = zip(messages, found, strict=True)
                times = [message.publish_time for message, record in pairs if record is not None]
            yield Batch(records, times)
