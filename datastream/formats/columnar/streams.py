"""Streams that outlive the writer of a format."""

from __future__ import annotations

from typing import Any, BinaryIO


class KeptOpen:
    """A stream as pyarrow's writers need it: closing it does nothing, and a dropped writer can be cut off."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream
        self.tell = stream.tell

    def write(self, data: Any) -> int:
        return len(data) if self._stream is None else self._stream.write(data)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()

    def cut_off(self) -> None:
        """Pass nothing on any more."""
        self._stream = None

    def close(self) -> None:
        """Leave the stream open."""

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False
