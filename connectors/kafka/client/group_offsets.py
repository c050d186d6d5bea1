"""The offsets that a consumer group has committed; the job itself needs them at its start at most."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import explain, is_final, is_passing
from .library import confluent_kafka
from .log import LOGGER
from .properties import client_config, make_client
from .topic_partition import KafkaTopicPartition, Offsets

_REQUEST_S = 10.0
_TRY_AGAIN_S = 0.2
_CLOSE_S = 5.0


class GroupOffsets:
    """Reads and commits a group's offsets, by a consumer that reads no records and joins no group.

    Not by an AdminClient: librdkafka's (2.16) ends the process by a failed assertion where the group's coordinator is
    away for a while.

    Args:
        properties: The client's.
        group: The consumer group.
    """

    def __init__(self, properties: Mapping[str, Any], group: str) -> None:
        self._properties, self._group = properties, group
        self._library = confluent_kafka()
        config = client_config(properties, "consumer")
        config |= {
            "group.id": group,
            "enable.auto.commit": False,
            "on_commit": self._on_commit,
            "error_cb": self._on_error,
        }
        self._consumer = make_client(config, "consumer")
        self._next: list[Any] = []
        self._under_way: list[Any] = []
        self._again_at = 0.0
        self._failed: Any = None
        self._warned = False

    def committed(self, partitions: Iterable[KafkaTopicPartition]) -> Offsets:
        """What the group has committed, for the partitions for which it has.

        Raises:
            KafkaException: brokers refuse, or do not answer.
        """
        wanted = [self._library.TopicPartition(at.topic, at.partition) for at in partitions]
        found: Offsets = {}
        for one in self._consumer.committed(wanted, timeout=_REQUEST_S):
            if one.error is not None:
                raise self._library.KafkaException(one.error)
            if one.offset >= 0:
                found[KafkaTopicPartition(one.topic, one.partition)] = one.offset
        return found

    def commit(self, offsets: Mapping[KafkaTopicPartition, int]) -> None:
        """Commit offsets, without waiting. One that is under way ends first.

        A failure is a warning, logged once until a commit succeeds; what will pass is retried, and logged at the end.
        """
        self._next = [self._library.TopicPartition(at.topic, at.partition, n) for at, n in sorted(offsets.items())]
        self._advance()

    def close(self) -> None:
        """Let the last commit end, for some seconds at most, and leave the brokers."""
        deadline = time.monotonic() + _CLOSE_S
        while (self._next or self._under_way) and time.monotonic() < deadline:
            self._advance(0.02)
        if self._next or self._under_way:
            self._warn()
            # To close it, or to let it go, would take as long as it waits for the coordinator in vain: up to a minute.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._consumer))
        else:
            self._consumer.close()

    def _advance(self, wait_s: float = 0) -> None:
        event = self._consumer.poll(wait_s)
        if event is not None and event.error() is not None:
            self._on_error(event.error())
        if self._next and not self._under_way and time.monotonic() >= self._again_at:
            self._under_way, self._next = self._next, []
            self._consumer.commit(offsets=self._under_way, asynchronous=True)

    def _on_commit(self, error: Any, partitions: list[Any]) -> None:
        offsets, self._under_way = self._under_way, []
        failed = error or next((one.error for one in partitions or () if one.error is not None), None)
        if failed is None:
            self._failed, self._warned = None, False
            return
        if self._failed is None or not is_passing(failed):
            self._failed = failed
        if is_passing(failed):
            self._next = self._next or offsets
            self._again_at = time.monotonic() + _TRY_AGAIN_S
        else:
            self._warn()

    def _on_error(self, error: Any) -> None:
        if is_final(error):  # a want of rights, say, shows here; the commit itself only waits for the coordinator
            self._failed = error
            self._warn()

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            doing = f"commit the offsets of consumer group {self._group!r}"
            why = f"Kafka: cannot {doing}" if self._failed is None else explain(self._failed, doing, self._properties)
            LOGGER.warning("%s; the job itself is not affected", why)
