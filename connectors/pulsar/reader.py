"""Reads partitions, and notes how far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from datastream.errors import CheckpointDamaged, FormatError, cut
from datastream.formats.contents import reason_of
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext, SourceReader

from .enumerator import Note, PulsarSplit
from .failures import failure
from .message import PulsarMessage
from .message_records import MessageRecords
from .positions import Position, entry_id, position_of
from .source_settings import SourceSettings

#: A part of an epoch is read whole before its end is noted.
_MOST_BYTES = 64 << 20
_MOST_S = 2.0
#: How long a message that is there may take to come; and where another attempt has read it.
_WAIT_S, _AGAIN_S = 3.0, 30.0
_STEP_MS = 500
_BATCH = 4096


class ReadMessage(NamedTuple):
    """A message.

    Attributes:
        data: Its content.
        published: When it was published, in ms since 1970.
        event: When it happened, in ms since 1970; 0: not known.
        position: Its position.
        whole: It as a `PulsarMessage`, where that is needed.
    """

    data: bytes
    published: int
    event: int
    position: Position
    whole: Any


class _Open(NamedTuple):
    """A reader of the library, and the last message that it has returned."""

    reader: Any
    position: Position


class PulsarReader(SourceReader):
    """Reads splits.

    The first attempt at a split reads what is there, and notes how far, before it emits anything. Others read as far as
    the note says.

    Args:
        settings: Its settings.
        context: The place.
    """

    def __init__(self, settings: SourceSettings, context: ReaderContext) -> None:
        self._settings, self._spool = settings, context.spool
        self._whole = isinstance(settings.schema, MessageRecords)
        self._timed, self._logger = context.timestamps, context.logger
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(settings.schema) else None
        self._open: dict[str, _Open] = {}

    @cached_property
    def _client(self) -> Any:
        return self._settings.service.client()

    def read(self, split: PulsarSplit) -> Iterator[Batch]:
        kept = self._spool.read(split.epoch, split.task)
        if kept is None:
            messages, note = self._new(split)
            mine = note.to_bytes()
            kept = self._spool.write(split.epoch, split.task, mine)
            if kept != mine:  # another attempt was faster
                messages = self._again(split, Note.of(kept))
        else:
            messages = self._again(split, Note.of(kept))
        for first in range(0, len(messages), _BATCH):
            yield self._batch(messages[first : first + _BATCH], split.lane)

    def idle(self) -> None:
        for lane in list(self._open):
            self._forget(lane)

    def close(self) -> None:
        self._open.clear()
        client = self.__dict__.pop("_client", None)
        if client is not None:
            with suppress(Exception):  # it may be broken
                client.close()

    def _new(self, split: PulsarSplit) -> tuple[list[ReadMessage], Note]:
        """What is there, at most a split's share, and how far that is."""
        found: list[ReadMessage] = []
        size, began, position = 0, time.monotonic(), split.position
        entry: list[int] | None = None
        stopped = False
        while position < split.until:
            message = self._next(split.lane, position, _WAIT_S)
            if message is None:
                if not found:
                    self._logger.warning(
                        "%s: the messages of %s after %s did not come within %.0f s; they are waited for",
                        self._settings.service,
                        split.lane,
                        position,
                        _WAIT_S,
                    )
                break
            if _stops(split, message):
                stopped = True
                self._forget(split.lane)
                break
            if found and message.position[:2] != position[:2]:
                entry = position[:2]
            found.append(message)
            position, size = message.position, size + len(message.data)
            if len(found) >= split.most or size >= _MOST_BYTES or time.monotonic() - began >= _MOST_S:
                break
        if found and (position >= split.until or position[2] < 0 or stopped):
            entry = position[:2]
        limit = split.limit
        if limit is not None and limit.kind == "message_id" and limit.inclusive and limit.value == position:
            stopped = True
        return found, Note(position, len(found), entry, stopped)

    def _again(self, split: PulsarSplit, note: Note) -> list[ReadMessage]:
        """What another attempt has read.

        Raises:
            CheckpointDamaged: The topic no longer has it.
            ConnectionError: It does not come.
        """
        found: list[ReadMessage] = []
        position = split.position
        while position < note.position:
            message = self._next(split.lane, position, _AGAIN_S)
            if message is None:
                raise ConnectionError(
                    f"{self._settings.service}: the {note.count} messages of {split.lane} up to {note.position}, which "
                    f"an epoch has begun to read, did not come within {_AGAIN_S:.0f} s"
                )
            found.append(message)
            position = message.position
        if len(found) != note.count or position != note.position:
            raise CheckpointDamaged(
                f"the topic {split.lane} no longer has the {note.count} messages up to {note.position} that an epoch "
                "has begun to read: the topic's retention has passed, or it was deleted. Start the job with another "
                "--checkpoint-dir"
            )
        return found

    def _next(self, lane: str, position: Position, wait_s: float) -> ReadMessage | None:
        """The message after a position; None: it does not come.

        Raises:
            ConnectionError: The brokers are away.
        """
        import pulsar

        deadline = time.monotonic() + wait_s
        known = self._open.pop(lane, None)
        try:
            if known is None or known.position != position:
                if known is not None:
                    known.reader.close()
                known = _Open(self._begin(lane, position), position)
            while True:
                try:
                    message = known.reader.read_next(_STEP_MS)
                except pulsar.Timeout:
                    if time.monotonic() < deadline:
                        continue
                    known.reader.close()
                    return None
                found = position_of(message.message_id())
                if found > position:
                    self._open[lane] = _Open(known.reader, found)
                    whole = PulsarMessage.of(message, lane) if self._whole else None
                    return ReadMessage(
                        message.data(), message.publish_timestamp(), message.event_timestamp(), found, whole
                    )
        except pulsar.PulsarException as error:
            raise failure(error, self._settings.service, f"the topic {lane!r}") from error

    def _begin(self, lane: str, position: Position) -> Any:
        """A reader of the library that begins with the entry of a position: the rest of its batch may be wanted."""
        return self._client.create_reader(
            lane,
            entry_id(position),
            receiver_queue_size=self._settings.queue,
            reader_name=self._settings.consumer,
            start_message_id_inclusive=True,
        )

    def _forget(self, lane: str) -> None:
        known = self._open.pop(lane, None)
        if known is not None:
            with suppress(Exception):  # it may be broken
                known.reader.close()

    def _batch(self, messages: list[ReadMessage], lane: str) -> Batch:
        self._bytes.inc(sum(len(message.data) for message in messages))
        times: list[int | None] | None = [one.event or one.published for one in messages] if self._timed else None
        try:
            records = self._block(messages, lane)
        except Exception:  # found again, with the message that it is about
            records = []
        if len(records) != len(messages):  # some are none, or wrong
            made = [self._record(message, lane) for message in messages]
            records = [record for record in made if record is not None]
            if times is not None:
                times = [at for at, record in zip(times, made, strict=True) if record is not None]
        if self._dead is not None:
            self._dead.inc(dead_letters_in(records))
        return Batch(records, times)

    def _block(self, messages: list[ReadMessage], lane: str) -> list[Any]:
        """The records of messages. It may raise anything, and return fewer: `_record` is asked for each then."""
        if self._whole:
            return list(map(self._settings.schema.deserialize, [message.whole for message in messages]))
        contents = [message.data for message in messages]
        return self._settings.schema.deserialize_block(contents, lambda i: (lane, None, None))

    def _record(self, message: ReadMessage, lane: str) -> Any:
        """The record of a message; None: none.

        Raises:
            FormatError: It cannot be read.
        """
        try:
            return self._settings.schema.deserialize(message.whole if self._whole else message.data)
        except Exception as error:  # a user's schema may raise anything
            ledger, entry, index = message.position
            raise FormatError(
                f"the message {ledger}:{entry}:{index} of the topic {lane!r} cannot be read: {reason_of(error)}; its "
                f"content: {cut(message.data)}; schema.with_dead_letters(tag) would send such messages to a side output"
            ) from error


def _stops(split: PulsarSplit, message: ReadMessage) -> bool:
    """Whether reading stops before a message."""
    limit = split.limit
    if limit is None:
        return False
    if limit.kind == "message_id":
        return limit.passed(message.position)
    return limit.passed(message.event if limit.kind == "event_time" else message.published)
