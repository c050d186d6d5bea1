"""Which topics of which clusters hold a stream, and who says so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.kafka.client.cluster import Cluster
from datastream.connectors.kafka.client.properties import client_config
from datastream.connectors.kafka.source.subscriber import INTERNAL_TOPICS
from datastream.errors import ValidationError, cut


@dataclass(frozen=True)
class ClusterMetadata:
    """The part of a stream that one cluster holds.

    Attributes:
        topics: Names of topics.
        properties: How to reach the cluster: ``bootstrap.servers``, and what else its client needs. They are put over
            the properties of the source.
    """

    topics: frozenset[str]
    properties: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class KafkaStream:
    """A stream of records.

    Attributes:
        stream_id: Its name.
        cluster_metadata_map: Name of a cluster -> the part that it holds. Names are kept in checkpoints: one cluster
            has one name for good.
    """

    stream_id: str
    cluster_metadata_map: Mapping[str, ClusterMetadata]


class KafkaMetadataService(ABC):
    """Says where streams are. Subclass it; Java's interface of this name has the same methods.

    It is pickled with the source, and called by one thread of the driver. What it raises is tried again at the next
    time, as often as ``stream-metadata-discovery-failure-threshold`` says.
    """

    @abstractmethod
    def get_all_streams(self) -> Collection[KafkaStream]:
        """All streams that there are."""

    @abstractmethod
    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        """The streams of these names; those that are not there are left out."""

    def is_cluster_active(self, kafka_cluster_id: str) -> bool:
        """Whether a cluster is to be read. Default: yes."""
        return True

    def close(self) -> None:  # noqa: B027 - optional
        """The job is over: let go of connections."""


class SingleClusterTopicMetadataService(KafkaMetadataService):
    """The topics of one cluster as streams: the name of a stream is that of its topic."""

    def __init__(self, kafka_cluster_id: str, properties: Mapping[str, Any]) -> None:
        """Keep them.

        Args:
            kafka_cluster_id: A name for the cluster, which checkpoints keep.
            properties: How to reach it: ``bootstrap.servers``, and what else its client needs.

        Raises:
            ValidationError: The name is empty, or a property unknown or wrong.
        """
        if not isinstance(kafka_cluster_id, str) or not kafka_cluster_id:
            raise ValidationError(
                f"SingleClusterTopicMetadataService: expected the name of a cluster, got {cut(kafka_cluster_id)}"
            )
        client_config(properties, "consumer")
        self._cluster_id = kafka_cluster_id
        self._properties = dict(properties)

    def get_all_streams(self) -> Collection[KafkaStream]:
        topics = Cluster(self._properties).topics()
        return [self._stream(topic) for topic in sorted(topics) if topic not in INTERNAL_TOPICS]

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        return {topic: self._stream(topic) for topic in stream_ids}

    def _stream(self, topic: str) -> KafkaStream:
        return KafkaStream(topic, {self._cluster_id: ClusterMetadata(frozenset([topic]), self._properties)})


@dataclass(frozen=True)
class Part:
    """What a source reads of one cluster.

    Attributes:
        topics: Names of topics, in order.
        properties: Of the client.
    """

    topics: tuple[str, ...]
    properties: Mapping[str, Any] = field(repr=False)


def parts_of(streams: Collection[KafkaStream], properties: Mapping[str, Any]) -> dict[str, Part]:
    """What streams have in each cluster: its name -> topics of all of them.

    Args:
        streams: The streams.
        properties: Of the source; a cluster's own are put over them.
    """
    found: dict[str, Part] = {}
    for stream in sorted(streams, key=lambda stream: stream.stream_id):
        for cluster, metadata in stream.cluster_metadata_map.items():
            topics = set(found[cluster].topics) if cluster in found else set()
            found[cluster] = Part(tuple(sorted(topics | metadata.topics)), {**properties, **metadata.properties})
    return found
