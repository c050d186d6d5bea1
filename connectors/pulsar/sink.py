"""`PulsarSink`: records as messages of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Self

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.formats.contents import contents_of
from datastream.io import BatchingSink, Committer, CommitterContext, Consumed, SinkWriter, WriterContext

from .message_delayer import MessageDelayer, delay_ms
from .message_fields import MessageFields
from .once_writer import OnceCommitter, OnceWriter
from .properties import Properties, checked_topics
from .publishing import MOST_BYTES, UNCUT, Cut, Publisher, SinkSettings
from .service import Authentication
from .topic_routing_mode import TopicRoutingMode

_COMPRESSIONS = ("LZ4", "NONE", "SNAPPY", "ZLIB", "ZSTD")


class PulsarSink(BatchingSink):
    """Publishes each record. Made by `PulsarSink.builder`.

    - ``NONE`` (default) and ``AT_LEAST_ONCE``: it waits until the brokers have confirmed all messages of an epoch. An
      epoch that runs again publishes its records again.
    - ``EXACTLY_ONCE``: brokers drop what they have already, by the names of producers and sequence ids. Needs
      deduplication in the namespace, and a checkpoint directory.

    Attributes:
        settings: The settings.
        batch_size: Messages between two waits for confirmations, but with ``EXACTLY_ONCE``.
        backoff: Tries of a batch, and pauses between them.
    """

    batch_size = 5000

    def __init__(self, settings: SinkSettings) -> None:
        self.settings = settings

    @staticmethod
    def builder() -> PulsarSinkBuilder:
        """A builder."""
        return PulsarSinkBuilder()

    def __repr__(self) -> str:
        return f"PulsarSink({self.settings.service.url}, {', '.join(self.settings.topics)})"

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=self.settings.once)

    def validate(self) -> None:
        self.settings.service.validate()

    def connect(self, context: WriterContext) -> Publisher:
        return Publisher(self.settings, context)

    def write(self, connection: Publisher, records: list[Any]) -> None:
        contents = contents_of(self.settings.schema, records, "PulsarSink")
        connection.publish(records, contents, connection.lanes, fields=self.settings.fields_of(records))

    def create_writer(self, context: WriterContext) -> SinkWriter:
        if self.settings.once:
            return OnceWriter(self.settings, self.backoff, context)
        return super().create_writer(context)

    def create_committer(self, context: CommitterContext) -> Committer | None:
        return OnceCommitter(context) if self.settings.once else None


class PulsarSinkBuilder:
    """Builds a `PulsarSink`. It needs a service URL, topics and a schema; for exactly once, an admin URL, too."""

    def __init__(self) -> None:
        self._url: str | None = None
        self._admin_url: str | None = None
        self._authentication: Authentication | None = None
        self._producer: str | None = None
        self._topics: tuple[str, ...] = ()
        self._guarantee = DeliveryGuarantee.NONE
        self._mode = TopicRoutingMode.ROUND_ROBIN
        self._schema: SerializationSchema | None = None
        self._delayer = MessageDelayer.never()
        self._properties: dict[str, Any] = {}
        self._fields: dict[str, Callable[[Any], Any]] = {}

    def set_admin_url(self, admin_url: str) -> Self:
        """Set the URL of the REST API, such as ``http://localhost:8080``: it knows which topics have deduplication."""
        self._admin_url = admin_url
        return self

    def set_service_url(self, service_url: str) -> Self:
        """Set the brokers: ``pulsar://localhost:6650``, or ``pulsar+ssl://`` for TLS; several with commas."""
        self._url = service_url
        return self

    def set_producer_name(self, producer_name: str) -> Self:
        """Set what the names of producers begin with. Default: ``datastream``."""
        self._producer = producer_name
        return self

    def set_topics(self, topics: str | Sequence[str]) -> Self:
        """Set the topics, or single partitions such as ``t-partition-0``. Each message goes to one of all partitions.

        Raises:
            ValidationError: There is none, or one is not a name.
        """
        self._topics = checked_topics(topics, "PulsarSink")
        return self

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> Self:
        """Set what is promised. Default: NONE, as in PyFlink, which is as AT_LEAST_ONCE here."""
        if not isinstance(delivery_guarantee, DeliveryGuarantee):
            raise ValidationError(
                f"PulsarSink: set_delivery_guarantee: expected a DeliveryGuarantee, got {cut(delivery_guarantee)}"
            )
        self._guarantee = delivery_guarantee
        return self

    def set_topic_routing_mode(self, topic_routing_mode: TopicRoutingMode) -> Self:
        """Set to which partition a message goes. Default: ``ROUND_ROBIN``.

        Raises:
            ValidationError: It is ``CUSTOM``, or no TopicRoutingMode.
        """
        if topic_routing_mode not in (TopicRoutingMode.ROUND_ROBIN, TopicRoutingMode.MESSAGE_KEY_HASH):
            raise ValidationError(
                "PulsarSink: set_topic_routing_mode: expected TopicRoutingMode.ROUND_ROBIN or MESSAGE_KEY_HASH, got "
                f"{cut(topic_routing_mode)}; CUSTOM needs a class of Java"
            )
        self._mode = topic_routing_mode
        return self

    def set_topic_router(self, topic_router_class_name: str) -> NoReturn:
        """Not possible: it takes a class of Java.

        Raises:
            UnsupportedOperation: Always.
        """
        raise UnsupportedOperation(
            f"PulsarSink: set_topic_router({cut(topic_router_class_name)}) takes a class of Java; split the stream by "
            "filter(), and give each part a sink with topics of its own"
        )

    def set_serialization_schema(self, serialization_schema: SerializationSchema) -> Self:
        """Set how records become the contents of messages."""
        if not isinstance(serialization_schema, SerializationSchema):
            raise ValidationError(
                f"PulsarSink needs a SerializationSchema such as SimpleStringSchema(), got {cut(serialization_schema)}"
            )
        self._schema = serialization_schema
        return self

    def set_message_key(self, key: Callable[[Any], str | None]) -> Self:
        """Set a function of the record that returns its message's key, or None. Default: messages have no keys.

        With ``MESSAGE_KEY_HASH`` messages of a key go to one partition.
        """
        return self._set_field("key", key, "set_message_key")

    def set_message_properties(self, properties: Callable[[Any], Mapping[str, str] | None]) -> Self:
        """Set a function of the record that returns its message's properties, a dict of texts. Default: none."""
        return self._set_field("properties", properties, "set_message_properties")

    def set_message_event_time(self, event_time: Callable[[Any], int | None]) -> Self:
        """Set a function of the record that returns its message's event time, in ms since 1970. Default: none."""
        return self._set_field("event_time", event_time, "set_message_event_time")

    def set_authentication(self, auth_plugin_class_name: str, auth_params_string: str | Mapping[str, str]) -> Self:
        """Set the credentials, by Java's names; as of `PulsarSourceBuilder`."""
        self._authentication = Authentication(auth_plugin_class_name, auth_params_string)
        return self

    def delay_sending_message(self, message_delayer: MessageDelayer) -> Self:
        """Set how long brokers keep messages from consumers of shared subscriptions. Default: not at all."""
        if not isinstance(message_delayer, MessageDelayer):
            raise ValidationError(
                f"PulsarSink: delay_sending_message: expected a MessageDelayer, got {cut(message_delayer)}"
            )
        self._delayer = message_delayer
        return self

    def set_config(self, key: str, value: Any) -> Self:
        """Set a property; see `set_properties`."""
        return self.set_properties({key: value})

    def set_properties(self, config: Mapping[str, Any]) -> Self:
        """Set properties by PyFlink's names, such as ``pulsar.producer.batchingMaxMessages``."""
        self._properties |= config
        return self

    def build(self) -> PulsarSink:
        """The sink.

        Raises:
            ValidationError: Something is missing, wrong or unknown.
        """
        names = ("pulsar.client.", "pulsar.admin.", "pulsar.sink.", "pulsar.producer.")
        known = Properties(self._properties, "PulsarSink", names)
        service = known.service(self._url, self._admin_url, self._authentication)
        if not self._topics:
            raise ValidationError("PulsarSink needs set_topics")
        if self._schema is None:
            raise ValidationError("PulsarSink needs set_serialization_schema")
        once = self._guarantee is DeliveryGuarantee.EXACTLY_ONCE
        if once and service.admin_url is None:
            raise ValidationError(
                "PulsarSink: DeliveryGuarantee.EXACTLY_ONCE needs set_admin_url, such as 'http://localhost:8080', by "
                "which it sees that the topics have deduplication"
            )
        confirm_ms = known.number("pulsar.producer.sendTimeoutMs", 30_000, 1)
        window = known.number("pulsar.producer.maxPendingMessages", 1000, 1)
        options = _producer_options(known, once, window, confirm_ms)
        cut = UNCUT
        if options["batching_enabled"] and "key" not in self._fields:  # consumers may want messages by their keys
            most = options["batching_max_messages"]
            cut = Cut(min(most, window), min(options["batching_max_allowed_size_in_bytes"], MOST_BYTES))
        found = SinkSettings(
            service,
            self._topics,
            self._schema,
            once,
            self._mode is TopicRoutingMode.ROUND_ROBIN,
            delay_ms(self._delayer),
            self._producer or known.text("pulsar.producer.producerName") or "datastream",
            confirm_ms,
            window,
            options,
            cut,
            MessageFields(**self._fields) if self._fields else None,
        )
        known.end()
        return PulsarSink(found)

    def _set_field(self, name: str, function: Callable[[Any], Any], call: str) -> Self:
        if not callable(function):
            raise ValidationError(f"PulsarSink: {call} needs a function of the record, got {cut(function)}")
        self._fields[name] = function
        return self


def _producer_options(known: Properties, once: bool, window: int, confirm_ms: int) -> dict[str, Any]:
    """Arguments of the library's producers."""
    compression = (known.text("pulsar.producer.compressionType") or "NONE").upper()
    if compression not in _COMPRESSIONS:
        raise ValidationError(
            f"PulsarSink: pulsar.producer.compressionType: expected one of {', '.join(_COMPRESSIONS)}, got "
            f"{cut(compression)}"
        )
    delay_us = known.number("pulsar.producer.batchingMaxPublishDelayMicros", 1000, 1)
    return {
        "batching_enabled": known.flag("pulsar.producer.batchingEnabled", True),
        "batching_max_messages": known.number("pulsar.producer.batchingMaxMessages", 1000, 2),
        "batching_max_allowed_size_in_bytes": known.number("pulsar.producer.batchingMaxBytes", 128 << 10, 1),
        "batching_max_publish_delay_ms": max(delay_us // 1000, 1),
        "max_pending_messages": window,
        # One that is given up must not be followed by others: brokers would drop it later.
        "send_timeout_millis": 0 if once else confirm_ms,
        "compression_type": compression,
    }
