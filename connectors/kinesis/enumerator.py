"""What each epoch reads: shards from where the epoch before has left them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datastream.io import EnumeratorContext, SplitEnumerator

from .failures import failure
from .progress import OLDEST, Note, Position, Progress
from .source_settings import SourceSettings
from .streams import shards_of

#: Notes of so many epochs stay: savepoints copy them while the job goes on.
_KEPT = 8


@dataclass(frozen=True)
class KinesisSplit:
    """A shard's part of an epoch.

    Attributes:
        lane: ``stream/shard``.
        position: Where it begins.
        epoch: Number of the epoch, from 1.
        task: Number of the note.
        most: Records at most.
        until: When a bounded source began, in ms since 1970; None: it has no end.
    """

    lane: str
    position: Position
    epoch: int
    task: int
    most: int
    until: int | None


class KinesisEnumerator(SplitEnumerator):
    """Plans epochs.

    The end of a shard is not known before it is read. So an offset holds where an epoch *begins* in each shard, and the
    notes of its tasks hold where it ended. It is `Progress` with ``epoch``, and, if an epoch reads from there,
    ``read``: the shards that it reads, and ``most``: how many records of each.

    Args:
        settings: Its settings.
        bounded: It ends with what is there at its start.
        context: The place.
    """

    def __init__(self, settings: SourceSettings, bounded: bool, context: EnumeratorContext) -> None:
        self._settings, self._bounded, self._context = settings, bounded, context
        self._spool = context.spool
        self._looked_at: float | None = None
        self._planned_at: float | None = None
        self._known: tuple[int, dict[str, Note]] | None = None

    @cached_property
    def _client(self) -> Any:
        return self._settings.service.client("kinesis")

    def initial_offset(self) -> dict[str, Any]:
        """Where a new job starts. The latest record is that of now: the service has no name for it that lasts."""
        settings, now = self._settings, _now()
        progress = Progress(until=now if self._bounded else None)
        position = OLDEST
        if settings.position != "TRIM_HORIZON":
            position = ["AT_TIMESTAMP", now if settings.timestamp is None else settings.timestamp]
        self._list(progress, position, settings.position == "LATEST")
        return {"epoch": 0, **progress.to_json()}

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        progress = self._after(offset)
        progress.resume(_now() if self._bounded else None)
        self._list(progress, OLDEST)
        return {"epoch": offset["epoch"], **progress.to_json()}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        now, notes = time.monotonic(), self._notes(start)
        early = self._planned_at is not None and now - self._planned_at < self._settings.pause_ms / 1000
        if early and all(note.caught_up for note in notes.values()):
            return start
        progress = self._after(start)
        if not self._bounded:
            self._discover(progress, any(note.closed for note in notes.values()))
        if not progress.active:
            return start
        self._planned_at = now
        epoch = start["epoch"] + 1
        lanes = sorted(progress.active)
        if len(lanes) > max(budget, 1):
            first = epoch * max(budget, 1) % len(lanes)
            lanes = sorted((lanes[first:] + lanes[:first])[: max(budget, 1)])
        return {"epoch": epoch, **progress.to_json(), "read": lanes, "most": max(budget // len(lanes), 1)}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[KinesisSplit]:
        if start["epoch"] == end["epoch"]:
            return []
        return [
            KinesisSplit(lane, end["active"][lane], end["epoch"], task, end["most"], end["until"])
            for task, lane in enumerate(end["read"])
        ]

    def lanes(self, offset: dict[str, Any]) -> list[str]:
        return sorted(offset["active"])

    def finished(self, offset: dict[str, Any]) -> bool:
        if not self._bounded or offset["until"] is None:
            return False
        if any(self._spool.read(offset["epoch"], task) is None for task in range(len(offset.get("read", ())))):
            return False  # the epoch has not run
        return self._after(offset).finished

    def backlog(self, offset: dict[str, Any]) -> dict[str, int] | None:
        """The service counts no records, but time."""
        return None

    def commit(self, offset: dict[str, Any]) -> None:
        self._spool.remove_before(offset["epoch"] - _KEPT)

    def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _notes(self, offset: dict[str, Any]) -> dict[str, Note]:
        """What the tasks of an epoch that has run have noted."""
        lanes = offset.get("read", ())
        if self._known is None or self._known[0] != offset["epoch"] or self._known[1].keys() != set(lanes):
            notes = {lane: note_of(self._spool.require(offset["epoch"], task)) for task, lane in enumerate(lanes)}
            self._known = offset["epoch"], notes
        return self._known[1]

    def _after(self, offset: dict[str, Any]) -> Progress:
        """How far the source is when the epoch of an offset has run."""
        progress = Progress.of(offset)
        if self._bounded and progress.until is None:  # an earlier run had no end
            progress.until = _now()
        progress.read(self._notes(offset))
        if not self._bounded and progress.until is not None:
            progress.resume(None)
        return progress

    def _discover(self, progress: Progress, at_once: bool) -> None:
        """Look for new shards, which are read from their first record: there are some where one was closed."""
        now = time.monotonic()
        if self._looked_at is None or at_once or now - self._looked_at >= self._settings.discovery_ms / 1000:
            try:
                self._list(progress, OLDEST)
            except ConnectionError as error:
                self._looked_at = None
                self._context.logger.warning("new shards are looked for again: %s", error)

    def _list(self, progress: Progress, position: Position, only_open: bool = False) -> None:
        """Take over the streams' shards.

        Raises:
            ConnectionError: The service is away.
            ValidationError: A stream is not there.
        """
        for stream in self._settings.streams:
            try:
                shards = shards_of(self._client, stream)
            except Exception as error:
                raise failure(error, self._settings.service, f"the stream {stream.name!r}") from error
            progress.add(stream.name, shards, position, only_open)
        self._looked_at = time.monotonic()


def note_of(data: bytes) -> Note:
    """The note that bytes hold."""
    return Note(**json.loads(data))


def _now() -> int:
    return round(time.time() * 1000)
