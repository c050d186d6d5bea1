"""Keyed state in pages: one store entry holds the values of about 128 keys.

One entry a key costs a request a key; one entry for everything must be read and written whole. Pages lie
between: measured on 100,000 keys, three times as many records/s as an entry a key with pipelined requests.

A key group starts with one page. When its pages hold more than `SPLIT` keys in the mean, or more than `PAGE_BYTES`,
their number doubles. The number (as a power of two) stands in the key group's head, its page 0, so no directory is
needed. A page is read and written whole. So a key group is kept in runs (`datastream.runtime.run_groups`) from the
epoch on that has read more than `IN_VAIN` bytes of it for keys that nobody asked for, or if it has keys for more than
2 ** `MOST_BITS` pages. What was read of such key groups is a page, too, `READ`.

What is loaded may be changed in place: a page is written when its bytes differ from those that were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from xxhash import xxh3_128_digest

from datastream.metrics import Kept
from datastream.types.pickles import dumps

from .key_groups import stable_hashes
from .run_groups import Least, RunGroups, RunInfo
from .state_format import decode, encode
from .state_format.layout import page_key, prefix_of
from .state_format.records import RUN_HEAD, VALUES, VALUES_HEAD

SPLIT = 256
PAGE_BYTES = 64 * 1024
MOST_BITS = 6
IN_VAIN = 64 * 1024

_FETCH = 256

#: A page: its key group, and its number there.
PageId = tuple[int, int]
#: What was read of key groups in runs.
READ: PageId = (-1, 0)


class Store(Protocol):
    """Where entries live: Spark's state store, or a dict in the local executor.

    For the keys of entries see `datastream.runtime.state_format.layout`.

    Attributes:
        metered: Changes of what is kept are measured.
        copies: A folder of this process's machine for copies of what is read often; None: it is at hand anyway.
    """

    @property
    def metered(self) -> bool: ...

    @property
    def copies(self) -> Path | None: ...

    def get(self, keys: list[bytes]) -> list[bytes | None]: ...

    def put(self, entries: list[tuple[bytes, bytes]]) -> None: ...

    def delete(self, keys: list[bytes]) -> None:
        """Take entries out; keys that are not there are no error."""


class MeteredState(Protocol):
    """Keyed state, for who measures it.

    Attributes:
        change: How what is kept has changed by the end of the epoch, where the store is metered.
    """

    change: Kept

    def kept(self, groups: Iterable[int]) -> Kept:
        """About what is kept of some key groups; call first."""
        ...


class PagedState:
    """The values by key of one operator in one subtask, for the length of one epoch.

    Reads pages as keys are asked for, and writes back what was changed once, in `flush`.
    """

    _page_record = VALUES
    _head_record = VALUES_HEAD
    _dumps = staticmethod(dumps)

    def __init__(self, store: Store, uid: str, max_parallelism: int) -> None:
        self._store = store
        self._digest = xxh3_128_digest
        self._prefix = prefix_of(uid)
        self._max_parallelism = max_parallelism
        self._bits: dict[int, int] = {}  # log2 of the number of pages; of those in runs, 0
        self._runs = RunGroups(store, self._prefix)
        self._pages: dict[PageId, dict[Any, Any]] = {}
        self._stored: dict[PageId, bytes] = {}  # digests of the pages that were read
        self._sizes: dict[PageId, int] = {}  # and their bytes
        self._weights: dict[PageId, Kept] | None = {} if store.metered else None  # of the pages that were read
        self._members: dict[PageId, list[Any]] = {}  # the loaded keys of each page
        self._entries: list[tuple[bytes, bytes]] = []  # pieces of runs to write
        self._gone: list[bytes] = []  # and to delete
        #: Values of the keys that were loaded; what is set here is written by `flush`.
        self.values: dict[Any, Any] = {}
        #: How what is kept has changed by `flush`, where the store is metered.
        self.change = Kept()

    @property
    def prefix(self) -> bytes:
        """What the keys of all entries begin with."""
        return self._prefix

    def load(self, keys: Collection[Any]) -> None:
        """Bring the values of these keys, where they have one, into `values`."""
        hashes = dict(zip(keys, stable_hashes(keys), strict=True))
        n = self._max_parallelism
        self._fetch_heads({h % n for h in hashes.values()})
        bits, runs = self._bits, self._runs.runs
        arrived: dict[PageId, list[Any]] = {}
        in_runs: list[Any] = []
        for key, h in hashes.items():
            group = h % n
            if group in runs:
                in_runs.append(key)
            else:
                arrived.setdefault((group, (h >> 32) & ((1 << bits[group]) - 1)), []).append(key)
        self._fetch(arrived.keys() - self._pages.keys())
        if in_runs:
            of_keys = [hashes[key] for key in in_runs]
            self._came(*self._runs.load([h % n for h in of_keys], in_runs, of_keys))
            arrived[READ] = in_runs
        values = self.values
        for p, members in arrived.items():
            page = self._pages[p]
            for key in members:
                if key in page:
                    values[key] = page[key]
            self._members.setdefault(p, []).extend(members)

    def items(self, groups: Iterable[int]) -> Iterator[tuple[Any, Any]]:
        """All keys and values of some key groups, a key group at a time; call after `flush`."""
        for group in groups:
            self._fetch_heads({group})
            if group in self._runs.runs:
                yield from self._runs.items(group)
                del self._runs.runs[group]
            self._fetch({(group, i) for i in range(1 << self._bits[group])} - self._pages.keys())
            for i in range(1 << self._bits[group]):
                yield from self._pages.pop((group, i)).items()
                self._stored.pop((group, i), None)
                self._sizes.pop((group, i), None)
            del self._bits[group]

    def rewrite(self, groups: Iterable[int], change: Callable[[Any, Any], Any]) -> None:
        """Let a function change all values of some key groups: (key, value) -> value. Call first."""
        for group in groups:
            self._fetch_heads({group})
            places = {(group, i) for i in range(1 << self._bits[group])}
            self._fetch(places - self._pages.keys())
            if group in self._runs.runs:
                self._came(*self._runs.all(group))
                places.add(READ)
            for place in places:
                page = self._pages[place]
                for key, value in page.items():
                    page[key] = change(key, value)
            self._write({place: self._encode(place) for place in (places - {READ}) | self._sealed(places)})
            self._forget()

    def kept(self, groups: Iterable[int]) -> Kept:
        """About what is kept of some key groups, by their heads: exact where these are their only pages. Call first."""
        assert self._weights is not None
        groups = set(groups)
        self._fetch_heads(groups)
        total = Kept()
        for group in groups:
            if group in self._runs.runs:
                for run in self._runs.runs[group]:
                    total = total.plus(Kept(run.keys, run.values, run.timers))
            else:
                total = total.plus(self._weights.get((group, 0), Kept()).times(1 << self._bits[group]))
        return total

    def flush(self) -> None:
        """Write every page that was changed back to the store."""
        in_vain = self._read_in_vain()
        dirty = self._store_values()
        for group in {p[0] for p in dirty if self._is_large(p)} | in_vain:
            dirty |= self._split(group, SPLIT // 2, group in in_vain)
        dirty |= self._index(dirty)
        encoded = {p: self._encode(p) for p in dirty - {READ}}
        heavy = {p for p, data in encoded.items() if data is not None and len(data) > PAGE_BYTES}
        if heavy:
            again = self._lighten(heavy)
            for group, size in self._overweight(heavy).items():
                again |= self._split(group, size)
            again |= self._index(again)
            encoded.update((p, self._encode(p)) for p in again - {READ})
            dirty |= again
        encoded.update((p, self._encode(p)) for p in self._sealed(dirty))
        self._write(encoded)
        self._forget()

    # -- what a state with more in its pages does besides ----------------------------------------------

    def _store_values(self) -> set[PageId]:
        """Put the loaded values into their pages; the pages that may have changed."""
        values = self.values
        for p, members in self._members.items():
            self._pages[p].update([(key, values[key]) for key in members if key in values])
        return set(self._members)

    def _index(self, places: set[PageId]) -> set[PageId]:
        """Note what heads should know of these pages; the heads that changed by it."""
        return set()

    def _lighten(self, places: set[PageId]) -> set[PageId]:
        """Take out of heavy pages what can have entries of its own; the pages that changed by it."""
        return set()

    #: Whether something of what is kept may expire.
    expires = False

    def tidy(self, page: dict[Any, Any]) -> None:
        """Take out of a page what has expired."""

    def lighten_run(self, group: int, page: dict[Any, Any]) -> bool:
        """Take out of heavy values of a key group in runs what can have entries of its own; whether there was any."""
        return False

    def least_of(self, group: int) -> Least | None:
        """The least timers of a key group in runs; None: keys have none."""
        return None

    def _encode(self, place: PageId) -> bytes | None:
        """What to store of a page; None for one that says nothing."""
        page = self._pages[place]
        if place[0] in self._runs.runs and not place[1]:
            return self._encode_runs(place[0], ({}, {}), 0)
        if place[1]:
            return encode(self._page_record, page, self._dumps) if page else None
        bits = self._bits[place[0]]
        return encode(self._head_record, (bits, page), self._dumps) if page or bits else None

    def _decode_head(self, group: int, head: Any) -> dict[Any, Any]:
        self._bits[group], page = head or (0, {})
        return page

    def _decode_runs(self, group: int, runs: list[Any], least: Least, collections: int) -> None:
        """Have what the head of a key group in runs says."""
        self._bits[group] = 0
        self._runs.runs[group] = [RunInfo(*run) for run in runs]

    def _weigh(self, page: dict[Any, Any], size: int) -> Kept:
        """What a page keeps, which has so many bytes."""
        return Kept(len(page), size)

    def _forget(self) -> None:
        if self._weights:
            self._weights.clear()
        self._pages.clear()
        self._stored.clear()
        self._sizes.clear()
        self._members.clear()
        self._bits.clear()
        self._runs.forget()
        self._entries, self._gone = [], []
        self.values = {}

    # -- key groups in runs ------------------------------------------------------------------------------

    def _came(self, page: dict[Any, Any], size: int) -> None:
        """More of key groups in runs was read: what keys keep, and its bytes."""
        if self._weights is not None:
            self._weights[READ] = self._weights.get(READ, Kept()).plus(self._weigh(page, size))
        self._pages.setdefault(READ, {}).update(page)

    def _sealed(self, places: set[PageId]) -> set[PageId]:
        """Make runs of what was changed of key groups in runs, if that is among some pages; the heads that changed."""
        if READ not in places:
            return set()
        page = self._pages[READ]
        sealed = self._runs.seal(page, self)
        self._entries, self._gone = sealed.entries, sealed.gone
        if self._weights is not None:
            now = self._weigh(page, sealed.size)
            self.change = self.change.plus(now.minus(self._weights.pop(READ, Kept())))
            for keys, size in sealed.expired:
                self.change = self.change.minus(Kept(keys, size))
        return {(group, 0) for group in sealed.groups}

    def _encode_runs(self, group: int, least: Least, collections: int) -> bytes | None:
        """The head of a key group in runs."""
        runs = [tuple(run) for run in self._runs.runs[group]]
        return encode(RUN_HEAD, (runs, *least, collections)) if runs else None  # without keys no collections either

    def _is_large(self, place: PageId) -> bool:
        """Whether the key group of a page should have more pages, or runs."""
        if place == READ:
            return False
        keys = len(self._pages[place])
        return keys > SPLIT or (self._bits[place[0]] > MOST_BITS and keys > SPLIT // 4)

    # -- pages --------------------------------------------------------------------------------------------

    def _read_in_vain(self) -> set[int]:
        """The key groups in pages of which much was read that nobody asked for; call before `_store_values`."""
        unasked: Counter[int] = Counter()
        for place, members in self._members.items():
            page, size = self._pages[place], self._sizes.get(place, 0)
            if page and size:
                asked = sum(map(page.__contains__, members))
                unasked[place[0]] += size * (len(page) - asked) // len(page)
        return {group for group, size in unasked.items() if size > IN_VAIN}

    def _split(self, group: int, size: int, in_runs: bool = False) -> set[PageId]:
        """Give a key group pages enough for `size` keys a page in the mean, or runs; if that is new, all are dirty."""
        before = self._bits[group]
        self._fetch({(group, i) for i in range(1 << before)} - self._pages.keys())
        entries = [e for i in range(1 << before) for e in self._pages[group, i].items()]
        bits = before
        while len(entries) > size << bits:
            bits += 1
        keys = [key for key, _ in entries]
        if in_runs or len(entries) > SPLIT // 2 << MOST_BITS:
            places = {(group, i) for i in range(1 << before)}
            self._runs.take_over(group, keys, list(stable_hashes(keys)))
            self._bits[group] = 0
            self._pages.update((place, {}) for place in places)
            self._pages.setdefault(READ, {}).update(entries)
            return {*places, READ}
        if bits == before:
            return set()
        new: list[dict[Any, Any]] = [{} for _ in range(1 << bits)]
        mask = (1 << bits) - 1
        for (key, value), key_hash in zip(entries, stable_hashes(keys), strict=True):
            new[(key_hash >> 32) & mask][key] = value
        self._bits[group] = bits
        self._pages.update({(group, i): page for i, page in enumerate(new)})
        return {(group, i) for i in range(1 << bits)}

    def _overweight(self, places: set[PageId]) -> dict[int, int]:
        """The key groups whose values are large, each with how many keys a page should hold.

        Goes by the median, as no number of pages helps against a few very large values.
        """
        sizes: dict[int, int] = {}
        for p in places:
            weights = sorted(len(dumps(value)) for value in self._pages[p].values())
            size = max(1, PAGE_BYTES // 2 // weights[len(weights) // 2]) if weights else 0
            if len(weights) > 2 * size:
                sizes[p[0]] = max(size, sizes.get(p[0], 0))
        return sizes

    def _fetch_heads(self, groups: set[int]) -> None:
        self._fetch({(g, 0) for g in groups if g not in self._bits})

    def _fetch(self, wanted: set[PageId]) -> None:
        order = sorted(wanted)
        for start in range(0, len(order), _FETCH):
            part = order[start : start + _FETCH]
            for p, data in zip(part, self._store.get([self._key(p) for p in part]), strict=True):
                content: Any = None
                if data is not None:
                    self._stored[p], self._sizes[p] = self._digest(data), len(data)
                    if not p[1] and data.startswith(RUN_HEAD.header):
                        runs, event, processing, collections = decode(RUN_HEAD, data)
                        self._decode_runs(p[0], runs, (event, processing), collections)
                        self._pages[p] = {}
                        continue
                    content = decode(self._page_record if p[1] else self._head_record, data)
                self._pages[p] = (content or {}) if p[1] else self._decode_head(p[0], content)
                if self._weights is not None and data is not None:
                    self._weights[p] = self._weigh(self._pages[p], len(data))

    def _write(self, encoded: dict[PageId, bytes | None]) -> None:
        if self._weights is not None:
            for p in encoded.keys() & self._pages.keys():
                size = 0 if p[0] in self._runs.runs else len(encoded[p] or b"")
                now = self._weigh(self._pages[p], size)
                self.change = self.change.plus(now.minus(self._weights.pop(p, Kept())))
        stored = self._stored
        entries, gone = self._entries, self._gone
        for p, data in sorted(encoded.items()):
            if data is None:
                if p in stored:
                    gone.append(self._key(p))
            elif stored.get(p) != self._digest(data):
                entries.append((self._key(p), data))
        if entries:
            self._store.put(entries)
        if gone:
            self._store.delete(gone)

    def _key(self, place: PageId) -> bytes:
        return page_key(self._prefix, *place)
