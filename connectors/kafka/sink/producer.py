"""A producer of librdkafka, and what became of its messages."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from datastream.errors import cut
from datastream.metrics import Counter

from ..client.errors import KafkaFailure, explain, is_final, kafka_error, name_of
from ..client.library import confluent_kafka
from ..client.properties import make_client
from ..records.record_serializer import Message
from .settings import delivery_seconds

#: How often the client reports what it has tried again, in ms.
_STATISTICS = {"statistics.interval.ms": 5000}
_FULL_SECONDS = 0.1
_ABORT_SECONDS = 5.0
_EXIT_SECONDS = 5.0
_TOO_LARGE = "MSG_SIZE_TOO_LARGE"
_CONSEQUENCES = ("_PURGE_QUEUE", "_PURGE_INFLIGHT", "_STATE")


class Producer:
    """A producer of librdkafka with what is known of it.

    Attributes:
        producer: The client.
        reports: What became of its messages.
        properties: Its configuration, for errors.
        seconds: How long brokers may be away before something fails.
        token: Distinguishes this producer from all others that ever were.
        topic: A topic that it committed a marker on, or None.
        reader: Of `epoch_markers.marker_reader`, or None; closed with the producer.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.reports = DeliveryReports(config)
        calls = {
            "on_delivery": self.reports.on_delivery,
            "error_cb": self.reports.on_error,
            "stats_cb": self.reports.on_statistics,
        }
        self.producer = make_client({**_STATISTICS, **config, **calls}, "producer")
        self.properties = dict(config)
        self.seconds = delivery_seconds(config)
        self.token = uuid.uuid4().hex
        self._bytes = 0
        self.topic: str | None = None
        self.reader: Any = None
        self._library = confluent_kafka()

    def warm(self, topic: str | None, seconds: float) -> None:
        """Connect, so that what comes next is quick.

        An idempotent producer without a connection waits for half a second before it looks again. One look-up may be
        answered before the connection counts as one, two are not.

        Raises:
            KafkaException: no answer.
        """
        for _ in range(2):
            self.producer.list_topics(topic, timeout=seconds)

    def send(self, messages: Iterable[Message], lenient: bool = False) -> int:
        """Give messages to the client, which sends them on its own; waits while its queue is full.

        One call for each message, not the client's `produce_batch`: that is no faster (measured: 2.4 to 2.8
        microseconds for either), takes neither timestamps nor headers, and where the queue fills up amid a batch, it
        skips messages and takes later ones, which changes their order.

        Args:
            messages: In the order they are to be written.
            lenient: Count what fails, and go on.

        Returns:
            How many messages there were.

        Raises:
            KafkaFailure: a message was refused or could not be delivered.
        """
        produce = self.producer.produce
        sent = size = 0
        for sent, message in enumerate(messages, 1):  # noqa: B007  the count is wanted
            if message[1] is not None:
                size += len(message[1])
            try:
                produce(*message)
            except BufferError:
                self._wait(message, lenient)
            except self._library.KafkaException as exception:
                self._refused(exception, message, lenient)
        self._bytes += size
        self.serve(0)
        if not lenient:
            self.reports.check()
        return sent

    def take_counts(self, written: Counter, retries: Counter) -> None:
        """Add to counters what has come since the last time: bytes of values, and requests that were sent again."""
        written.inc(self._bytes)
        self._bytes = 0
        retries.inc(self.reports.new_retries())

    def serve(self, seconds: float) -> None:
        """Let the client report what has become of messages; waits for it so long at most."""
        try:
            self.producer.poll(seconds)
        except (self._library.KafkaException, SystemError) as exception:
            self._broken(exception)

    def flush(self, seconds: float) -> int:
        """Wait until brokers have all messages, so long at most; how many they do not have."""
        try:
            return int(self.producer.flush(seconds))
        except (self._library.KafkaException, SystemError) as exception:
            self._broken(exception)
            return len(self.producer)

    def _broken(self, exception: Exception) -> None:
        # A fatal error, after which nothing works. If deliveries fail with it in the same call, the library runs
        # their callbacks with the exception pending, which makes a SystemError of it.
        error = kafka_error(exception) or (exception.__cause__ and kafka_error(exception.__cause__))
        if error is None:
            raise exception
        self.reports.on_error(error)

    def _wait(self, message: Message, lenient: bool) -> None:
        while True:
            self.serve(_FULL_SECONDS)
            if not lenient:
                self.reports.check()
            try:
                self.producer.produce(*message)
                return
            except BufferError:
                continue
            except self._library.KafkaException as exception:
                return self._refused(exception, message, lenient)

    def _refused(self, exception: Exception, message: Message, lenient: bool) -> None:
        topic, value, key, partition = message[:4]
        self.reports.add(kafka_error(exception), topic, partition, key, value)
        if not lenient:
            self.serve(0)  # where the client has failed as a whole, this raises the reason
            self.reports.check()

    def close(self, flush: bool = False) -> None:
        """End it, and the transaction that may be open; takes some seconds at most, and never raises.

        Not by the client's own ``close``, which waits without a limit to abort a transaction while brokers are away.
        What is left of one then, the next producer of its id ends.

        Args:
            flush: Give messages some time to leave; else they are dropped.
        """
        client = self.producer
        endings: list[Callable[[], object]] = [lambda: client.flush(_EXIT_SECONDS)] if flush else []
        endings += [client.purge, lambda: client.flush(0)]
        if "transactional.id" in self.properties:
            endings.append(lambda: client.abort_transaction(_ABORT_SECONDS))
        for end in endings:
            with suppress(self._library.KafkaException, RuntimeError, SystemError):
                end()
        self.producer = self.reader = None  # ends their threads


