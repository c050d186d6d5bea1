"""The systems that there are, a module a family."""

from __future__ import annotations

from tests.chaos.systems.kinds.databases import Cassandra, Changes, MySql, MySqlCdc, Postgres, PostgresCdc, Sqlite
from tests.chaos.systems.kinds.elasticsearch import Elasticsearch, ElasticsearchSink, OpenSearch
from tests.chaos.systems.kinds.files import S3
from tests.chaos.systems.kinds.frames import SparkSink, SparkSource
from tests.chaos.systems.kinds.kafka import DynamicKafka, Hybrid, KafkaShare, UpsertKafka
from tests.chaos.systems.kinds.lakehouse import DeltaSink, DeltaSource, IcebergSink, IcebergSource
from tests.chaos.systems.kinds.logs import Firehose, KinesisSink, KinesisSource, Pulsar, RedisSink, RedisSource
from tests.chaos.systems.kinds.queues import (
    MqttSink,
    MqttSource,
    NiFiSink,
    NiFiSource,
    PubSubSink,
    PubSubSource,
    RabbitSink,
    RabbitSource,
)
from tests.chaos.systems.kinds.web import Http, Twitter
from tests.chaos.systems.system import System

_KINDS = (
    Postgres,
    MySql,
    Sqlite,
    Changes,
    MySqlCdc,
    PostgresCdc,
    Cassandra,
    Elasticsearch,
    ElasticsearchSink,
    OpenSearch,
    UpsertKafka,
    KafkaShare,
    DynamicKafka,
    Hybrid,
    RabbitSource,
    RabbitSink,
    MqttSource,
    MqttSink,
    PubSubSource,
    PubSubSink,
    NiFiSource,
    NiFiSink,
    Pulsar,
    Http,
    Twitter,
    KinesisSource,
    KinesisSink,
    Firehose,
    RedisSource,
    RedisSink,
    S3,
    DeltaSource,
    DeltaSink,
    IcebergSource,
    IcebergSink,
    SparkSource,
    SparkSink,
)
SYSTEMS: dict[str, type[System]] = {kind.name: kind for kind in _KINDS}
