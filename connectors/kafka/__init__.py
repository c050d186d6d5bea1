"""Apache Kafka as a source and a sink, by PyFlink's names (``pyflink.datastream.connectors.kafka``)."""

from datastream.connectors.delivery_guarantee import DeliveryGuarantee

from .client.errors import DataLoss, KafkaFailure
from .client.topic_partition import KafkaTopicPartition
from .legacy.flink_kafka_consumer import FlinkKafkaConsumer, FlinkKafkaConsumer010, FlinkKafkaConsumer011
from .legacy.flink_kafka_producer import FlinkKafkaProducer, FlinkKafkaProducer010, FlinkKafkaProducer011, Semantic
from .records.consumer_record import ConsumerRecord, KafkaRecordDeserializationSchema, TimestampType
from .records.dead_records import DeadRecord
from .records.producer_record import ProducerRecord
from .records.record_serializer import KafkaRecordSerializationSchema, KafkaTopicSelector
from .records.serializer_builder import KafkaRecordSerializationSchemaBuilder
from .share.builder import KafkaShareSourceBuilder
from .share.source import KafkaShareSource
from .sink.builder import KafkaSinkBuilder
from .sink.kafka_sink import KafkaSink
from .source.builder import KafkaSourceBuilder
from .source.kafka_source import KafkaSource
from .source.offsets_initializer import KafkaOffsetResetStrategy, KafkaOffsetsInitializer

__all__ = [
    "ConsumerRecord",
    "DataLoss",
    "DeadRecord",
    "DeliveryGuarantee",
    "FlinkKafkaConsumer",
    "FlinkKafkaConsumer010",
    "FlinkKafkaConsumer011",
    "FlinkKafkaProducer",
    "FlinkKafkaProducer010",
    "FlinkKafkaProducer011",
    "KafkaFailure",
    "KafkaOffsetResetStrategy",
    "KafkaOffsetsInitializer",
    "KafkaRecordDeserializationSchema",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaShareSource",
    "KafkaShareSourceBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSource",
    "KafkaSourceBuilder",
    "KafkaTopicPartition",
    "KafkaTopicSelector",
    "ProducerRecord",
    "Semantic",
    "TimestampType",
]
