"""Publishes messages and waits for their confirmations, many at a time."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from datastream.errors import CheckpointDamaged, ValidationError
from datastream.formats import SerializationSchema
from datastream.formats.contents import unwritable
from datastream.io import WriterContext

from .failures import failure
from .key_hash import partition_of
from .service import Service

#: The messages of a subtask in an epoch are numbered with so many bits of a sequence id; those above are the epoch.
EPOCH_BITS = 32
#: Java's names -> the library's.
_COMPRESSIONS = {"LZ4": "LZ4", "NONE": "NONE", "SNAPPY": "SNAPPY", "ZLIB": "ZLib", "ZSTD": "ZSTD"}
#: Bytes that wait for a confirmation.
_WINDOW_BYTES = 16 << 20
#: What brokers take as one entry, with room for what the library adds.
MOST_BYTES = 4 << 20
#: A message with more bytes, which brokers may refuse, is sent alone.
_ALONE_BYTES = 1 << 20
_NEVER_MS = 3_600_000


class Cut(NamedTuple):
    """How the messages of an epoch are cut into parts, each an entry in a partition.

    Brokers drop an entry that they have, by the number of its first message. So an epoch that runs again is to be cut
    as it was.

    Attributes:
        messages: Of a part, at most; 1: there are no parts, each message is an entry.
        size: Bytes of a part with more than one message, at most; `MOST_BYTES` at most.
    """

    messages: int
    size: int

    def ends(self, sizes: Sequence[int]) -> list[int]:
        """After which messages of these sizes a part ends, as indexes of those that follow."""
        ends, count, total = [], 0, 0
        for index, size in enumerate(sizes):
            if count and (count == self.messages or total + size > self.size):
                ends.append(index)
                count = total = 0
            count, total = count + 1, total + size
        return [*ends, len(sizes)]


#: Each message is an entry.
UNCUT = Cut(1, 0)
#: What the library cuts by messages and contents is cut by keys and properties, too.
_LARGEST = Cut(sys.maxsize, MOST_BYTES)


@dataclass(frozen=True)
class SinkSettings:
    """What a sink publishes, and how.

    Attributes:
        service: The cluster.
        topics: Names of topics, or of their partitions.
        schema: How records become contents.
        once: Whether brokers drop what an epoch that runs again publishes again.
        spread: Messages go to one partition after the other; otherwise those of a key go to one, and those of a subtask
            that have no key.
        delay_ms: When consumers get a message, in ms after it was sent.
        producer: What names of producers begin with.
        confirm_ms: How long brokers may take to confirm messages.
        window: Messages that wait for a confirmation, at most.
        options: Arguments of the library's producers.
        cut: Where `once`, how an epoch's messages are cut into entries.
        fields: Gives ``partition_key``, ``properties`` and ``event_timestamp`` of a record's message, as the library's
            ``send_async`` takes them; plain data. None: messages have none of these.
    """

    service: Service
    topics: tuple[str, ...]
    schema: SerializationSchema
    once: bool
    spread: bool
    delay_ms: int
    producer: str
    confirm_ms: int
    window: int
    options: dict[str, Any]
    cut: Cut
    fields: Callable[[Any], Mapping[str, Any]] | None = None

    def fields_of(self, records: Sequence[Any]) -> list[Mapping[str, Any]] | None:
        """What messages carry beside their contents; None: nothing."""
        return None if self.fields is None else [self.fields(record) for record in records]


class Publisher:
    """A client that publishes, with a producer for each partition.

    Args:
        settings: The sink's.
        context: The place.
    """

    def __init__(self, settings: SinkSettings, context: WriterContext) -> None:
        self._settings, self._subtask = settings, context.subtask
        self._bytes = context.metrics.counter("numBytesOut")
        # Brokers take a name once at a time, and remember the last message of each.
        own = f"{context.job_id}-{context.uid}-{context.subtask}" if settings.once else uuid.uuid4().hex[:12]
        self._name = f"{settings.producer}-{own}"
        self._producers: dict[str, Any] = {}
        self._sent = 0
        self._client = settings.service.client()
        try:
            self.lanes = [
                name for topic in settings.topics for name in settings.service.partitions(self._client, topic)
            ]
            if settings.once:
                self._check_deduplication()
        except BaseException:
            self.close()
            raise

    def publish(
        self,
        records: Sequence[Any],
        contents: Sequence[bytes],
        lanes: Sequence[str],
        first: int | None = None,
        fields: Sequence[Mapping[str, Any]] | None = None,
        cut: Cut = UNCUT,
    ) -> None:
        """Publish messages, and wait until the brokers have them.

        Args:
            records: What they are of, for errors.
            contents: Their contents.
            lanes: Where they go.
            first: The sequence id of the first, from 1; None: they have none of their own.
            fields: What they carry beside their contents; None: nothing.
            cut: Where they have sequence ids, how they are cut into entries.

        Raises:
            ConnectionError: The brokers are away, or do not confirm.
            ValidationError, FormatError: They do not take one.
        """
        settings = self._settings
        window = _Window(max(settings.window, cut.messages), settings.confirm_ms / 1000)
        sizes = list(map(len, contents)) if fields is None else list(map(_size, contents, fields))
        if first is None:
            ends = set(_LARGEST.ends(sizes)) if fields is not None else set()
        elif cut.messages > 1:
            ends = set(cut.ends(sizes))
        else:  # of one that is refused, brokers have none that follow, which would make it one of the past
            ends = {end for index, size in enumerate(sizes) if size > _ALONE_BYTES for end in (index, index + 1)}
        more: dict[str, Any] = {}
        if settings.delay_ms:
            more["deliver_after"] = timedelta(milliseconds=settings.delay_ms)
        for index, content in enumerate(contents):
            given = {} if fields is None else fields[index]
            key = given.get("partition_key")
            if settings.spread:
                lane = lanes[(index + (0 if first is not None else self._sent)) % len(lanes)]
            elif key:
                lane = lanes[partition_of(key, len(lanes))]
            else:
                lane = lanes[self._subtask % len(lanes)]
            if index in ends:
                self._end(window)
            if not window.take(len(content)):
                break
            if first is not None:
                more["sequence_id"] = first + index
            try:
                self._producer(lane, first, cut).send_async(
                    content, window.confirm(index, len(content)), **more, **given
                )
            except CheckpointDamaged:
                raise
            except Exception as error:
                raise failure(error, settings.service, f"the topic {lane!r}") from error
        if ends:
            self._end(window)
        window.wait()
        if window.failed is not None:
            index, name = window.failed
            if name == "MessageTooBig":
                why = f"its message has {sizes[index]:,} bytes, which the brokers of {settings.service} refuse"
                raise unwritable("PulsarSink", records[index], why)
            raise failure(name, settings.service, f"messages for {', '.join(settings.topics)}")
        self._sent += len(contents)
        self._bytes.inc(sum(map(len, contents)))

    def release(self) -> None:
        """Close the producers, so that others may use their names: the subtask may run in another process next."""
        producers, self._producers = self._producers, {}
        for producer in producers.values():
            with suppress(Exception):  # its connection may have broken, which closes it, too
                producer.close()

    def close(self) -> None:
        """End the client. What is not confirmed may or may not be there."""
        self._producers.clear()
        with suppress(Exception):  # it may be broken
            self._client.close()

    def _end(self, window: _Window) -> None:
        """Have producers send what they have collected, and wait until the brokers have it."""
        # To flush waits for confirmations, for ever if brokers are away; the window waits for them, too.
        flushing = [threading.Thread(target=_flush, args=(one,), daemon=True) for one in self._producers.values()]
        for thread in flushing:
            thread.start()
        window.wait()
        if window.failed is None:  # a flush that came late would end an entry in the next part
            for thread in flushing:
                thread.join()

    def _producer(self, lane: str, first: int | None, cut: Cut) -> Any:
        """The producer of a partition.

        Raises:
            CheckpointDamaged: Its brokers have messages of later epochs, and would drop these.
        """
        found = self._producers.get(lane)
        if found is None:
            import pulsar

            options = dict(self._settings.options)
            if first is not None:
                options |= _never_ending(cut, options["max_pending_messages"])
            compression = getattr(pulsar.CompressionType, _COMPRESSIONS[options.pop("compression_type")])
            found = self._producers[lane] = self._client.create_producer(
                lane, self._name, compression_type=compression, block_if_queue_full=True, **options
            )
            if first is not None and found.last_sequence_id() >> EPOCH_BITS > first >> EPOCH_BITS:
                raise CheckpointDamaged(
                    f"{self._settings.service}: the topic {lane!r} has messages of later epochs of this job, so that "
                    "it would drop these; the checkpoint directory is older than what the sink has written. Give "
                    "the job another --checkpoint-dir, and what it writes again will be there twice"
                )
        return found

    def _check_deduplication(self) -> None:
        """See that the brokers drop what they have already.

        Raises:
            ValidationError: They do not.
        """
        service = self._settings.service
        for topic in self._settings.topics:
            if not service.deduplicates(topic):
                raise ValidationError(
                    f"{service}: EXACTLY_ONCE needs deduplication, which the topic {topic!r} has not; "
                    "enable it by 'pulsar-admin namespaces set-deduplication TENANT/NAMESPACE --enable', or use "
                    "DeliveryGuarantee.AT_LEAST_ONCE"
                )


def _never_ending(cut: Cut, most: int) -> dict[str, Any]:
    """Options of a producer that ends no entry itself, of which so many messages may be on their way."""
    return {
        "batching_enabled": cut.messages > 1,
        "batching_max_messages": max(cut.messages, 2),
        "batching_max_allowed_size_in_bytes": MOST_BYTES,
        "batching_max_publish_delay_ms": _NEVER_MS,
        "max_pending_messages": max(cut.messages, most),
    }


def _size(content: bytes, fields: Mapping[str, Any]) -> int:
    """The bytes of a message: its content, its key and its properties."""
    texts = [fields.get("partition_key", ""), *chain.from_iterable(fields.get("properties", {}).items())]
    return len(content) + sum(len(text.encode()) for text in texts)


def _flush(producer: Any) -> None:
    with suppress(Exception):  # what goes wrong is told by message
        producer.flush()


class _Window:
    """Messages that are not confirmed. Confirmations come in threads of the library.

    Args:
        most: How many there may be.
        limit_s: How long none may be confirmed.

    Attributes:
        failed: The index of a message that the brokers did not take, and the name of the reason.
    """

    def __init__(self, most: int, limit_s: float) -> None:
        self._most, self._limit_s = most, limit_s
        self._open, self._bytes, self._confirmed = 0, 0, 0
        self._wakes_at = -1  # whoever waits is to look again when no more than so many are open
        self._changed = threading.Condition()
        self.failed: tuple[int, str] | None = None

    def take(self, size: int) -> bool:
        """Wait for room for a message; False: one has failed, and nothing may follow it."""
        with self._changed:
            if not self._has_room(size):
                self._wait(lambda: self._has_room(size), self._most // 2)
            if self.failed is not None:
                return False
            self._open += 1
            self._bytes += size
            return True

    def confirm(self, index: int, size: int) -> Any:
        """What the library calls when the brokers have a message, or do not take it."""
        return partial(self._confirm, index, size)

    def wait(self) -> None:
        """Wait until all are confirmed, or one has failed."""
        with self._changed:
            self._wait(lambda: self._open == 0, 0)

    def _confirm(self, index: int, size: int, result: Any, message_id: Any) -> None:
        with self._changed:
            self._open -= 1
            self._bytes -= size
            self._confirmed += 1
            if self.failed is None and result.name != "Ok":
                self.failed = index, result.name
            if self._open <= self._wakes_at or self.failed is not None:
                self._changed.notify_all()

    def _has_room(self, size: int) -> bool:
        return self._open < self._most and self._bytes + size <= max(_WINDOW_BYTES, size)

    def _wait(self, done: Callable[[], bool], wakes_at: int) -> None:
        seen, since = self._confirmed, time.monotonic()
        self._wakes_at = wakes_at
        while not done() and self.failed is None:
            self._changed.wait(1.0)
            if self._confirmed != seen:
                seen, since = self._confirmed, time.monotonic()
            elif time.monotonic() - since >= self._limit_s:
                self.failed = 0, "Timeout"
        self._wakes_at = -1
