"""Kinesis Data Streams as source and sink, and Firehose as sink, by PyFlink's names, over boto3.

The sources are exactly once: the end of each epoch is noted beside the checkpoint. The sinks are at least once. Needs
boto3 (``pip install '.[kinesis]'``).
"""

from .assigning import KinesisShardAssigner, WatermarkTracker
from .config_constants import AWSConfigConstants, ConsumerConfigConstants
from .partition_keys import PartitionKeyGenerator
from .records import KinesisDeserializationSchema, KinesisRecord
from .sinks import KinesisFirehoseSink, KinesisFirehoseSinkBuilder, KinesisStreamsSink, KinesisStreamsSinkBuilder
from .source import FlinkKinesisConsumer, KinesisStreamsSource, KinesisStreamsSourceBuilder

__all__ = [
    "AWSConfigConstants",
    "ConsumerConfigConstants",
    "FlinkKinesisConsumer",
    "KinesisDeserializationSchema",
    "KinesisFirehoseSink",
    "KinesisFirehoseSinkBuilder",
    "KinesisRecord",
    "KinesisShardAssigner",
    "KinesisStreamsSink",
    "KinesisStreamsSinkBuilder",
    "KinesisStreamsSource",
    "KinesisStreamsSourceBuilder",
    "PartitionKeyGenerator",
    "WatermarkTracker",
]
