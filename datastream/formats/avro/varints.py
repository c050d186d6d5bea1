"""Whole numbers as Avro writes them: seven bits a byte, small ones first, the sign in the lowest bit."""

from __future__ import annotations

#: Zigzag number below 16,384 -> its bytes.
SHORT = tuple(bytes((n,)) if n < 128 else bytes((n & 127 | 128, n >> 7)) for n in range(1 << 14))
# Two bytes of a longer one.
_MIDDLE = tuple(bytes((n & 127 | 128, n >> 7 | 128)) for n in range(1 << 14))


def long_varint(zigzag: int) -> bytes:
    """The bytes of any zigzag number; two bytes a step, twice as fast as one."""
    found = b""
    while zigzag > 16383:
        found += _MIDDLE[zigzag & 16383]
        zigzag >>= 14
    return found + SHORT[zigzag]


def varint(number: int) -> bytes:
    """The bytes of a number of 64 bits."""
    return long_varint(number << 1 ^ number >> 63)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of 64 bits, and the place after it.

    Raises:
        IndexError: the bytes end before it does.
        ValueError: it has more than 64 bits.
    """
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
    if number >> 64:
        raise ValueError("a number of more than 64 bits")
    return number >> 1 ^ -(number & 1), at
