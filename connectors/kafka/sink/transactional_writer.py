"""Writes an epoch's records of one task in one transaction, exactly once.

**Why it is exactly once.** The offsets of an epoch are in Spark's log before it runs, its plan and the order of its
records depend on nothing else, and state is that of the epoch before: so whenever a task runs again for an epoch, it
makes the same records. The transaction commits those records and a marker with the epoch's number (see `epoch_markers`)
together. A task that runs again finds the marker, and writes nothing; or finds none, and then nothing of the epoch is
committed. That answer is sound only if no other process can commit any more. So a producer first calls
``init_transactions``, which ends what an earlier producer of the same transactional id left open, either way, and
shuts that producer out for ever; the marker is read after it. A producer that is kept from an earlier epoch may go on
without: the newest marker is its own, and had another producer begun since, this one would be shut out and its commit
fail.

A task's records are visible once the task has committed: a little before Spark logs the epoch, and maybe before other
tasks of the epoch do. If the job dies between, those that have committed skip the epoch when it runs again.

It breaks where functions give other records for the same input (random numbers, the clock, answers of a service); then
an epoch that failed in half of its tasks is made of two runs. A differing number of records is logged. It also breaks
where the markers are gone: after ``offsets.retention.minutes`` (7 days) without the job, or with the topic.

A broker (4.3, alone in its cluster) that is killed within milliseconds of a commit may forget to end the transaction:
it says that it has, but neither data nor marker show. Then the marker cannot be read, and the task fails after
``delivery.timeout.ms`` rather than guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeVar

from datastream.io import Batch, SinkWriter, WriterContext

from ..client.errors import KafkaFailure, explain
from ..client.library import confluent_kafka
from ..client.log import LOGGER
from ..client.retrying import CALL_SECONDS, retry
from ..records.record_serializer import KafkaRecordSerializationSchema, Message, messages_of, only_topic
from .epoch_markers import Marker, latest_marker, marker_reader
from .partition_counts import PartitionCounts
from .producer import Producer
from .settings import WriteSettings, delivery_seconds, producer_config

T = TypeVar("T")

_FLUSH_SECONDS = 1.0

#: A commit that has just been answered shows in the group's offsets after some milliseconds.
_COMMIT_VISIBLE_SECONDS = 0.5


class TransactionalWriter(SinkWriter):
    """Opens a transaction with the first record of an epoch, and commits it at the epoch's end."""

    def __init__(
        self, settings: WriteSettings, serializer: KafkaRecordSerializationSchema, context: WriterContext
    ) -> None:
        self._settings = settings
        self._serializer = serializer
        self._context = context
        # Without the attempt: the next attempt shuts out this one.
        self._id = f"{settings.prefix or context.job_id}-{context.uid}-{context.subtask}"
        self._config = producer_config(settings.properties, settings.guarantee, self._id)
        self._partitions = PartitionCounts(settings.properties, delivery_seconds(self._config))
        self._producer: Producer | None = None
        self._is_open = False
        self._done: Marker | None = None
        self._epoch = 0
        self._topic = ""
        self._count = 0
        self._bytes = context.metrics.counter("numBytesOut")
        self._retries = context.metrics.counter("numRetries")

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch, self._count = epoch, 0
        self._is_open, self._done = False, None
        self._partitions.begin_epoch()

    def write(self, batch: Batch) -> None:
        messages: Iterator[Message] = iter(messages_of(self._serializer, *batch, self._partitions))
        if not self._is_open and self._done is None:
            first = next(messages, None)
            if first is None:
                return
            self._open(first[0])
            messages = chain((first,), messages)
        if self._done is not None:
            self._count += sum(1 for _ in messages)
        elif self._producer is not None:
            self._count += self._producer.send(messages)
            if self._producer.reports.failed:
                self._check_open(self._producer)

    # -- the beginning -----------------------------------------------------------------------------

    def _open(self, topic: str) -> None:
        """Get hold of the transactional id, and find out whether the epoch is to be written at all."""
        self._topic = topic
        producer, self._producer = self._producer, None
        marker = reader = None
        if producer is not None:
            try:
                marker = self._marker(producer, _COMMIT_VISIBLE_SECONDS)
                # It asks brokers anew each time, and knows them: a new one takes 100 ms for its first answer.
                reader = producer.reader
            except KafkaFailure:  # such as another producer's transaction that is open and hides the marker
                marker = None
            if marker is None or marker.token != producer.token:  # another process went on with the task
                producer.close()
                producer = None
        if producer is None:
            producer = Producer(self._config)
            producer.reader = reader
            try:
                self._take_over(producer)
                marker = self._marker(producer)
            except BaseException:
                producer.close()
                raise
        self._producer = producer
        if marker is not None and marker.epoch >= self._epoch:
            self._skip(marker)
            return
        self._call(producer, producer.producer.begin_transaction, "begin")
        self._is_open = True

    def _take_over(self, producer: Producer) -> None:
        client = producer.producer
        self._call(producer, lambda: producer.warm(self._topic, CALL_SECONDS), "look up the brokers for")
        self._call(producer, lambda: client.init_transactions(CALL_SECONDS), "take over")
        if producer.reader is None:
            producer.reader = marker_reader(self._settings.properties, self._id)

    def _marker(self, producer: Producer, seconds: float | None = None) -> Marker | None:
        topics = (self._topic, only_topic(self._serializer), producer.topic)
        return self._call(
            producer,
            lambda: latest_marker(producer.reader, topics, self._context.job_id),
            "read the marker of",
            seconds,
        )

    def _skip(self, marker: Marker) -> None:
        epoch = self._epoch
        if marker.epoch > epoch:
            raise KafkaFailure(
                f"KafkaSink {self._context.uid}: the job is at epoch {epoch}, but its task {self._context.subtask} has "
                f"written epoch {marker.epoch} to Kafka already (transactional id {self._id!r}): the checkpoint "
                "directory is an older copy. Go on from the newer one; or give the sink another transactional id "
                "prefix, and what was written since then will be there twice"
            )
        self._done = marker
        LOGGER.info("%s: epoch %d is committed already; its records are not written again", self._id, epoch)

    # -- the end -----------------------------------------------------------------------------------

    def prepare_commit(self) -> None:
        producer = self._producer
        if producer is None or not self._is_open:
            if self._done is not None and self._done.records != self._count:
                LOGGER.warning(
                    "%s: epoch %d was committed with %d records, and its replay gave %d: a function before the sink "
                    "does not give the same for the same input, so records may be lost or doubled",
                    self._id,
                    self._epoch,
                    self._done.records,
                    self._count,
                )
            return
        client, context = producer.producer, self._context
        marker = Marker(context.job_id, self._epoch, producer.token, self._count)

        group = producer.reader.consumer_group_metadata()

        def mark() -> None:
            client.send_offsets_to_transaction(marker.at(self._topic), group, CALL_SECONDS)

        while producer.flush(_FLUSH_SECONDS):
            self._check_open(producer)
        self._check_open(producer)
        self._call(producer, mark, "mark")
        self._call(producer, lambda: client.commit_transaction(CALL_SECONDS), "commit")
        producer.take_counts(self._bytes, self._retries)
        producer.topic = self._topic
        self._is_open = False

    def _check_open(self, producer: Producer) -> None:
        """Notice a transaction that has failed: its messages stay in the queue, so that flush alone would wait on."""
        producer.reports.check()
        try:
            producer.producer.begin_transaction()  # needs no broker; in an open transaction it is just not allowed
        except confluent_kafka().KafkaException as exception:
            error = exception.args[0]
            if error.txn_requires_abort() or error.fatal():
                what = f"write in the transaction {self._id!r} of epoch {self._epoch}"
                raise KafkaFailure(explain(error, what, producer.properties)) from None

    def close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.close()
        self._partitions.close()

    def _call(self, producer: Producer, call: Callable[[], T], doing: str, seconds: float | None = None) -> T:
        def refused() -> KafkaFailure | None:
            self._retries.inc()
            producer.serve(0)
            event = None if producer.reader is None else producer.reader.poll(0)
            if event is not None and event.error() is not None:  # such as no right to the group
                producer.reports.on_error(event.error())
            return producer.reports.failure()

        what = f"{doing} the transaction {self._id!r} of epoch {self._epoch}"
        return retry(call, what, producer.properties, seconds or producer.seconds, refused)
