"""Google's client that publishes, whose threads end in order when it is closed."""

from __future__ import annotations

from typing import Any

from google.api_core.exceptions import Cancelled
from google.cloud.pubsub_v1 import PublisherClient


class Publisher(PublisherClient):  # type: ignore[misc]
    """Google's client.

    A thread of it that waits for another try finds the channel closed. Its own would let the thread die by that error.
    """

    closed = False

    def close(self) -> None:
        """Send nothing more, and end the connection."""
        self.closed = True
        self.stop()
        self.transport.close()

    def _gapic_publish(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super()._gapic_publish(*arguments, **more)
        except ValueError as error:
            if not self.closed:
                raise
            raise Cancelled(f"the client is closed: {error}") from error  # type: ignore[no-untyped-call]
