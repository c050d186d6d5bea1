"""Contiguous ranges of integers: how the sources that count their records cut an epoch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

__all__ = ["BLOCK", "blocks", "cut"]

BLOCK = 4096
"""Records a block."""


def cut(start: int, end: int, parts: int) -> list[tuple[int, int]]:
    """``[start, end)`` as at most `parts` ranges whose sizes differ by at most one; none when it is empty."""
    parts = min(parts, end - start)
    if parts < 1:
        return []
    bounds = [start + (end - start) * i // parts for i in range(parts + 1)]
    return list(pairwise(bounds))


def blocks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """``[start, end)`` as ranges of `BLOCK` numbers, in order."""
    for low in range(start, end, BLOCK):
        yield low, min(low + BLOCK, end)
