"""Blocks as Arrow batches, and the integers that make Spark place them where we want.

Spark places a row by hashing a column. The hash of an int is known (Murmur3, seed 42), so for each slot an
int is searched whose hash lands on that partition: one exchange places records exactly, keyed or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import repeat

import pyarrow as pa

from datastream.runtime.blocks import Block

DDL = "slot int, channel int, origin long, sequence long, size int, data binary"
COLUMNS = ["slot", "channel", "origin", "sequence", "size", "data"]
SCHEMA = pa.schema(
    [
        ("slot", pa.int32()),
        ("channel", pa.int32()),
        ("origin", pa.int64()),
        ("sequence", pa.int64()),
        ("size", pa.int32()),
        ("data", pa.binary()),
    ]
)

#: An Arrow column holds 2 GiB at most, and Java needs some times its size.
_BATCH_BYTES = 256 << 20


def to_batches(blocks: list[Block], marks: list[int]) -> Iterator[pa.RecordBatch]:
    """Blocks as Arrow batches, of some hundred megabytes at most; `marks` from `marks_of` stand for their slots."""
    start = size = 0
    for end, block in enumerate(blocks):
        if size + len(block.data) > _BATCH_BYTES and end > start:
            yield _to_batch(blocks[start:end], marks)
            start, size = end, 0
        size += len(block.data)
    yield _to_batch(blocks[start:], marks)


def _to_batch(blocks: list[Block], marks: list[int]) -> pa.RecordBatch:
    slots, channels, origins, sequences, counts, data = zip(*blocks, strict=True)
    columns = [[marks[s] for s in slots], channels, origins, sequences, counts, data]
    return pa.RecordBatch.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def from_batches(batches: Iterable[pa.RecordBatch], slot: int) -> Iterator[Block]:
    """The blocks of Arrow batches that came to a slot."""
    for batch in batches:
        columns = [batch.column(i).to_pylist() for i in range(1, 6)]
        yield from map(Block, repeat(slot), *columns)


@cache
def marks_of(width: int) -> list[int]:
    """For each partition of `width`, an int that Spark's hash partitioning sends there."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < width:
        found.setdefault(_murmur3(number) % width, number)
        number += 1
    return [found[p] for p in range(width)]


def _murmur3(number: int, seed: int = 42) -> int:
    """Spark's hash of an int column, as a signed 32-bit number."""
    mask = 0xFFFFFFFF
    k = number * 0xCC9E2D51 & mask
    k = (k << 15 | k >> 17) & mask
    h = seed ^ (k * 0x1B873593 & mask)
    h = (h << 13 | h >> 19) & mask
    h = (h * 5 + 0xE6546B64) & mask ^ 4
    h ^= h >> 16
    h = h * 0x85EBCA6B & mask
    h ^= h >> 13
    h = h * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
