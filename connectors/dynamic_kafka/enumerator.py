"""What an epoch reads of all clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.kafka import KafkaOffsetsInitializer
from datastream.connectors.kafka.client.errors import KafkaFailure
from datastream.connectors.kafka.client.properties import flag
from datastream.connectors.kafka.source.enumerator import KafkaEnumerator, Reading
from datastream.connectors.kafka.source.splits import KafkaSplit
from datastream.connectors.kafka.source.subscriber import TopicList
from datastream.io import EnumeratorContext, Offset, SplitEnumerator

from .discovery import Discovery, Subscription
from .metadata import Part

Partitions = dict[str, dict[str, int]]


@dataclass(frozen=True)
class DynamicKafkaSplit:
    """What one task reads of a partition of a cluster.

    Attributes:
        cluster: The cluster's name.
        properties: Of its client.
        split: The range of offsets.
    """

    cluster: str
    properties: Mapping[str, Any] = field(repr=False)
    split: KafkaSplit

    @property
    def lane(self) -> str:
        """The partition, which has a watermark of its own."""
        return lane_of(self.cluster, self.split.lane)


def lane_of(cluster: str, partition: str) -> str:
    """The name of a lane: partitions of several clusters may have one name."""
    return f"{cluster}:{partition}"


class DynamicKafkaEnumerator(SplitEnumerator):
    """Decides what an epoch reads: a `KafkaEnumerator` for each cluster does so for its part.

    An offset is ``{"clusters": {name: offset of its enumerator}, "away": {name: {topic: {partition: next offset}}}}``.
    ``away`` has the partitions that no stream names any more: they are read on from there if one does so again. Where
    a cluster's part has changed, the offset has ``"begins": {name: offset that it starts this epoch at}``.

    Args:
        subscription: What is read.
        starting: Where a new job starts.
        stopping: Where reading stops; None: nowhere.
        context: The place.
    """

    def __init__(
        self,
        subscription: Subscription,
        starting: KafkaOffsetsInitializer,
        stopping: KafkaOffsetsInitializer | None,
        context: EnumeratorContext,
    ) -> None:
        self._starting, self._stopping = starting, stopping
        self._discovery = Discovery(subscription, stopping is None, context.logger)
        self._logger = context.logger
        self._made: dict[str, tuple[Part, KafkaEnumerator]] = {}
        self._first: dict[tuple[str, str], Partitions] = {}
        # Answers what an offset says by itself.
        self._plain = KafkaEnumerator(Reading(TopicList(()), starting, stopping, subscription.properties), False)

    def _of(self, name: str) -> KafkaEnumerator:
        part, known = self._part(name), self._made.get(name)
        if known is not None:
            if known[0] == part:
                return known[1]
            known[1].close()
        commits = flag(part.properties, "commit.offsets.on.checkpoint", True)
        made = KafkaEnumerator(
            Reading(TopicList(part.topics), self._starting, self._stopping, part.properties), commits
        )
        self._made[name] = part, made
        return made

    def initial_offset(self) -> Offset:
        return {"clusters": {name: self._of(name).initial_offset() for name in self._discovery.parts()}, "away": {}}

    def reopen(self, offset: Offset) -> Offset:
        parts, clusters = self._discovery.parts(), dict(offset["clusters"])
        for name in clusters.keys() & parts.keys():
            clusters[name] = self._of(name).reopen(clusters[name])
        return {"clusters": clusters, "away": offset["away"]}

    def latest_offset(self, start: Offset, budget: int) -> Offset:
        begins, away = self._follow(start)
        ends: dict[str, Any] = {}
        for left, name in zip(range(len(begins), 0, -1), begins, strict=True):
            ends[name] = self._of(name).latest_offset(begins[name], max(budget // left, 1))
            budget -= _count(begins[name], ends[name])
        if ends == start["clusters"] and away == start["away"]:
            return start
        changed = {name: begin for name, begin in begins.items() if begin != start["clusters"].get(name)}
        return {"clusters": ends, "away": away} | ({"begins": changed} if changed else {})

    def _follow(self, start: Offset) -> tuple[dict[str, Any], dict[str, Partitions]]:
        """Where each cluster is read on, and what is away, by what the service says now; a bounded source stays."""
        if self._stopping is not None:
            return start["clusters"], start["away"]
        known: dict[str, Partitions] = {name: dict(topics) for name, topics in start["away"].items()}
        for name, offset in start["clusters"].items():
            known.setdefault(name, {}).update(offset["partitions"])
        begins: dict[str, Any] = {}
        for name, part in self._discovery.parts().items():
            before, here = start["clusters"].get(name), known.pop(name, {})
            wanted = {topic: here.pop(topic) for topic in part.topics if topic in here}
            if before is None or wanted.keys() != before["partitions"].keys():
                self._logger.info("the streams are in topics %s of cluster %s", ", ".join(part.topics), name)
            for topic in part.topics:
                if topic not in wanted:
                    wanted |= self._begin(name, topic, part)
            if here:
                known[name] = here
            partitions = dict(sorted(wanted.items()))
            begins[name] = before if before and before["partitions"] == partitions else _offset(partitions)
        return begins, {name: topics for name, topics in sorted(known.items()) if topics}

    def _begin(self, name: str, topic: str, part: Part) -> Partitions:
        """Where a topic begins that was not there when the job started: with its first record, so that none is lost."""
        if (name, topic) not in self._first:
            reading = Reading(TopicList((topic,)), KafkaOffsetsInitializer.earliest(), None, part.properties)
            self._first[name, topic] = KafkaEnumerator(reading, False).initial_offset()["partitions"]
        return self._first[name, topic]

    def splits(self, start: Offset, end: Offset, parallelism: int) -> Sequence[DynamicKafkaSplit]:
        found: list[DynamicKafkaSplit] = []
        for name, offset in end["clusters"].items():
            begin = end.get("begins", {}).get(name) or start["clusters"][name]
            splits = self._plain.splits(begin, offset, parallelism)
            if splits:
                properties = self._part(name).properties
                found += [DynamicKafkaSplit(name, properties, split) for split in splits]
        return found

    def _part(self, name: str) -> Part:
        """What is read of a cluster.

        Raises:
            KafkaFailure: A bounded source, or an epoch that is run again, reads it, and the service does not name it.
        """
        part = self._discovery.parts().get(name) or (self._made[name][0] if name in self._made else None)
        if part is None:
            raise KafkaFailure(
                f"the job has still to read the cluster {name!r}, which the metadata service no longer names: let it "
                "name the cluster until that is done"
            )
        return part

    def lanes(self, offset: Offset) -> Sequence[str]:
        clusters = offset["clusters"].items()
        return [lane_of(name, lane) for name, inner in clusters for lane in self._plain.lanes(inner)]

    def finished(self, offset: Offset) -> bool:
        return all(self._plain.finished(inner) for inner in offset["clusters"].values()) and self._stopping is not None

    def backlog(self, offset: Offset) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for name, inner in offset["clusters"].items():
            if name in self._made:
                waiting = self._made[name][1].backlog(inner)
                found |= {lane_of(name, partition): count for partition, count in waiting.items()}
        return found

    def commit(self, offset: Offset) -> None:
        parts = self._discovery.parts()
        for name, inner in offset["clusters"].items():
            if name in parts:
                self._of(name).commit(inner)

    def close(self) -> None:
        for _, enumerator in self._made.values():
            enumerator.close()
        self._discovery.close()


def _offset(partitions: Partitions) -> dict[str, Any]:
    return {"partitions": partitions, "stop": None}


def _count(begin: Mapping[str, Any], end: Mapping[str, Any]) -> int:
    """About how many records lie between two offsets of a cluster."""
    at: Partitions = begin["partitions"]
    return sum(
        max(stop - at.get(topic, {}).get(partition, stop), 0)
        for topic, partitions in end["partitions"].items()
        for partition, stop in partitions.items()
    )
