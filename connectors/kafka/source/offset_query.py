"""First or last offsets of partitions, requested again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from typing import Any

from ..client.answer_deadline import AnswerDeadline
from ..client.cluster import Cluster
from ..client.errors import kafka_error
from ..client.topic_partition import KafkaTopicPartition, Offsets

_WAIT_S = 1.0


class OffsetQuery:
    """Requests offsets of brokers, and waits for a second at most: the job has other sources.

    Args:
        cluster: Of the brokers.
        deadline: Counts the time that there is no answer.
        doing: What this is for, for texts.
    """

    def __init__(self, cluster: Cluster, deadline: AnswerDeadline, doing: str) -> None:
        self._cluster = cluster
        self._deadline = deadline
        self._doing = doing
        self._open: dict[Any, Future[Any]] = {}

    def poll(
        self,
        begin: Callable[[Iterable[KafkaTopicPartition]], dict[Any, Future[Any]]],
        partitions: Iterable[KafkaTopicPartition],
    ) -> Offsets | None:
        """Offsets of those partitions whose brokers answer; None: no answer yet, so call again.

        Raises:
            KafkaFailure: brokers refuse, or there was no answer for too long.
        """
        if not self._open:
            self._open = begin(partitions)
        if wait(self._open.values(), _WAIT_S).not_done:
            self._cluster.check_refused(self._doing)
            self._deadline.failed(self._doing)
            return None
        answers, self._open = self._open, {}
        found: Offsets = {}
        failed: BaseException | None = None
        for at, future in answers.items():
            error = future.exception()
            if error is None:
                found[KafkaTopicPartition(at.topic, at.partition)] = future.result().offset
            else:
                failed = error
        if failed is None:
            self._deadline.worked()
        else:
            self._cluster.check_refused(self._doing)
            self._deadline.failed(self._doing, kafka_error(failed))
            self._cluster.renew_leaders()
        return found
