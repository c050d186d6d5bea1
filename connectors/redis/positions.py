"""Where a stream is read, and what the server knows of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError

_ID = re.compile(r"(\d+)-(\d+)")
_LAST = 2**64 - 1


@dataclass(frozen=True)
class Position:
    """A place in a stream.

    Attributes:
        id: That of the last entry before it; ``0-0``: of none.
        added: How many entries the stream had ever been given up to it, as its ``entries-added`` counts them.
    """

    id: str = "0-0"
    added: int = 0

    @classmethod
    def of(cls, stored: list[Any]) -> Position:
        """The position that an offset holds."""
        return cls(*stored)

    def to_json(self) -> list[Any]:
        """As it is in an offset."""
        return [self.id, self.added]

    def is_before(self, other: Position) -> bool:
        """Whether entries may be between it and another one."""
        return order(self.id) < order(other.id)


@dataclass(frozen=True)
class StreamState:
    """A stream as it is now.

    Attributes:
        length: Its entries.
        first: Id of the first of them; None: it is empty.
        end: The place after its last one.
    """

    length: int = 0
    first: str | None = None
    end: Position = Position()

    def is_another_than(self, position: Position) -> bool:
        """Whether a position is one of a stream that had entries which this one never had."""
        return self.end.added < position.added

    def removed_after(self, position: Position) -> int:
        """How many entries after a position were removed before they were read, by trimming from the oldest on."""
        if self.first is not None and order(self.first) <= order(position.id):
            return 0
        return max(self.end.added - position.added - self.length, 0)


def state_of(answer: Any) -> StreamState:
    """The state of a stream.

    Args:
        answer: To XINFO STREAM; an error: there is no such key.

    Raises:
        Exception: Another error.
        ValidationError: The server is too old.
    """
    if isinstance(answer, Exception):
        if "no such key" in str(answer):
            return StreamState()
        raise answer
    info: Mapping[str, Any] = answer
    if "entries-added" not in info:
        raise ValidationError("the server is older than Redis 7.0, which does not count what was removed from streams")
    first = info["first-entry"]
    return StreamState(
        info["length"],
        None if first is None else first[0].decode(),
        Position(info["last-generated-id"].decode(), info["entries-added"]),
    )


def order(id: str) -> tuple[int, int]:
    """An id as numbers, which have its order."""
    first, _, second = id.partition("-")
    return int(first), int(second)


def before_time(ms: int) -> str:
    """The last id that an entry of an earlier time may have.

    Args:
        ms: Milliseconds since 1970.
    """
    return "0-0" if ms <= 0 else f"{ms - 1}-{_LAST}"


def is_id(text: str) -> bool:
    """Whether a text is an id, such as ``1700000000000-0``."""
    return _ID.fullmatch(text) is not None
