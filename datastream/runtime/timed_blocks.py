"""Blocks that carry more than records: timestamps, and watermarks at their places between the records."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import msgspec

_SIZE = 4


class Status(IntEnum):
    """What a subtask reports of one of its watermarks at the end of an epoch."""

    ACTIVE = 0
    #: There were no records this time; who waits for it counts how long.
    QUIET = 1
    #: There is nothing to wait for.
    IDLE = 2
    #: There was something, but now there is nothing to wait for.
    IDLE_NOW = 4
    #: Nothing of the source was read by any subtask, though it has not ended.
    WAITING = 5
    #: It read no split: who has heard of it before waits as if it were quiet, others do not wait.
    ABSENT = 3


class InlineWatermark(NamedTuple):
    """A watermark between two records.

    Attributes:
        position: How many records of the block come before it.
        origin: The operator whose watermark it is.
        watermark: In ms.
        lane: The source's lane whose watermark it is; None: it is the sending subtask's.
    """

    position: int
    origin: int
    watermark: int
    lane: str | None = None


class WatermarkReport(NamedTuple):
    """What a subtask reports at the end of an epoch, of itself or of a source's lane that it reads."""

    origin: int
    watermark: int
    status: int
    lane: str | None = None


class Frame(msgspec.Struct, array_like=True):
    """What stands around the records of a block.

    Attributes:
        times: Timestamps of the records in ms, or None when the edge carries none.
        watermarks: Watermarks, in order.
        reports: At the end of an epoch only.
    """

    times: list[int | None] | None
    watermarks: list[InlineWatermark]
    reports: list[WatermarkReport]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Frame).decode


def wrap(frame: Frame, records: bytes) -> bytes:
    """A frame and the records in it, which may be none: no bytes."""
    head = _encode(frame)
    return b"".join((len(head).to_bytes(_SIZE, "big"), head, records))


def unwrap(data: bytes) -> tuple[Frame, memoryview]:
    """The frame of a block, and the bytes of its records."""
    view = memoryview(data)
    end = _SIZE + int.from_bytes(view[:_SIZE], "big")
    return _decode(view[_SIZE:end]), view[end:]
