"""Names of properties, as Flink's connector for Java has them."""

from __future__ import annotations


class AWSConfigConstants:
    """Properties of sources and sinks: where AWS is, and the credentials."""

    AWS_REGION = "aws.region"
    AWS_ENDPOINT = "aws.endpoint"
    AWS_CREDENTIALS_PROVIDER = "aws.credentials.provider"
    AWS_ACCESS_KEY_ID = "aws.credentials.provider.basic.accesskeyid"
    AWS_SECRET_ACCESS_KEY = "aws.credentials.provider.basic.secretkey"
    AWS_PROFILE_NAME = "aws.credentials.provider.profile.name"
    TRUST_ALL_CERTIFICATES = "aws.trust.all.certificates"


class ConsumerConfigConstants(AWSConfigConstants):
    """Properties of a source."""

    STREAM_INITIAL_POSITION = "flink.stream.initpos"
    STREAM_INITIAL_TIMESTAMP = "flink.stream.initpos.timestamp"
    SHARD_GETRECORDS_MAX = "flink.shard.getrecords.maxrecordcount"
    SHARD_GETRECORDS_INTERVAL_MILLIS = "flink.shard.getrecords.intervalmillis"
    SHARD_GETRECORDS_RETRIES = "flink.shard.getrecords.maxretries"
    SHARD_GETRECORDS_BACKOFF_BASE = "flink.shard.getrecords.backoff.base"
    SHARD_GETRECORDS_BACKOFF_MAX = "flink.shard.getrecords.backoff.max"
    SHARD_GETRECORDS_BACKOFF_EXPONENTIAL_CONSTANT = "flink.shard.getrecords.backoff.expconst"
    SHARD_DISCOVERY_INTERVAL_MILLIS = "flink.shard.discovery.intervalmillis"
