"""The settings of a sink of Pub/Sub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.formats import SerializationSchema

from .service import Service, path_of


@dataclass(frozen=True)
class SinkSettings:
    """The settings of a sink.

    Attributes:
        service: Where the topic is.
        topic: Its name, or its full name.
        schema: How records become the content of messages.
        ordering_key: Gives the ordering key of a record; None: there are none.
        attributes: Gives the attributes of a record's message; None: there are none.
        max_messages: Messages of a request at most.
        max_bytes: Bytes of a request at most.
        max_latency_ms: A request that is not full is sent so much later.
        confirm_s: How long the client tries to send a message, in s.
    """

    service: Service
    topic: str
    schema: SerializationSchema
    ordering_key: Callable[[Any], str] | None = None
    attributes: Callable[[Any], Mapping[str, str] | None] | None = None
    max_messages: int = 1000
    max_bytes: int = 1_000_000
    max_latency_ms: int = 10
    confirm_s: float = 30.0

    @property
    def path(self) -> str:
        """The topic's full name."""
        return path_of(self.service.project, "topics", self.topic)
