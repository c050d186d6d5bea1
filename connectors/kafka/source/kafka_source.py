"""Kafka as a source: PyFlink's KafkaSource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.functions import OutputTag
from datastream.io import Source
from datastream.types import TypeInformation

from ..client.answer_deadline import Patience
from ..client.cluster import Cluster
from ..client.errors import KafkaFailure
from ..client.log import LOGGER
from ..client.properties import client_config, flag, make_client
from ..client.topic_partition import from_json
from ..records.consumer_record import KafkaRecordDeserializationSchema
from .data_loss import policy_of
from .offsets_initializer import KafkaOffsetsInitializer
from .planning import Planner, Reading, plan
from .reader_pool import POOL
from .splits import KafkaSplit
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

    timestamped = True
    laned = True

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
        Patience(properties)
        self._reading = Reading(subscriber, starting, stopping, dict(properties))
        self._deserializer = deserializer
        self._policy = policy_of(properties)
        self._commits = flag(properties, "commit.offsets.on.checkpoint", True)
        self._planner: Planner | None = None
        self.bounded = bounded

    @staticmethod
    def builder() -> KafkaSourceBuilder:
        """A builder of a source."""
        from .builder import KafkaSourceBuilder

        return KafkaSourceBuilder()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_planner": None}

    @property
    def produced_type(self) -> TypeInformation | None:
        return self._deserializer.get_produced_type()

    @property
    def exact(self) -> bool:
        return self._deserializer.exact

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return self._deserializer.side_tags

    def validate(self) -> None:
        """Check that brokers answer and take the credentials, and that topics and partitions are there.

        Raises:
            ValidationError: they do not, or one is not.
        """
        properties = self._reading.properties
        make_client(client_config(properties, "consumer") | {"group.id": "check"}, "consumer").close()
        try:
            there = Cluster(properties, Patience(properties, at_most_ms=_VALIDATE_MS)).topics()
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

    def initial_offset(self) -> dict[str, Any]:
        return self._plans().initial()

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        return self._plans().latest(start, budget)

    def plan(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[KafkaSplit]:
        return plan(start, end, parallelism)

    def lanes(self, offset: dict[str, Any]) -> Sequence[str]:
        stop = offset["stop"] and from_json(offset["stop"])
        at = from_json(offset["partitions"])
        return [str(one) for one in sorted(at) if not stop or at[one] < stop[one]]

    def lane(self, split: KafkaSplit) -> str:
        return f"{split.topic}-{split.partition}"

    def read(self, split: KafkaSplit) -> Iterator[list[Any]]:
        with POOL.reader(self._reading.properties, split) as reader:
            for messages in reader.messages(split, self._policy):
                yield self._deserializer.records(messages, split.topic, split.partition)

    def read_timed(self, split: KafkaSplit) -> Iterator[tuple[list[Any], list[int | None]]]:
        with POOL.reader(self._reading.properties, split) as reader:
            for messages in reader.messages(split, self._policy):
                yield self._deserializer.timed_records(messages, split.topic, split.partition)

    def finished(self, offset: dict[str, Any]) -> bool:
        if offset["stop"] is None:
            return False
        stop = from_json(offset["stop"])
        return all(n >= stop[at] for at, n in from_json(offset["partitions"]).items())

    def commit(self, offset: dict[str, Any]) -> None:
        if self._commits and self._reading.properties.get("group.id"):
            self._plans().commit(offset)

    def close(self) -> None:
        planner, self._planner = self._planner, None
        if planner is not None:
            planner.close()

    def _plans(self) -> Planner:
        if self._planner is None:
            self._planner = Planner(self._reading)
        return self._planner
