"""Writes without transactions: at least once, or without any guarantee."""

from __future__ import annotations

from contextlib import suppress

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.io import Batch, SinkWriter, WriterContext

from ..client.library import confluent_kafka
from ..client.log import LOGGER
from ..records.record_serializer import KafkaRecordSerializationSchema, messages_of, only_topic
from .partition_counts import PartitionCounts
from .producer import Producer
from .settings import WriteSettings, delivery_seconds, producer_config

#: How long the end of an epoch waits for messages whose delivery was not promised.
UNPROMISED_SECONDS = 2.0

_STEP_SECONDS = 1.0


class PlainWriter(SinkWriter):
    """Gives each block to the producer at once; the end of the epoch waits until brokers have all of it."""

    def __init__(
        self, settings: WriteSettings, serializer: KafkaRecordSerializationSchema, context: WriterContext
    ) -> None:
        self._serializer = serializer
        self._context = context
        self._promised = settings.guarantee is not DeliveryGuarantee.NONE
        self._lenient = settings.log_failures or not self._promised
        self._config = producer_config(settings.properties, settings.guarantee)
        self._partitions = PartitionCounts(settings.properties, delivery_seconds(self._config))
        self._producer: Producer | None = None
        self._epoch = 0
        self._bytes = context.metrics.counter("numBytesOut")
        self._retries = context.metrics.counter("numRetries")

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch = epoch
        self._partitions.begin_epoch()
        if self._producer is None:
            self._producer = producer = Producer(self._config)
            with suppress(confluent_kafka().KafkaException):  # brokers may be away for a while: send waits for them
                producer.warm(only_topic(self._serializer), _STEP_SECONDS)

    def write(self, batch: Batch) -> None:
        producer = self._producer
        assert producer is not None, "no epoch has begun"
        producer.send(messages_of(self._serializer, *batch, self._partitions), self._lenient)

    def prepare_commit(self) -> None:
        producer = self._producer
        assert producer is not None, "no epoch has begun"
        if self._promised:
            # Ends by itself: what is not delivered in time has failed, and is reported.
            while producer.flush(_STEP_SECONDS) and not producer.reports.broken:
                if not self._lenient:
                    producer.reports.check()
        else:
            producer.flush(UNPROMISED_SECONDS)
        if not self._lenient:
            producer.reports.check()
        producer.take_counts(self._bytes, self._retries)
        self._log_failures(producer)
        if producer.reports.broken:
            self._producer = None
            producer.close()

    def _log_failures(self, producer: Producer) -> None:
        if producer.reports.failed:
            LOGGER.error(
                "%d records of epoch %d of sink %s are lost: %s",
                producer.reports.failed,
                self._epoch,
                self._context.uid,
                producer.reports.failure(),
            )
            producer.reports.clear()

    def abort(self) -> None:
        # An idempotent producer is of no use after an error, and what waits is written again by a replay.
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.close(flush=not self._promised)

    def close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.close(flush=True)
        self._partitions.close()
