"""A map that belongs to no key: what a broadcast state of one subtask is.

It is one store entry while it is small. A larger map is cut into parts by the hash of the map key, so that a small
change rewrites one part, and what is not asked for is not read. How many parts there are (as a power of two) stands in
part 0.
"""

from __future__ import annotations

from typing import Any

from xxhash import xxh3_128_digest

from datastream.errors import ValidationError
from datastream.types.pickles import dumps

from .key_groups import stable_hash
from .keyed_state import all_fixed
from .pages import PAGE_BYTES, Store
from .state_format import decode, encode
from .state_format.layout import broadcast_digest, broadcast_key
from .state_format.records import BROADCAST, BROADCAST_HEAD

_FETCH = 256
_FEW = PAGE_BYTES // 4


class BroadcastMap:
    """The map of one descriptor. Reads parts as they are asked for, and writes those that changed in `flush`.

    Attributes:
        whole: All entries, where they were read and are one part; else None.
        loose: Holds objects that could be changed in place, as far as parts were read.
    """

    def __init__(self, name: str) -> None:
        self._name, self._digest = name, broadcast_digest(name)
        self.begin(None, b"")

    def begin(self, store: Store | None, prefix: bytes) -> None:
        """Begin an epoch, or with no store, end one."""
        self._store = store
        self._prefix = prefix
        self._bits: int | None = None
        self._parts: dict[int, dict[Any, Any]] = {}
        self._read: dict[int, bytes] = {}  # digests of the parts that are in the store, as far as they were read
        self._touched: set[int] = set()
        self.whole: dict[Any, Any] | None = None
        self.loose = False

    # -- while records run -----------------------------------------------------------------------------

    def part(self, key: Any, change: bool = False) -> dict[Any, Any]:
        """The part that a map key is in.

        Args:
            key: The map key.
            change: The part, or a value in it, may be changed.
        """
        bits = self._head()
        index = _hash(key) & ((1 << bits) - 1) if bits else 0
        if index not in self._parts:
            self._fetch([index])
        if change:
            self._touched.add(index)
        return self._parts[index]

    def parts(self, change: bool = False) -> list[dict[Any, Any]]:
        """All parts."""
        count = 1 << self._head()
        self._fetch([i for i in range(count) if i not in self._parts])
        if change:
            self._touched.update(range(count))
        return [self._parts[i] for i in range(count)]

    def empty(self) -> bool:
        """Whether there are no entries at all."""
        self._head()
        return not any(self._parts.values()) and not any(self.parts())

    def put(self, key: Any, value: Any) -> None:
        self.part(key, True)[key] = value
        self.loose = self.loose or not all_fixed((value,))

    def clear(self) -> None:
        for part in self.parts(True):
            part.clear()

    # -- entries ---------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write what was changed, and end the epoch."""
        if self._touched and self._store is not None:
            encoded = {i: self._encode(i) for i in self._touched}
            heavy = [i for i, data in encoded.items() if data is not None and len(data) > PAGE_BYTES]
            doublings = max([_doublings(self._parts[i]) for i in heavy], default=0)
            if doublings:
                encoded = self._cut(self._head() + doublings)
            elif (
                self._bits and len(encoded) == 1 << self._bits and sum(map(len, filter(None, encoded.values()))) < _FEW
            ):
                encoded = self._cut(0)
            self._write(self._store, encoded)
        self.begin(None, b"")

    def _write(self, store: Store, encoded: dict[int, bytes | None]) -> None:
        changed = [
            (self._key(i), data)
            for i, data in sorted(encoded.items())
            if data is not None and self._read.get(i) != xxh3_128_digest(data)
        ]
        gone = [self._key(i) for i, data in sorted(encoded.items()) if data is None and i in self._read]
        if changed:
            store.put(changed)
        if gone:
            store.delete(gone)

    def _encode(self, index: int) -> bytes | None:
        part = self._parts.get(index)
        if index:
            return encode(BROADCAST, part) if part else None
        return encode(BROADCAST_HEAD, (self._bits, part)) if part or self._bits else None

    def _cut(self, bits: int) -> dict[int, bytes | None]:
        """Move all entries to another number of parts; returns them encoded, and None for those that are no more."""
        parts = self.parts()
        mask = (1 << bits) - 1
        self._bits, self._parts = bits, {i: {} for i in range(mask + 1)}
        for part in parts:
            for key, value in part.items():
                self._parts[_hash(key) & mask if mask else 0][key] = value
        return {i: self._encode(i) for i in range(max(len(parts), mask + 1))}

    def _head(self) -> int:
        if self._bits is None:
            self._fetch([0])
        assert self._bits is not None
        return self._bits

    def _fetch(self, indices: list[int]) -> None:
        if self._store is None:
            raise ValidationError(
                f"the broadcast state '{self._name}' can be used while a record or timer is handled, "
                "not in open() or close()"
            )
        for start in range(0, len(indices), _FETCH):
            some = indices[start : start + _FETCH]
            for index, data in zip(some, self._store.get([self._key(i) for i in some]), strict=True):
                if data is not None:
                    self._read[index] = xxh3_128_digest(data)
                content: Any = None if data is None else decode(BROADCAST if index else BROADCAST_HEAD, data)
                if index == 0:
                    self._bits, content = content or (0, None)
                self._parts[index] = content = content or {}
                if not self._bits:
                    self.whole = content
                self.loose = self.loose or not all_fixed(self._parts[index].values())

    def _key(self, index: int) -> bytes:
        return broadcast_key(self._prefix, self._digest, index)


def _doublings(part: dict[Any, Any]) -> int:
    """How often the number of parts should double for one that has too many bytes.

    Goes by the median, as no number of parts helps against a few very large values, or keys of one hash.
    """
    weights = sorted(len(dumps(entry)) for entry in part.items())
    size = max(1, PAGE_BYTES // 2 // weights[len(weights) // 2])
    return max(0, (len(set(map(_hash, part))) // size).bit_length() - 1)


def _hash(key: Any) -> int:
    try:
        return stable_hash(key)
    except ValidationError:  # its class keeps to itself which instances are equal: such keys share a part
        return 0