@dataclass(frozen=True)
class Undelivered:
    """A message that no broker took.

    Attributes:
        error: Why, a KafkaError.
        topic: Where it should have gone.
        partition: Its partition; below 0: none was chosen yet.
        key: The beginning of its key's repr, or None where it has none.
        size: Bytes of its value.
    """

    error: Any
    topic: str
    partition: int
    key: str | None
    size: int

    def __str__(self) -> str:
        place = f"topic {self.topic!r}" + (f", partition {self.partition}" if self.partition >= 0 else "")
        return f"a record to {place} ({'no key' if self.key is None else f'key {self.key}'}, {self.size:,} bytes)"


class DeliveryReports:
    """Counts failed deliveries of a producer, and keeps the first. librdkafka calls its methods.

    Args:
        properties: Of the producer; for error texts.

    Attributes:
        failed: Messages that no broker took.
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = properties
        self.failed = 0
        self._retries = self._told_retries = 0
        self._first: Undelivered | None = None
        self._connection: Any = None

    def on_delivery(self, error: Any, message: Any) -> None:
        """Called for each message that failed."""
        if error is not None:
            topic, partition = message.topic(), message.partition()
            self.add(error, topic, -1 if partition is None else partition, message.key(), message.value())

    def on_statistics(self, text: str) -> None:
        """Called every few seconds with what the client has counted since it began."""
        self._retries = sum(broker["txretries"] for broker in orjson.loads(text)["brokers"].values())

    def new_retries(self) -> int:
        """How many requests the client has sent again, since this was asked."""
        before, self._told_retries = self._told_retries, self._retries
        return self._retries - before

    def on_error(self, error: Any) -> None:
        """Called for what concerns the client as a whole, such as a wrong password or brokers that are away."""
        if self._connection is None or not is_final(self._connection):
            self._connection = error

    def add(self, error: Any, topic: str, partition: int, key: bytes | None, value: bytes | None) -> None:
        """Count a message that failed."""
        self.failed += 1
        # These have no reason of their own: the transaction has failed, whose error says why.
        if name_of(error) in _CONSEQUENCES:
            return
        size = 0 if value is None else len(value)
        # A message that is too large takes those down that were sent along with it.
        if self._first is None or (name_of(error) == _TOO_LARGE and size > self._first.size):
            self._first = Undelivered(error, topic, partition, None if key is None else cut(key), size)

    def refused(self) -> KafkaFailure | None:
        """An error of the connection that will not pass, such as a wrong password."""
        if self._connection is not None and is_final(self._connection):
            return KafkaFailure(explain(self._connection, "write", self._properties))
        return None

    @property
    def broken(self) -> bool:
        """Whether the producer is of no use any more."""
        return self._connection is not None and bool(self._connection.fatal())

    def failure(self) -> KafkaFailure | None:
        """What failed, if anything did."""
        if self._first is None or self.broken:
            return self.refused()
        others = f" and {self.failed - 1:,} more" if self.failed > 1 else ""
        text = explain(self._first.error, f"write {self._first}{others}", self._properties)
        if self._connection is not None and name_of(self._first.error) == "_MSG_TIMED_OUT":
            text += f"; the connection's last error: {explain(self._connection, 'connect', self._properties)}"
        return KafkaFailure(text)

    def check(self) -> None:
        """Raise what failed.

        Raises:
            KafkaFailure: a delivery failed, or cannot succeed.
        """
        failure = self.failure()
        if failure is not None:
            raise failure

    def clear(self) -> None:
        """Forget failed deliveries."""
        self.failed, self._first = 0, None
