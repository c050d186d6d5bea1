"""Which partitions a source reads."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from datastream.errors import ValidationError, cut

from ..client.topic_partition import KafkaTopicPartition

INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")


@dataclass(frozen=True)
class TopicList:
    """All partitions of topics."""

    topics: tuple[str, ...]

    @staticmethod
    def of(topics: tuple[object, ...]) -> TopicList:
        """The topics of a call of ``set_topics``, each once.

        Raises:
            ValidationError: no name is given.
        """
        names = tuple(topic for topic in topics if isinstance(topic, str) and topic)
        if not names or len(names) < len(topics):
            raise ValidationError(f"set_topics: expected names of topics, got {cut(topics)}")
        return TopicList(tuple(dict.fromkeys(names)))

    def partitions(self, there: Mapping[str, int]) -> list[KafkaTopicPartition]:
        """The partitions of the topics; topics that are not there have none."""
        return [KafkaTopicPartition(topic, n) for topic in self.topics for n in range(there.get(topic, 0))]

    def missing(self, there: Mapping[str, int]) -> str | None:
        """What is not there, in words; None: nothing."""
        return next((_no_topic(topic, there) for topic in self.topics if topic not in there), None)


@dataclass(frozen=True)
class TopicPattern:
    """All partitions of topics whose whole names match a regular expression; also of topics that appear later."""

    pattern: str

    def partitions(self, there: Mapping[str, int]) -> list[KafkaTopicPartition]:
        """The partitions of the topics. Kafka's internal topics never match."""
        matches = re.compile(self.pattern).fullmatch
        names = [topic for topic in sorted(there) if topic not in INTERNAL_TOPICS and matches(topic)]
        return [KafkaTopicPartition(topic, n) for topic in names for n in range(there[topic])]

    def missing(self, there: Mapping[str, int]) -> str | None:
        """What is not there, in words; None: nothing."""
        return None if self.partitions(there) else f"no topic matches {self.pattern!r}{_some(there)}"


@dataclass(frozen=True)
class PartitionList:
    """These partitions and no others."""

    chosen: tuple[KafkaTopicPartition, ...]

    def partitions(self, there: Mapping[str, int]) -> list[KafkaTopicPartition]:
        """Those of them that are there."""
        return [at for at in self.chosen if at.partition < there.get(at.topic, 0)]

    def missing(self, there: Mapping[str, int]) -> str | None:
        """What is not there, in words; None: nothing."""
        for at in self.chosen:
            if at.topic not in there:
                return _no_topic(at.topic, there)
            if at.partition >= there[at.topic]:
                return f"topic {at.topic!r} has no partition {at.partition}: it has {there[at.topic]}, numbered from 0"
        return None


Subscriber = TopicList | TopicPattern | PartitionList


def checked_pattern(pattern: str) -> TopicPattern:
    """A pattern that can be compiled.

    Raises:
        ValidationError: it is no regular expression.
    """
    try:
        re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ValidationError(f"set_topic_pattern: {pattern!r} is no regular expression: {error}") from None
    return TopicPattern(pattern)


def _no_topic(topic: str, there: Mapping[str, int]) -> str:
    similar = difflib.get_close_matches(topic, [name for name in there if name not in INTERNAL_TOPICS], n=3)
    hint = f"; similar names: {', '.join(similar)}" if similar else _some(there)
    return f"topic {topic!r} does not exist, or the user may not describe it{hint}"


def _some(there: Mapping[str, int]) -> str:
    names = sorted(name for name in there if name not in INTERNAL_TOPICS)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"; there are: {', '.join(names[:5])}{more}" if names else "; there are no topics that the user may see"
