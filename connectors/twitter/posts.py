"""The lines of a stream, and the posts in them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

#: The first id that tells its time, and the moment from which it counts, in ms since 1970.
_FIRST_WITH_TIME, _EPOCH_MS, _TIME_SHIFT = 30_000_000_000, 1_288_834_974_657, 22

#: Bytes of a line: of a post they are some thousand.
_LONGEST_LINE = 4 << 20


class Post(NamedTuple):
    """A line of a stream.

    Attributes:
        id: Of the post; None: the line is of another kind.
        text: The line, as JSON.
    """

    id: str | None
    text: bytes


class StreamBroken(ConnectionError):
    """The stream brought something that ends it."""


class _Data(msgspec.Struct):
    id: str


class _Line(msgspec.Struct):
    data: _Data | None = None
    errors: list[dict[str, Any]] = []


_decode = msgspec.json.Decoder(_Line).decode


def lines_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The whole lines of a body, without their ends; empty ones, too.

    Raises:
        StreamBroken: A line does not end.
    """
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            raise StreamBroken(f"the stream brought a line of more than {_LONGEST_LINE:,} bytes: {rest[:100]!r}")
        for line in whole:
            yield line.rstrip(b"\r")


def post_of(line: bytes) -> Post:
    """What a line holds.

    Raises:
        StreamBroken: X says that it ends the stream, or it is no JSON.
    """
    try:
        found = _decode(line)
    except msgspec.ValidationError:  # JSON of a kind that is not known
        return Post(None, line)
    except msgspec.DecodeError as error:
        raise StreamBroken(f"the stream brought a line that is not JSON: {error}: {line[:100]!r}") from None
    if found.data is not None:
        return Post(found.data.id, line)
    if found.errors:
        told = "; ".join(str(each.get("detail") or each.get("title") or each) for each in found.errors)
        raise StreamBroken(f"X ends the stream: {told}"[:500])
    return Post(None, line)


def timestamp_ms(id: str | None) -> int | None:
    """When a post was written, in ms since 1970: ids hold it. None: this one does not."""
    if id is None or not id.isdecimal() or int(id) < _FIRST_WITH_TIME:
        return None
    return (int(id) >> _TIME_SHIFT) + _EPOCH_MS


class RecentIds:
    """The ids of the posts that came in the last time.

    Args:
        kept_s: How long an id is known.
        known: Ids that came before.
    """

    def __init__(self, kept_s: float, known: Iterable[str] = ()) -> None:
        self._kept_s = kept_s
        self._came = OrderedDict.fromkeys(known, time.monotonic())

    def is_new(self, id: str) -> bool:
        """Whether this id has not come before; now it has."""
        now = time.monotonic()
        while self._came and now - self._came[next(iter(self._came))] > self._kept_s:
            self._came.popitem(last=False)
        if id in self._came:
            return False
        self._came[id] = now
        return True
