"""What each epoch reads: partitions from where the epoch before has left them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datastream.io import EnumeratorContext, SplitEnumerator

from .cursors import Limit, start_of, stop_of
from .failures import failure
from .positions import OLDEST, Position, before, entry_id, last_position, parsed, position_of
from .source_settings import SourceSettings

#: Notes of so many epochs stay: savepoints copy them while the job goes on.
_KEPT = 8
#: How often brokers are asked for the ends of partitions.
_LOOK_S = 0.02
#: A partition whose last message could not be read is tried again after this, or when it has another one.
_AGAIN_S = 5.0
_FIND_MS = 10_000


@dataclass(frozen=True)
class PulsarSplit:
    """A partition's part of an epoch.

    Attributes:
        lane: The partition's name.
        position: After which message it begins.
        until: The partition's last message, when the epoch was planned.
        limit: Where reading stops; None: nowhere.
        epoch: Number of the epoch, from 1.
        task: Number of the note.
        most: Records at most.
    """

    lane: str
    position: Position
    until: Position
    limit: Limit | None
    epoch: int
    task: int
    most: int


@dataclass(frozen=True)
class Note:
    """What a task has read of a partition in an epoch.

    Attributes:
        position: The last message that was read.
        count: How many were read.
        entry: Ledger and number of the last entry that was read whole; None: of none.
        stopped: Reading the partition stops here.
    """

    position: Position
    count: int
    entry: list[int] | None
    stopped: bool

    def to_bytes(self) -> bytes:
        """As the spool takes it."""
        return json.dumps(vars(self)).encode()

    @classmethod
    def of(cls, data: bytes) -> Note:
        """The note that bytes hold."""
        return cls(**json.loads(data))


class PulsarEnumerator(SplitEnumerator):
    """Plans epochs.

    Message ids do not count messages, so the end of an epoch is not known before it is read. An offset holds where an
    epoch *begins* in each partition, and the notes of its tasks hold where it ended. It has:

    - ``epoch``, its number;
    - ``at``: the last message that was read of each partition;
    - ``acknowledged``: the last entry of each that was read whole;
    - ``done``: partitions that are read as far as they are to be;
    - ``stop``: the last messages at the start of a job that ends with them, or null;
    - if an epoch reads from there, ``read``: for each of its partitions the last message that there was, and ``most``:
      how many records of each.

    Args:
        settings: Its settings.
        context: The place.
    """

    def __init__(self, settings: SourceSettings, context: EnumeratorContext) -> None:
        self._settings, self._context = settings, context
        self._service, self._spool, self._logger = settings.service, context.spool, context.logger
        self._consumers: dict[str, Any] = {}
        self._looked_at: float | None = None
        self._discovered_at: float | None = None
        self._known: tuple[int, dict[str, Note]] | None = None
        self._unread: dict[str, tuple[Position, float]] = {}

    @cached_property
    def _client(self) -> Any:
        return self._service.client()

    def initial_offset(self) -> dict[str, Any]:
        """Where a new job starts, fixed once for all partitions that are there now."""
        at = {lane: self._start(lane) for lane in self._partitions()}
        offset = {"epoch": 0, "at": at, "acknowledged": {}, "done": [], "stop": self._ends(at)}
        whole = start_of(self._settings.start)[0] == "latest"
        for lane, (ledger, entry, _) in at.items():
            # What lies before the start is not wanted, and need not be kept for this subscription.
            self._acknowledge(lane, [ledger, entry if whole else entry - 1])
        return offset

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        found = self._after(offset)
        for lane in self._partitions():
            found["at"].setdefault(lane, OLDEST)
        return {**found, "done": [], "stop": self._ends(found["at"])}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        now = time.monotonic()
        if self._looked_at is not None and now - self._looked_at < _LOOK_S:
            return start
        self._looked_at = now
        found = self._after(start)
        self._discover(found)
        open_lanes = [lane for lane in sorted(found["at"]) if lane not in found["done"]]
        ends = {lane: self._until(lane, found) for lane in open_lanes}
        waiting = {lane: end for lane, end in ends.items() if end > found["at"][lane] and self._is_worth_it(lane, end)}
        if not waiting:
            return start
        epoch, lanes = start["epoch"] + 1, sorted(waiting)
        if len(lanes) > max(budget, 1):
            first = epoch * max(budget, 1) % len(lanes)
            lanes = sorted((lanes[first:] + lanes[:first])[: max(budget, 1)])
        read = {lane: waiting[lane] for lane in lanes}
        return {**found, "epoch": epoch, "read": read, "most": max(budget // len(lanes), 1)}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[PulsarSplit]:
        if start["epoch"] == end["epoch"]:
            return []
        stop, limit = end["stop"] or {}, self._limit
        limits = {lane: Limit("message_id", last, True) for lane, last in stop.items()}
        return [
            PulsarSplit(lane, end["at"][lane], until, limits.get(lane, limit), end["epoch"], task, end["most"])
            for task, (lane, until) in enumerate(sorted(end["read"].items()))
        ]

    def lanes(self, offset: dict[str, Any]) -> list[str]:
        return sorted(lane for lane in offset["at"] if lane not in offset["done"])

    def finished(self, offset: dict[str, Any]) -> bool:
        if stop_of(self._settings.stop)[0] == "never":
            return False
        if any(self._spool.read(offset["epoch"], task) is None for task in range(len(offset.get("read", ())))):
            return False  # the epoch has not run
        found = self._after(offset)
        return all(lane in found["done"] for lane in found["at"])

    def backlog(self, offset: dict[str, Any]) -> dict[str, int] | None:
        """Message ids do not count messages."""
        return None

    def commit(self, offset: dict[str, Any]) -> None:
        """Acknowledge all that was read: Pulsar may delete it, and its statistics show how far the job is."""
        read = range(len(offset.get("read", ())))
        if all(self._spool.read(offset["epoch"], task) is not None for task in read):
            for lane, entry in self._after(offset)["acknowledged"].items():
                try:
                    self._acknowledge(lane, entry)
                except ConnectionError as error:
                    self._logger.warning("messages are acknowledged after the next commit: %s", error)
                    break
        self._spool.remove_before(offset["epoch"] - _KEPT)

    def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        self._consumers.clear()
        if client is not None:
            with suppress(Exception):  # it may be broken
                client.close()

    def _notes(self, offset: dict[str, Any]) -> dict[str, Note]:
        """What the tasks of an epoch that has run have noted."""
        lanes = sorted(offset.get("read", ()))
        if self._known is None or self._known[0] != offset["epoch"] or self._known[1].keys() != set(lanes):
            notes = {lane: Note.of(self._spool.require(offset["epoch"], task)) for task, lane in enumerate(lanes)}
            self._known = offset["epoch"], notes
            for lane, note in notes.items():
                if note.count == 0 and not note.stopped:
                    self._unread[lane] = offset["read"][lane], time.monotonic()
                else:
                    self._unread.pop(lane, None)
        return self._known[1]

    def _after(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Where the source is when the epoch of an offset has run; the same without an epoch to read."""
        notes = self._notes(offset)
        at = offset["at"] | {lane: note.position for lane, note in notes.items()}
        acknowledged = offset["acknowledged"] | {lane: note.entry for lane, note in notes.items() if note.entry}
        stop = offset["stop"]
        if (stop is None) == (stop_of(self._settings.stop)[0] == "latest"):  # an earlier run had other settings
            stop = self._ends(at)
        done = {*offset["done"], *(lane for lane, note in notes.items() if note.stopped)}
        if stop is not None:
            done |= {lane for lane, end in stop.items() if at[lane] >= end}
        if stop_of(self._settings.stop)[0] == "never":
            done = set()
        return {"epoch": offset["epoch"], "at": at, "acknowledged": acknowledged, "done": sorted(done), "stop": stop}

    def _until(self, lane: str, offset: Mapping[str, Any]) -> Position:
        last = self._last(lane)
        return last if offset["stop"] is None else min(last, offset["stop"].get(lane, last))

    def _is_worth_it(self, lane: str, end: Position) -> bool:
        """Whether what could not be read the last time may be there now."""
        known = self._unread.get(lane)
        return known is None or known[0] != end or time.monotonic() - known[1] >= _AGAIN_S

    def _ends(self, at: Mapping[str, Position]) -> dict[str, Position] | None:
        """The last messages of this moment, if reading stops there."""
        if stop_of(self._settings.stop)[0] != "latest":
            return None
        return {lane: self._last(lane) for lane in at}

    @cached_property
    def _limit(self) -> Limit | None:
        kind, value, inclusive = stop_of(self._settings.stop)
        if kind in ("never", "latest"):
            return None
        return Limit(kind, parsed(value) if isinstance(value, bytes) else value, inclusive)

    def _partitions(self) -> list[str]:
        """All partitions that are there."""
        found = [name for topic in self._settings.topics for name in self._service.partitions(self._client, topic)]
        self._discovered_at = time.monotonic()
        return list(dict.fromkeys(found))

    def _discover(self, offset: dict[str, Any]) -> None:
        """Look for new partitions, which are read from their first message."""
        now, every = time.monotonic(), self._settings.discovery_ms
        if offset["stop"] is not None or every <= 0:
            return
        if self._discovered_at is None or now - self._discovered_at >= every / 1000:
            try:
                for lane in self._partitions():
                    if lane not in offset["at"]:
                        self._last(lane)  # it can be used
                        offset["at"][lane] = OLDEST
            except ConnectionError as error:  # brokers that are making a partition may refuse it for a moment
                self._discovered_at = None
                self._logger.warning("new partitions are looked for again: %s", error)

    def _start(self, lane: str) -> Position:
        """Where a partition is read from in a new job."""
        kind, value, inclusive = start_of(self._settings.start)
        if kind == "latest":
            return self._last(lane)
        if kind == "message_id":
            assert isinstance(value, bytes)
            found = parsed(value)
            return OLDEST if found <= OLDEST else before(found) if inclusive else found
        if kind == "publish_time":
            assert isinstance(value, int)
            return self._at_time(lane, value)
        return OLDEST

    def _at_time(self, lane: str, timestamp: int) -> Position:
        """Before the first message that was published at a time or later."""
        last = self._last(lane)
        try:
            reader = self._client.create_reader(lane, entry_id(OLDEST))
            try:
                reader.seek(timestamp)
                while reader.has_message_available():
                    message = reader.read_next(_FIND_MS)
                    if message.publish_timestamp() >= timestamp:
                        return before(position_of(message.message_id()))
            finally:
                reader.close()
        except Exception as error:
            raise failure(error, self._service, f"the topic {lane!r}") from error
        return last

    def _last(self, lane: str) -> Position:
        """The last message that a partition has now."""
        try:
            return last_position(self._consumer(lane).get_last_message_id())
        except Exception as error:
            raise failure(error, self._service, f"the topic {lane!r}") from error

    def _acknowledge(self, lane: str, entry: list[int]) -> None:
        """All messages up to the end of an entry are read."""
        if min(entry) < 0:  # there is none
            return
        try:
            self._consumer(lane).acknowledge_cumulative(entry_id([*entry, -1]))
        except Exception as error:
            raise failure(error, self._service, f"the subscription {self._settings.subscription!r}") from error

    def _consumer(self, lane: str) -> Any:
        """What holds the subscription. It receives no messages."""
        found = self._consumers.get(lane)
        if found is None:
            import pulsar

            # Others may hold it at the same time: one that acknowledges at the job's end, and that of a lost process.
            found = self._consumers[lane] = self._client.subscribe(
                lane,
                self._settings.subscription,
                consumer_type=pulsar.ConsumerType.Failover,
                consumer_name=self._settings.consumer,
                receiver_queue_size=0,
                initial_position=pulsar.InitialPosition.Earliest,
            )
        return found
