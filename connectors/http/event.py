"""Server-sent events, and how they are read from a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from datastream.errors import ValidationError

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
_MESSAGE = b"message"


class ServerSentEvent(NamedTuple):
    """An event as it was received.

    Attributes:
        event: Its type; ``message`` where the server names none.
        data: Its content; lines are separated by ``\\n``.
        id: The last id that the server has sent, with this event or before; None: none.
    """

    event: str
    data: str
    id: str | None


class RawEvent(NamedTuple):
    """An event as bytes.

    Attributes:
        event: Its type.
        data: Its content.
        id: The last id so far; empty: none.
    """

    event: bytes
    data: bytes
    id: bytes

    def decoded(self) -> ServerSentEvent:
        """The event as texts; what is not UTF-8 is replaced."""
        event, data, id = (part.decode(errors="replace") for part in self)
        return ServerSentEvent(event, data, id or None)


class EventParser:
    """Reads events, by the rules of the HTML standard.

    Args:
        id: The last id before.
        most_bytes: Of an event.

    Attributes:
        retry_ms: The pause before connecting again that the server asks for; None: it has asked for none.
    """

    def __init__(self, id: bytes, most_bytes: int) -> None:
        self.retry_ms: int | None = None
        self._most = most_bytes
        self._rest = b""
        self._begun = self._after_return = False
        self._id, self._event = id, b""
        self._data: list[bytes] = []
        self._size = 0

    def events(self, chunk: bytes) -> Iterator[RawEvent]:
        """The events that a chunk of the stream completes.

        Raises:
            ValidationError: One is too large.
        """
        if self._after_return and chunk.startswith(b"\n"):  # the second half of a line's end
            chunk = chunk[1:]
        if chunk:
            self._after_return = chunk.endswith(b"\r")
        text = self._rest + chunk
        if not self._begun:
            if len(text) < len(_BOM) and _BOM.startswith(text):
                self._rest = text
                return
            self._begun, text = True, text.removeprefix(_BOM)
        *lines, self._rest = _LINE_END.split(text)
        for line in lines:
            if line:
                self._field(line)
            else:
                if self._data:
                    yield RawEvent(self._event or _MESSAGE, b"\n".join(self._data), self._id)
                self._event, self._data, self._size = b"", [], 0
        if self._size + len(self._rest) > self._most:
            raise ValidationError(
                f"the stream brought an event of more than {self._most:,} bytes; set max_body_bytes of the "
                "HttpConnection higher"
            )

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == b"event":
            self._event = value
        elif name == b"id" and b"\0" not in value:
            self._id = value
        elif name == b"retry" and value.isdigit():
            self.retry_ms = int(value[:9])
