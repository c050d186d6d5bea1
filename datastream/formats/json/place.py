"""Where a message that cannot be read came from."""

from __future__ import annotations

from datastream.errors import FormatError
from datastream.formats.schema import Position


def at(error: FormatError, index: int, position: Position | None) -> FormatError:
    """The error with the place of a block's message before its text."""
    if position is None:
        return error
    names = ("", "partition ", "offset ")
    parts = [f"{name}{value}" for name, value in zip(names, position(index), strict=True) if value is not None]
    return FormatError(f"{', '.join(parts)}: {error}") if parts else error
