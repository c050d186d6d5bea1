"""The ends of partitions, asked for again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from typing import Any

from ..client.answer_deadline import Patience
from ..client.cluster import Cluster
from ..client.errors import kafka_error
from ..client.topic_partition import KafkaTopicPartition, Offsets

_WAIT_S = 1.0


class Ends:
    """Asks brokers for offsets, but waits a second at most: other sources of the job want to go on.

    Args:
        cluster: Whom to ask.
        patience: Counts the time that there is no answer.
        doing: What this is for, for texts.
    """

    def __init__(self, cluster: Cluster, patience: Patience, doing: str) -> None:
        self._cluster = cluster
        self._patience = patience
        self._doing = doing
        self._open: dict[Any, Future[Any]] = {}

    def ask(
        self,
        begin: Callable[[Iterable[KafkaTopicPartition]], dict[Any, Future[Any]]],
        partitions: Iterable[KafkaTopicPartition],
    ) -> Offsets | None:
        """Offsets of those partitions whose brokers answer; None: no answer yet, so ask again.

        Raises:
            KafkaFailure: brokers refuse, or there was no answer for too long.
        """
        if not self._open:
            self._open = begin(partitions)
        if wait(self._open.values(), _WAIT_S).not_done:
            self._cluster.check_refused(self._doing)
            self._patience.failed(self._doing)
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
            self._patience.worked()
        else:
            self._cluster.check_refused(self._doing)
            self._patience.failed(self._doing, kafka_error(failed))
            self._cluster.renew_leaders()
        return found
