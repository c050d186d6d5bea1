"""A file that is read by ranges of bytes, as object stores and web servers offer them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

FIRST = 256 * 1024
"""Bytes asked for at once after a seek."""

MOST = 8 * 1024 * 1024
"""Bytes asked for at once while reading goes on."""

_TAIL = 64 * 1024


class RangedFile(io.RawIOBase):
    """Reads ahead, the further the longer it is read in sequence.

    Args:
        fetch: Gives the bytes from its first argument to before its second.
        size: The file's bytes.
        until: Where reading will probably end: nothing is read ahead much after it.
        close: Called at the end.
    """

    def __init__(
        self, fetch: Callable[[int, int], bytes], size: int, until: int, close: Callable[[], None] | None = None
    ) -> None:
        self._fetch = fetch
        self._size = size
        self._until = min(until + _TAIL, size)
        self._close = close
        self._at = 0
        self._block = memoryview(b"")
        self._block_at = 0
        self._step = FIRST

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        low = self._at - self._block_at
        if not 0 <= low < len(self._block):
            self._load(wanted)
            low = 0
        data = self._block[low : low + wanted]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def size(self) -> int:
        """The file's bytes."""
        return self._size

    def _load(self, wanted: int) -> None:
        behind = self._block_at + len(self._block)
        self._step = min(self._step * 4, MOST) if self._at == behind and len(self._block) else FIRST
        stop = min(self._at + max(wanted, self._step), self._size)
        if self._at < self._until:
            stop = min(stop, max(self._until, self._at + wanted))
        self._block = memoryview(self._fetch(self._at, stop))
        self._block_at = self._at

    def close(self) -> None:
        if not self.closed:
            self._block = memoryview(b"")
            if self._close is not None:
                self._close()
        super().close()
