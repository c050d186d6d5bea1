"""Apache Kafka as a source and a sink, by PyFlink's names (``pyflink.datastream.connectors.kafka``)."""

from connectors.delivery_guarantee import DeliveryGuarantee

from .client_errors import DataLoss, KafkaFailure
from .dead_records import DeadRecord
from .flink_kafka_consumer import FlinkKafkaConsumer, FlinkKafkaConsumer010, FlinkKafkaConsumer011
from .flink_kafka_producer import FlinkKafkaProducer, FlinkKafkaProducer010, FlinkKafkaProducer011, Semantic
from .offsets_initializer import KafkaOffsetResetStrategy, KafkaOffsetsInitializer
from .producer_record import ProducerRecord
from .record import ConsumerRecord, KafkaRecordDeserializationSchema, TimestampType
from .record_serializer import KafkaRecordSerializationSchema
from .serializer_builder import KafkaRecordSerializationSchemaBuilder
from .sink import KafkaSink
from .sink_builder import KafkaSinkBuilder
from .source import KafkaSource
from .source_builder import KafkaSourceBuilder
from .topic_partition import KafkaTopicPartition
from .topic_selector import KafkaTopicSelector

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
