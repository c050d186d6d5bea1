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

from .key_groups import KeyPlacement

#: (records, keys or None) -> (subtask, records, keys or None), all records placed.
Place = Callable[[list[Any], list[Any] | None], Iterator[tuple[int, list[Any], list[Any] | None]]]


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
    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        yield target, records, keys

    return place


def _all(targets: int) -> Place:
    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        for target in range(targets):
            yield target, records, keys

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

    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        nonlocal next_target
        for i in range(min(n, len(records))):
            yield targets[(next_target + i) % n], records[i::n], None
        next_target = (next_target + len(records)) % n

    return place


def _random(targets: int, source: random.Random) -> Place:
    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        return _split(records, None, source.choices(range(targets), k=len(records)), targets)

    return place


def _by_key(memo: KeyPlacement, targets: int) -> Place:
    lookup = memo.__getitem__

    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        assert keys is not None
        try:
            if targets == 1:
                set(keys)  # what cannot be a key must fail with any parallelism
                yield 0, records, keys
                return
            subtasks = list(map(lookup, keys))
        except TypeError:
            subtasks = [_hashable(memo, key) for key in keys]
        yield from _split(records, keys, subtasks, targets)

    return place


def _hashable(memo: KeyPlacement, key: Any) -> int:
    try:
        return memo[key]
    except TypeError:
        raise ValidationError(
            f"a key must be hashable, but the key selector returned a {type(key).__name__}: {cut(key)}; "
            "return a str, a number or a tuple (for a list: tuple(value))"
        ) from None


def _custom(partition: Callable[[Any, int], int], targets: int) -> Place:
    def place(records: list[Any], keys: list[Any] | None) -> Iterator[Any]:
        assert keys is not None
        subtasks = [partition(key, targets) for key in keys]
        for key, subtask in zip(keys, subtasks, strict=True):
            if type(subtask) is not int or not 0 <= subtask < targets:
                raise ValidationError(
                    f"the partitioner returned {subtask!r} for key {cut(key)}; "
                    f"expected a subtask index from 0 to {targets - 1}"
                )
        return _split(records, None, subtasks, targets)

    return place


def _split(
    records: list[Any], keys: list[Any] | None, subtasks: list[int], targets: int
) -> Iterator[tuple[int, list[Any], list[Any] | None]]:
    """Sort records into one list a target, keeping their order, at C speed for few targets."""
    if targets == 2:
        yield (
            0,
            list(compress(records, map(not_, subtasks))),
            keys and list(compress(keys, map(not_, subtasks))),
        )
        yield 1, list(compress(records, subtasks)), keys and list(compress(keys, subtasks))
    elif targets <= 8:
        for target in range(targets):
            chosen = [s == target for s in subtasks]
            yield target, list(compress(records, chosen)), keys and list(compress(keys, chosen))
    else:
        parts: dict[int, tuple[list[Any], list[Any]]] = {}
        for i, subtask in enumerate(subtasks):
            part = parts.get(subtask)
            if part is None:
                part = parts[subtask] = ([], [])
            part[0].append(records[i])
            if keys:
                part[1].append(keys[i])
        for target, (some, their_keys) in parts.items():
            yield target, some, their_keys if keys else None
