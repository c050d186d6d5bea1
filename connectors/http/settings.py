"""What a source asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.formats import DeserializationSchema
from datastream.io import Backoff
from datastream.types import TypeInformation

from .connection import HttpConnection
from .cursor import HttpCursor
from .event import ServerSentEvent


@dataclass(frozen=True)
class Polling:
    """What a source asks for, and how.

    Attributes:
        connection: The URL, and how its server is reached.
        schema: How records are read.
        records: Where they are in the body: names with dots between them; None: the body is an array, or one record.
        interval_ms: The pause after a response without anything new.
        next_page: ``link``: the header ``Link`` with ``rel="next"``; else where the URL is in the body; None: there are
            no pages.
        cursor: None: each request is the same.
        bounded: Whether the source ends with the last page.
        backoff: Tries of a request, and pauses between them.
    """

    connection: HttpConnection
    schema: DeserializationSchema
    records: str | None = None
    interval_ms: int = 10_000
    next_page: str | None = "link"
    cursor: HttpCursor | None = None
    bounded: bool = False
    backoff: Backoff = Backoff()

    def initial(self) -> dict[str, Any]:
        """The state of a new job."""
        cursor = self.cursor
        return {} if cursor is None or cursor.initial is None else {"cursor": str(cursor.initial)}


@dataclass(frozen=True)
class Following:
    """Which stream of events a source follows, and how.

    Attributes:
        connection: The URL, and how its server is reached.
        schema: How data become records.
        function: How events become records; None: by the schema.
        record_type: Of what the function returns; None: any object.
        events: The types that are read; None: all.
        last_id: After which a new job begins; empty: wherever the server begins.
        stall_ms: How long nothing may come.
        retry_ms: The pause before it connects again.
        backoff: Tries of connecting, and pauses between them.
    """

    connection: HttpConnection
    schema: DeserializationSchema
    function: Callable[[ServerSentEvent], Any] | None = None
    record_type: TypeInformation | None = None
    events: frozenset[str] | None = None
    last_id: str = ""
    stall_ms: int = 300_000
    retry_ms: int = 1_000
    backoff: Backoff = Backoff()
