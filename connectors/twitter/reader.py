"""Makes records of stored posts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from datastream.io import Batch, ReaderContext, SourceReader
from datastream.io.ranges import blocks

from .notes import posts_in
from .posts import timestamp_ms

if TYPE_CHECKING:
    from .enumerator import PostSplit


class TwitterReader(SourceReader):
    """Makes records of stored posts.

    Args:
        context: The place.
    """

    def __init__(self, context: ReaderContext) -> None:
        self._spool = context.spool
        self._with_times = context.timestamps
        self._bytes = context.metrics.counter("numBytesIn")

    def read(self, split: PostSplit) -> Iterator[Batch]:
        posts = posts_in(self._spool, split.note)
        for first, end in blocks(split.first, split.end):
            some = posts[first:end]
            self._bytes.inc(sum(len(post.text) for post in some))
            times = [timestamp_ms(post.id) for post in some] if self._with_times else None
            yield Batch([post.text.decode() for post in some], times)
