"""Runs: what many keys of a key group keep, in the order of the keys' numbers.

A run never changes. What an epoch changes of a key group is a new run, before which the older ones stay as they are;
runs of about one size are merged, so that a key group has few. What is newest of a key counts; an empty value says
that the key is gone.

A run is, in numbers of 8 bytes, the lowest byte first: whether there are timers, 1 or 0; the number of keys; then by
key its number, where its value begins (with one more: where the last one ends), and, if there are timers, its least one
of event time and of processing time. Then come the values. A value is a pickle of (key, what it keeps), or of a list of
such pairs where keys have one number. It is stored in pieces, each of which is an entry and has the header of one.

The number of a key is its key group in 16 bits and the highest 48 of its hash, so that runs of several key groups, one
behind the other, are in order, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np
import pyarrow as pa
from xxhash import xxh3_128_digest

from datastream.errors import CheckpointDamaged

from .state_format.entries import Loads, unpickled_each, without_header
from .state_format.layout import is_run, prefix_and_group, run_of
from .state_format.records import RUN

#: The least timer of a key that has none.
NO_TIMER = (1 << 63) - 1

_START = 16

#: Numbers as numpy has them.
Numbers = Any
_NUMBER, _TIME = np.dtype("<u8"), np.dtype("<i8")
_HASH, _SHIFT = 48, 16
#: Least timers of event and of processing time, by key.
Timers = tuple[Numbers, Numbers]


def numbers_of(groups: Numbers, hashes: Any) -> Numbers:
    """The numbers of keys, by their key groups and hashes."""
    return groups << _HASH | hashes >> _SHIFT


def group_of(numbers: Any) -> Any:
    """The key group that a number, or each of several, is of."""
    return numbers >> _HASH


class Run:
    """A run of keys.

    Args:
        data: All of it; is not checked, as its name is a digest.

    Attributes:
        numbers: The numbers of the keys, in order.
        ends: Where values begin, and where the last one ends.
        timers: None: no key has one.
        values: The values, one behind the other.
    """

    def __init__(self, data: Any) -> None:
        view = memoryview(data)
        timed, count = np.frombuffer(view, _NUMBER, 2).tolist()
        self.numbers = np.frombuffer(view, _NUMBER, count, _START)
        self.ends = np.frombuffer(view, _NUMBER, count + 1, _START + 8 * count)
        self.timers: Timers | None = None
        if timed:
            at = _START + 8 * (2 * count + 1)
            self.timers = np.frombuffer(view, _TIME, count, at), np.frombuffer(view, _TIME, count, at + 8 * count)
        self.values = view[overhead(count, bool(timed)) :]

    def __len__(self) -> int:
        return len(self.numbers)

    def has(self, wanted: Numbers) -> Numbers:
        """Which numbers are there."""
        return search(self.numbers, wanted)[0]

    def at(self, spots: Numbers) -> Iterator[bytes]:
        """The values of keys."""
        values, ends = self.values, self.ends
        return (bytes(values[a:b]) for a, b in zip(ends[spots].tolist(), ends[spots + 1].tolist(), strict=True))


def search(numbers: Numbers, wanted: Numbers) -> tuple[Numbers, Numbers]:
    """Which numbers are among some that are in order, and where each of them would be.

    Args:
        numbers: Those, at least one.
        wanted: What is looked for.
    """
    spots: Numbers = np.searchsorted(numbers, wanted)
    spots[spots == len(numbers)] = 0
    return numbers[spots] == wanted, spots


def encode_run(numbers: Numbers, values: Sequence[bytes], timers: Timers | None) -> bytes:
    """A run of keys.

    Args:
        numbers: The numbers of the keys, in order.
        values: By key.
        timers: By key; None: there are none.
    """
    ends = np.zeros(len(values) + 1, np.uint64)
    np.cumsum([len(value) for value in values], out=ends[1:])
    return _joined(numbers, ends, timers, b"".join(values))


def merged(runs: Sequence[Run], whole: bool) -> bytes:
    """Some runs as one.

    Args:
        runs: The oldest first.
        whole: They are all of the key group, so that what is gone need not be noted.
    """
    numbers = np.concatenate([run.numbers for run in runs])
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    kept = np.append(ordered[1:] != ordered[:-1], True)  # the newest of each
    if whole:
        kept &= np.concatenate([run.ends[1:] != run.ends[:-1] for run in runs])[order]
    order, ordered = order[kept], ordered[kept]
    timers: Timers | None = None
    if any(run.timers is not None for run in runs):
        event, processing = (
            np.concatenate([np.full(len(run), NO_TIMER) if run.timers is None else run.timers[domain] for run in runs])[
                order
            ]
            for domain in (0, 1)
        )
        if (event != NO_TIMER).any() or (processing != NO_TIMER).any():
            timers = event, processing
    values = pa.concat_arrays([_array(run) for run in runs]).take(_indices(order))
    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, np.uint64, len(order) + 1) if len(order) else np.zeros(1, np.uint64)
    return _joined(ordered, ends, timers, memoryview(data)[: int(ends[-1])] if data is not None else b"")


def pieces_of(data: bytes, size: int) -> Iterator[bytes]:
    """A run as entries of so many bytes at most."""
    view = memoryview(data)
    return (RUN.header + view[at : at + size] for at in range(0, len(data), size))


def name_of(data: Any) -> bytes:
    """The name of a run: its digest."""
    return xxh3_128_digest(data)


def joined(name: bytes, pieces: Iterable[bytes]) -> bytes:
    """The run of some entries.

    Raises:
        CheckpointDamaged: They are not those of the run of this name.
    """
    data = b"".join([without_header(RUN, piece) for piece in pieces])
    if name_of(data) != name:
        raise CheckpointDamaged(
            f"the job's state is damaged: a {RUN.name} of {len(data)} bytes is not what was written"
        )
    return data


def overhead(keys: int, timed: bool) -> int:
    """The bytes of a run of so many keys besides its values."""
    return _START + 8 * (keys * (4 if timed else 2) + 1)


def newest(pieces: Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    """The values of the keys of one key group.

    Args:
        pieces: Of all its runs: key of the entry, content.
    """
    runs = []
    for (_, name), some in groupby(sorted(pieces), lambda piece: run_of(piece[0])[:2]):
        runs.append(Run(joined(name, [content for _, content in some])))
    whole = Run(merged(runs, True)) if runs else None
    return [] if whole is None else list(whole.at(np.arange(len(whole))))


class Pieces:
    """Gathers the pieces of the runs of a key group from entries that come in the order of their keys."""

    def __init__(self) -> None:
        self._pieces: list[tuple[bytes, bytes]] = []

    def ends_before(self, key: bytes) -> bool:
        """Whether there are pieces, and an entry of this key is of none of their runs."""
        return bool(self._pieces) and not (
            is_run(key) and prefix_and_group(key) == prefix_and_group(self._pieces[0][0])
        )

    @property
    def size(self) -> int:
        """The bytes of the pieces."""
        return sum(len(content) for _, content in self._pieces)

    def add(self, key: bytes, content: bytes) -> None:
        """Take a piece."""
        self._pieces.append((key, content))

    def take(self, loads: Loads | None = None) -> dict[Any, Any]:
        """What the keys of the key group keep; the next pieces are of another one."""
        pieces, self._pieces = self._pieces, []
        return dict(pairs_of(newest(pieces), loads))


def pairs_of(values: Iterable[bytes], loads: Loads | None = None) -> list[tuple[Any, Any]]:
    """Keys and what they keep, of what is stored of some numbers."""
    return list(chain.from_iterable(map(as_list, unpickled_each(RUN, values, loads))))


def as_list(pairs: Any) -> list[tuple[Any, Any]]:
    """What is stored of a number: a pair, or several where keys have one number."""
    return [pairs] if type(pairs) is tuple else pairs


def _array(run: Run) -> pa.Array:
    return pa.Array.from_buffers(pa.large_binary(), len(run), [None, pa.py_buffer(run.ends), pa.py_buffer(run.values)])


def _indices(numbers: Numbers) -> pa.Array:
    """Without `pa.array`, which imports pandas for an array of numpy."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def _joined(numbers: Numbers, ends: Numbers, timers: Timers | None, values: Any) -> bytes:
    columns = [numbers, ends, *(timers or ())]
    head = np.array([timers is not None, len(numbers)], _NUMBER)
    return b"".join([*(column.tobytes() for column in (head, *columns)), values])
