"""Sinks for the tests, and what arrived."""

from __future__ import annotations

from typing import Any

from datastream.connectors.kafka import DeliveryGuarantee, KafkaRecordSerializationSchema, KafkaSink
from datastream.formats import SimpleStringSchema

NONE, AT_LEAST_ONCE, EXACTLY_ONCE = (
    DeliveryGuarantee.NONE,
    DeliveryGuarantee.AT_LEAST_ONCE,
    DeliveryGuarantee.EXACTLY_ONCE,
)


def text_serializer(topic: Any, key: bool = False) -> Any:
    """A builder for str records: the record is the value, and the key if it has one."""
    builder = KafkaRecordSerializationSchema.builder().set_value_serialization_schema(SimpleStringSchema())
    if key:
        builder.set_key_serialization_schema(SimpleStringSchema())
    return builder.set_topic(topic) if isinstance(topic, str) else builder.set_topic_selector(topic)


def sink_of(broker: Any, serializer: Any, guarantee: DeliveryGuarantee = EXACTLY_ONCE, **properties: Any) -> KafkaSink:
    """A sink; `serializer` may be a topic. Properties with "_" for "."."""
    if isinstance(serializer, str):
        serializer = text_serializer(serializer).build()
    bootstrap = broker if isinstance(broker, str) else broker.bootstrap
    builder = KafkaSink.builder().set_bootstrap_servers(bootstrap).set_record_serializer(serializer)
    builder.set_delivery_guarantee(guarantee)
    builder.set_transactional_id_prefix(properties.pop("prefix", "test"))
    for name, value in properties.items():
        builder.set_property(name.replace("_", "."), value)
    return builder.build()


def values(broker: Any, topic: str, committed: bool = True) -> list[str]:
    """The values of a topic, sorted."""
    return sorted((record.value or b"").decode() for record in broker.read(topic, committed=committed))
