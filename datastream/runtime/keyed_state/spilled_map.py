"""A map of one key that has outgrown its page: its entries lie in chunks, by the hash of the map key.

The chunks grow one at a time (linear hashing): chunk n takes over half of chunk n - 2**floor(log2(n)). So a put costs
the same in a map of a thousand entries and of a million, and no directory of chunks is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.runtime.key_groups import stable_hash
from datastream.stored_types import stored_as
from datastream.types.pickles import dumps

from .chunks import CHUNK_BYTES, Chunks, Spot

_NONE = object()
_AHEAD = 16


@stored_as("spilled_map", attrgetter("group", "id", "chunks", "count", "target", "latest"))
class SpilledMap:
    """What the page keeps of the map: where its chunks are, and how many entries there are. Used like a dict.

    Attributes:
        group: The key group.
        id: The number of the collection in the key group.
        chunks: How many chunks there are.
        count: How many entries.
        target: How many entries a chunk should hold.
        latest: When an entry was last touched, in ms; None where entries do not expire.
        cache: The chunks in memory.
    """

    __slots__ = ("group", "id", "chunks", "count", "target", "latest", "cache")

    cache: Chunks

    def __init__(self, group: int, id: int, chunks: int, count: int, target: int, latest: int | None) -> None:
        self.group, self.id, self.chunks = group, id, chunks
        self.count, self.target, self.latest = count, target, latest

    @classmethod
    def of(cls, entries: dict[Any, Any], group: int, id: int, cache: Chunks, latest: int | None) -> SpilledMap:
        """Move the entries of a dict to chunks."""
        target = min(64, max(1, CHUNK_BYTES * len(entries) // len(dumps(entries))))
        made = cls(group, id, -(-len(entries) // target), len(entries), target, latest)
        made.cache = cache
        parts: dict[int, dict[Any, Any]] = {}
        for key, value in entries.items():
            parts.setdefault(made._index(key), {})[key] = value
        for index, part in parts.items():
            cache.put(made._spot(index), part)
        return made

    # -- as a dict -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.count

    def __contains__(self, key: Any) -> bool:
        return key in self.cache.get(self._spot(self._index(key)))

    def get(self, key: Any) -> Any:
        return self.cache.get(self._spot(self._index(key))).get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        chunk = self.cache.get(self._spot(self._index(key)), True)
        before = len(chunk)
        chunk[key] = value
        if len(chunk) != before:
            self.count += 1
            if self.count > self.chunks * self.target:
                self._grow()

    def update(self, entries: dict[Any, Any]) -> None:
        """Set many entries, with the chunks they are in read some at a time."""
        order = sorted((self._index(key), n, key) for n, key in enumerate(entries))
        for start in range(0, len(order), _AHEAD):
            part = order[start : start + _AHEAD]
            self.cache.prefetch(dict.fromkeys(self._spot(index) for index, _, _ in part))
            for _, _, key in part:
                self[key] = entries[key]

    def pop(self, key: Any, default: Any = None) -> Any:
        spot = self._spot(self._index(key))
        value = self.cache.get(spot).pop(key, _NONE)
        if value is _NONE:
            return default
        self.cache.get(spot, True)
        self.count -= 1
        return value

    def items(self) -> Iterator[tuple[Any, Any]]:
        """All entries, read a few chunks at a time; the map may be changed meanwhile."""
        known = self.chunks
        for start in range(0, known, _AHEAD):
            ahead = range(start, min(start + _AHEAD, known))
            self.cache.prefetch(self._spot(i) for i in ahead)
            for i in ahead:
                family = [self._spot(j) for j in self._family(i, known)]
                yield from [entry for spot in family for entry in self.cache.get(spot).items()]

    # -- chunks ----------------------------------------------------------------------------------------

    def drop(self) -> None:
        """Remove all chunks, at the end of the epoch."""
        self.cache.condemn(self.group, self.id, range(self.chunks))

    def shrink(self, few: int) -> dict[Any, Any] | None:
        """Join chunks while they are nearly empty. Not while the map is iterated.

        Args:
            few: With this number of entries or fewer, in few chunks, all are taken out of them and returned.
        """
        while self.chunks > 1 and self.count < self.chunks * self.target // 4:
            last = self.chunks - 1
            entries = self.cache.get(self._spot(last))
            self.cache.get(self._spot(_parent(last)), True).update(entries)
            self.cache.drop([self._spot(last)])
            self.chunks = last
        if self.count > few or self.chunks > 4:  # of four pieces there will hardly be a spilled map at once again
            return None
        entries = dict(self.items())
        self.drop()
        return entries

    def expire(self, key: Any, before: int) -> None:
        """Drop from the chunk of a key the entries last touched at a time or before it; once an epoch."""
        spot = self._spot(self._index(key))
        if spot not in self.cache.cleaned:
            self.cache.cleaned.add(spot)
            chunk = self.cache.get(spot)
            old = [k for k, (touched, _) in chunk.items() if touched <= before]
            if old:
                chunk = self.cache.get(spot, True)
                for k in old:
                    del chunk[k]
                self.count -= len(old)

    def _grow(self) -> None:
        new, old = self.chunks, _parent(self.chunks)
        self.chunks += 1
        entries = self.cache.get(self._spot(old), True)
        moved = {key: entries[key] for key in entries if self._index(key) == new}
        for key in moved:
            del entries[key]
        self.cache.put(self._spot(new), moved)

    def _index(self, key: Any) -> int:
        try:
            h = stable_hash(key)
        except ValidationError:  # its class keeps to itself which instances are equal: such keys share a chunk
            h = 0
        n = self.chunks
        bits = n.bit_length()
        i = h & ((1 << bits) - 1)
        return i if i < n else h & ((1 << (bits - 1)) - 1)

    def _family(self, i: int, known: int) -> Iterator[int]:
        """A chunk, and those that were made of it since there were so many."""
        yield i
        step = 1 << i.bit_length()
        while i + step < self.chunks:
            if i + step >= known:
                yield from self._family(i + step, known)
            step <<= 1

    def _spot(self, index: int) -> Spot:
        return self.group, self.id, index


def _parent(index: int) -> int:
    return index - (1 << (index.bit_length() - 1))
