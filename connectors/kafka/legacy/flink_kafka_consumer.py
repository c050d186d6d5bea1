"""The source's old name: FlinkKafkaConsumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.old_names import warn_of_old
from datastream.types import TypeInformation

from ..records.consumer_record import KafkaRecordDeserializationSchema
from ..source.data_loss import policy_of
from ..source.kafka_source import KafkaSource
from ..source.offsets_initializer import KafkaOffsetResetStrategy, KafkaOffsetsInitializer
from ..source.subscriber import TopicList

_RESETS = {
    "earliest": KafkaOffsetResetStrategy.EARLIEST,
    "latest": KafkaOffsetResetStrategy.LATEST,
    "fail": KafkaOffsetResetStrategy.LATEST,
}


class FlinkKafkaConsumer(KafkaSource):
    """The old name of a `KafkaSource` without end; for ``add_source``.

    Starts at the consumer group's offsets, where it has any; else where ``auto.offset.reset`` says, by default at the
    end. Without a ``group.id`` it starts there at once.

    Args:
        topics: A topic, or several.
        deserialization_schema: How values become records.
        properties: Of the client.

    Raises:
        ValidationError: no topics, no schema, or a property cannot be translated.
    """

    def __init__(
        self,
        topics: str | list[str],
        deserialization_schema: DeserializationSchema,
        properties: Mapping[str, Any],
    ) -> None:
        names = (topics,) if isinstance(topics, str) else tuple(topics)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValidationError(f"{type(self).__name__}: expected names of topics, got {cut(topics)}")
        known = {**properties}
        # New partitions were not looked for unless that was asked for.
        interval = known.pop("flink.partition-discovery.interval-millis", -1)
        known.setdefault("partition.discovery.interval.ms", interval)
        deserializer = KafkaRecordDeserializationSchema.value_only(deserialization_schema)
        group = KafkaOffsetsInitializer.committed_offsets(_RESETS[policy_of(known)])
        super().__init__(TopicList(tuple(dict.fromkeys(names))), group, None, False, deserializer, known)

    def set_start_from_earliest(self) -> FlinkKafkaConsumer:
        """Start at the first records that are there."""
        return self._start(KafkaOffsetsInitializer.earliest())

    def set_start_from_latest(self) -> FlinkKafkaConsumer:
        """Start at the ends of the partitions."""
        return self._start(KafkaOffsetsInitializer.latest())

    def set_start_from_timestamp(self, startup_offsets_timestamp: int) -> FlinkKafkaConsumer:
        """Start at the first records not before a time.

        Args:
            startup_offsets_timestamp: ms since 1970.

        Raises:
            ValidationError: it is no int from 0.
        """
        return self._start(KafkaOffsetsInitializer.timestamp(startup_offsets_timestamp))

    def set_start_from_group_offsets(self) -> FlinkKafkaConsumer:
        """Start at what the consumer group has committed. The default."""
        return self._start(KafkaOffsetsInitializer.committed_offsets(_RESETS[self._policy]))

    def set_commit_offsets_on_checkpoints(self, commit_on_checkpoints: bool) -> FlinkKafkaConsumer:
        """Set whether offsets are committed to the consumer group. Default: yes, where there is a ``group.id``."""
        self._commits = bool(commit_on_checkpoints)
        return self

    def disable_filter_restored_partitions_with_subscribed_topics(self) -> FlinkKafkaConsumer:
        """Nothing to do: partitions of a checkpoint are never filtered."""
        return self

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self._deserializer.get_produced_type()

    def _start(self, initializer: KafkaOffsetsInitializer) -> FlinkKafkaConsumer:
        self._reading = self._reading.starting_at(initializer)
        return self


class FlinkKafkaConsumer010(FlinkKafkaConsumer):
    """The name for Kafka 0.10; the same thing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_of_old("FlinkKafkaConsumer010", "KafkaSource.builder() for from_source")
        super().__init__(*args, **kwargs)


class FlinkKafkaConsumer011(FlinkKafkaConsumer):
    """The name for Kafka 0.11; the same thing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_of_old("FlinkKafkaConsumer011", "KafkaSource.builder() for from_source")
        super().__init__(*args, **kwargs)
