"""Stores what the stream has brought, and makes epochs of it."""

from __future__ import annotations

import pickle
import time
import weakref
from collections import deque
from dataclasses import dataclass

from datastream.io import EnumeratorContext, SplitEnumerator
from datastream.io.ranges import cut

from .client_settings import ClientSettings
from .endpoints import StreamingEndpoint
from .notes import posts_in
from .posts import RecentIds
from .reconnects import Reconnects
from .stream import PostStream, ids_of

#: How long ids are known, in addition to the minutes that X sends again.
_MORE_S = 60.0


@dataclass(frozen=True)
class PostSplit:
    """A part of a note.

    Attributes:
        note: Its number.
        first: Index of the first post.
        end: Index after the last one.
    """

    note: int
    first: int
    end: int


class TwitterEnumerator(SplitEnumerator):
    """Follows the stream beside the driver, by the one connection that X allows.

    An epoch is a note: posts are on the disk before its offset is handed out. The offset is ``{"note": number, "count":
    posts in it}``.

    Args:
        client: How X is reached.
        endpoint: The stream.
        reconnects: How long it waits.
        context: The place.
    """

    def __init__(
        self, client: ClientSettings, endpoint: StreamingEndpoint, reconnects: Reconnects, context: EnumeratorContext
    ) -> None:
        self._client, self._endpoint, self._reconnects = client, endpoint, reconnects
        self._spool, self._logger = context.spool, context.logger
        self._kept_s = 60.0 * endpoint.backfill_minutes + _MORE_S
        self._stream: PostStream | None = None
        self._committed: deque[tuple[float, int]] = deque()

    def initial_offset(self) -> dict[str, int]:
        return {"note": 0, "count": 0}

    def latest_offset(self, start: dict[str, int], budget: int) -> dict[str, int]:
        stream = self._followed()
        number = start["note"] + 1
        if self._spool.written_at(number, 0) is None:
            posts = stream.take(max(budget, 1))
            if not posts:
                return start
            self._spool.write(number, 0, pickle.dumps([tuple(post) for post in posts], 5))
        else:  # an earlier run has stored it
            posts = posts_in(self._spool, number)
        return {"note": number, "count": len(posts)}

    def splits(self, start: dict[str, int], end: dict[str, int], parallelism: int) -> list[PostSplit]:
        found = []
        for note in range(start["note"] + 1, end["note"] + 1):
            count = end["count"] if note == end["note"] else len(posts_in(self._spool, note))
            found += [PostSplit(note, first, last) for first, last in cut(0, count, parallelism)]
        return found

    def backlog(self, offset: dict[str, int]) -> dict[str, int] | None:
        return None if self._stream is None else {"stream": self._stream.waiting}

    def commit(self, offset: dict[str, int]) -> None:
        """Drop the notes whose posts X cannot send again."""
        now = time.monotonic()
        self._committed.append((now, offset["note"]))
        while self._committed and now - self._committed[0][0] > self._kept_s:
            _, old = self._committed.popleft()
            self._spool.remove_before(old + 1)

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()

    def _followed(self) -> PostStream:
        """The stream, which is connected when the first epoch is planned."""
        if self._stream is None:
            stored = (posts_in(self._spool, note) for note, _ in self._spool.notes())
            recent = RecentIds(self._kept_s, ids_of(stored))
            self._stream = PostStream(self._client, self._endpoint, self._reconnects, recent, self._logger)
            weakref.finalize(self, self._stream.close)
        return self._stream
