"""The settings of a source of Pub/Sub."""

from __future__ import annotations

from dataclasses import dataclass

from .message import PubSubDeserializationSchema
from .service import Service, path_of

#: A subscription's deadlines are no shorter.
_LEAST_DEADLINE_S = 10


@dataclass(frozen=True)
class SourceSettings:
    """The settings of a source.

    Attributes:
        service: Where the subscription is.
        subscription: Its name, or its full name.
        schema: How messages become records.
        max_messages: Messages of a request at most.
        ordered: Whether one task pulls, which keeps the order of messages with an ordering key. None: as the
            subscription says, if it can be asked.
        start_time: A new job seeks to this time first, in ms since 1970; None: it does not.
        start_snapshot: A new job seeks to this snapshot first; None: it does not.
        deadline_s: How long a message is certain not to be delivered again, in s: no more than the subscription's
            acknowledgement deadline.
        extension_s: By how much deadlines are extended, in s.
    """

    service: Service
    subscription: str
    schema: PubSubDeserializationSchema
    max_messages: int = 1000
    ordered: bool | None = None
    start_time: int | None = None
    start_snapshot: str | None = None
    deadline_s: float = _LEAST_DEADLINE_S
    extension_s: int = 60

    @property
    def path(self) -> str:
        """The subscription's full name."""
        return path_of(self.service.project, "subscriptions", self.subscription)
