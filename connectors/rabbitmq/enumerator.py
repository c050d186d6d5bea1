"""When an epoch looks into the queue, and when its notes are forgotten."""

from __future__ import annotations

import pickle
import time
from collections import deque
from typing import Any

from datastream.io import SplitEnumerator, Spool

KEPT_S = 10.0
"""How long ids of acknowledged messages are kept. A server that dies forgets the acknowledgements of its last 0.2 s."""

#: More time than this between two epochs does not count: the server may be away, and deliver messages again later.
_STEP_S = 1.0

_NOTHING = pickle.dumps([], 5)


class RMQEnumerator(SplitEnumerator):
    """A queue's enumerator that plans the next epoch at once while there are messages, and forgets late.

    Args:
        inner: The queue's.
        spool: The source's notes.
        idle_ms: Pause after an epoch that found no message.
        kept_s: How much later than committed an epoch's notes are forgotten, in time in which epochs are committed.
    """

    def __init__(self, inner: SplitEnumerator, spool: Spool, idle_ms: int, kept_s: float) -> None:
        self._inner, self._spool = inner, spool
        self._idle_s, self._kept_s = idle_ms / 1000, kept_s
        self._planned: tuple[int, float] | None = None
        self._found = False
        self._committed: deque[tuple[float, Any]] = deque()
        self._committed_at = time.monotonic()
        self._clock = 0.0

    def initial_offset(self) -> Any:
        return self._inner.initial_offset()

    def latest_offset(self, start: Any, budget: int) -> Any:
        now = time.monotonic()
        if self._planned is not None:
            epoch, planned_at = self._planned
            self._found = self._found or self._has_messages(epoch)
            if not self._found and now - planned_at < self._idle_s:
                return start
        end = self._inner.latest_offset(start, budget)
        self._planned, self._found = (end["epoch"], now), False
        return end

    def splits(self, start: Any, end: Any, parallelism: int) -> Any:
        return self._inner.splits(start, end, parallelism)

    def commit(self, offset: Any) -> None:
        now = time.monotonic()
        self._clock += min(now - self._committed_at, _STEP_S)
        self._committed_at = now
        self._committed.append((self._clock, offset))
        old = None
        while self._committed and self._clock - self._committed[0][0] >= self._kept_s:
            old = self._committed.popleft()[1]
        if old is not None:
            self._inner.commit(old)

    def close(self) -> None:
        self._inner.close()

    def _has_messages(self, epoch: int) -> bool:
        notes = (self._spool.read(epoch, task) for task in self._spool.tasks(epoch))
        return any(note is not None and note != _NOTHING for note in notes)
