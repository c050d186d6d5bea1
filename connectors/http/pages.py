"""Pages of records, as they are stored beside the checkpoint, and epochs made of them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from logging import Logger
from typing import Any

import msgspec

from datastream.formats import DeserializationSchema
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, EnumeratorContext, ReaderContext, SourceReader, SplitEnumerator, Spool
from datastream.io.ranges import blocks, cut

from .feed import Feed
from .page import Page, State

#: Pages of an epoch at most: each is stored before the epoch begins.
_MOST_PAGES = 50
#: Makes a feed that continues after a state.
FeedMaker = Callable[[State, Logger], Feed]


@dataclass(frozen=True)
class PageSplit:
    """A part of a stored page.

    Attributes:
        note: Its number.
        first: Index of the first record.
        end: Index after the last one.
    """

    note: int
    first: int
    end: int


class PageEnumerator(SplitEnumerator):
    """Stores what a feed brings, and makes epochs of it.

    A page is on the disk before its offset is handed out. The offset is ``{"note": number of the page, "record": how
    many of its records were read, "of": how many it has, "state": of the feed after it, "last": nothing follows}``.

    Args:
        make: Makes the feed.
        initial: State in which a new job begins.
        context: The place.
    """

    def __init__(self, make: FeedMaker, initial: State, context: EnumeratorContext) -> None:
        self._make, self._initial = make, initial
        self._spool, self._logger = context.spool, context.logger
        self._feed: Feed | None = None
        self._written = 0  # the last page that this feed has brought

    def initial_offset(self) -> dict[str, Any]:
        return {"note": 0, "record": 0, "of": 0, "state": self._initial, "last": False}

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        return {**offset, "last": False}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        end, left = start, max(budget, 1)
        for _ in range(_MOST_PAGES):
            try:
                following = self._after(end, left)
            except Exception:
                if end is start:
                    raise
                break  # what was stored is read first; the error comes again
            if following is None:
                break
            is_next = following["note"] > end["note"]
            left -= following["record"] - (0 if is_next else end["record"])
            end = following
            if left <= 0 or (is_next and self._has_all(end)):
                break
        return end

    def _has_all(self, offset: dict[str, Any]) -> bool:
        """Whether the page has all that waited: what came since waits for the next epoch, which saves notes."""
        return offset["note"] == self._written and self._feed is not None and self._feed.takes_all

    def _after(self, offset: dict[str, Any], most: int) -> dict[str, Any] | None:
        """The offset after some more records of a page; None: there are none now."""
        if offset["record"] < offset["of"]:
            return {**offset, "record": min(offset["record"] + most, offset["of"])}
        if offset["last"]:
            return None
        number = offset["note"] + 1
        page = stored(self._spool, number)
        if page is None:
            page = self._followed(offset["state"]).take(most)
            if page is None:
                return None
            mine = msgspec.msgpack.encode(page)
            note = self._spool.write(number, 0, mine)
            self._written = number
            if note != mine:
                page = msgspec.msgpack.decode(note, type=Page)
                self._leave()
        elif number > self._written:  # of another run, which may still go on: continue after it
            self._leave()
        count = len(page.records)
        return {"note": number, "record": min(most, count), "of": count, "state": page.state, "last": page.last}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[PageSplit]:
        found = []
        for note in range(start["note"], end["note"] + 1):
            first = start["record"] if note == start["note"] else 0
            if note == end["note"]:
                last = end["record"]
            elif note == start["note"]:
                last = start["of"]
            else:
                last = len(required(self._spool, note).records)
            if first < last:
                found += [PageSplit(note, *part) for part in cut(first, last, parallelism)]
        return found

    def finished(self, offset: dict[str, Any]) -> bool:
        return bool(offset["last"]) and offset["record"] == offset["of"]

    def backlog(self, offset: dict[str, Any]) -> dict[str, int] | None:
        if self._feed is None:
            return None
        return {"pages": offset["of"] - offset["record"] + self._feed.waiting}

    def commit(self, offset: dict[str, Any]) -> None:
        self._spool.remove_before(offset["note"])

    def close(self) -> None:
        self._leave()

    def _followed(self, state: State) -> Feed:
        """The feed, which begins after what is stored."""
        if self._feed is None:
            self._feed = feed = self._make(state, self._logger)
            weakref.finalize(self, feed.close)
            feed.start()
        return self._feed

    def _leave(self) -> None:
        feed, self._feed = self._feed, None
        if feed is not None:
            feed.close()


class PageReader(SourceReader):
    """Makes records of stored pages.

    Args:
        schema: How.
        address: Where they came from, for errors.
        context: The place.
    """

    def __init__(self, schema: DeserializationSchema, address: str, context: ReaderContext) -> None:
        self._schema, self._address, self._spool = schema, address, context.spool
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(schema) else None

    def read(self, split: PageSplit) -> Iterator[Batch]:
        records = required(self._spool, split.note).records
        for first, end in blocks(split.first, split.end):
            some = records[first:end]
            self._bytes.inc(sum(map(len, some)))
            made = self._schema.deserialize_block(
                some,
                lambda index, first=first: (self._address, None, first + index),  # type: ignore[misc]
            )
            if self._dead is not None:
                self._dead.inc(dead_letters_in(made))
            yield Batch(made)


def stored(spool: Spool, number: int) -> Page | None:
    """A page that was stored; None: none of this number was."""
    note = spool.read(number, 0)
    return None if note is None else msgspec.msgpack.decode(note, type=Page)


def required(spool: Spool, number: int) -> Page:
    """A page that must be there.

    Raises:
        CheckpointError: It is missing or damaged.
    """
    return msgspec.msgpack.decode(spool.require(number, 0), type=Page)
