"""Client properties of Kafka's Java client that librdkafka does not know, or knows by another name.

Only names that people bring along from PyFlink jobs: what is not here reaches librdkafka as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: Java's name -> librdkafka's name.
RENAMED = {
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "buffer.memory": "queue.buffering.max.kbytes",
    "request.timeout.ms": "socket.timeout.ms",
}


def _kbytes(value: str) -> str:
    return str(max(int(value) // 1024, 1))


def _size(value: str) -> str:
    # Java's -1 leaves the size to the operating system, as does librdkafka's 0.
    return "0" if value.strip() == "-1" else value


def _check_name(value: str) -> str:
    return value.lower() if value.strip() else "none"


#: Values that must be changed, by Java's name.
CHANGED: dict[str, Callable[[str], str]] = {
    "buffer.memory": _kbytes,
    "send.buffer.bytes": _size,
    "receive.buffer.bytes": _size,
    "ssl.endpoint.identification.algorithm": _check_name,
    "security.protocol": str.lower,
    "isolation.level": str.lower,
    "compression.type": str.lower,
}

#: Read by this connector itself.
OURS = frozenset(
    {
        "auto.offset.reset",
        "client.id.prefix",
        "commit.offsets.on.checkpoint",
        "default.api.timeout.ms",
        "enable.auto.commit",
        "flink.partition-discovery.interval-millis",
        "partition.discovery.interval.ms",
    }
)

#: Without meaning here: Java's classes, metrics, and group membership, which readers do without.
DROPPED = frozenset(
    {
        "auto.commit.interval.ms",
        "auto.include.jmx.reporter",
        "config.providers",
        "exclude.internal.topics",
        "flink.disable-metrics",
        "flink.poll-timeout",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "interceptor.classes",
        "internal.leave.group.on.close",
        "key.deserializer",
        "key.serializer",
        "max.block.ms",
        "max.poll.interval.ms",
        "max.poll.records",
        "metadata.max.idle.ms",
        "metadata.recovery.strategy",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partition.assignment.strategy",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "partitioner.class",
        "partitioner.ignore.keys",
        "register.consumer.metrics",
        "register.producer.metrics",
        "sasl.client.callback.handler.class",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "security.providers",
        "session.timeout.ms",
        "share.acknowledgement.mode",
        "socket.connection.setup.timeout.max.ms",
        "ssl.enabled.protocols",
        "ssl.engine.factory.class",
        "ssl.keymanager.algorithm",
        "ssl.protocol",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
        "value.deserializer",
        "value.serializer",
    }
)

#: Of Confluent's serializers, which the formats here replace.
DROPPED_PREFIXES = ("schema.registry.", "basic.auth.", "specific.avro.", "metrics.context.")

#: Properties that only one kind of client has. The others would ask librdkafka for nothing but a warning.
ONLY_CONSUMER = re.compile(
    r"^(group\.id|isolation\.level|check\.crcs|allow\.auto\.create\.topics|fetch\..*|.*\.fetch\..*)$"
)
ONLY_PRODUCER = re.compile(
    r"^(acks|batch\.(size|num\.messages)|linger\.ms|queue\.buffering\..*|compression\..*|delivery\.timeout\.ms"
    r"|message\.timeout\.ms|enable\.idempotence|max\.in\.flight\.requests\.per\.connection|retries"
    r"|transaction\.timeout\.ms|transactional\.id|partitioner|sticky\..*)$"
)
