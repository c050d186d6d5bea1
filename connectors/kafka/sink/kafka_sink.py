"""Kafka as a sink: PyFlink's KafkaSink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import ValidationError, cut
from datastream.io import Consumed, Sink, SinkWriter, WriterContext

from ..records.record_serializer import KafkaRecordSerializationSchema, only_topic
from .check import check_sink
from .plain_writer import PlainWriter
from .settings import WriteSettings, producer_config
from .transactional_writer import TransactionalWriter

if TYPE_CHECKING:
    from .builder import KafkaSinkBuilder


class KafkaSink(Sink):
    """Writes records to topics of Kafka. A record's timestamp is its event time, where the stream has one.

    What happens to a record depends on the guarantee:

    - ``NONE`` (default): it is sent. Records that brokers do not take are counted and logged.
    - ``AT_LEAST_ONCE``: an epoch counts as written once brokers have all of it (``acks=all``); a record that they do
      not take in 120 s (``delivery.timeout.ms``) fails the job. An epoch that is run again writes its records again.
    - ``EXACTLY_ONCE``: each task writes an epoch in one transaction, which also holds a marker with the epoch's number.
      Consumers with ``isolation.level=read_committed`` see each record once. It needs functions that return the same
      for the same input, and for the checkpoint to go on from within ``offsets.retention.minutes`` of the brokers
      (7 days by default); see `transactional_writer`.

    With EXACTLY_ONCE the transactional ids are ``<prefix>-<uid of the sink>-<task>``; they are names of consumer groups
    that hold the markers, too. Where brokers have ACLs, the user needs WRITE, DESCRIBE and READ on the topics, WRITE
    and DESCRIBE on the transactional ids and READ on the groups, which a prefixed ACL grants. Give the sink a ``uid``,
    and a prefix to each job.
    """

    def __init__(
        self,
        serializer: KafkaRecordSerializationSchema,
        properties: Mapping[str, Any],
        guarantee: DeliveryGuarantee = DeliveryGuarantee.NONE,
        transactional_id_prefix: str | None = None,
    ) -> None:
        """Use `builder`.

        Args:
            serializer: How records become records of Kafka.
            properties: Of the client, ``bootstrap.servers`` among them; names of Kafka's Java client or librdkafka.
            guarantee: What is promised.
            transactional_id_prefix: For EXACTLY_ONCE: no two running jobs may have the same.

        Raises:
            ValidationError: one of them is not what it should be.
        """
        if not isinstance(serializer, KafkaRecordSerializationSchema):
            raise ValidationError(
                "KafkaSink: expected a KafkaRecordSerializationSchema, "
                f"got {type(serializer).__name__} {cut(serializer)}; make one with "
                "KafkaRecordSerializationSchema.builder() and give it to KafkaSink.builder().set_record_serializer()"
            )
        if guarantee is DeliveryGuarantee.EXACTLY_ONCE and not transactional_id_prefix:
            raise ValidationError(
                "KafkaSink: EXACTLY_ONCE needs a transactional id prefix of the job's own: "
                "call set_transactional_id_prefix('name-of-the-job')"
            )
        self._set_up(serializer, WriteSettings(dict(properties), guarantee, transactional_id_prefix))

    def _set_up(self, serializer: KafkaRecordSerializationSchema, settings: WriteSettings) -> None:
        producer_config(settings.properties, settings.guarantee, "check")
        self._serializer = serializer
        self._settings = settings
        self._timestamps = True

    @property
    def consumed(self) -> Consumed:
        exactly_once = self._settings.guarantee is DeliveryGuarantee.EXACTLY_ONCE
        return Consumed(timestamps=self._timestamps, needs_checkpoint=exactly_once)

    @staticmethod
    def builder() -> KafkaSinkBuilder:
        """A builder for a sink."""
        from .builder import KafkaSinkBuilder

        return KafkaSinkBuilder()

    def validate(self) -> None:
        check_sink(self._settings, only_topic(self._serializer))

    def create_writer(self, context: WriterContext) -> SinkWriter:
        if self._settings.guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            return TransactionalWriter(self._settings, self._serializer, context)
        return PlainWriter(self._settings, self._serializer, context)
