"""Writes an epoch so that it is there once, however often it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from datastream.errors import CheckpointDamaged
from datastream.formats.contents import contents_of
from datastream.io import Backoff, Batch, Committer, CommitterContext, SinkWriter, WriterContext
from datastream.io.backoff import again

from .publishing import EPOCH_BITS, UNCUT, Cut, Publisher, SinkSettings
from .topic_routing_mode import TopicRoutingMode


class OnceWriter(SinkWriter):
    """Notes the messages of an epoch, and then publishes them with sequence ids that rise.

    An epoch that runs again publishes what was noted, with the same ids, so that brokers drop what they have.

    Args:
        settings: The sink's.
        backoff: Tries of an epoch, and pauses between them.
        context: The place.
    """

    def __init__(self, settings: SinkSettings, backoff: Backoff, context: WriterContext) -> None:
        self._settings, self._backoff, self._context = settings, backoff, context
        self._retries = context.metrics.counter("numRetries")
        self._publisher: Publisher | None = None
        self._epoch = 0
        self._contents: list[bytes] = []
        self._fields: list[Mapping[str, Any]] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch, self._contents, self._fields = epoch, [], []

    def write(self, batch: Batch) -> None:
        self._contents += contents_of(self._settings.schema, batch.records, "PulsarSink")
        self._fields += self._settings.fields_of(batch.records) or []

    def prepare_commit(self) -> None:
        if not self._contents:
            return
        contents, self._contents = self._contents, []
        fields, self._fields = self._fields, []
        what, logger = "messages are published again", self._context.logger
        again(lambda: self._publish(contents, fields), self.close, self._backoff, logger, what, self._retries.inc)

    def _publish(self, contents: list[bytes], fields: list[Mapping[str, Any]]) -> None:
        """Publish what an attempt at the epoch has noted first.

        Raises:
            CheckpointDamaged: That attempt had another parallelism, producer name or routing mode.
            ConnectionError: The brokers are away.
        """
        context = self._context
        if self._publisher is None:
            self._publisher = Publisher(self._settings, context)
        settings = self._settings
        place = {
            "parallelism": context.parallelism,
            "producer name": settings.producer,
            "routing mode": (
                TopicRoutingMode.ROUND_ROBIN if settings.spread else TopicRoutingMode.MESSAGE_KEY_HASH
            ).name,
        }
        mine = _to_note(place, self._publisher.lanes, contents, fields, settings.cut)
        before, lanes, kept, carried, cut = _of_note(context.spool.write(self._epoch, context.subtask, mine))
        for name, now in place.items():
            was = before.get(name, now)
            if was != now:
                raise CheckpointDamaged(
                    f"PulsarSink: the epoch {self._epoch} was begun with the {name} {was}, and runs again with {now}: "
                    f"which messages are there is not known. Start the job with the {name} {was} until this epoch is "
                    "committed"
                )
        try:
            self._publisher.publish(kept, kept, lanes, ((self._epoch + 1) << EPOCH_BITS) + 1, carried, cut)
        finally:
            self._publisher.release()

    def abort(self) -> None:
        self._contents, self._fields = [], []

    def close(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            with suppress(Exception):  # it may be broken
                publisher.close()


class OnceCommitter(Committer):
    """Removes notes of epochs that are committed. Their messages are visible before that."""

    def __init__(self, context: CommitterContext) -> None:
        self._spool = context.spool

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        self._spool.remove_before(epoch)


def _to_note(
    place: dict[str, Any], lanes: list[str], contents: list[bytes], fields: list[Mapping[str, Any]], cut: Cut
) -> bytes:
    """What is noted: a line of JSON, and the contents one after the other."""
    head: dict[str, Any] = {**place, "lanes": lanes, "sizes": [len(content) for content in contents]}
    if fields:
        head["fields"] = fields
    if cut.messages > 1:
        head["cut"] = cut
    return b"\n".join((json.dumps(head).encode(), b"".join(contents)))


def _of_note(note: bytes) -> tuple[dict[str, Any], list[str], list[bytes], list[Mapping[str, Any]] | None, Cut]:
    """By what messages got their numbers and partitions, partitions, contents, fields, and how they are cut.

    Earlier versions cut nothing, and noted of the first the parallelism only.
    """
    line, _, whole = note.partition(b"\n")
    head = json.loads(line)
    contents, begin = [], 0
    for size in head["sizes"]:
        contents.append(whole[begin : begin + size])
        begin += size
    return head, head["lanes"], contents, head.get("fields"), Cut(*head.get("cut", UNCUT))
