"""PyFlink's builder of a KafkaSink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import ValidationError, cut

from ..records.record_serializer import KafkaRecordSerializationSchema
from .kafka_sink import KafkaSink

_LONGEST_PREFIX = 1_000


class KafkaSinkBuilder:
    """Puts a sink together: brokers and a record serializer, at least."""

    def __init__(self) -> None:
        self._properties: dict[str, Any] = {}
        self._serializer: KafkaRecordSerializationSchema | None = None
        self._guarantee = DeliveryGuarantee.NONE
        self._prefix: str | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> Self:
        """Set the brokers to ask first, as ``host:port,host:port``."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_record_serializer(self, record_serializer: KafkaRecordSerializationSchema) -> Self:
        """Set how records become records of Kafka."""
        self._serializer = record_serializer
        return self

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> Self:
        """Set what is promised. Default: NONE, as in PyFlink."""
        if not isinstance(delivery_guarantee, DeliveryGuarantee):
            raise ValidationError(
                "KafkaSinkBuilder.set_delivery_guarantee: expected a DeliveryGuarantee, "
                f"got {type(delivery_guarantee).__name__} {cut(delivery_guarantee)}"
            )
        self._guarantee = delivery_guarantee
        return self

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> Self:
        """Set the beginning of transactional ids, for EXACTLY_ONCE. No two running jobs may have the same."""
        found = transactional_id_prefix
        if not isinstance(found, str) or not 0 < len(found.encode()) <= _LONGEST_PREFIX:
            raise ValidationError(
                f"KafkaSinkBuilder.set_transactional_id_prefix: expected text of 1 to {_LONGEST_PREFIX} bytes, "
                f"got {type(found).__name__} {cut(found)}"
            )
        self._prefix = found
        return self

    def set_property(self, key: str, value: str) -> Self:
        """Set a property of the producer, by the name of Kafka's Java client or librdkafka."""
        self._properties[key] = value
        return self

    def set_properties(self, props: Mapping[str, Any]) -> Self:
        """Set several properties. Of Flink's Java API, not of PyFlink's."""
        self._properties.update(props)
        return self

    def build(self) -> KafkaSink:
        """The sink.

        Raises:
            ValidationError: no brokers or no record serializer; EXACTLY_ONCE without a prefix; a wrong property.
        """
        if self._serializer is None:
            raise ValidationError("KafkaSinkBuilder: no record serializer: call set_record_serializer")
        return KafkaSink(self._serializer, self._properties, self._guarantee, self._prefix)
