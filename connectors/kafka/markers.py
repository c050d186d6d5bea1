"""Epoch markers: what a transaction says about the epoch that it holds.

A marker is a committed offset of a consumer group that nobody reads with: the group is named like the transactional
id, the partition is the first one of the first topic that the transaction wrote to, the offset is the epoch's number
plus one, and the metadata is this `Marker` as JSON. The transaction that holds the data commits it too, so either both
are there or neither. Brokers forget it after ``offsets.retention.minutes``, 7 days by default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from .library import confluent_kafka
from .retries import CALL_SECONDS


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


def latest_marker(admin: Any, group: str, topics: Iterable[str | None], job: str) -> Marker | None:
    """The marker of a job with the highest epoch; waits for no transaction that is about to end.

    The group is asked in two ways: for all its offsets, and by name for those on `topics`. A transaction that is being
    committed shows in the second way only, as an error that passes, if it is the first one of its group.

    Args:
        admin: An AdminClient.
        group: The consumer group.
        topics: Topics that a marker is likely to be on; Nones are left out.
        job: The job's id; other jobs' markers are ignored.

    Raises:
        KafkaException: try again, if it says so.
    """
    library = confluent_kafka()
    requests = [library.ConsumerGroupTopicPartitions(group)]
    named = [library.TopicPartition(topic, 0) for topic in sorted({topic for topic in topics if topic})]
    if named:
        requests.append(library.ConsumerGroupTopicPartitions(group, named))
    answers = [
        future
        for request in requests
        for future in admin.list_consumer_group_offsets(
            [request], require_stable=True, request_timeout=CALL_SECONDS
        ).values()
    ]
    best: Marker | None = None
    for answer in answers:
        for place in answer.result().topic_partitions:
            if place.error is not None:
                raise library.KafkaException(place.error)
            marker = Marker.parse(place.metadata)
            if marker is not None and marker.job == job and (best is None or marker.epoch > best.epoch):
                best = marker
    return best


def group_metadata(group: str) -> Any:
    """What names a consumer group to a transaction. Only a consumer gives it; this one has no brokers to ask."""
    consumer = confluent_kafka().Consumer({"group.id": group, "log_level": 0})
    try:
        return consumer.consumer_group_metadata()
    finally:
        consumer.close()
