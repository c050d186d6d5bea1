"""The order of Java's maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def hash_order(entries: dict[Any, Any], hash_of: Callable[[Any], int]) -> Iterable[tuple[Any, Any]]:
    """The entries of a dict in the order in which Java's HashMap of them is printed.

    Args:
        entries: The dict.
        hash_of: The ``hashCode`` of a key, as an int of 32 bits without a sign.
    """
    if len(entries) < 2:
        return entries.items()
    capacity = 1
    while capacity * 3 < len(entries) * 4:  # filled to three quarters at most
        capacity *= 2
    return sorted(entries.items(), key=lambda entry: _bucket(hash_of(entry[0]), capacity))


def string_hash(text: str) -> int:
    """``String.hashCode``, without a sign."""
    code = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        code = code * 31 + low + high * 256 & 0xFFFFFFFF
    return code


def integer_hash(number: int) -> int:
    """``hashCode`` of a BYTE, SHORT or INT, without a sign."""
    return number & 0xFFFFFFFF


def long_hash(number: int) -> int:
    """``Long.hashCode``, without a sign."""
    return (number ^ number >> 32) & 0xFFFFFFFF


def boolean_hash(value: bool) -> int:
    """``Boolean.hashCode``."""
    return 1231 if value else 1237


def hash_map_order(keys: Iterable[str]) -> list[str]:
    """Texts in the order in which Java's HashMap returns them, if they were put in this order."""
    texts = list(dict.fromkeys(keys))
    size = 16
    while len(texts) > size * 3 // 4:
        size *= 2
    return sorted(texts, key=lambda text: _bucket(string_hash(text), size))


def _bucket(code: int, capacity: int) -> int:
    return (code ^ code >> 16) & (capacity - 1)
