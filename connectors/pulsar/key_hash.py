"""Pulsar's hash of keys, by which messages of a key go to one partition."""

from __future__ import annotations

_MASK = 0xFFFFFFFF
_FIRST, _SECOND = 0xCC9E2D51, 0x1B873593


def partition_of(key: str, count: int) -> int:
    """The index of a key's partition, as Java's client and Flink find it by Murmur3.

    Args:
        key: The key.
        count: How many partitions there are.
    """
    return (_murmur3(key.encode()) & 0x7FFFFFFF) % count


def _murmur3(data: bytes) -> int:
    """Murmur3 of 32 bits, seed 0."""
    found = 0
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        found ^= _mixed(int.from_bytes(data[at : at + 4], "little"))
        found = (_rotated(found, 13) * 5 + 0xE6546B64) & _MASK
    found ^= _mixed(int.from_bytes(data[whole:], "little"))
    found ^= len(data)
    found = ((found ^ found >> 16) * 0x85EBCA6B) & _MASK
    found = ((found ^ found >> 13) * 0xC2B2AE35) & _MASK
    return found ^ found >> 16


def _mixed(block: int) -> int:
    return (_rotated((block * _FIRST) & _MASK, 15) * _SECOND) & _MASK


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _MASK
