"""Keyed state that is added to without being read: logs, in each key group one for each bucket of its own choice.

Who only adds (rows of a join's side that nobody asks for, parts of windows that have not ended) pays for what is added
and not for what is there. A log is chunks; what an epoch adds is a new one. When there are `FAN` of about one size,
they become one, and earlier where they have been read anyway. So a log of n entries has about FAN * log(n) / log(FAN)
chunks, and an entry is written log(n) / log(FAN) times.

A key group's head, its page 0, knows the chunks of each bucket.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from xxhash import xxh3_64_digest

from datastream.metrics import Kept
from datastream.types.pickles import dumps

from .pages import Store
from .state_format import decode, encode
from .state_format.entries import Loads
from .state_format.records import APPENDED, APPENDED_HEAD

#: Chunks of about one size that become one; and how much larger the next size is.
FAN = 8

#: Entries of a chunk that is not put together with others any more.
FULL = 16_384

#: The bucket of keys that are not divided among any.
FIRST_BUCKET = 1

_PLACE = struct.Struct(">II")
_CHUNK = struct.Struct(">IIqI")
_PAGE = 1
_FETCH = 256

#: A log: its key group, and its bucket there, any number of 64 bits.
Log = tuple[int, int]

#: Entries: their keys, and their values.
Frame = tuple[list[Any], list[Any]]

#: Frames in order, whether nothing is before them -> one frame that says the same.
Fold = Callable[[list[Frame], bool], Frame]


class Chunk(NamedTuple):
    """What a head knows of a chunk: its number, how many entries, how many bytes."""

    number: int
    entries: int
    bytes: int


class AppendedState:
    """The logs of one operator in one subtask, for the length of one epoch.

    Args:
        store: Where entries live.
        uid: Names the operator's logs.
        fold: Makes entries that are put together fewer; None: all are kept.

    Attributes:
        change: How what is kept has changed by `flush`.
    """

    def __init__(self, store: Store, uid: str, fold: Fold | None = None) -> None:
        self._store = store
        self._prefix = xxh3_64_digest(uid.encode())
        self._fold = fold
        self._heads: dict[int, dict[int, list[Chunk]]] = {}
        self._stored: set[int] = set()
        self._changed: set[int] = set()
        self._added: dict[Log, list[Frame]] = {}
        self._gone: list[bytes] = []
        self._parts: dict[bytes, list[bytes]] = {}  # of chunks that were read: their frames
        self.change = Kept()

    # -- reading -----------------------------------------------------------------------------------------

    def buckets(self, groups: Iterable[int]) -> list[Log]:
        """The logs of some key groups that have something stored."""
        groups = list(groups)
        self._fetch_heads(groups)
        return [(group, bucket) for group in groups for bucket in self._heads[group]]

    def size(self, log: Log) -> int:
        """How many bytes of a log are stored."""
        self._fetch_heads([log[0]])
        return sum(chunk.bytes for chunk in self._heads[log[0]].get(log[1], ()))

    def read(self, logs: Iterable[Log]) -> dict[Log, list[Frame]]:
        """What is stored of some logs, in the order in which it was added."""
        logs = list(logs)
        self._fetch_heads(group for group, _ in logs)
        keys = {log: [self._key(log, chunk.number) for chunk in self._heads[log[0]].get(log[1], ())] for log in logs}
        self._fetch([key for some in keys.values() for key in some])
        return {log: [pickle.loads(part) for key in some for part in self._parts[key]] for log, some in keys.items()}

    def kept(self, groups: Iterable[int]) -> Kept:
        """About what is kept of some key groups: an entry counts as a key."""
        groups = list(groups)
        self._fetch_heads(groups)
        chunks = [chunk for group in groups for log in self._heads[group].values() for chunk in log]
        return Kept(sum(chunk.entries for chunk in chunks), sum(chunk.bytes for chunk in chunks))

    # -- writing -----------------------------------------------------------------------------------------

    def add(self, log: Log, frame: Frame) -> None:
        """Add entries to a log; they are stored by `flush`."""
        self._added.setdefault(log, []).append(frame)

    def remove(self, log: Log) -> None:
        """Take out all of a log, and what was to be added to it."""
        self._added.pop(log, None)
        group, bucket = log
        self._fetch_heads([group])
        chunks = self._heads[group].pop(bucket, None)
        if chunks is not None:
            self._drop(log, chunks)

    def flush(self) -> None:
        """Store what was added."""
        self._fetch_heads(group for group, _ in self._added)
        tails = {log: self._tail(log, sum(len(keys) for keys, _ in frames)) for log, frames in self._added.items()}
        self._fetch([self._key(log, chunk.number) for log, tail in tails.items() for chunk in tail])
        puts: dict[bytes, bytes] = {}
        for log, frames in self._added.items():
            group, bucket = log
            chunks, tail = self._heads[group].setdefault(bucket, []), tails[log]
            del chunks[len(chunks) - len(tail) :]
            parts = [part for chunk in tail for part in self._parts[self._key(log, chunk.number)]]
            self._drop(log, tail)
            entries = sum(chunk.entries for chunk in tail) + sum(len(keys) for keys, _ in frames)
            if self._fold is None:
                parts += map(dumps, frames)
            else:
                folded = self._fold([*map(pickle.loads, parts), *frames], not chunks)
                parts, entries = [dumps(folded)], len(folded[0])
            if entries:
                data = encode(APPENDED, parts)
                number = chunks[-1].number + 1 if chunks else 0
                chunks.append(Chunk(number, entries, len(data)))
                puts[self._key(log, number)] = data
                self.change = self.change.plus(Kept(entries, len(data)))
            if not chunks:
                del self._heads[group][bucket]
            self._changed.add(group)
        for group in self._changed:
            head = self._heads[group]
            if head:
                puts[self._head_key(group)] = encode(
                    APPENDED_HEAD, {at: list(map(tuple, log)) for at, log in head.items()}
                )
            elif group in self._stored:
                self._gone.append(self._head_key(group))
        gone = [key for key in self._gone if key not in puts]
        if gone:
            self._store.delete(gone)
        if puts:
            self._store.put(sorted(puts.items()))
        self.forget()

    def forget(self) -> None:
        """Forget what is known of the store, and what was to be stored."""
        for known in (self._heads, self._stored, self._changed, self._added, self._gone, self._parts):
            known.clear()

    def _tail(self, log: Log, entries: int) -> list[Chunk]:
        """The latest chunks, which are put together with so many entries."""
        before = list(self._heads[log[0]].get(log[1], ()))
        tail: list[Chunk] = []
        while True:
            run = 0
            for chunk in reversed(before):
                if _level(chunk.entries) > _level(entries) or (self._fold is None and chunk.entries > FULL):
                    break
                run += 1
            was_read = run and all(self._key(log, chunk.number) in self._parts for chunk in before[-run:])
            if run < (1 if was_read else FAN - 1):
                return tail
            tail[:0] = before[-run:]
            entries += sum(chunk.entries for chunk in before[-run:])
            del before[-run:]

    def _drop(self, log: Log, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self._gone.append(self._key(log, chunk.number))
            self.change = self.change.minus(Kept(chunk.entries, chunk.bytes))
        self._changed.add(log[0])

    # -- the store ---------------------------------------------------------------------------------------

    def _fetch_heads(self, groups: Iterable[int]) -> None:
        wanted = sorted(set(groups).difference(self._heads))
        for group, data in zip(wanted, self._get([self._head_key(group) for group in wanted]), strict=True):
            head = {} if data is None else decode(APPENDED_HEAD, data)
            self._heads[group] = {bucket: [Chunk(*chunk) for chunk in log] for bucket, log in head.items()}
            if data is not None:
                self._stored.add(group)

    def _fetch(self, keys: list[bytes]) -> None:
        wanted = sorted(set(keys).difference(self._parts))
        for key, data in zip(wanted, self._get(wanted), strict=True):
            self._parts[key] = [] if data is None else decode(APPENDED, data)

    def _get(self, keys: list[bytes]) -> list[bytes | None]:
        return [data for at in range(0, len(keys), _FETCH) for data in self._store.get(keys[at : at + _FETCH])]

    def _head_key(self, group: int) -> bytes:
        return self._prefix + _PLACE.pack(group, 0)

    def _key(self, log: Log, number: int) -> bytes:
        return self._prefix + _CHUNK.pack(log[0], _PAGE, log[1], number)


def bucket_of(key: bytes) -> int:
    """The bucket that an entry of a chunk is of, by the entry's key."""
    found: int = _CHUNK.unpack_from(key, 8)[2]
    return found


def _level(entries: int) -> int:
    """Numbers of entries are of one size where this is the same."""
    return max(entries - 1, 0).bit_length() // (FAN - 1).bit_length()


def by_key(frames: Iterable[Frame]) -> dict[Any, list[Any]]:
    """What was added for each key, in order."""
    found: dict[Any, list[Any]] = {}
    for keys, values in frames:
        for key, value in zip(keys, values, strict=True):
            found.setdefault(key, []).append(value)
    return found


def frames_of(data: bytes, loads: Loads | None = None) -> list[Frame]:
    """What is in a chunk.

    Args:
        data: It.
        loads: What reads pickles; see `decode`.
    """
    read = loads or pickle.loads
    found: list[Frame] = decode(APPENDED, data, lambda some: [read(part) for part in read(some)])
    return found
