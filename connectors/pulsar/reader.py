"""Reads partitions, and notes how far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

from datastream.errors import CheckpointDamaged, FormatError, cut
from datastream.formats.contents import reason_of
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext, SourceReader

from .cursors import Limit
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
#: After so many messages it is looked how far that is: to ask each for its position takes longer than to read it.
_UNLOOKED = 64


#: A message of the library, and its content.
Read = tuple[Any, bytes]


class _Open(NamedTuple):
    """A reader of the library, and the id of the last message that it has returned; None: it has returned none."""

    reader: Any
    last: Any


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

    def _new(self, split: PulsarSplit) -> tuple[list[Read], Note]:
        """What is there, at most a split's share, and how far that is."""
        found: list[Read] = []
        size, began, position = 0, time.monotonic(), split.position
        entry: list[int] | None = None
        stopped = False
        while position < split.until and not stopped:
            count = min(split.most - len(found), _UNLOOKED)
            some = self._next(split.lane, position, count, _surely_there(position, split.until), _WAIT_S)
            if not some:
                if not found:
                    self._logger.warning(
                        "%s: the messages of %s after %s did not come within %.0f s; they are waited for",
                        self._settings.service,
                        split.lane,
                        position,
                        _WAIT_S,
                    )
                break
            kept = _before_limit(split.limit, some)
            stopped = len(kept) < len(some)
            if stopped:
                self._forget(split.lane)
            if kept:
                before, position = position, _position(kept[-1])
                if found and position[:2] != before[:2]:
                    entry = before[:2]
                found += kept
                size += sum([len(data) for _, data in kept])
            if len(found) >= split.most or size >= _MOST_BYTES or time.monotonic() - began >= _MOST_S:
                break
        if found and (position >= split.until or position[2] < 0 or stopped):
            entry = position[:2]
        limit = split.limit
        if limit is not None and limit.kind == "message_id" and limit.inclusive and limit.value == position:
            stopped = True
        return found, Note(position, len(found), entry, stopped)

    def _again(self, split: PulsarSplit, note: Note) -> list[Read]:
        """What another attempt has read.

        Raises:
            CheckpointDamaged: The topic no longer has it.
            ConnectionError: It does not come.
        """
        found: list[Read] = []
        position = split.position
        while position < note.position:
            count = max(note.count - len(found), 1)
            some = self._next(split.lane, position, count, count, _AGAIN_S)
            if not some:
                raise ConnectionError(
                    f"{self._settings.service}: the {note.count} messages of {split.lane} up to {note.position}, which "
                    f"an epoch has begun to read, did not come within {_AGAIN_S:.0f} s"
                )
            found += some
            position = _position(some[-1])
        if len(found) != note.count or position != note.position:
            raise CheckpointDamaged(
                f"the topic {split.lane} no longer has the {note.count} messages up to {note.position} that an epoch "
                "has begun to read: the topic's retention has passed, or it was deleted. Start the job with another "
                "--checkpoint-dir"
            )
        return found

    def _next(self, lane: str, position: Position, count: int, there: int, wait_s: float) -> list[Read]:
        """Messages after a position; empty: none comes.

        Args:
            lane: The partition.
            position: The position.
            count: How many at most.
            there: So many are there, and are waited for.
            wait_s: How long the first is waited for.

        Raises:
            ConnectionError: The brokers are away.
        """
        import pulsar

        deadline = time.monotonic() + wait_s
        known = self._open.pop(lane, None)
        found: list[Read] = []
        try:
            if known is None or position_of(known.last) != position:
                if known is not None:
                    known.reader.close()
                known = _Open(self._begin(lane, position), None)
            last, read_next = known.last, known.reader.read_next
            while len(found) < count:
                try:
                    message = read_next(_STEP_MS if len(found) < there else 1)
                except pulsar.Timeout:
                    if found:
                        break
                    if time.monotonic() < deadline:
                        continue
                    known.reader.close()
                    return []
                this = message.message_id()
                # A reader begins with a whole entry, also when it has lost its connection.
                if position_of(this) <= position if last is None else this <= last:
                    continue
                last = this
                found.append((message, message.data()))
            self._open[lane] = _Open(known.reader, last)
        except pulsar.PulsarException as error:
            raise failure(error, self._settings.service, f"the topic {lane!r}") from error
        return found

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

    def _batch(self, messages: list[Read], lane: str) -> Batch:
        self._bytes.inc(sum([len(data) for _, data in messages]))
        times: list[int | None] | None = None
        if self._timed:
            times = [message.event_timestamp() or message.publish_timestamp() for message, _ in messages]
        try:
            records = self._block(messages, lane)
        except Exception:  # found again, with the message that it is about
            records = []
        if len(records) != len(messages):  # some are none, or wrong
            made = [self._record(each, lane) for each in messages]
            records = [record for record in made if record is not None]
            if times is not None:
                times = [at for at, record in zip(times, made, strict=True) if record is not None]
        if self._dead is not None:
            self._dead.inc(dead_letters_in(records))
        return Batch(records, times)

    def _block(self, messages: list[Read], lane: str) -> list[Any]:
        """The records of messages. It may raise anything, and return fewer: `_record` is asked for each then."""
        schema: Any = self._settings.schema
        if self._whole:
            return [schema.deserialize(PulsarMessage.of(message, lane)) for message, _ in messages]
        records: list[Any] = schema.deserialize_block([data for _, data in messages], lambda i: (lane, None, None))
        return records

    def _record(self, read: Read, lane: str) -> Any:
        """The record of a message; None: none.

        Raises:
            FormatError: It cannot be read.
        """
        message, data = read
        schema: Any = self._settings.schema
        try:
            return schema.deserialize(PulsarMessage.of(message, lane) if self._whole else data)
        except Exception as error:  # a user's schema may raise anything
            ledger, entry, index = _position(read)
            raise FormatError(
                f"the message {ledger}:{entry}:{index} of the topic {lane!r} cannot be read: {reason_of(error)}; its "
                f"content: {cut(data)}; schema.with_dead_letters(tag) would send such messages to a side output"
            ) from error


def _position(read: Read) -> Position:
    return position_of(read[0].message_id())


def _surely_there(position: Position, until: Position) -> int:
    """How many messages follow a position up to another one, at least."""
    if position[0] != until[0]:
        return 1
    return max(until[2] - position[2], 1) if position[1] == until[1] else until[1] - position[1]


def _before_limit(limit: Limit | None, messages: list[Read]) -> list[Read]:
    """The messages before the first one at which reading stops."""
    if limit is None or (limit.kind == "message_id" and not limit.passed(_position(messages[-1]))):
        return messages
    return list(takewhile(lambda read: not limit.passed(_compared(limit, read)), messages))


def _compared(limit: Limit, read: Read) -> Any:
    """What of a message is compared with a limit."""
    if limit.kind == "message_id":
        return _position(read)
    return read[0].event_timestamp() if limit.kind == "event_time" else read[0].publish_timestamp()
