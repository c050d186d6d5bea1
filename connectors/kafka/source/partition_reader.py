"""Reads ranges of offsets of partitions with one consumer."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from ..client.answer_deadline import AnswerDeadline
from ..client.errors import KafkaFailure, explain, is_final, name_of
from ..client.library import confluent_kafka
from ..client.log import LOGGER
from ..client.properties import client_config, make_client
from ..client.topic_partition import KafkaTopicPartition
from .data_loss import Policy, lost
from .splits import KafkaSplit

BLOCK = 4096
"""Messages taken from the consumer at once."""

Place = tuple[str, int, int]
"""Topic, partition, offset."""

_WAIT_S = 0.02
_GROUP = "datastream"

#: What a job may not change, and defaults that fit short epochs.
_ALWAYS = {
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "error",
}
_DEFAULTS = {
    # The end of a range whose last offsets hold no records shows only when a fetch comes back empty.
    "fetch.wait.max.ms": "5",
    "fetch.error.backoff.ms": "100",
    # At its default of 1000 a consumer whose queue was full for a moment stands still for a second.
    "fetch.queue.backoff.ms": "5",
    # As fast as with more, and what was fetched in vain is little.
    "queued.max.messages.kbytes": "4096",
    "group.id": _GROUP,
}


class PartitionReader:
    """A consumer that is assigned to one partition at a time.

    Attributes:
        place: What it would give next; None: it is assigned to nothing.
    """

    # _left: Messages that came and follow what was read, and events between them.
    # _ends_at: Everything below this offset has come; the consumer tells so where it meets the partition's end.

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = properties
        self._library = confluent_kafka()
        self._refused: Any = None
        config = _DEFAULTS | client_config(properties, "consumer") | _ALWAYS | {"error_cb": self._on_error}
        self._consumer = make_client(config, "consumer")
        # Called through map, which saves a third of the time that a loop takes for a message.
        self._error_of = self._library.Message.error
        self._left: list[Any] = []
        self._ends_at = -1
        self.place: Place | None = None

    def begin(self, place: Place) -> None:
        """Start fetching from a place, unless that is under way."""
        if self.place != place:
            self._left, self._ends_at = [], -1
            self._consumer.assign([self._library.TopicPartition(*place)])
            self.place = place

    def messages(self, split: KafkaSplit, policy: Policy) -> Iterator[list[Any]]:
        """The messages of a range, in blocks, in order.

        Afterwards the consumer goes on fetching what follows, if there is more; else it is assigned to nothing.

        Raises:
            DataLoss: messages are gone.
            KafkaFailure: brokers refuse, or do not answer for too long.
        """
        topic, partition, end = split.topic, split.partition, split.end
        position = split.start
        deadline = AnswerDeadline(self._properties)
        doing = f"read topic {topic!r}, partition {partition}, at offset"
        self.begin((topic, partition, position))
        self._refused = None
        while position < end:
            if not self._left and self._ends_at >= end:
                break  # nothing is left below it, and the consumer tells that only once
            found, error = self._next(end - position)
            if found:
                block = self._checked(found, split, position)
                position = max(position, found[-1].offset() + 1)
                deadline.worked()
                if block:
                    yield block
            if error is None:
                if not found:
                    self._check_refused(f"{doing} {position}")
                    short = f" (it ends at {self._ends_at} now)" if 0 <= self._ends_at < end else ""
                    deadline.failed(f"{doing} {position}{short}", self._why(topic, deadline))
            elif name_of(error) == "_PARTITION_EOF":
                if self._ends_at < end:
                    deadline.failed(f"{doing} {position} (it ends at {self._ends_at} now)")
            elif name_of(error) in ("_AUTO_OFFSET_RESET", "OFFSET_OUT_OF_RANGE", "_LOG_TRUNCATION"):
                position = self._gone(split, position, policy, deadline, doing)
            elif name_of(error) != "GROUP_AUTHORIZATION_FAILED":  # no group is needed to read
                deadline.failed(f"{doing} {position}", error)
        self.place = (topic, partition, end)
        if not self._left and not self._more(end):
            self.unassign()

    def unassign(self) -> None:
        """Stop fetching."""
        self._left, self._ends_at = [], -1
        if self.place is not None:
            self.place = None
            self._consumer.unassign()

    def close(self) -> None:
        """Leave the brokers."""
        self._left, self.place = [], None
        self._consumer.close()

    def _next(self, most: int) -> tuple[list[Any], Any]:
        """Messages that have come, and an error or event after them."""
        if self._left:
            found, self._left = self._left, []
        elif most >= BLOCK:
            found = self._consumer.consume(BLOCK, _WAIT_S)
        else:
            # It waits for as many as it was asked for, and of the last offsets some may hold no message.
            found = self._consumer.consume(1, _WAIT_S)
            if found and most > 1:
                found += self._consumer.consume(most - 1, 0)
        if not any(map(self._error_of, found)):
            return found, None
        for i, message in enumerate(found):
            if (error := message.error()) is not None:
                if name_of(error) == "_PARTITION_EOF":
                    self._ends_at = max(self._ends_at, message.offset())
                self._left = found[i + 1 :]
                return found[:i], error
        return found, None

    def _checked(self, found: list[Any], split: KafkaSplit, position: int) -> list[Any]:
        """Those inside the range; others are kept."""
        first = found[0]
        if first.offset() < position or first.partition() != split.partition:
            raise KafkaFailure(
                f"Kafka: expected offset {position} or later of topic {split.topic!r}, partition {split.partition}, "
                f"got offset {first.offset()} of partition {first.partition()}"
            )
        if found[-1].offset() < split.end:
            return found
        cut = bisect_left(found, split.end, key=lambda message: message.offset())
        self._left = found[cut:] + self._left
        return found[:cut]

    def _more(self, end: int) -> bool:
        if self.place is None:
            return False
        at = self._library.TopicPartition(self.place[0], self.place[1])
        _, high = self._consumer.get_watermark_offsets(at, cached=True)
        return bool(high > end)

    def _gone(self, split: KafkaSplit, position: int, policy: Policy, deadline: AnswerDeadline, doing: str) -> int:
        """Where to go on when brokers say that an offset is not there."""
        at = KafkaTopicPartition(split.topic, split.partition)
        try:
            first, end = self._consumer.get_watermark_offsets(
                self._library.TopicPartition(at.topic, at.partition), timeout=5.0
            )
        except self._library.KafkaException as failed:
            deadline.failed(f"{doing} {position}", failed.args[0])
            first, end = position, position
        if not first <= position <= end:
            position = min(max(lost(policy, at, position, first, end), position), split.end)
            if end < split.end:
                LOGGER.warning("%s ends at %d now: offsets to %d are skipped", at, end, split.end)
                position = split.end
        else:
            deadline.failed(f"{doing} {position}")
            time.sleep(_WAIT_S)
        self.place = None
        if position < split.end:
            self.begin((split.topic, split.partition, position))
        return position

    def _why(self, topic: str, deadline: AnswerDeadline) -> Any:
        """Why nothing comes, as a KafkaError, if that can be found out; asked seldom."""
        if not deadline.is_silent():
            return None
        try:
            return self._consumer.list_topics(topic, timeout=1.0).topics[topic].error
        except self._library.KafkaException as failed:
            return failed.args[0]

    def _on_error(self, error: Any) -> None:
        if is_final(error):
            self._refused = error

    def _check_refused(self, doing: str) -> None:
        if self._refused is not None:
            refused, self._refused = self._refused, None
            raise KafkaFailure(explain(refused, doing, self._properties))
