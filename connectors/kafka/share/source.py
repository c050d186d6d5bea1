"""The source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import (
    Batch,
    EnumeratorContext,
    Produced,
    QueueConnection,
    QueueSource,
    ReaderContext,
    SourceReader,
)
from datastream.io.queues import QueueReader, QueueSplit

from ..client.answer_deadline import AnswerDeadline
from ..client.cluster import Cluster
from ..client.errors import BrokersAway, KafkaFailure
from ..client.properties import client_config, make_client
from ..records.consumer_record import KafkaRecordDeserializationSchema, read_timed_block
from ..source.subscriber import TopicList
from .stored_message import StoredMessage

if TYPE_CHECKING:
    from .builder import KafkaShareSourceBuilder

_VALIDATE_MS = 15_000
_START = "share.auto.offset.reset"


class KafkaShareSource(QueueSource):
    """Topics as queues (KIP-932): records of a partition go to any member of a share group, also to several at once.

    A task stores records, acknowledges them, and only then emits them. So nothing is lost, and each record comes once
    in a job with a checkpoint directory: one that is delivered again is dropped by its topic, partition and offset.
    There is no order. The group may have other members: other jobs, and consumers in Java.

    Brokers must be of Kafka 4.2 or later. The property ``share.auto.offset.reset`` (``earliest`` or ``latest``) is set
    for the group when a new job starts; default: as it is, which is ``latest`` unless somebody has set it.

    An addition to PyFlink's names. Use `builder`.
    """

    def __init__(
        self, topics: TopicList, deserializer: KafkaRecordDeserializationSchema, properties: Mapping[str, Any]
    ) -> None:
        """Use `builder`.

        Args:
            topics: Which topics.
            deserializer: How Kafka's records become the job's.
            properties: Of the client, and ``share.auto.offset.reset``.

        Raises:
            ValidationError: a property cannot be translated, or ``group.id`` is missing.
        """
        self._properties = {name: value for name, value in properties.items() if name != _START}
        self._from = properties.get(_START)
        if self._from not in (None, "earliest", "latest"):
            raise ValidationError(f"KafkaShareSource: {_START}: expected earliest or latest, got {self._from!r}")
        if not self._properties.get("group.id"):
            raise ValidationError("KafkaShareSource: call set_group_id: records are shared by the members of a group")
        client_config(self._properties, "share consumer")
        AnswerDeadline(self._properties)
        self._topics, self.deserializer = topics, deserializer
        self._deadline: AnswerDeadline | None = None

    @staticmethod
    def builder() -> KafkaShareSourceBuilder:
        """A builder of a source."""
        from .builder import KafkaShareSourceBuilder

        return KafkaShareSourceBuilder()

    @property
    def produced(self) -> Produced:
        return Produced.by(self.deserializer, timestamps=True)

    def validate(self) -> None:
        """Check that brokers answer and take the credentials, and that the topics are there.

        Raises:
            ValidationError: they refuse the credentials, or one is not.
            BrokersAway: they do not answer.
        """
        make_client(client_config(self._properties, "share consumer"), "share consumer").close()
        try:
            there = Cluster(self._properties, AnswerDeadline(self._properties, at_most_ms=_VALIDATE_MS)).topics()
        except BrokersAway:
            raise
        except KafkaFailure as error:
            raise ValidationError(str(error)) from None
        missing = self._topics.missing(there)
        if missing is not None:
            raise ValidationError(f"KafkaShareSource: {missing} (at {self._properties['bootstrap.servers']})")

    def start(self, context: EnumeratorContext) -> None:
        if self._from is not None:
            Cluster(self._properties).set_group_option(self._properties["group.id"], _START, self._from)

    def connect(self) -> QueueConnection:
        from .connection import ShareConnection

        return ShareConnection(self._topics.topics, self._properties, self._deadline)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        self._deadline = AnswerDeadline(self._properties)  # of all its connections: each idle one is closed
        return _Reader(self, context)


class _Reader(QueueReader):
    def __init__(self, source: KafkaShareSource, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._deserializer = source.deserializer
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(self._deserializer) else None

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        for stored in super().read(split):
            for (topic, partition), bodies in groupby(stored.records, key=lambda body: body[:2]):
                messages = [StoredMessage(*content) for _, _, content in bodies]
                self._bytes.inc(sum(len(message.key() or b"") + len(message.value() or b"") for message in messages))
                batch = Batch(*read_timed_block(self._deserializer, messages, topic, partition))
                if self._dead is not None:
                    self._dead.inc(dead_letters_in(batch.records))
                yield batch
