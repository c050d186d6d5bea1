"""Streams of records that lie in topics of one or several Kafka clusters, and may move while a job reads them.

By PyFlink's names (``pyflink.datastream.connectors.dynamic_kafka``). A metadata service says which topics of which
clusters hold a stream; the source asks it again from time to time, and follows.
"""

from datastream.connectors.kafka import KafkaRecordDeserializationSchema

from .builder import DynamicKafkaSourceBuilder
from .metadata import ClusterMetadata, KafkaMetadataService, KafkaStream, SingleClusterTopicMetadataService
from .source import DynamicKafkaSource
from .subscriber import KafkaStreamSetSubscriber, KafkaStreamSubscriber, StreamPatternSubscriber

__all__ = [
    "ClusterMetadata",
    "DynamicKafkaSource",
    "DynamicKafkaSourceBuilder",
    "KafkaMetadataService",
    "KafkaRecordDeserializationSchema",
    "KafkaStream",
    "KafkaStreamSetSubscriber",
    "KafkaStreamSubscriber",
    "SingleClusterTopicMetadataService",
    "StreamPatternSubscriber",
]
