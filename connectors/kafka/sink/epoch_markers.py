"""Epoch markers: what a transaction says about the epoch that it holds.

A marker is a committed offset of a consumer group that is not used to read: the group is named like the transactional
id, the partition is the first one of the first topic that the transaction wrote to, the offset is the epoch's number
plus one, and the metadata is this `Marker` as JSON. The transaction that holds the data commits it too, so either both
are there or neither. Brokers forget it after ``offsets.retention.minutes``, 7 days by default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..client.library import confluent_kafka
from ..client.properties import client_config, make_client
from ..client.retrying import CALL_SECONDS


@dataclass(frozen=True)
class Marker:
    """An epoch of a task of a sink that is committed.

    Attributes:
        job: The job's id.
        epoch: Number of the micro-batch.
        token: The producer that wrote it.
        records: How many it wrote.
    """

    job: str
    epoch: int
    token: str
    records: int

    @classmethod
    def parse(cls, metadata: str | None) -> Marker | None:
        """The marker in an offset's metadata; None: it is something else."""
        try:
            found = json.loads(metadata or "")
            return cls(str(found["job"]), int(found["epoch"]), str(found["token"]), int(found["records"]))
        except (ValueError, TypeError, KeyError):
            return None

    def at(self, topic: str) -> list[Any]:
        """What `send_offsets_to_transaction` takes."""
        place = confluent_kafka().TopicPartition
        return [place(topic, 0, self.epoch + 1, metadata=json.dumps(asdict(self)))]


def marker_reader(properties: Mapping[str, Any], group: str) -> Any:
    """A consumer that reads nothing, and is asked for a group's offsets and name only.

    Not an AdminClient: librdkafka's (2.16) ends the process by a failed assertion where the group's coordinator is away
    for a while, and it shows none of a group's offsets while its first transaction is being committed.

    Args:
        properties: Of the sink.
        group: The group.
    """
    config = client_config(properties, "consumer")
    config |= {
        "group.id": group,
        "enable.auto.commit": False,
        # A transaction that is being committed makes the answer wait.
        "isolation.level": "read_committed",
        "retry.backoff.ms": 5,
        "reconnect.backoff.max.ms": 1_000,
        "reconnect.backoff.ms": 5,
        # What it reports, the producer beside it reports too; and it is not polled.
        "log_level": 0,
    }
    return make_client(config, "consumer")


def latest_marker(reader: Any, topics: Iterable[str | None], job: str) -> Marker | None:
    """The marker of a job with the highest epoch.

    Args:
        reader: Of `marker_reader`.
        topics: Topics that the marker may be on; Nones are left out. An epoch that runs again begins with the same
            record, so its marker is on that record's topic.
        job: The job's id; other jobs' markers are ignored.

    Raises:
        KafkaException: try again, if it says so.
    """
    library = confluent_kafka()
    places = [library.TopicPartition(topic, 0) for topic in sorted({topic for topic in topics if topic})]
    best: Marker | None = None
    for place in reader.committed(places, timeout=CALL_SECONDS):
        if place.error is not None:
            raise library.KafkaException(place.error)
        marker = Marker.parse(place.metadata)
        if marker is not None and marker.job == job and (best is None or marker.epoch > best.epoch):
            best = marker
    return best
