"""The names that Kafka's sink had before KafkaSink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Self

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.old_names import warn_of_old
from datastream.without_effect import without_effect

from ..records.record_serializer import KafkaRecordSerializationSchema
from ..sink.kafka_sink import KafkaSink
from ..sink.settings import WriteSettings


class Semantic(Enum):
    """What a `FlinkKafkaProducer` promises; see `DeliveryGuarantee`."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1
    NONE = 2


class FlinkKafkaProducer(KafkaSink):
    """A `KafkaSink` by its older name, for ``stream.add_sink``. New jobs: `KafkaSink`."""

    def __init__(
        self,
        topic: str,
        serialization_schema: SerializationSchema,
        producer_config: Mapping[str, Any],
        kafka_producer_pool_size: int = 5,
        semantic: Semantic = Semantic.AT_LEAST_ONCE,
    ) -> None:
        """
        Args:
            topic: Where all records go.
            serialization_schema: How a record's value is made; records have no keys.
            producer_config: Properties of the producer, ``bootstrap.servers`` among them.
            kafka_producer_pool_size: Of no effect: a task has one producer.
            semantic: What is promised. With EXACTLY_ONCE the transactional ids begin with the id of the job, which
                its checkpoint directory keeps.

        Raises:
            ValidationError: one of them is not what it should be.
        """
        if not isinstance(semantic, Semantic):
            raise ValidationError(
                f"FlinkKafkaProducer: expected a Semantic, got {type(semantic).__name__} {cut(semantic)}"
            )
        if not isinstance(producer_config, Mapping):
            raise ValidationError(
                "FlinkKafkaProducer: expected a dict of properties as producer_config, "
                f"got {type(producer_config).__name__}"
            )
        builder = KafkaRecordSerializationSchema.builder()
        serializer = builder.set_topic(topic).set_value_serialization_schema(serialization_schema).build()
        self._set_up(serializer, WriteSettings(dict(producer_config), DeliveryGuarantee[semantic.name]))
        self._timestamps = False

    @without_effect("no transaction of an earlier run is committed, its epoch is written again")
    def ignore_failures_after_transaction_timeout(self) -> Self:
        """Of no effect: no transaction of an earlier run is ever committed here, its epoch is written again."""
        return self

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> Self:
        """Set the beginning of transactional ids instead of the job's id."""
        self._settings = replace(self._settings, prefix=transactional_id_prefix)
        return self

    def set_log_failures_only(self, log_failures_only: bool) -> Self:
        """Set whether failed deliveries are logged only instead of failing the job. Default: no.

        With EXACTLY_ONCE they always fail the job.
        """
        self._settings = replace(self._settings, log_failures=log_failures_only)
        return self

    def set_flush_on_checkpoint(self, flush_on_checkpoint: bool) -> Self:
        """Set whether an epoch waits until all its records are delivered. Default: yes; no is Semantic.NONE."""
        if not flush_on_checkpoint and self._settings.guarantee is DeliveryGuarantee.AT_LEAST_ONCE:
            self._settings = replace(self._settings, guarantee=DeliveryGuarantee.NONE)
        return self

    def set_write_timestamp_to_kafka(self, write_timestamp_to_kafka: bool) -> Self:
        """Set whether the event time becomes the timestamp in Kafka. Default: no, as in Flink."""
        self._timestamps = write_timestamp_to_kafka
        return self


class FlinkKafkaProducer010(FlinkKafkaProducer):
    """The name for Kafka 0.10; the same thing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_of_old("FlinkKafkaProducer010", "KafkaSink.builder() for sink_to")
        super().__init__(*args, **kwargs)


class FlinkKafkaProducer011(FlinkKafkaProducer):
    """The name for Kafka 0.11; the same thing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_of_old("FlinkKafkaProducer011", "KafkaSink.builder() for sink_to")
        super().__init__(*args, **kwargs)
