"""Where the messages of a block came from: for the errors of those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import FormatError
from datastream.formats.schema import Position


def place_of(position: Position | None, index: int) -> str:
    """Where a message of a block came from, such as ``topic, partition 1, offset 5``; empty: not known."""
    if position is None:
        return ""
    names = ("", "partition ", "offset ")
    return ", ".join(f"{name}{part}" for name, part in zip(names, position(index), strict=True) if part is not None)


def one_by_one(read: Callable[[bytes], Any], messages: Sequence[bytes | None], position: Position | None) -> list[Any]:
    """The records of messages that are read alone, without the Nones.

    Raises:
        FormatError: one cannot be read; the message starts with where it came from.
    """
    records = []
    for index, data in enumerate(messages):
        if data is None:
            continue
        try:
            record = read(data)
        except FormatError as error:
            where = place_of(position, index)
            raise FormatError(f"{where}: {error}" if where else str(error)) from error.__cause__
        if record is not None:
            records.append(record)
    return records
