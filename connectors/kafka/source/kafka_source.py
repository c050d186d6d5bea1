"""Kafka as a source: PyFlink's KafkaSource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator

from ..client.answer_deadline import AnswerDeadline
from ..client.cluster import Cluster
from ..client.errors import BrokersAway, KafkaFailure
from ..client.log import LOGGER
from ..client.properties import client_config, flag, make_client
from ..records.consumer_record import KafkaRecordDeserializationSchema
from .data_loss import policy_of
from .enumerator import KafkaEnumerator, Reading
from .offsets_initializer import KafkaOffsetsInitializer
from .reader import KafkaReader
from .subscriber import Subscriber, TopicPattern

if TYPE_CHECKING:
    from .builder import KafkaSourceBuilder

#: Brokers that do not answer when a job is started are most likely not there.
_VALIDATE_MS = 15_000


class KafkaSource(Source):
    """Reads topics. Exactly once: offsets live in the job's checkpoint, and an epoch is read again as it was.

    Every partition is a lane with a watermark of its own, and records have Kafka's timestamps. With
    ``isolation.level`` at its default of ``read_committed`` records of open and aborted transactions are not read.

    When records that the job still has to read are gone, it fails with a `DataLoss`; with the property
    ``auto.offset.reset`` set to ``earliest`` or ``latest`` it goes on from there, with a warning. When brokers are
    away it waits, ``default.api.timeout.ms`` at most (default: 120,000).
    """

    def __init__(
        self,
        subscriber: Subscriber,
        starting: KafkaOffsetsInitializer,
        stopping: KafkaOffsetsInitializer | None,
        bounded: bool,
        deserializer: KafkaRecordDeserializationSchema,
        properties: Mapping[str, Any],
    ) -> None:
        """Use `builder`.

        Args:
            subscriber: Which partitions.
            starting: Where a new job starts.
            stopping: Where reading stops; None: nowhere.
            bounded: Whether that is known to be soon: whether batch mode may read it.
            deserializer: How Kafka's records become the job's.
            properties: Of the client.

        Raises:
            ValidationError: a property cannot be translated; see `client_config`.
        """
        client_config(properties, "consumer")
        policy_of(properties)
        AnswerDeadline(properties)
        self._reading = Reading(subscriber, starting, stopping, dict(properties))
        self._deserializer = deserializer
        self._policy = policy_of(properties)
        self._commits = flag(properties, "commit.offsets.on.checkpoint", True)
        self.bounded = bounded

    @staticmethod
    def builder() -> KafkaSourceBuilder:
        """A builder of a source."""
        from .builder import KafkaSourceBuilder

        return KafkaSourceBuilder()

    @property
    def _ends(self) -> bool:
        return self._reading.stopping is not None

    @property
    def produced(self) -> Produced:
        return Produced.by(self._deserializer, timestamps=True, lanes=True)

    def validate(self) -> None:
        """Check that brokers answer and take the credentials, and that topics and partitions are there.

        Raises:
            ValidationError: they refuse the credentials, or one is not.
            BrokersAway: they do not answer.
        """
        properties = self._reading.properties
        make_client(client_config(properties, "consumer") | {"group.id": "check"}, "consumer").close()
        try:
            there = Cluster(properties, AnswerDeadline(properties, at_most_ms=_VALIDATE_MS)).topics()
        except BrokersAway:
            raise
        except KafkaFailure as error:
            raise ValidationError(str(error)) from None
        subscriber = self._reading.subscriber
        missing = subscriber.missing(there)
        if missing is None:
            return
        if isinstance(subscriber, TopicPattern) and not self.bounded:
            LOGGER.warning("%s; waiting for topics that do", missing)
            return
        raise ValidationError(f"KafkaSource: {missing} (at {properties['bootstrap.servers']})")

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return KafkaEnumerator(self._reading, self._commits)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return KafkaReader(self._reading.properties, self._deserializer, self._policy, context)
