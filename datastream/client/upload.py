"""A file as the body of a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

Progress = Callable[[int, int], None]

_CHUNK = 256 * 1024
_TYPES = {
    ".py": "text/x-python",
    ".zip": "application/zip",
    ".pyz": "application/zip",
    ".whl": "application/zip",
    ".tar.gz": "application/gzip",
    ".tgz": "application/gzip",
    ".tar": "application/x-tar",
}


def content_type(name: str) -> str:
    """The media type of a file, by the end of its name."""
    return next((kind for end, kind in _TYPES.items() if name.lower().endswith(end)), "application/octet-stream")


def chunks(file: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    """The content of a file, `size` bytes of it.

    Args:
        file: The file.
        size: Its size as it was announced; what is written to the file meanwhile is left out.
        progress: Called with the bytes that were sent and `size`.
    """
    sent = 0
    while sent < size:
        chunk = file.read(min(_CHUNK, size - sent))
        if not chunk:
            return
        yield chunk
        sent += len(chunk)
        if progress is not None:
            progress(sent, size)
