"""Asks the metadata service where streams are, from time to time and beside the epochs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from logging import Logger
from typing import Any

from datastream.connectors.kafka.client.errors import KafkaFailure
from datastream.connectors.kafka.client.properties import whole_number

from .metadata import KafkaMetadataService, Part, parts_of
from .subscriber import KafkaStreamSubscriber

#: As in Flink: how often the service is asked, in ms. Not above 0: once, when the job starts.
INTERVAL = "stream-metadata-discovery-interval-ms"
#: As in Flink: after how many failures in a row the job fails.
THRESHOLD = "stream-metadata-discovery-failure-threshold"
#: Properties that are not the client's.
OWN = (INTERVAL, THRESHOLD)


@dataclass(frozen=True)
class Subscription:
    """What is read: settings of a source.

    Attributes:
        subscriber: Which streams.
        service: Where they are.
        properties: Of clients of all clusters.
        interval_ms: How often the service is asked; not above 0: once.
        threshold: The number of failures in a row at which the job fails.
    """

    subscriber: KafkaStreamSubscriber
    service: KafkaMetadataService
    properties: Mapping[str, Any] = field(repr=False)
    interval_ms: int
    threshold: int

    @staticmethod
    def of(
        subscriber: KafkaStreamSubscriber, service: KafkaMetadataService, properties: Mapping[str, Any]
    ) -> Subscription:
        """With the settings of discovery among the properties.

        Raises:
            ValidationError: One is no whole number.
        """
        interval_ms = whole_number(properties, INTERVAL, -1)
        threshold = whole_number(properties, THRESHOLD, 1)
        rest = {name: value for name, value in properties.items() if name not in OWN}
        return Subscription(subscriber, service, rest, interval_ms, threshold)

    def look(self) -> dict[str, Part]:
        """What is to be read now: name of a cluster -> its part.

        Raises:
            KafkaFailure: The service or the subscriber fails.
        """
        try:
            streams = self.subscriber.get_subscribed_streams(self.service)
            found = parts_of(streams, self.properties)
            return {name: part for name, part in found.items() if self.service.is_cluster_active(name)}
        except KafkaFailure:
            raise
        except Exception as error:
            service = type(self.service).__name__
            raise KafkaFailure(f"the metadata service {service} fails: {type(error).__name__}: {error}") from error


class Discovery:
    """The parts to read, as they were the last time.

    Args:
        subscription: What is read.
        again: Whether the service is asked more than once.
        logger: For failures.
    """

    def __init__(self, subscription: Subscription, again: bool, logger: Logger) -> None:
        self._subscription = subscription
        self._interval_s = subscription.interval_ms / 1000 if again else 0.0
        self._logger = logger
        self._thread: ThreadPoolExecutor | None = None
        self._asked: Future[dict[str, Part]] | None = None
        self._found: dict[str, Part] | None = None
        self._looked_at = 0.0
        self._failures = 0

    def parts(self) -> dict[str, Part]:
        """What is known. Waits for the service the first time only.

        Raises:
            KafkaFailure: The service fails, the first time or too often.
        """
        if self._found is None:
            self._found, self._looked_at = self._subscription.look(), time.monotonic()
        elif self._asked is not None and self._asked.done():
            asked, self._asked = self._asked, None
            self._looked_at = time.monotonic()
            self._take(asked)
        elif self._asked is None and 0 < self._interval_s <= time.monotonic() - self._looked_at:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="kafka-metadata")
            self._asked = self._thread.submit(self._subscription.look)
        return self._found

    def _take(self, asked: Future[dict[str, Part]]) -> None:
        try:
            self._found = asked.result()
            self._failures = 0
        except KafkaFailure as error:
            self._failures += 1
            if self._failures >= self._subscription.threshold:
                raise
            self._logger.warning("%s; failure %d in a row, the streams are read on as they were", error, self._failures)

    def close(self) -> None:
        """Let go of the service."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
        self._subscription.service.close()
