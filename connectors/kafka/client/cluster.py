"""What the enumerator and the driver request of brokers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

from .answer_deadline import AnswerDeadline
from .errors import KafkaFailure, explain, is_final, kafka_error
from .group_offsets import GroupOffsets
from .library import confluent_kafka
from .properties import client_config, make_client
from .topic_partition import KafkaTopicPartition, Offsets

_REQUEST_S = 10.0
_SLICE_S = 0.2
_NO_OFFSET = -1001

K = TypeVar("K")
V = TypeVar("V")


class Cluster:
    """One warm client for questions on topics and offsets.

    Args:
        properties: The client's.
        deadline: How long a method goes on when brokers are away; see `AnswerDeadline`.

    Raises:
        ValidationError: a property is unknown or wrong.
    """

    def __init__(self, properties: Mapping[str, Any], deadline: AnswerDeadline | None = None) -> None:
        self._properties = properties
        self._deadline = deadline or AnswerDeadline(properties)
        self._refused: Any = None
        self._library = confluent_kafka()
        config = client_config(properties, "admin") | {"error_cb": self._on_error}
        self._client = make_client(config, "admin")
        committed = str(properties.get("isolation.level", "read_committed")).lower() == "read_committed"
        levels = self._library.IsolationLevel
        self._isolation = levels.READ_COMMITTED if committed else levels.READ_UNCOMMITTED

    def topics(self) -> dict[str, int]:
        """The number of partitions of each topic."""

        def call() -> dict[str, int]:
            listed = self._client.list_topics(timeout=1.0)
            return {name: len(found.partitions) for name, found in listed.topics.items() if found.error is None}

        return self._try("list the topics", call)

    def earliest(self, partitions: Iterable[KafkaTopicPartition]) -> Offsets:
        """The first offset of each partition that is still there."""
        return self._offsets("find the first offsets", partitions, self._library.admin.OffsetSpec.earliest())

    def latest(self, partitions: Iterable[KafkaTopicPartition], committed: bool | None = None) -> Offsets:
        """The end of each partition; with ``read_committed`` the end of what is committed.

        Args:
            partitions: Which.
            committed: Whether only what is committed counts. Default: as ``isolation.level`` says.
        """
        levels = self._library.IsolationLevel
        level = self._isolation if committed is not False else levels.READ_UNCOMMITTED
        return self._offsets("find the last offsets", partitions, self._library.admin.OffsetSpec.latest(), level)

    def at(self, partitions: Iterable[KafkaTopicPartition], ms: int) -> Offsets:
        """The first offset of each partition with a timestamp not before `ms`; the end where there is none."""
        spec = self._library.admin.OffsetSpec.for_timestamp(ms)
        found = self._offsets(f"find the offsets of timestamp {ms}", partitions, spec)
        return found | self.latest([at for at, offset in found.items() if offset < 0])

    def committed(self, group: str, partitions: Iterable[KafkaTopicPartition]) -> Offsets:
        """What a consumer group has committed, for the partitions for which it has."""
        wanted = list(partitions)
        offsets = GroupOffsets(self._properties, group)
        try:
            return self._try(f"read the offsets of consumer group {group!r}", lambda: offsets.committed(wanted))
        finally:
            offsets.close()

    def set_group_option(self, group: str, name: str, value: str) -> None:
        """Set an option of a group, such as ``share.auto.offset.reset``."""
        admin = self._library.admin
        entry = admin.ConfigEntry(name, value, incremental_operation=admin.AlterConfigOpType.SET)
        resource = admin.ConfigResource(admin.ResourceType.GROUP, group, incremental_configs=[entry])
        doing = f"set {name} of the group {group!r}"
        self._answers(doing, lambda: self._client.incremental_alter_configs([resource], request_timeout=_REQUEST_S))

    def begin_latest(self, partitions: Iterable[KafkaTopicPartition]) -> dict[Any, Future[Any]]:
        """Ask for the ends, without waiting."""
        return self._begin(partitions, self._library.admin.OffsetSpec.latest(), self._isolation)

    def begin_earliest(self, partitions: Iterable[KafkaTopicPartition]) -> dict[Any, Future[Any]]:
        """Ask for the first offsets, without waiting."""
        return self._begin(partitions, self._library.admin.OffsetSpec.earliest(), self._isolation)

    def renew_leaders(self) -> None:
        """Find the partitions' leaders anew, for a second at most.

        After a failure that is needed: librdkafka asks the leaders that it knows, though they moved or started again.
        """
        with suppress(self._library.KafkaException):  # the next question fails too, and reports why
            self._client.list_topics(timeout=1.0)

    def check_refused(self, doing: str) -> None:
        """Report at once what will not pass.

        Raises:
            KafkaFailure: brokers refuse this client for good: a wrong password, say.
        """
        self._client.poll(0)
        if self._refused is not None:
            refused, self._refused = self._refused, None
            raise KafkaFailure(explain(refused, doing, self._properties))

    def _offsets(
        self, doing: str, partitions: Iterable[KafkaTopicPartition], spec: Any, isolation: Any = None
    ) -> Offsets:
        wanted = list(partitions)
        if not wanted:
            return {}
        found = self._answers(doing, lambda: self._begin(wanted, spec, isolation or self._isolation))
        return {KafkaTopicPartition(at.topic, at.partition): result.offset for at, result in found.items()}

    def _begin(self, partitions: Iterable[KafkaTopicPartition], spec: Any, isolation: Any) -> dict[Any, Future[Any]]:
        request = {self._native(at): spec for at in partitions}
        request_futures = self._client.list_offsets(request, isolation_level=isolation, request_timeout=_REQUEST_S)
        return dict(request_futures)

    def _native(self, at: KafkaTopicPartition) -> Any:
        return self._library.TopicPartition(at.topic, at.partition)

    def _answers(self, doing: str, begin: Callable[[], dict[K, Future[V]]]) -> dict[K, V]:
        def call() -> dict[K, V]:
            futures = begin()
            while wait(futures.values(), _SLICE_S).not_done:
                self.check_refused(doing)
            return {key: future.result() for key, future in futures.items()}

        return self._try(doing, call)

    def _try(self, doing: str, call: Callable[[], V]) -> V:
        while True:
            try:
                found = call()
            except self._library.KafkaException as failed:
                self.check_refused(doing)
                self._deadline.failed(doing, kafka_error(failed))
                time.sleep(_SLICE_S)
                self.renew_leaders()
            else:
                self._deadline.worked()
                return found

    def _on_error(self, error: Any) -> None:
        if is_final(error):
            self._refused = error
