"""What a source was told."""

from __future__ import annotations

from dataclasses import dataclass

from .connection import RedisConnection
from .entries import RedisDeserializationSchema


@dataclass(frozen=True)
class SourceSettings:
    """What a source was told.

    Attributes:
        connection: The server.
        streams: The streams' keys.
        schema: How entries become records.
        start: Where a new job begins: ``earliest``, ``latest``, an id, or ms since 1970.
        on_gap: What happens when entries were removed before they were read: ``fail`` or ``warn``.
        poll_ms: A source that has read all there is looks again after this time.
        batch_size: Entries of a request.
    """

    connection: RedisConnection
    streams: tuple[str, ...]
    schema: RedisDeserializationSchema
    start: str | int
    on_gap: str
    poll_ms: int
    batch_size: int


def gap(settings: SourceSettings, stream: str, count: int, id: str) -> str:
    """The text for entries that were removed before they were read."""
    return (
        f"{settings.connection}: {count:,} entries of the stream {stream!r} after {id} were removed before they were "
        "read; let the stream keep more (MAXLEN and MINID of XADD and XTRIM), or trim it after what the job has "
        "committed"
    )
