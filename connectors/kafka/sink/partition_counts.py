"""How many partitions topics have, for partitioners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..client.library import confluent_kafka
from ..client.properties import client_config, make_client
from ..client.retrying import CALL_SECONDS, retry

#: How long a broker that makes topics by itself may take.
CREATION_SECONDS = 3.0


class PartitionCounts:
    """Looks up how many partitions topics have; each once an epoch.

    Args:
        properties: Of the client.
        seconds: How long brokers may be away.
    """

    def __init__(self, properties: Mapping[str, Any], seconds: float) -> None:
        self._properties = properties
        self._seconds = seconds
        self._known: dict[str, int] = {}
        self._client: Any = None

    def begin_epoch(self) -> None:
        """Look topics up anew."""
        self._known.clear()

    def close(self) -> None:
        """Let go of the client."""
        self._client = None

    def __call__(self, topic: str) -> int:
        """How many partitions a topic has.

        Raises:
            KafkaFailure: there is no such topic, or no answer.
        """
        if topic not in self._known:
            doing = f"look up topic {topic!r}"
            # A topic that is not there will not come; one that brokers make when they are asked comes soon.
            retry(self._reach, doing, self._properties, self._seconds)
            self._known[topic] = retry(lambda: self._look_up(topic), doing, self._properties, CREATION_SECONDS)
        return self._known[topic]

    def _admin(self) -> Any:
        if self._client is None:
            config = client_config(self._properties, "admin")
            config.setdefault("reconnect.backoff.max.ms", 1_000)
            self._client = make_client(config, "admin")
        return self._client

    def _reach(self) -> None:
        self._admin().list_topics(timeout=CALL_SECONDS)

    def _look_up(self, topic: str) -> int:
        found = self._admin().list_topics(topic, timeout=CALL_SECONDS).topics[topic]
        if found.error is not None:
            raise confluent_kafka().KafkaException(found.error)
        return len(found.partitions)
