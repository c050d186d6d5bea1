"""Reads the entries between two ids."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from datastream.errors import ValidationError
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext, SourceReader

from .entries import RedisEntry
from .enumerator import StreamSplit
from .failures import failure
from .positions import Position, StreamState, state_of
from .source_settings import SourceSettings, gap


class StreamsReader(SourceReader):
    """Reads splits.

    Each request asks for the stream's state, too: entries that were removed meanwhile do not go unnoticed.

    Args:
        settings: What the source was told.
        context: The place.
    """

    def __init__(self, settings: SourceSettings, context: ReaderContext) -> None:
        self._settings, self._timed, self._logger = settings, context.timestamps, context.logger
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(settings.schema) else None

    @cached_property
    def _client(self) -> Any:
        return self._settings.connection.reader()

    def read(self, split: StreamSplit) -> Iterator[Batch]:
        at, most = split.start, self._settings.batch_size
        while True:
            found, state = self._some(split.lane, at.id, split.end.id)
            removed = state.removed_after(at)
            if state.is_another_than(split.end) or state.end.is_before(split.end):
                raise ValidationError(
                    f"{self._settings.connection}: the stream {split.lane!r} was deleted while an epoch read it up to "
                    f"{split.end.id}. Start the job with another --checkpoint-dir"
                )
            if removed:
                told = gap(self._settings, split.lane, removed, at.id)
                if self._settings.on_gap == "fail":
                    raise ValidationError(f"{told}, or set on_gap='warn' to go on")
                self._logger.warning("%s", told)
            if found:
                yield self._batch(split.lane, found)
                at = Position(found[-1][0].decode(), at.added + removed + len(found))
            if len(found) < most or at.id == split.end.id:
                return

    def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _some(self, stream: str, after: str, end: str) -> tuple[list[Any], StreamState]:
        """Some entries, and the stream's state at that moment.

        Raises:
            ConnectionError: The server is away.
            ValidationError: It refuses.
        """
        pipeline = self._client.pipeline(transaction=True)
        pipeline.xrange(stream, f"({after}", end, self._settings.batch_size)
        pipeline.xinfo_stream(stream)
        try:
            entries, info = pipeline.execute(raise_on_error=False)
            if isinstance(entries, Exception):
                raise entries
            return entries, state_of(info)
        except Exception as error:
            raise failure(error, self._settings.connection, f"the stream {stream!r}") from error

    def _batch(self, stream: str, found: list[Any]) -> Batch:
        entries = [RedisEntry(stream, id.decode(), fields) for id, fields in found]
        self._bytes.inc(sum(len(name) + len(value) for each in entries for name, value in each.fields.items()))
        made = self._settings.schema.records_of(entries)
        if self._dead is not None:
            self._dead.inc(dead_letters_in(made))
        times: list[int | None] | None = None
        if self._timed:
            times = [each.timestamp for each, record in zip(entries, made, strict=True) if record is not None]
        return Batch([record for record in made if record is not None], times)
