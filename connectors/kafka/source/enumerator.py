"""What each epoch reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from datastream.io import SplitEnumerator

from ..client.answer_deadline import AnswerDeadline
from ..client.cluster import Cluster
from ..client.errors import kafka_error
from ..client.group_offsets import GroupOffsets
from ..client.properties import whole_number
from ..client.topic_partition import KafkaTopicPartition, Offsets, from_json, to_json
from .data_loss import lost, policy_of
from .offsets_initializer import KafkaOffsetsInitializer, resolve, within
from .splits import KafkaSplit, divide_budget
from .subscriber import Subscriber

#: As in Flink: new partitions are looked for every 5 minutes.
DISCOVERY_MS = 300_000

_WAIT_S = 1.0
_CHECK_S = 5.0
#: A broker that has just started may say for a moment that a partition ends earlier than it does.
_GRACE_S = 10.0
_AGAIN_S = 0.5


@dataclass(frozen=True)
class Reading:
    """What is read: the settings of a source.

    Attributes:
        subscriber: Which partitions.
        starting: Where a new job starts.
        stopping: Where reading stops; None: nowhere.
        properties: The client's.
    """

    subscriber: Subscriber
    starting: KafkaOffsetsInitializer
    stopping: KafkaOffsetsInitializer | None
    properties: Mapping[str, Any]

    def starting_at(self, starting: KafkaOffsetsInitializer) -> Reading:
        """The same with another start."""
        return replace(self, starting=starting)


class KafkaEnumerator(SplitEnumerator):
    """Decides what an epoch reads.

    An offset is ``{"partitions": {topic: {partition: next offset}}, "stop": the same or null, "from": the same}``.
    ``from`` is there only when partitions do not go on where they were in the epoch before: new ones, and such that
    have lost records.

    Args:
        reading: What is read.
        commits: Whether offsets are committed to the consumer group, where there is one.
    """

    def __init__(self, reading: Reading, commits: bool) -> None:
        self._reading = reading
        self._properties = reading.properties
        self._commits = commits
        self._policy = policy_of(self._properties)
        self._group: GroupOffsets | None = None
        self._new: Offsets = {}
        self._known_ends: Offsets = {}
        self._looked_at: float | None = None
        self._checked_at: float | None = None
        self._short_since: dict[KafkaTopicPartition, float] = {}
        self._stop: dict[str, Any] | None = None

    @cached_property
    def _deadline(self) -> AnswerDeadline:
        return AnswerDeadline(self._properties)

    @cached_property
    def _cluster(self) -> Cluster:
        return Cluster(self._properties, self._deadline)

    @cached_property
    def _ends(self) -> OffsetQuery:
        return OffsetQuery(self._cluster, self._deadline, "find the last offsets")

    @cached_property
    def _firsts(self) -> OffsetQuery:
        return OffsetQuery(self._cluster, self._deadline, "find the first offsets")

    def initial_offset(self) -> dict[str, Any]:
        """Where a new job starts, fixed once for all partitions that are there now."""
        reading, group = self._reading, self._properties.get("group.id")
        partitions = reading.subscriber.partitions(self._cluster.topics())
        self._looked_at = time.monotonic()
        offsets = within(reading.starting, resolve(reading.starting, partitions, self._cluster, group), self._cluster)
        stop = None
        if reading.stopping is not None:
            stop = to_json(resolve(reading.stopping, partitions, self._cluster, group))
        return {"partitions": to_json(offsets), "stop": stop}

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        """With the stopping offsets of this moment, and the partitions that a bounded source has found since."""
        positions = from_json(offset["partitions"])
        if self._reading.stopping is None:
            return {"partitions": to_json(positions), "stop": None}
        there = self._reading.subscriber.partitions(self._cluster.topics())
        positions |= self._cluster.earliest([at for at in there if at not in positions])
        if self._reading.stopping.kind == "latest":
            positions |= self._cut_off({at: positions[at] for at in there})
        return {"partitions": to_json(positions), "stop": self._stopping(positions, there)}

    def _stopping(self, positions: Offsets, there: Collection[KafkaTopicPartition]) -> dict[str, Any]:
        """The stopping offsets of this moment; a partition that is no longer there stops where it is."""
        assert self._reading.stopping is not None
        known = [at for at in positions if at in there]
        found = resolve(self._reading.stopping, known, self._cluster, self._properties.get("group.id"))
        return to_json({at: max(found.get(at, n), n) for at, n in positions.items()})

    def _cut_off(self, positions: Offsets) -> Offsets:
        """Where partitions go on that end before the place up to which they were read.

        Raises:
            DataLoss: There is one, and the user did not say what to do then.
        """
        began = time.monotonic()
        ends = self._cluster.latest(positions, committed=False)
        short = [at for at in positions if ends[at] < positions[at]]
        while short and time.monotonic() - began < _GRACE_S:
            time.sleep(_AGAIN_S)
            ends = self._cluster.latest(short, committed=False)
            short = [at for at in short if ends[at] < positions[at]]
        firsts = self._cluster.earliest(short)
        return {at: lost(self._policy, at, positions[at], firsts[at], ends[at]) for at in short}

    def _as_set(self, start: dict[str, Any]) -> dict[str, Any]:
        """An offset with stopping offsets if the source has some: an earlier run may have had other settings."""
        if (start["stop"] is None) == (self._reading.stopping is None):
            return start
        if self._reading.stopping is None:
            return {"partitions": start["partitions"], "stop": None}
        if self._stop is None:
            positions = from_json(start["partitions"])
            self._stop = self._stopping(positions, self._reading.subscriber.partitions(self._cluster.topics()))
        return {"partitions": start["partitions"], "stop": self._stop}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        """The end of the next epoch; `start` itself when there is nothing new."""
        start = self._as_set(start)
        positions = from_json(start["partitions"])
        stop = None if start["stop"] is None else from_json(start["stop"])
        if stop is None:
            self._discover(positions)
        limits = positions if stop is None else {at: n for at, n in positions.items() if n < stop.get(at, 0)}
        begins = {at: n for at, n in self._new.items() if at not in positions}
        known = {**limits, **begins}
        ends = self._ends.poll(self._cluster.begin_latest, known) if known else {}
        if not ends:
            return start
        begins |= self._losses(limits, ends)
        known |= begins
        if stop is not None:
            ends = {at: min(end, stop[at]) for at, end in ends.items()}
        self._known_ends |= ends
        given = divide_budget({at: end - known[at] for at, end in ends.items() if at in known}, budget)
        moved = {at: known[at] + count for at, count in given.items()}
        # A partition that lost records moves even where nothing is left to read.
        moved |= {at: begin for at, begin in begins.items() if at in positions and at not in moved}
        if not moved:
            return start
        end = {"partitions": to_json({**positions, **moved}), "stop": start["stop"]}
        begun = {at: begin for at, begin in begins.items() if at in moved}
        return end | {"from": to_json(begun)} if begun else end

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[KafkaSplit]:
        """One split for each partition that has something to read, ordered by topic and partition."""
        begins = {**from_json(start["partitions"]), **from_json(end.get("from", {}))}
        ranges = [(at, begins[at], stop) for at, stop in sorted(from_json(end["partitions"]).items())]
        ranges = [(at, begin, stop) for at, begin, stop in ranges if begin < stop]
        # The engine deals splits out to tasks in turn.
        ahead = [
            tuple(
                (at.topic, at.partition, begin)
                for at, begin, _ in ranges[i + parallelism : i + 3 * parallelism + 1 : parallelism]
            )
            for i in range(len(ranges))
        ]
        return [KafkaSplit(at.topic, at.partition, begin, stop, ahead[i]) for i, (at, begin, stop) in enumerate(ranges)]

    def backlog(self, offset: dict[str, Any]) -> dict[str, int]:
        positions = from_json(offset["partitions"])
        return {str(at): max(end - positions[at], 0) for at, end in self._known_ends.items() if at in positions}

    def lanes(self, offset: dict[str, Any]) -> Sequence[str]:
        stop = offset["stop"] and from_json(offset["stop"])
        at = from_json(offset["partitions"])
        return [str(one) for one in sorted(at) if not stop or at[one] < stop[one]]

    def finished(self, offset: dict[str, Any]) -> bool:
        if offset["stop"] is None or self._reading.stopping is None:
            return False
        stop = from_json(offset["stop"])
        return all(n >= stop[at] for at, n in from_json(offset["partitions"]).items())

    def commit(self, offset: dict[str, Any]) -> None:
        """Commit the position of the job to the consumer group, if there is one."""
        group = self._properties.get("group.id")
        offsets = from_json(offset["partitions"])
        if self._commits and group and offsets:
            if self._group is None:
                self._group = GroupOffsets(self._properties, group)
            self._group.commit(offsets)

    def close(self) -> None:
        """Let the last commit end."""
        group, self._group = self._group, None
        if group is not None:
            group.close()

    def _discover(self, positions: Offsets) -> None:
        """Look for partitions that were not there before; they are read from their first record, as in Flink."""
        interval_s = whole_number(self._properties, "partition.discovery.interval.ms", DISCOVERY_MS) / 1000
        now = time.monotonic()
        if interval_s <= 0 or (self._looked_at is not None and now - self._looked_at < interval_s):
            return
        self._looked_at = now
        there = self._reading.subscriber.partitions(self._cluster.topics())
        new = [at for at in there if at not in positions and at not in self._new]
        self._new |= self._cluster.earliest(new)

    def _losses(self, limits: Offsets, ends: Offsets) -> Offsets:
        """Where partitions go on whose next record is gone.

        Raises:
            DataLoss: there is one, and the user did not say what to do then.
        """
        firsts = self._first_offsets(limits)
        found: Offsets = {}
        for at, first in firsts.items():
            if at in limits and limits[at] < first and at in ends:
                found[at] = lost(self._policy, at, limits[at], first, max(ends[at], first))
        short = {at for at, end in ends.items() if at in limits and end < limits[at]}
        self._short_since = {at: since for at, since in self._short_since.items() if at in short}
        for at in short - found.keys():
            since = self._short_since.setdefault(at, time.monotonic())
            if time.monotonic() - since >= _GRACE_S:
                # What open transactions hold is there too.
                end = self._cluster.latest([at], committed=False)[at]
                if end < limits[at]:
                    found[at] = lost(self._policy, at, limits[at], self._cluster.earliest([at])[at], end)
                else:
                    self._short_since[at] = time.monotonic()
        return found

    def _first_offsets(self, limits: Offsets) -> Offsets:
        now = time.monotonic()
        if not limits or (self._checked_at is not None and now - self._checked_at < _CHECK_S):
            return {}
        found = self._firsts.poll(self._cluster.begin_earliest, limits)
        if found is None:
            return {}
        self._checked_at = now
        return found


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
