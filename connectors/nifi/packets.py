"""Packets as bytes, as site-to-site sends them: lengths and texts, one packet after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct
from struct import error as StructError

from .data_packet import StandardNiFiDataPacket

_INT, _LONG = Struct(">i"), Struct(">q")


def packet_as_bytes(content: bytes, attributes: Mapping[str, str]) -> bytes:
    """A packet as bytes.

    Raises:
        UnicodeEncodeError: An attribute holds half a character.
    """
    parts = [_INT.pack(len(attributes))]
    for name, value in attributes.items():
        for text in (name.encode(), value.encode()):
            parts += _INT.pack(len(text)), text
    parts += _LONG.pack(len(content)), content
    return b"".join(parts)


def packets_in(data: bytes) -> Iterator[StandardNiFiDataPacket]:
    """The packets in bytes.

    Raises:
        ValueError: They end amid a packet.
    """
    # Written out: it takes most of the time of a source.
    length, length_of_content, end, at = _INT.unpack_from, _LONG.unpack_from, len(data), 0
    try:
        while at < end:
            (count,) = length(data, at)
            if count < 0:
                raise ValueError(f"a packet of {count} attributes at byte {at}")
            at += 4
            texts = []
            for _ in range(2 * count):
                (size,) = length(data, at)
                begin, at = at + 4, at + 4 + size
                if not begin <= at <= end:
                    raise _amid(data, begin, size)
                texts.append(data[begin:at].decode())
            (size,) = length_of_content(data, at)
            begin, at = at + 8, at + 8 + size
            if not begin <= at <= end:
                raise _amid(data, begin, size)
            yield StandardNiFiDataPacket(data[begin:at], dict(zip(texts[::2], texts[1::2], strict=True)))
    except StructError:
        raise ValueError(f"the data end amid a packet: in a length, after {end} bytes") from None


def _amid(data: bytes, at: int, size: int) -> ValueError:
    return ValueError(f"the data end amid a packet: at byte {at} of {len(data)} they announce {size} more")
