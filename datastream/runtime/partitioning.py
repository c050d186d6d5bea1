"""Partitioners at work: which subtask gets which record of a block."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import compress
from operator import not_
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph import (
    Broadcast,
    Custom,
    Forward,
    Global,
    Hash,
    Partitioner,
    Rebalance,
    Rescale,
    Shuffle,
)
from datastream.whole_numbers import whole_number

from .key_groups import KeyPlacement, UnknownEquality

#: Records, their keys and their timestamps; the last two may be None.
Columns = tuple[list[Any], list[Any] | None, list[int | None] | None]

#: Columns -> (subtask, its part of them), all records placed.
Place = Callable[[Columns], Iterator[tuple[int, Columns]]]


def placement(
    partitioner: Partitioner, subtask: int, upstream: int, targets: int, epoch: int, memo: KeyPlacement
) -> Place:
    """How one subtask places the records of one edge in one epoch.

    Args:
        partitioner: The edge's.
        subtask: The sending subtask, of `upstream` ones.
        upstream: Number of sending subtasks.
        targets: Number of receiving subtasks.
        epoch: Number of the epoch; seeds the random choice, so that a replay repeats it.
        memo: Key -> subtask for a keyed edge.
    """
    match partitioner:
        case Hash():
            return _by_key(memo, targets)
        case Custom(partition=partition):
            return _custom(partition, targets)
        case Forward():
            return _one(subtask % targets)
        case Global():
            return _one(0)
        case Broadcast():
            return _all(targets)
        case Rebalance():
            return _round_robin(list(range(targets)), subtask)
        case Rescale():
            return _round_robin(_rescaled(subtask, upstream, targets), 0)
        case Shuffle():
            return _random(targets, random.Random(f"{epoch}/{subtask}"))
    raise ValidationError(f"unknown partitioner {partitioner!r}")


def _one(target: int) -> Place:
    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        yield target, columns

    return place


def _all(targets: int) -> Place:
    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        for target in range(targets):
            yield target, columns

    return place


def _rescaled(subtask: int, upstream: int, targets: int) -> list[int]:
    """The targets of one sender when neighbours stay together, as Flink's rescale wires them."""
    if targets >= upstream:
        start = -(-subtask * targets // upstream)
        end = -(-(subtask + 1) * targets // upstream)
        return list(range(start, end))
    return [subtask * targets // upstream]


def _round_robin(targets: list[int], start: int) -> Place:
    n = len(targets)
    next_target = start % n

    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        nonlocal next_target
        records, _, times = columns
        for i in range(min(n, len(records))):
            yield targets[(next_target + i) % n], (records[i::n], None, times and times[i::n])
        next_target = (next_target + len(records)) % n

    return place


def _random(targets: int, source: random.Random) -> Place:
    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        return _split(columns, source.choices(range(targets), k=len(columns[0])), targets)

    return place


def _by_key(memo: KeyPlacement, targets: int) -> Place:
    lookup = memo.__getitem__

    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        keys = columns[1]
        assert keys is not None
        if targets == 1:
            yield 0, (columns[0], memo.known(keys), columns[2])
            return
        try:
            subtasks = list(map(lookup, keys))
        except (TypeError, UnknownEquality):
            keys = memo.known(keys)
            subtasks = list(map(lookup, keys))
        if len(subtasks) < len(keys):  # `map` took it for the end
            raise RuntimeError(f"__hash__ or __eq__ of the key {cut(keys[len(subtasks)])} raised StopIteration")
        yield from _split((columns[0], keys, columns[2]), subtasks, targets)

    return place


def _custom(partition: Callable[[Any, int], int], targets: int) -> Place:
    def place(columns: Columns) -> Iterator[tuple[int, Columns]]:
        records, keys, times = columns
        assert keys is not None
        subtasks = [partition(key, targets) for key in keys]
        if set(map(type, subtasks)) != {int} or min(subtasks) < 0 or max(subtasks) >= targets:
            subtasks = [_index(key, subtask, targets) for key, subtask in zip(keys, subtasks, strict=True)]
        return _split((records, None, times), subtasks, targets)

    return place


def _index(key: Any, subtask: Any, targets: int) -> int:
    expected = f"expected a subtask index from 0 to {targets - 1}"
    try:
        index = whole_number(subtask, expected)
        if 0 <= index < targets:
            return index
    except ValidationError:
        pass
    raise ValidationError(f"the partitioner returned {subtask!r} for key {cut(key)}; {expected}")


def _split(columns: Columns, subtasks: list[int], targets: int) -> Iterator[tuple[int, Columns]]:
    """Sort records into one list a target, keeping their order, at C speed for few targets."""
    records, keys, times = columns
    if targets <= 8:
        for target in range(targets):
            if targets == 2:
                chosen: list[Any] = subtasks if target else list(map(not_, subtasks))
            else:
                chosen = [s == target for s in subtasks]
            some = list(compress(records, chosen))
            yield target, (some, keys and list(compress(keys, chosen)), times and list(compress(times, chosen)))
        return
    members: dict[int, list[int]] = {}
    for i, subtask in enumerate(subtasks):
        members.setdefault(subtask, []).append(i)
    for target, chosen in members.items():
        some = [records[i] for i in chosen]
        yield target, (some, keys and [keys[i] for i in chosen], times and [times[i] for i in chosen])
