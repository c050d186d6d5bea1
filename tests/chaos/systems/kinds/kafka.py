"""Kafka by SQL, and its sources that are more than a topic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chaos.systems.system import IntoFiles, System

_PARTITIONS = 2


class UpsertKafka(System):
    """The table connector upsert-kafka, read and written: what is left of the topic when each key keeps its last value.

    In the input some keys have another value first, some are deleted and come back, and some stay deleted. A value
    that comes twice in a row for its key was written twice.
    """

    name = "upsert-kafka"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.kafka import OwnBroker

        self._server = OwnBroker()
        topic, self._out = (self._server.topic(_PARTITIONS, retention_ms=-1) for _ in range(2))
        self._server.produce(topic, _changes(count))
        return {"brokers": self._server.bootstrap, "in": topic, "out": self._out}

    def results(self) -> list[tuple[int, str]]:
        left: dict[bytes | None, bytes | None] = {}
        twice = []
        for record in self._server.read(self._out):
            if record.value is not None and left.get(record.key) == record.value:
                twice.append(record.value)
            left[record.key] = record.value
        rows = [json.loads(value) for value in [*left.values(), *twice] if value is not None]
        return [(row["id"], row["name"]) for row in rows]

    def written(self) -> int:
        return sum(self._server.ends(self._out).values())


class _KafkaIntoFiles(IntoFiles, System):
    def _begin(self, folder: Path, topics: int = 1) -> tuple[list[str], dict[str, Any]]:
        """Topics, and what each job is told."""
        from tests.support.servers.kafka import OwnBroker

        self._server = OwnBroker(quick=False)
        self._out = folder / "out"
        made = [self._server.topic(_PARTITIONS, retention_ms=-1) for _ in range(topics)]
        return made, {"address": self._server.bootstrap, "in": made, "out": str(self._out)}


class KafkaShare(_KafkaIntoFiles):
    """KafkaShareSource, into files."""

    name = "kafka-share"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        (topic,), where = self._begin(folder)
        self._server.produce(topic, _lines(range(count)))
        return where


class DynamicKafka(_KafkaIntoFiles):
    """DynamicKafkaSource of two topics, into files."""

    name = "dynamic-kafka"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        topics, where = self._begin(folder, topics=2)
        for first, topic in enumerate(topics):
            self._server.produce(topic, _lines(range(first, count, 2)))
        return where


class Hybrid(_KafkaIntoFiles):
    """HybridSource of files, which have the first half, and of a topic, into files."""

    name = "hybrid"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        (topic,), where = self._begin(folder)
        archive = folder / "archive"
        archive.mkdir()
        half, parts = count // 2, 4
        for part in range(parts):
            lines = _lines(range(part, half, parts))
            (archive / f"part-{part}.txt").write_text("".join(f"{line}\n" for line in lines))
        self._server.produce(topic, _lines(range(half, count)))
        return {**where, "archive": str(archive)}


def _lines(numbers: range) -> Iterator[str]:
    return (f"{n},n{n}" for n in numbers)


def _changes(count: int) -> Iterator[tuple[str, str | None]]:
    """Messages whose last value of each key is a record."""
    for n in range(count):
        if n % 5 == 0:
            yield _message(n, f"old{n}")
        if n % 10 == 3:
            yield _message(n, f"n{n}")
            yield _key(n), None
        if n % 10 == 7:
            yield _message(count + n, "deleted")
    for n in range(count):
        yield _message(n, f"n{n}")
        if n % 10 == 7:
            yield _key(count + n), None


def _message(n: int, name: str) -> tuple[str, str]:
    return _key(n), json.dumps({"id": n, "name": name})


def _key(n: int) -> str:
    return json.dumps({"id": n})
