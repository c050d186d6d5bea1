"""Packets as bytes, as site-to-site sends them: lengths and texts, one packet after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct

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
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        if not 0 <= count <= len(data) - at:
            raise ValueError(f"the data end amid a packet: at byte {at} of {len(data)} they announce {count} more")
        taken = data[at : at + count]
        at += count
        return taken

    def text() -> str:
        return take(_INT.unpack(take(_INT.size))[0]).decode()

    while at < len(data):
        count = _INT.unpack(take(_INT.size))[0]
        if count < 0:
            raise ValueError(f"a packet of {count} attributes at byte {at}")
        attributes = {text(): text() for _ in range(count)}
        yield StandardNiFiDataPacket(take(_LONG.unpack(take(_LONG.size))[0]), attributes)
