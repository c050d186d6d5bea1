"""What each epoch reads: of each stream, the entries between two ids."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datastream.errors import ValidationError
from datastream.io import SplitEnumerator

from .failures import failure
from .positions import Position, StreamState, before_time, order, state_of
from .source_settings import SourceSettings, gap

#: The id of the last of some entries, and their count: so many entries' contents stay in the server.
_SKIP = """
local found = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], ARGV[2], 'COUNT', ARGV[3])
if #found == 0 then return {'', 0} end
return {found[#found][1], #found}
"""
#: The server does nothing else while it goes over entries.
_AT_ONCE = 2000


@dataclass(frozen=True)
class StreamSplit:
    """A stream's part of an epoch.

    Attributes:
        lane: The stream.
        start: The place before its first entry.
        end: The place after its last one.
    """

    lane: str
    start: Position
    end: Position


class StreamsEnumerator(SplitEnumerator):
    """Plans epochs. An offset is ``{"streams": {key: position}, "until": {key: position}}``.

    ``until`` is there for a bounded source only.

    Args:
        settings: What the source was told.
        bounded: It ends with what is there at its start.
    """

    def __init__(self, settings: SourceSettings, bounded: bool) -> None:
        self._settings, self._bounded = settings, bounded
        self._looked_at: float | None = None
        self._ends: dict[str, Position] = {}

    @cached_property
    def _client(self) -> Any:
        return self._settings.connection.reader()

    def initial_offset(self) -> dict[str, Any]:
        states = self._states()
        offset: dict[str, Any] = {"streams": {name: self._begin(name, state) for name, state in states.items()}}
        return self._with_end(offset, states)

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        return self._with_end({"streams": offset["streams"]}, self._states())

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        if self._looked_at is not None and time.monotonic() - self._looked_at < self._settings.poll_ms / 1000:
            return start
        states = self._states()
        offset = start if not self._bounded or "until" in start else self._with_end(start, states)
        until = offset.get("until", {}) if self._bounded else {}
        found = dict(offset["streams"])
        waiting = []
        for name, state in states.items():
            position = self._checked(name, Position.of(found.get(name) or self._oldest(state)), state)
            end = Position.of(until[name]) if name in until else state.end
            self._ends[name] = end
            if not self._bounded or name in until:
                found.setdefault(name, position.to_json())
                if position.is_before(end):
                    waiting.append((end.added - position.added, name, position, end))
        left = max(budget, 1)
        waiting.sort()
        if len(waiting) > left:  # a stream that was left out comes sooner than those that were read
            waiting = sorted(waiting, key=lambda each: order(each[2].id))[:left]
        for place, (_, name, position, end) in enumerate(waiting):
            share = max(left // (len(waiting) - place), 1)
            reached, count = self._reach(name, position, end, share)
            found[name] = reached.to_json()
            left -= count
        if found == start["streams"] and offset is start:
            self._looked_at = time.monotonic()
            return start
        self._looked_at = None
        return {**offset, "streams": found}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[StreamSplit]:
        found = []
        for name in self._settings.streams:
            if name in end["streams"]:
                before = start["streams"].get(name)
                first = Position() if before is None else Position.of(before)
                last = Position.of(end["streams"][name])
                if first.is_before(last):
                    found.append(StreamSplit(name, first, last))
        return found

    def lanes(self, offset: dict[str, Any]) -> list[str]:
        return sorted(self._settings.streams)

    def finished(self, offset: dict[str, Any]) -> bool:
        if not self._bounded or "until" not in offset:
            return False
        streams = offset["streams"]
        return not any(Position.of(streams[name]).is_before(Position.of(end)) for name, end in offset["until"].items())

    def backlog(self, offset: dict[str, Any]) -> Mapping[str, int] | None:
        streams = offset["streams"]
        return {name: max(end.added - streams[name][1], 0) for name, end in self._ends.items() if name in streams}

    def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def _states(self) -> dict[str, StreamState]:
        """The streams as they are now.

        Raises:
            ConnectionError: The server is away.
            ValidationError: It refuses, or a key is no stream.
        """
        names, found = self._settings.streams, {}
        pipeline = self._client.pipeline(transaction=False)
        for name in names:
            pipeline.xinfo_stream(name)
        name = names[0]
        try:
            for name, answer in zip(names, pipeline.execute(raise_on_error=False), strict=True):
                found[name] = state_of(answer)
        except Exception as error:
            raise failure(error, self._settings.connection, f"the stream {name!r}") from error
        return found

    def _begin(self, name: str, state: StreamState) -> list[Any]:
        """Where a new job begins to read a stream."""
        start = self._settings.start
        if start == "earliest":
            return self._oldest(state)
        if start == "latest":
            return state.end.to_json()
        id = before_time(start) if isinstance(start, int) else start
        if order(id) >= order(state.end.id):
            return [id, state.end.added]
        waiting, at = 0, Position(id)
        while at.is_before(state.end):
            at, count = self._reach(name, at, state.end, _AT_ONCE)
            waiting += count
        return [id, state.end.added - waiting]

    @staticmethod
    def _oldest(state: StreamState) -> list[Any]:
        return ["0-0", state.end.added - state.length]

    def _with_end(self, offset: dict[str, Any], states: Mapping[str, StreamState]) -> dict[str, Any]:
        """An offset with the end of a bounded source: now, or where it is already."""
        if not self._bounded:
            return offset
        until = {}
        for name, state in states.items():
            at = Position.of(offset["streams"].get(name) or self._oldest(state))
            until[name] = (state.end if at.is_before(state.end) else at).to_json()
        streams = {name: offset["streams"].get(name) or self._oldest(state) for name, state in states.items()}
        return {"streams": {**offset["streams"], **streams}, "until": until}

    def _checked(self, name: str, position: Position, state: StreamState) -> Position:
        """A position of a stream from which nothing was removed; or where what was removed counts as read.

        Raises:
            ValidationError: Something was, or the stream is another one.
        """
        if state.is_another_than(position):
            raise ValidationError(
                f"{self._settings.connection}: the stream {name!r} was read up to {position.id}, and its last id is "
                f"{state.end.id} now: it was deleted, or its server has lost its last entries. Start the job with "
                "another --checkpoint-dir"
            )
        removed = state.removed_after(position)
        if removed and self._settings.on_gap == "fail":
            raise ValidationError(f"{gap(self._settings, name, removed, position.id)}, or set on_gap='warn' to go on")
        return Position(position.id, position.added + removed)

    def _reach(self, name: str, start: Position, end: Position, most: int) -> tuple[Position, int]:
        """How far a number of entries goes, and how many there are."""
        if 0 < end.added - start.added <= most:
            return end, end.added - start.added
        at, count = start.id, 0
        while count < most:
            asked = min(most - count, _AT_ONCE)
            try:
                last, some = self._client.eval(_SKIP, 1, name, at, end.id, asked)
            except Exception as error:
                raise failure(error, self._settings.connection, f"the stream {name!r}") from error
            count += some
            if some < asked:
                return end, count
            at = last.decode()
        return Position(at, start.added + count), count
