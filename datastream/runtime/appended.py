"""Keyed state that is added to without being read: logs, in each key group one for each bucket of its own choice.

Who only adds (rows of a join's side that are not read, parts of windows that have not ended) pays for what is added
and not for what is there. A log is chunks; what an epoch adds is a new one. When there are `FAN` of about one size,
they become one, and earlier where they have been read anyway. So a log of n entries has about FAN * log(n) / log(FAN)
chunks, and an entry is written log(n) / log(FAN) times.

A key group's head knows the chunks of each bucket, and holds the latest one while that is small: many logs of a few
entries each, such as windows of few keys, are read and written as one. Where keys are whole numbers or texts it may
hold a number of 32 bits for each key of a log, its trace: a log is not read for keys that it does not have.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple
from zlib import crc32

from datastream.errors import CheckpointDamaged
from datastream.metrics import Kept
from datastream.types.pickles import dumps_plain, plain_key, trace_of

from .pages import Store
from .state_format import decode, encode
from .state_format.entries import Loads
from .state_format.layout import bucket_of, log_chunk_key, log_head_key, prefix_of
from .state_format.records import APPENDED, APPENDED_HEAD, PART

#: Chunks of about one size that become one; and how much larger the next size is.
FAN = 8

#: Entries of a chunk that is not put together with others any more.
FULL = 16_384

#: The bucket of keys that are not divided among any.
FIRST_BUCKET = 1

#: Bytes of a chunk that its head may hold, and of all that it holds.
_SMALL, _SMALL_ALL = 1024, 32 * 1024

#: Bytes of traces of keys that a head may hold: it is written whenever one of its logs changes.
_TRACES = 16 * 1024

#: Of Python's own classes: keys that have traces.
_TRACED = {int, str, type(None)}

_FETCH = 256

#: A log: its key group, and its bucket there, any number of 64 bits.
Log = tuple[int, int]

#: Entries: their keys, and their values.
Frame = tuple[list[Any], list[Any]]

#: Frames in order, whether nothing is before them -> one frame that says the same.
Fold = Callable[[list[Frame], bool], Frame]


class Chunk(NamedTuple):
    """What a head knows of a chunk.

    Attributes:
        number: Its own in its log, rising.
        entries: How many.
        size: In bytes.
        parts: Its frames as bytes, where the head holds it; only the latest chunk of a log.
        traces: Of its keys, 4 bytes each, and maybe of some that have gone; None: of some key of the log there is none.
    """

    number: int
    entries: int
    size: int
    parts: list[bytes] | None = None
    traces: bytes | None = None


class AppendedState:
    """The logs of one operator in one subtask, for the length of one epoch.

    Args:
        store: Where entries live.
        uid: Names the operator's logs.
        fold: Makes entries that are put together fewer; None: all are kept.
        traced: Keys are whole numbers, texts or None: heads get their traces.

    Attributes:
        change: How what is kept has changed by `flush`.
    """

    def __init__(self, store: Store, uid: str, fold: Fold | None = None, traced: bool = False) -> None:
        self._store = store
        self._prefix = prefix_of(uid)
        self._fold, self._traced = fold, traced
        self._heads: dict[int, dict[int, list[Chunk]]] = {}
        self._held: dict[int, int] = {}  # of a key group: bytes of chunks in its head
        self._traces: dict[int, int] = {}  # and of traces of keys
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
        return sum(chunk.size for chunk in self._heads[log[0]].get(log[1], ()))

    def read(self, logs: Iterable[Log]) -> dict[Log, list[Frame]]:
        """What is stored of some logs, in the order in which it was added."""
        return {log: [decode(PART, part) for part in parts] for log, parts in self._parts_by_log(logs).items()}

    def possible(self, log: Log, keys: Iterable[int | str | None]) -> set[Any]:
        """Those of some keys that a log may have entries of stored, as far as its head knows.

        Args:
            log: A log of traced keys.
            keys: Whole numbers, texts or None.
        """
        self._fetch_heads([log[0]])
        known = _numbers(chunk.traces for chunk in self._heads[log[0]].get(log[1], ()))
        if known is None:
            return set(keys)
        traces = {key: _trace(plain_key(key)) for key in keys}
        there = set(traces.values()).intersection(known)
        return {key for key, trace in traces.items() if trace in there}

    def mentioning(self, keys: Mapping[Log, Iterable[int | str]]) -> set[Log]:
        """The logs that may have entries of their keys stored: the others are not decoded to know that they have none.

        Args:
            keys: Of each log, whole numbers or texts; its entries have the `plain_key` of such keys.
        """
        parts = self._parts_by_log(keys)
        return {
            log for log, some in keys.items() if any(key in part for key in map(trace_of, some) for part in parts[log])
        }

    def _parts_by_log(self, logs: Iterable[Log]) -> dict[Log, list[bytes]]:
        logs = list(logs)
        self._fetch_heads(group for group, _ in logs)
        chunks = {log: self._heads[log[0]].get(log[1], []) for log in logs}
        self._fetch((log, chunk) for log, some in chunks.items() for chunk in some)
        return {log: [part for chunk in some for part in self._parts_of(log, chunk)] for log, some in chunks.items()}

    def kept(self, groups: Iterable[int]) -> Kept:
        """About what is kept of some key groups: an entry counts as a key."""
        groups = list(groups)
        self._fetch_heads(groups)
        chunks = [chunk for group in groups for log in self._heads[group].values() for chunk in log]
        return Kept(sum(chunk.entries for chunk in chunks), sum(chunk.size for chunk in chunks))

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
        large: dict[Log, _Made] = {}
        for log, frames in self._added.items():
            chunks = self._heads[log[0]].setdefault(log[1], [])
            entries = sum(len(keys) for keys, _ in frames)
            made = self._together(log, [chunk for chunk in chunks[-1:] if chunk.parts is not None], entries, frames)
            if made.size <= _SMALL and self._held[log[0]] + made.size <= _SMALL_ALL:
                self._keep(log, made.entries, made.size, made.parts, made.traces)
            else:
                large[log] = made
        tails = {log: self._tail(log, made.entries) for log, made in large.items()}
        self._fetch((log, chunk) for log, tail in tails.items() for chunk in tail)
        puts: dict[bytes, bytes] = {}
        for log, made in large.items():
            made = self._together(log, tails[log], made.entries, (), made.parts, made.traces)
            if made.entries:
                data = encode(APPENDED, made.parts)
                puts[self._key(log, self._keep(log, made.entries, len(data), None, made.traces))] = data
        for group in self._changed:
            head = self._heads[group] = {bucket: chunks for bucket, chunks in self._heads[group].items() if chunks}
            if head:
                plain = {bucket: list(map(tuple, chunks)) for bucket, chunks in head.items()}
                puts[self._head_key(group)] = encode(APPENDED_HEAD, plain)
                self._stored.add(group)
            elif group in self._stored:
                self._gone.append(self._head_key(group))
                self._stored.remove(group)
        gone = [key for key in self._gone if key not in puts]
        if gone:
            self._store.delete(gone)
        if puts:
            self._store.put(sorted(puts.items()))
        for done in (self._changed, self._added, self._gone, self._parts):
            done.clear()

    def forget(self) -> None:
        """Forget what is known of the store."""
        for known in (self._heads, self._held, self._traces, self._stored):
            known.clear()

    def _together(
        self,
        log: Log,
        chunks: list[Chunk],
        entries: int,
        frames: Iterable[Frame],
        parts: Iterable[bytes] = (),
        traces: bytes | None = b"",
    ) -> _Made:
        """The latest chunks of a log with what follows them; they are taken off it."""
        known = self._heads[log[0]][log[1]]
        before = (part for chunk in chunks for part in self._parts_of(log, chunk))
        parts = [*before, *parts, *(encode(PART, frame, dumps_plain) for frame in frames)]
        del known[len(known) - len(chunks) :]
        self._drop(log, chunks)
        is_traced = self._traced and not any(chunk.traces is None for chunk in known)
        entries += sum(chunk.entries for chunk in chunks)
        if self._fold is not None and len(parts) > 1:
            folded = self._fold([decode(PART, part) for part in parts], not known)
            parts, entries = [encode(PART, folded, dumps_plain)], len(folded[0])
            traces = _traces((), [folded]) if is_traced else None
        else:
            traces = _traces([*(chunk.traces for chunk in chunks), traces], frames) if is_traced else None
        return _Made(parts, entries, sum(map(len, parts)), traces)

    def _keep(self, log: Log, entries: int, size: int, parts: list[bytes] | None, traces: bytes | None) -> int:
        """Note a new chunk; its number."""
        group, bucket = log
        chunks = self._heads[group][bucket]
        number = chunks[-1].number + 1 if chunks else 0
        if entries:
            if traces is not None and self._traces[group] + len(traces) > _TRACES:
                traces = None
            if traces is None:  # those of its other keys are of no use
                self._traces[group] -= sum(len(chunk.traces or b"") for chunk in chunks)
                chunks[:] = [chunk._replace(traces=None) for chunk in chunks]
            chunks.append(Chunk(number, entries, size, parts, traces))
            self._traces[group] += len(traces or b"")
            self.change = self.change.plus(Kept(entries, size))
            if parts is not None:
                self._held[group] += size
        self._changed.add(group)
        return number

    def _drop(self, log: Log, chunks: Iterable[Chunk]) -> None:
        """Note that chunks go."""
        for chunk in chunks:
            self.change = self.change.minus(Kept(chunk.entries, chunk.size))
            self._traces[log[0]] -= len(chunk.traces or b"")
            if chunk.parts is None:
                self._gone.append(self._key(log, chunk.number))
            else:
                self._held[log[0]] -= chunk.size
        self._changed.add(log[0])

    def _tail(self, log: Log, entries: int) -> list[Chunk]:
        """The latest chunks, which are put together with this number of entries."""
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

    # -- the store ---------------------------------------------------------------------------------------

    def _fetch_heads(self, groups: Iterable[int]) -> None:
        wanted = sorted(set(groups).difference(self._heads))
        for group, data in zip(wanted, self._get([self._head_key(group) for group in wanted]), strict=True):
            head = {} if data is None else _head(data)
            self._heads[group] = head
            self._held[group] = sum(log[-1].size for log in head.values() if log[-1].parts is not None)
            self._traces[group] = sum(len(chunk.traces or b"") for log in head.values() for chunk in log)
            if data is not None:
                self._stored.add(group)

    def _fetch(self, chunks: Iterable[tuple[Log, Chunk]]) -> None:
        keys = {self._key(log, chunk.number) for log, chunk in chunks if chunk.parts is None}
        wanted = sorted(keys.difference(self._parts))
        for key, data in zip(wanted, self._get(wanted), strict=True):
            self._parts[key] = [] if data is None else decode(APPENDED, data)

    def _parts_of(self, log: Log, chunk: Chunk) -> list[bytes]:
        return self._parts[self._key(log, chunk.number)] if chunk.parts is None else chunk.parts

    def _get(self, keys: list[bytes]) -> list[bytes | None]:
        return [data for at in range(0, len(keys), _FETCH) for data in self._store.get(keys[at : at + _FETCH])]

    def _head_key(self, group: int) -> bytes:
        return log_head_key(self._prefix, group)

    def _key(self, log: Log, number: int) -> bytes:
        return log_chunk_key(self._prefix, *log, number)


def _level(entries: int) -> int:
    """Numbers of entries are of about one size where this is the same."""
    return max(entries - 1, 0).bit_length() // (FAN - 1).bit_length()


class _Made(NamedTuple):
    """A chunk that is to be stored."""

    parts: list[bytes]
    entries: int
    size: int
    traces: bytes | None


def _head(data: bytes, loads: Loads | None = None) -> dict[int, list[Chunk]]:
    head = {bucket: [Chunk(*chunk) for chunk in log] for bucket, log in decode(APPENDED_HEAD, data, loads).items()}
    for chunk in chain.from_iterable(head.values()):
        if chunk.traces is not None and (len(chunk.traces) % 4 or not 0 < len(chunk.traces) <= 4 * chunk.entries):
            raise CheckpointDamaged(
                f"the job's state is damaged: a {APPENDED_HEAD.name} has {len(chunk.traces)} bytes for the keys of "
                f"{chunk.entries} entries"
            )
    return head


def _trace(key: int | str | None) -> int:
    """A number of 32 bits. Stored, so the same in each version."""
    if isinstance(key, str):
        return crc32(key.encode(errors="surrogatepass"))
    return 0 if key is None else ((key ^ key >> 32) * 0x9E3779B1 >> 16) & 0xFFFFFFFF


def _traces(stored: Iterable[bytes | None], frames: Iterable[Frame]) -> bytes | None:
    """The traces that chunks have and those of the keys in frames; None: some key has none."""
    found = _numbers(stored)
    keys = {key for keys, _ in frames for key in keys}
    if found is None or not _TRACED.issuperset(map(type, keys)):
        return None
    return _little(array("I", sorted({*found, *map(_trace, keys)}))).tobytes()


def _numbers(stored: Iterable[bytes | None]) -> array[int] | None:
    """The traces that chunks have; None: not all have them."""
    known = list(stored)
    found = [each for each in known if each is not None]
    return _little(array("I", b"".join(found))) if len(found) == len(known) else None


def _little(numbers: array[int]) -> array[int]:
    """The same in the order of bytes that is stored, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def by_key(frames: Iterable[Frame]) -> dict[Any, list[Any]]:
    """What was added for each key, in order."""
    found: dict[Any, list[Any]] = {}
    for keys, values in frames:
        for key, value in zip(keys, values, strict=True):
            found.setdefault(key, []).append(value)
    return found


def logged(key: bytes, data: bytes, loads: Loads | None = None) -> Iterator[tuple[int, Frame]]:
    """Buckets and frames in an entry, a head or a chunk; in the order of their keys, entries have frames in order.

    Args:
        key: The entry's.
        data: It.
        loads: What reads pickles; see `decode`.
    """
    of = bucket_of(key)
    if of is None:
        found = [(bucket, part) for bucket, log in _head(data, loads).items() for part in log[-1].parts or ()]
    else:
        found = [(of, part) for part in decode(APPENDED, data, loads)]
    for bucket, part in found:
        yield bucket, decode(PART, part, loads)
