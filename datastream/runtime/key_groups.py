"""Which subtask owns a key: stable over processes, machines and Python versions.

Flink: ``KeyGroupRangeAssignment``. Python's own ``hash`` differs from process to process for text, so it is
only used for numbers, where it is fixed and equal for equal numbers of different types.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import numbers
import pickle
import struct
import sys
import uuid
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from xxhash import xxh3_64_digest, xxh3_64_intdigest

from datastream.errors import ValidationError, cut
from datastream.types import Row

from .pickled_keys import PickledKey, pickled_key

_pack = struct.Struct("<q").pack
_NONE = 0x9E3779B97F4A7C15
#: Classes all of whose objects have a stable hash.
_KNOWN = frozenset({str, int, bool, bytes, type(None), date, datetime})


class UnknownEquality(ValidationError):
    """Which values equal a value is not known in all processes."""

    def __init__(self, key: Any) -> None:
        super().__init__(
            f"which values equal {cut(key)}, a {type(key).__qualname__}, is known to it alone; "
            "use a str, a number, a tuple or a frozen dataclass"
        )


def stable_hash(key: Any) -> int:
    """A 64-bit hash of a key that never depends on the process; equal keys have equal hashes.

    Raises:
        UnknownEquality: see `KeyPlacement.known`.
    """
    kind: Any = type(key)
    if kind is int or kind is bool:
        return xxh3_64_intdigest(_pack(hash(key)))
    if kind is tuple:
        return xxh3_64_intdigest(b"".join(map(_hash_bytes, key)))
    if isinstance(key, str) and kind.__eq__ is str.__eq__:
        return xxh3_64_intdigest(key.encode("utf-8", "surrogatepass"))
    if isinstance(key, bytes) and kind.__eq__ is bytes.__eq__:
        return xxh3_64_intdigest(key)
    if key is None:
        return _NONE
    if isinstance(key, tuple):
        return stable_hash(tuple(key))
    try:
        own = hash(key)
    except TypeError:
        raise UnknownEquality(key) from None
    if kind is PickledKey:
        return xxh3_64_intdigest(key.data)
    if isinstance(key, numbers.Number):
        if key != key:
            raise UnknownEquality(key)
        return xxh3_64_intdigest(_pack(own))
    if isinstance(key, enum.Enum):
        return _combine((stable_hash(kind.__qualname__), stable_hash(key.name)))
    if isinstance(key, frozenset):
        return _combine(sorted(map(stable_hash, key)))
    if isinstance(key, Row):
        names = key._fields
        return _combine(map(stable_hash, key if names is None else (key[name] for name in sorted(names))))
    if isinstance(key, datetime):
        same = key if key.utcoffset() is None else key.astimezone(UTC)
        return stable_hash(same.replace(fold=0).isoformat())
    if isinstance(key, time):
        ahead = key.utcoffset() or timedelta()
        return stable_hash(str(datetime.combine(date.min, key.replace(tzinfo=None)) - datetime.min - ahead))
    if isinstance(key, range):
        return stable_hash((len(key), key[0] if key else None, key.step if len(key) > 1 else None))
    if isinstance(key, uuid.UUID):
        return stable_hash(key.bytes)
    if kind.__module__ == "numpy" and hasattr(key, "item"):
        return stable_hash(key.item())
    if dataclasses.is_dataclass(key) and kind.__eq__.__code__.co_filename == "<string>":  # the generated one
        compared = (f for f in dataclasses.fields(key) if (f.compare if f.hash is None else f.hash))
        return _combine(stable_hash(getattr(key, f.name)) for f in compared)
    by_identity = kind.__hash__ is object.__hash__ and not isinstance(key, type)
    if by_identity or kind.__module__.partition(".")[0] not in sys.stdlib_module_names:
        raise UnknownEquality(key)
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, 4)
    pickler.fast = True  # no memo: identical and merely equal parts must look the same
    pickler.dump(key)
    return xxh3_64_intdigest(buffer.getvalue())


def stable_hashes(keys: Collection[Any]) -> Iterable[int]:
    """`stable_hash` of each key, in their order; many numbers or texts take two thirds of the time."""
    kinds = set(map(type, keys))
    if kinds == {int}:
        return map(xxh3_64_intdigest, map(_pack, map(hash, keys)))
    if kinds == {str}:
        return map(xxh3_64_intdigest, [key.encode("utf-8", "surrogatepass") for key in keys])
    return map(stable_hash, keys)


def _hash_bytes(part: Any) -> bytes:
    """The bytes of a hash, the lowest first."""
    kind = type(part)
    if kind is int:
        return xxh3_64_digest(_pack(hash(part)))[::-1]
    if kind is str:
        return xxh3_64_digest(part.encode("utf-8", "surrogatepass"))[::-1]
    return stable_hash(part).to_bytes(8, "little")


def _combine(hashes: Any) -> int:
    return xxh3_64_intdigest(b"".join(h.to_bytes(8, "little") for h in hashes))


def key_group(key_hash: int, max_parallelism: int) -> int:
    """The key group of a hash: 0 <= group < max_parallelism."""
    return key_hash % max_parallelism


def subtask_of(group: int, parallelism: int, max_parallelism: int) -> int:
    """The subtask that owns a key group, as Flink computes it."""
    return group * parallelism // max_parallelism


def groups_of(subtask: int, parallelism: int, max_parallelism: int) -> range:
    """The key groups that a subtask owns."""
    start = -(-subtask * max_parallelism // parallelism)
    end = -(-(subtask + 1) * max_parallelism // parallelism)
    return range(start, end)


class KeyGroups(dict[Any, int]):
    """Key -> key group, with a memo that begins anew when it is full."""

    LIMIT = 500_000

    def __init__(self, max_parallelism: int) -> None:
        super().__init__()
        self._max_parallelism = max_parallelism

    def __missing__(self, key: Any) -> int:
        if len(self) >= self.LIMIT:
            self.clear()
        self[key] = group = stable_hash(key) % self._max_parallelism
        return group


class KeyPlacement(dict[Any, int]):
    """Key -> subtask, with a bounded memo, since computing it takes longer than to look it up.

    When it is full, keys that are not in it are computed each time; after many of these it begins anew.
    """

    LIMIT = 500_000

    def __init__(self, parallelism: int, max_parallelism: int) -> None:
        super().__init__()
        self.parallelism = parallelism
        self.max_parallelism = max_parallelism
        self._misses = 0

    def known(self, keys: list[Any]) -> list[Any]:
        """The keys of a block, with a `PickledKey` in place of each one whose equality is not known."""
        if _KNOWN.issuperset(map(type, keys)):
            return keys
        try:
            for key in set(keys).difference(self):
                self[key]
        except (TypeError, UnknownEquality):
            return [self._known(key) for key in keys]
        return keys

    def _known(self, key: Any) -> Any:
        try:
            self[key]
        except (TypeError, UnknownEquality):
            return pickled_key(key)
        return key

    def __missing__(self, key: Any) -> int:
        group = stable_hash(key) % self.max_parallelism
        subtask = group * self.parallelism // self.max_parallelism
        if len(self) < self.LIMIT:
            self[key] = subtask
        else:
            self._misses += 1
            if self._misses > self.LIMIT:
                self._misses = 0
                self.clear()
        return subtask
