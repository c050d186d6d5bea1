"""What a test does with a broker: topics, records, rights, clients."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from confluent_kafka import (
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
)

from tests.support.servers.kafka.layout import Secured
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

#: Longer than anything takes on a busy machine.
PATIENCE_S = 60.0
#: How long the marks of a committed transaction may take; open ones have none.
_MARKS_S = 1.5

# librdkafka prints to stderr what it is given no logger for.
_LOGGER = logging.getLogger("tests.kafka")
_LOGGER.addHandler(logging.NullHandler())

Bytes = str | bytes | None


@dataclass(frozen=True)
class Record:
    """A record as the broker holds it.

    Attributes:
        partition: Number of its partition.
        offset: Its place in the partition.
        key: None for a record without.
        value: None for a tombstone.
        timestamp: In ms; None without.
        headers: Name and value of each.
    """

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp: int | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Broker:
    """A broker that runs.

    Args:
        bootstrap: host:port of its plain listener.
        listeners: Its listeners that want a password or TLS.

    Attributes:
        bootstrap: host:port of its plain listener.
    """

    def __init__(self, bootstrap: str, listeners: Mapping[str, Secured] | None = None) -> None:
        self.bootstrap = bootstrap
        self._listeners = dict(listeners or {})
        self._admin: AdminClient | None = None

    def client(self) -> Broker:
        """The same broker for another process."""
        return Broker(self.bootstrap, self._listeners)

    def topic(self, partitions: int = 1, prefix: str = "test", **config: object) -> str:
        """Make a topic; its name.

        Args:
            partitions: How many.
            prefix: What the name begins with.
            config: Settings of the topic with "_" for ".", such as ``retention_ms=1000``.
        """
        name = f"{prefix}-{uuid.uuid4().hex[:12]}"
        self.create(name, partitions, **config)
        return name

    def create(self, name: str, partitions: int = 1, **config: object) -> None:
        """Make a topic of a given name; otherwise like `topic`."""
        settings = {key.replace("_", "."): str(value) for key, value in config.items()}
        admin = self.admin()
        admin.create_topics([NewTopic(name, partitions, 1, config=settings)])[name].result(PATIENCE_S)
        self._await_leaders(admin, name, partitions)

    def add_partitions(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions: so many in all."""
        admin = self.admin()
        admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(PATIENCE_S)
        self._await_leaders(admin, topic, partitions)

    def delete(self, topic: str) -> None:
        """Delete a topic."""
        self.admin().delete_topics([topic])[topic].result(PATIENCE_S)

    def produce(
        self,
        topic: str,
        records: Iterable[Bytes | tuple[Bytes, Bytes]],
        *,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Mapping[str, Bytes] | None = None,
    ) -> None:
        """Write records, and wait until the broker has them.

        Args:
            topic: Where to.
            records: A value, or a key and a value, each.
            partition: Of all of them; None: by the key, as Java's clients do.
            timestamp: Of all of them, in ms; None: now.
            headers: Of all of them.

        Raises:
            KafkaException: The broker did not take one.
        """
        producer = self.producer(enable_idempotence=True)  # what is sent again keeps its place
        send(producer, topic, records, partition=partition, timestamp=timestamp, headers=headers)
        assert producer.flush(PATIENCE_S) == 0, f"{topic}: the broker did not take the records within {PATIENCE_S} s"

    def read(
        self, topic: str, *, committed: bool = True, count: int | None = None, timeout_s: float = PATIENCE_S
    ) -> list[Record]:
        """All records of a topic up to its end, by partition and offset.

        Args:
            topic: Where from.
            committed: Leave out what belongs to an aborted or an open transaction. A broker that has committed one
                marks that in the partitions afterwards: so it is waited for a short time while there are such.
            count: Wait until there are so many, as of a job that still runs. None: read what is there.
            timeout_s: How long at most.

        Raises:
            AssertionError: The end, or the count, was not reached in time.
        """
        found: list[Record] = []
        deadline = time.monotonic() + timeout_s
        if committed and count is None:
            self._await_marks(topic)
        for some, ended in self._poll(topic, committed):
            found += some
            if ended and (count is None or len(found) >= count):
                break
            wanted = f"not {count}" if count is not None else "and no end"
            assert time.monotonic() < deadline, f"{topic}: {len(found)} records after {timeout_s} s, {wanted}"
        return sorted(found, key=lambda record: (record.partition, record.offset))

    def _await_marks(self, topic: str) -> None:
        """Wait until no transaction is open in a topic, or for as long as marks may take."""
        with suppress(AssertionError):
            wait_until(lambda: self.ends(topic, committed=True) == self.ends(topic), "the marks", _MARKS_S)

    def records(self, topic: str, *, committed: bool = True, follow: bool = False) -> Iterator[Record]:
        """The records of a topic as they come, up to its end.

        Args:
            topic: Where from.
            committed: Leave out what belongs to an aborted or an open transaction.
            follow: Wait for more at the end, for ever.
        """
        for some, ended in self._poll(topic, committed):
            yield from some
            if ended and not follow:
                return

    def ends(self, topic: str, *, committed: bool = False) -> dict[int, int]:
        """Partition -> offset of the next record; with ``committed``, of the first that is not yet committed."""
        partitions = self.admin().list_topics(topic, PATIENCE_S).topics[topic].partitions
        asked = {TopicPartition(topic, number): OffsetSpec.latest() for number in partitions}
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        answers = self.admin().list_offsets(asked, isolation_level=level)
        return {part.partition: answer.result(PATIENCE_S).offset for part, answer in answers.items()}

    def producer(self, **config: object) -> Producer:
        """A producer; settings with "_" for ".", such as ``transactional_id="t1"``."""
        return Producer(self._config(config), logger=_LOGGER)

    def consumer(self, committed: bool = True, **config: object) -> Consumer:
        """A consumer that tells the end of a partition; settings with "_" for "."."""
        defaults = {
            "group_id": f"test-{uuid.uuid4().hex[:12]}",
            "enable_auto_commit": False,
            "auto_offset_reset": "earliest",
            "enable_partition_eof": True,
            "fetch_wait_max_ms": 10,
            "isolation_level": "read_committed" if committed else "read_uncommitted",
        }
        return Consumer(self._config(defaults | config), logger=_LOGGER)

    def admin(self) -> AdminClient:
        """A client that may do everything."""
        if self._admin is None:
            self._admin = AdminClient(self._config({}), logger=_LOGGER)
        return self._admin

    def allow(self, user: str, *operations: str, **resources: str) -> None:
        """Give a user rights (ACLs).

        Args:
            user: Such as `ALICE`.
            operations: READ, WRITE, DESCRIBE, ALL ...
            resources: Which resource each: ``topic="t"``, ``group="g"``, ``transactional_id="i"``.
        """
        bindings = [
            AclBinding(
                ResourceType[kind.upper()],
                name,
                ResourcePatternType.LITERAL,
                f"User:{user}",
                "*",
                AclOperation[operation],
                AclPermissionType.ALLOW,
            )
            for operation in operations
            for kind, name in resources.items()
        ]
        for outcome in self.admin().create_acls(bindings).values():
            outcome.result(PATIENCE_S)

    @property
    def secured(self) -> Secured:
        """The listener with user and password: `ALICE`, who has no rights, and ``admin``, who has all.

        Raises:
            UnavailableError: This broker was not started by the run.
        """
        return self._listener("sasl")

    @property
    def tls(self) -> Secured:
        """The listener with TLS and without users. Raises like `secured`."""
        return self._listener("tls")

    @property
    def secured_tls(self) -> Secured:
        """The listener with TLS, user and password. Raises like `secured`."""
        return self._listener("sasl_tls")

    def stop(self) -> None:
        """End the broker, if this run started it."""

    def is_ready(self) -> bool:
        """Whether it answers, and every partition has a leader."""
        try:
            metadata = self.admin().list_topics(timeout=2)
        except KafkaException:
            return False
        leaders = [part.leader for topic in metadata.topics.values() for part in topic.partitions.values()]
        return bool(metadata.brokers) and -1 not in leaders

    def _poll(self, topic: str, committed: bool) -> Iterator[tuple[list[Record], bool]]:
        """What has come, and whether every partition has been read to its end; for ever."""
        consumer = self.consumer(committed=committed)
        try:
            partitions = consumer.list_topics(topic, PATIENCE_S).topics[topic].partitions
            consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
            ended: set[int | None] = set()
            while True:
                some = []
                for message in consumer.consume(10_000, 0.02):
                    error = message.error()
                    if error is None:
                        some.append(_record(message))
                        ended.discard(message.partition())
                    elif error.code() == KafkaError._PARTITION_EOF:
                        ended.add(message.partition())
                    else:
                        raise KafkaException(error)
                yield some, len(ended) == len(partitions)
        finally:
            consumer.close()

    def _listener(self, name: str) -> Secured:
        if name not in self._listeners:
            raise UnavailableError(
                f"the broker at {self.bootstrap} was not started by this run, so its {name} listener is not known; "
                "unset DATASTREAM_TEST_KAFKA to test passwords and TLS"
            )
        return self._listeners[name]

    def _config(self, config: Mapping[str, object]) -> dict[str, Any]:
        # No waiting between attempts to connect: a broker that starts is to be noticed at once.
        settings = {"bootstrap.servers": self.bootstrap, "reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 200}
        return settings | {key.replace("_", "."): value for key, value in config.items()}

    def _await_leaders(self, admin: AdminClient, topic: str, partitions: int) -> None:
        """A topic that was made a moment ago may not be known to the broker's clients yet."""

        def look() -> bool:
            found = admin.list_topics(topic, PATIENCE_S).topics[topic]
            leaders = [part.leader for part in found.partitions.values()]
            return len(leaders) == partitions and -1 not in leaders

        wait_until(look, f"leaders of {topic}", PATIENCE_S, 0.01)


def send(
    producer: Producer,
    topic: str,
    records: Iterable[Bytes | tuple[Bytes, Bytes]],
    *,
    partition: int | None = None,
    timestamp: int | None = None,
    headers: Mapping[str, Bytes] | None = None,
) -> None:
    """Hand records to a producer, such as one in a transaction; like `Broker.produce`, without waiting."""
    given: dict[str, Any] = {"partition": partition, "timestamp": timestamp, "headers": headers}
    given = {name: value for name, value in given.items() if value is not None}
    for record in records:
        key, value = record if isinstance(record, tuple) else (None, record)
        while True:
            try:
                producer.produce(topic, value, key, on_delivery=_check, **given)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)


def _check(error: KafkaError | None, _message: Message) -> None:
    if error is not None:
        raise KafkaException(error)


def _record(message: Message) -> Record:
    kind, timestamp = message.timestamp()
    return Record(
        message.partition() or 0,
        message.offset() or 0,
        message.key(),
        message.value(),
        None if kind == TIMESTAMP_NOT_AVAILABLE else timestamp,
        tuple(message.headers() or ()),
    )
