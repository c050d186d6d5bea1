"""Which streams a source reads."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection

from datastream.errors import ValidationError, cut

from .metadata import KafkaMetadataService, KafkaStream


class KafkaStreamSubscriber(ABC):
    """Chooses streams. Subclass it for a choice of another kind; it is pickled with the source."""

    @abstractmethod
    def get_subscribed_streams(self, kafka_metadata_service: KafkaMetadataService) -> Collection[KafkaStream]:
        """The streams to read, as they are now."""


class KafkaStreamSetSubscriber(KafkaStreamSubscriber):
    """The streams of these names."""

    def __init__(self, stream_ids: Collection[str]) -> None:
        """Keep them.

        Raises:
            ValidationError: There is none, or one is no str.
        """
        if isinstance(stream_ids, str) or not stream_ids or not all(isinstance(one, str) and one for one in stream_ids):
            raise ValidationError(f"set_stream_ids: expected a set of names of streams, got {cut(stream_ids)}")
        self._stream_ids = frozenset(stream_ids)

    def get_subscribed_streams(self, kafka_metadata_service: KafkaMetadataService) -> Collection[KafkaStream]:
        found = kafka_metadata_service.describe_streams(self._stream_ids)
        return [stream for name, stream in found.items() if name in self._stream_ids]

    def __str__(self) -> str:
        return f"streams {', '.join(sorted(self._stream_ids))}"


class StreamPatternSubscriber(KafkaStreamSubscriber):
    """The streams whose whole name matches a regular expression, also of streams that appear later."""

    def __init__(self, stream_pattern: str) -> None:
        """Keep it.

        Raises:
            ValidationError: It is no regular expression.
        """
        try:
            re.compile(stream_pattern)
        except (re.error, TypeError) as error:
            raise ValidationError(
                f"set_stream_pattern: {cut(stream_pattern)} is no regular expression: {error}"
            ) from None
        self._pattern = stream_pattern

    def get_subscribed_streams(self, kafka_metadata_service: KafkaMetadataService) -> Collection[KafkaStream]:
        matches = re.compile(self._pattern).fullmatch
        return [stream for stream in kafka_metadata_service.get_all_streams() if matches(stream.stream_id)]

    def __str__(self) -> str:
        return f"streams that match {self._pattern!r}"
