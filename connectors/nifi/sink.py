"""The sink."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from logging import Logger
from typing import TYPE_CHECKING, Any, NamedTuple

from datastream.errors import FormatError, ValidationError, cut
from datastream.io import (
    Backoff,
    Batch,
    Committer,
    CommitterContext,
    Consumed,
    Sink,
    SinkWriter,
    WriterContext,
)

from .client_config import SiteToSiteClientConfig, checked_config
from .data_packet import NiFiDataPacket, NiFiDataPacketBuilder
from .packets import packet_as_bytes

if TYPE_CHECKING:
    from .site import Site

#: Bytes of a note.
_NOTE = 4 << 20
#: Bytes after which a transaction takes no further note.
_TRANSACTION_BYTES = 64 << 20


class NiFiSink(Sink):
    """Sends a packet to an input port for each record, when their epoch is committed; at least once.

    Packets are stored beside the checkpoint. The commit sends those of the epoch in a transaction, which NiFi confirms
    as a whole; an epoch of more than `transaction_packets` packets in several. A transaction is noted when NiFi has
    confirmed it, and never sent again then. If the answer to its end is lost, or the process dies before it is noted,
    the packets are sent again. They have the same ids then, by which a flow can drop them (``DetectDuplicate``).

    Args:
        client_config: How the port is reached.
        builder: Makes packets of records; also a function of a record and a `datastream.io.WriterContext`.

    Attributes:
        id_attribute: The attribute that gets the packet's id: job, sink, epoch, subtask and number. None: none does.
        transaction_packets: About how many packets a transaction holds at most.
        backoff: Tries of a transaction, and pauses between them.

    Raises:
        ValidationError: An argument is of the wrong type.
    """

    id_attribute: str | None = "datastream.id"
    transaction_packets: int = 10_000
    backoff: Backoff = Backoff()

    def __init__(
        self,
        client_config: SiteToSiteClientConfig,
        builder: NiFiDataPacketBuilder | Callable[[Any, WriterContext], NiFiDataPacket],
    ) -> None:
        self.client_config = checked_config(client_config, "NiFiSink")
        if not isinstance(builder, NiFiDataPacketBuilder) and not callable(builder):
            raise ValidationError(f"NiFiSink needs a NiFiDataPacketBuilder or a function, got {cut(builder)}")
        self.builder = builder

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return _Committer(self, context)


class _Note(NamedTuple):
    """Some packets of an epoch.

    Attributes:
        number: Of the note; differs for each attempt.
        packets: How many.
        size: Bytes.
    """

    number: int
    packets: int
    size: int


class _Writer(SinkWriter):
    def __init__(self, sink: NiFiSink, context: WriterContext) -> None:
        builder = sink.builder
        self._build = builder.create_nifi_data_packet if isinstance(builder, NiFiDataPacketBuilder) else builder
        self._id_attribute, self._most = sink.id_attribute, max(sink.transaction_packets, 1)
        self._context = context
        self._bytes = context.metrics.counter("numBytesOut")
        self._prefix = ""
        self._count = 0
        self._waiting: list[bytes] = []
        self._size = 0
        self._epoch = -1
        self._notes: list[_Note] = []

    def begin(self, epoch: int, attempt: int) -> None:
        context = self._context
        self._epoch, self._count, self._size, self._waiting, self._notes = epoch, 0, 0, [], []
        self._prefix = f"{context.job_id}/{context.uid}/{epoch}/{context.subtask}/"

    def write(self, batch: Batch) -> None:
        for record in batch.records:
            data = self._packet(record)
            self._waiting.append(data)
            self._size += len(data)
            if self._size >= _NOTE or len(self._waiting) >= self._most:
                self._keep()

    def prepare_commit(self) -> list[_Note] | None:
        if self._waiting:
            self._keep()
        return self._notes or None

    def _packet(self, record: Any) -> bytes:
        try:
            packet = self._build(record, self._context)
            if not isinstance(packet, NiFiDataPacket):
                raise TypeError(f"the builder returned {cut(packet)}, expected a NiFiDataPacket")
            content, attributes = packet.get_content(), packet.get_attributes()
            if self._id_attribute is not None:
                attributes = {**attributes, self._id_attribute: f"{self._prefix}{self._count}"}
            data = packet_as_bytes(content, attributes)
        except Exception as error:  # a user's builder may raise anything
            reason = f"{type(error).__name__}: {error}"
            raise FormatError(f"NiFiSink cannot make a packet of the record {cut(record)}: {reason}") from error
        self._count += 1
        self._bytes.inc(len(content))
        return data

    def _keep(self) -> None:
        note = _Note(uuid.uuid4().int >> 65, len(self._waiting), self._size)
        self._context.spool.write(self._epoch, note.number, b"".join(self._waiting))
        self._notes.append(note)
        self._waiting, self._size = [], 0


class _Committer(Committer):
    def __init__(self, sink: NiFiSink, context: CommitterContext) -> None:
        self._config, self._backoff, self._most = sink.client_config, sink.backoff, sink.transaction_packets
        self._logger: Logger = context.logger
        self._packets = context.spool
        self._begun, self._confirmed = context.spool.part("begun"), context.spool.part("confirmed")
        self._site: Site | None = None

    def commit(self, epoch: int, committables: list[list[_Note]], final: bool) -> None:
        for spool in (self._packets, self._begun, self._confirmed):
            spool.remove_before(epoch)
        if not committables and self._begun.read(epoch, 0) is None:
            return
        # If an earlier try has begun, its transactions count, whatever the epoch gave when it ran again.
        mine = list(_transactions([note for notes in committables for note in notes], self._most))
        begun = json.loads(self._begun.write(epoch, 0, json.dumps(mine).encode()))
        for number, notes in enumerate(begun):
            if self._confirmed.read(epoch, number) is None:
                self._send(epoch, [_Note(*note) for note in notes])
                self._confirmed.write(epoch, number, b"")

    def close(self) -> None:
        site, self._site = self._site, None
        if site is not None:
            site.close()

    def _send(self, epoch: int, notes: list[_Note]) -> None:
        """Send packets by a transaction of their own."""
        pauses = self._backoff.pauses_s()
        while True:
            try:
                self._try_to_send(epoch, notes)
                return
            except (ConnectionError, TimeoutError) as error:
                pause = next(pauses, None)
                if pause is None:
                    self.close()
                    raise
                self._logger.warning("the transaction is tried again in %.1f s: %s", pause, error)
                time.sleep(pause)

    def _try_to_send(self, epoch: int, notes: list[_Note]) -> None:
        from .connection import TransactionLost  # its client takes its time to import
        from .site import Direction, Site

        if self._site is None:
            self._site = Site(self._config, Direction.SEND)
        transaction = self._site.begin()
        blocks = (self._packets.require(epoch, note.number) for note in notes)
        transaction.send(blocks, sum(note.size for note in notes))
        try:
            transaction.confirm_sent()
        except TransactionLost:
            raise  # it took too long: NiFi has thrown the packets away
        except ConnectionError as error:
            self._logger.warning("the end of a transaction is asked for again: %s", error)
            try:
                transaction.confirm_sent()
            except ConnectionError:
                self._logger.warning(
                    "it is not known whether NiFi has taken %d packets of epoch %d: they are sent again, with the same "
                    "ids",
                    sum(note.packets for note in notes),
                    epoch,
                )
                raise


def _transactions(notes: list[_Note], most: int) -> Iterator[list[_Note]]:
    """The notes of each transaction."""
    some: list[_Note] = []
    for note in notes:
        full = sum(each.size for each in some) >= _TRANSACTION_BYTES
        if some and (full or sum(each.packets for each in some) + note.packets > most):
            yield some
            some = []
        some.append(note)
    if some:
        yield some
