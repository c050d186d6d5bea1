"""Reads shards, and notes how far."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

from datastream.errors import CheckpointDamaged
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext, SourceReader

from .aggregation import Inner, records_in
from .enumerator import KinesisSplit, note_of
from .failures import Expired, failure
from .progress import Note, Position
from .records import KinesisRecord
from .source_settings import SourceSettings
from .streams import Stream, shards_of

#: A part of an epoch is read whole before its end is noted.
_MOST_BYTES = 64 << 20
_MOST_S = 2.0
_BATCH = 4096
_AnswerT = TypeVar("_AnswerT")


@dataclass
class _Iterator:
    """Where a shard goes on, as the service names it for five minutes."""

    position: Position
    text: str


class KinesisReader(SourceReader):
    """Reads splits.

    The first attempt at a split reads what is there, and notes how far, before it emits anything. Others read as far as
    the note says.

    Args:
        settings: Its settings.
        context: The place.
    """

    def __init__(self, settings: SourceSettings, context: ReaderContext) -> None:
        self._settings, self._spool = settings, context.spool
        self._timed, self._logger = context.timestamps, context.logger
        self._bytes = context.metrics.counter("numBytesIn")
        self._retries = context.metrics.counter("numRetries")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(settings.schema) else None
        self._streams = {stream.name: stream for stream in settings.streams}
        self._iterators: dict[str, _Iterator] = {}
        self._hashes: dict[str, dict[str, range]] = {}

    @cached_property
    def _client(self) -> Any:
        return self._settings.service.client("kinesis")

    def read(self, split: KinesisSplit) -> Iterator[Batch]:
        kept = self._spool.read(split.epoch, split.task)
        if kept is None:
            records, note = self._new(split)
            mine = json.dumps(asdict(note)).encode()
            kept = self._spool.write(split.epoch, split.task, mine)
            if kept != mine:  # another attempt was faster
                records = self._again(split, note_of(kept))
        else:
            records = self._again(split, note_of(kept))
        stream, _, shard = split.lane.partition("/")
        for first in range(0, len(records), _BATCH):
            yield self._batch(records[first : first + _BATCH], stream, shard)

    def idle(self) -> None:
        self._iterators.clear()

    def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _new(self, split: KinesisSplit) -> tuple[list[Any], Note]:
        """What is there, at most a split's share, and how far that is."""
        found: list[Any] = []
        size, began = 0, time.monotonic()
        position, closed, caught_up, reached, behind = split.position, False, False, False, 0
        while not closed and not caught_up and not reached:
            limit = min(split.most - len(found), self._settings.most)
            position, records, closed, behind = self._get(split.lane, position, limit)
            found += records
            size += sum(len(record["Data"]) for record in records)
            caught_up = behind == 0 and len(records) < limit
            seen = time.time() * 1000 - behind
            reached = split.until is not None and (caught_up or (seen >= split.until and behind > 0))
            if len(found) >= split.most or size >= _MOST_BYTES or time.monotonic() - began >= _MOST_S:
                break
        return found, Note(position, len(found), closed, caught_up, reached, behind)

    def _again(self, split: KinesisSplit, note: Note) -> list[Any]:
        """What another attempt has read.

        Raises:
            CheckpointDamaged: The service no longer has it.
        """
        found: list[Any] = []
        position, closed = split.position, False
        while len(found) < note.count and not closed:
            limit = min(note.count - len(found), self._settings.most)
            position, records, closed, behind = self._get(split.lane, position, limit)
            found += records
            if not records and behind == 0:
                break
        if len(found) != note.count or (found and found[-1]["SequenceNumber"] != note.position[1]):
            raise CheckpointDamaged(
                f"the shard {split.lane} no longer has the {note.count} records up to {note.position[-1]} that an "
                "epoch has begun to read: the stream's retention period has passed, or it was deleted. Start the job "
                "with another --checkpoint-dir"
            )
        return found

    def _get(self, lane: str, position: Position, limit: int) -> tuple[Position, list[Any], bool, int]:
        """One request for records.

        Returns:
            Where the shard goes on, the records, whether nothing can follow, and how old the next one is in ms.

        Raises:
            ConnectionError: The service had no room, or is away, as often as it may be.
        """
        name, _, shard = lane.partition("/")

        def get() -> Any:
            known = self._iterators.pop(lane, None)
            if known is None or known.position != position:
                known = _Iterator(position, self._begin(self._streams[name], shard, position))
            return self._client.get_records(ShardIterator=known.text, Limit=limit)

        answer = self._asked(get, f"the shard {shard} of the stream {name!r}")
        records = answer["Records"]
        if records:
            position = ["AFTER_SEQUENCE_NUMBER", records[-1]["SequenceNumber"]]
        following = answer.get("NextShardIterator")
        if following:
            self._iterators[lane] = _Iterator(position, following)
        return position, records, not following, int(answer.get("MillisBehindLatest") or 0)

    def _asked(self, request: Callable[[], _AnswerT], what: str) -> _AnswerT:
        """The answer to a request, which is made again after a pause where that helps."""
        pauses = self._settings.backoff.pauses_s()
        while True:
            try:
                return request()
            except Exception as error:
                wrong = failure(error, self._settings.service, what)
                if not isinstance(wrong, (ConnectionError, Expired)):
                    raise wrong from error
                pause = next(pauses, None)
                if pause is None:
                    raise ConnectionError(str(wrong)) from error
                self._retries.inc()
                if not isinstance(wrong, Expired):
                    self._logger.warning("a request is made again in %.1f s: %s", pause, wrong)
                    time.sleep(pause)

    def _begin(self, stream: Stream, shard: str, position: Position) -> str:
        more: dict[str, Any] = {}
        if position[0] == "AT_TIMESTAMP":
            more["Timestamp"] = position[1] / 1000
        elif position[0] == "AFTER_SEQUENCE_NUMBER":
            more["StartingSequenceNumber"] = position[1]
        answer = self._client.get_shard_iterator(ShardId=shard, ShardIteratorType=position[0], **stream.key, **more)
        found: str = answer["ShardIterator"]
        return found

    def _belong(self, inner: Sequence[Inner], stream: str, shard: str) -> bool:
        """Whether records are where their producer wants them.

        It puts them again if they came to another shard, as the stream was split or merged meanwhile.
        """
        if stream not in self._hashes or shard not in self._hashes[stream]:
            listed = self._asked(lambda: shards_of(self._client, self._streams[stream]), f"the stream {stream!r}")
            self._hashes[stream] = {shard: range(2**128), **{each.id: each.hashes for each in listed}}
        hashes = self._hashes[stream][shard]
        return all(record.hash in hashes for record in inner)

    def _batch(self, raw: Sequence[Any], stream: str, shard: str) -> Batch:
        records = []
        for one in raw:
            data, key, number = one["Data"], one["PartitionKey"], one["SequenceNumber"]
            arrival = round(one["ApproximateArrivalTimestamp"].timestamp() * 1000)
            self._bytes.inc(len(data))
            inner = records_in(data)
            if inner is None:
                records.append(KinesisRecord(data, key, number, arrival, stream, shard))
            elif self._belong(inner, stream, shard):
                records += [KinesisRecord(part, own, number, arrival, stream, shard) for part, own, _ in inner]
        made = self._settings.schema.records_of(records)
        if self._dead is not None:
            self._dead.inc(dead_letters_in(made))
        times: list[int | None] | None = None
        if self._timed:
            times = [one.arrival for one, record in zip(records, made, strict=True) if record is not None]
        return Batch([record for record in made if record is not None], times)
