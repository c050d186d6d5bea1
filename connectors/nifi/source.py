"""The source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.io import Batch, Message, QueueConnection, QueueSource, ReaderContext, SourceReader
from datastream.io.queues import QueueReader, QueueSplit

from .client_config import SiteToSiteClientConfig, checked_config
from .data_packet import StandardNiFiDataPacket
from .packets import packets_in

if TYPE_CHECKING:
    from .site import Site
    from .transaction import Transaction

#: The attribute that distinguishes a flow file from all others.
_ID = "uuid"


class NiFiSource(QueueSource):
    """The flow files of an output port, each as a `NiFiDataPacket`; exactly once with a checkpoint directory.

    A task receives its share of the epoch in one transaction, stores it, confirms the transaction, and only then emits
    it. NiFi sends again what was not confirmed: it is dropped by its ``uuid`` if it was stored before.

    Args:
        client_config: How the port is reached.

    Attributes:
        transaction_bytes: The most bytes that a transaction may bring: more than `request_batch_size` by the largest
            flow file. One that brings more fails the job, and NiFi keeps its flow files.

    Raises:
        ValidationError: It is no configuration.
    """

    transaction_bytes: int = 256 << 20

    def __init__(self, client_config: SiteToSiteClientConfig) -> None:
        self.client_config = checked_config(client_config, "NiFiSource")

    def connect(self) -> QueueConnection:
        from .site import Direction, Site  # its client takes its time to import

        return _Receiver(Site(self.client_config, Direction.RECEIVE), self)

    def records(self, bodies: list[Any]) -> list[Any]:
        return [StandardNiFiDataPacket(*body) for body in bodies]

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self, context)


class _Reader(QueueReader):
    def __init__(self, source: NiFiSource, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._bytes = context.metrics.counter("numBytesIn")

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        for batch in super().read(split):
            self._bytes.inc(sum(len(packet.content) for packet in batch.records))
            yield batch


class _Receiver(QueueConnection):
    """Receives flow files, by one transaction at a time."""

    def __init__(self, site: Site, source: NiFiSource) -> None:
        self._site, self._most, self._bytes = site, source.client_config.batch_count, source.transaction_bytes
        self._open: tuple[Transaction, bytes] | None = None

    def pull(self, most: int) -> list[Message]:
        transaction = self._site.begin()
        data = self._received(transaction, most if self._most is None else min(most, self._most))
        if data is None:
            return []
        self._open = transaction, data
        try:
            packets = list(packets_in(data))
        except ValueError as error:
            self._cancel()
            raise ConnectionError(f"NiFi sent what are no packets: {error}") from error
        return [Message(packet.attributes.get(_ID), (packet.content, dict(packet.attributes))) for packet in packets]

    def _received(self, transaction: Transaction, most: int) -> bytes | None:
        from .connection import AnswerTooLong

        try:
            return transaction.receive(most, self._bytes)
        except AnswerTooLong as error:
            transaction.cancel()
            raise ValidationError(
                f"{error} in one transaction; set request_batch_size lower, or, if a flow file is so large, "
                "transaction_bytes of the NiFiSource higher"
            ) from error

    def held(self, messages: list[Message]) -> list[Message]:
        """All, unless the transaction has ended meanwhile: its flow files are given to others then."""
        from .connection import TransactionLost

        if self._open is not None:
            try:
                self._open[0].extend()
            except TransactionLost:
                self._open = None
                return []
        return messages

    def acknowledge(self, messages: list[Message]) -> None:
        if self._open is not None:
            transaction, data = self._open
            self._open = None
            transaction.confirm_received(data)

    def close(self) -> None:
        self._cancel()
        self._site.close()

    def _cancel(self) -> None:
        if self._open is not None:
            transaction, _ = self._open
            self._open = None
            transaction.cancel()
