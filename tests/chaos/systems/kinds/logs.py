"""Logs, which keep what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.chaos.systems.system import IntoFiles, System, parsed


class Pulsar(System):
    """PulsarSource of two partitions, and PulsarSink with EXACTLY_ONCE, into a topic whose brokers know repetitions."""

    name = "pulsar"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.pulsar import ONCE, OwnPulsarServer

        self._server = server = OwnPulsarServer()
        numbers, self._results = server.topic(2), server.topic(namespace=ONCE)
        for partition in range(2):
            contents = (f"{n},n{n}".encode() for n in range(partition, count, 2))
            server.publish(f"{numbers}-partition-{partition}", contents, 100)
        return {"url": server.url, "admin": server.admin_url, "in": numbers, "out": self._results}

    def results(self) -> list[tuple[int, str]]:
        return list(parsed(data.decode() for data in self._server.drain(self._results)))

    def written(self) -> int:
        stats = self._server.call("GET", f"{self._results.replace('://', '/')}/internalStats")
        return int(stats["numberOfEntries"])


class _Kinesis(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.kinesis import OwnKinesalite

        self._server = OwnKinesalite(kept=True)
        self._stream = self._server.stream(2)
        return {"properties": self._server.properties, "stream": self._stream}


class KinesisSource(IntoFiles, _Kinesis):
    """KinesisStreamsSource of a stream whose shards were split and merged, into files."""

    name = "kinesis-source"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        reshard = [self._server.split, self._server.merge, self._server.split]
        step = -(-count // 4)
        for first in range(0, count, step):
            if first:
                reshard.pop()(self._stream)
            numbers = range(first, min(count, first + step))
            self._server.put(self._stream, ((f"k{n}", f"{n},n{n}".encode()) for n in numbers))
        self._out = folder / "out"
        return {**where, "out": str(self._out)}


class KinesisSink(_Kinesis):
    """KinesisStreamsSink: at least once, so records come twice when an epoch runs again."""

    name = "kinesis-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._found: list[tuple[int, str]] = []
        self._places = self._server.beginnings(self._stream)
        return {**where, "count": count}

    def results(self) -> list[tuple[int, str]]:
        while self._read():
            pass
        return self._found

    def written(self) -> int:
        self._read()  # once: the job may write as fast as this reads
        return len(self._found)

    def _read(self) -> int:
        """Read on in each shard by one request; how many records there were."""
        before = len(self._found)
        for shard, place in list(self._places.items()):
            answer = self._server.boto().get_records(ShardIterator=place, Limit=10_000)
            self._places[shard] = answer["NextShardIterator"]
            self._found += parsed(record["Data"].decode() for record in answer["Records"])
        return len(self._found) - before


class Firehose(System):
    """KinesisFirehoseSink: at least once. moto forgets all when it is killed, so it is not."""

    name = "firehose"
    victims = ("driver", "worker")
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.kinesis import KinesisServer
        from tests.support.servers.s3 import OwnS3

        self._server = OwnS3()
        firehose = KinesisServer(self._server.endpoint)
        self._stream = firehose.delivery_stream()
        self._bucket = firehose.bucket(self._stream)
        self._found: list[tuple[int, str]] = []
        self._seen: set[str] = set()
        return {"properties": firehose.properties, "stream": self._stream, "count": count}

    def results(self) -> list[tuple[int, str]]:
        for key in self._bucket.visible():
            if key not in self._seen:
                self._seen.add(key)
                self._found += parsed(self._bucket.read(key).decode().splitlines())
        return self._found


class _Redis(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.redis import OwnRedisServer

        self._server = OwnRedisServer()
        self._key = self._server.key("numbers")
        return {"port": self._server.port}


class RedisSource(IntoFiles, _Redis):
    """RedisStreamsSource of two streams, into files."""

    name = "redis-source"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        keys = [f"{self._key}-{place}" for place in range(2)]
        for place, key in enumerate(keys):
            self._server.add(key, (f"{n},n{n}".encode() for n in range(place, count, 2)))
        self._out = folder / "out"
        return {**where, "in": keys, "out": str(self._out)}


class RedisSink(_Redis):
    """RedisSink: exactly once, into a list, where a command that is repeated shows."""

    name = "redis-sink"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        return {**self._begin(), "out": self._key, "count": count}

    def results(self) -> list[tuple[int, str]]:
        with self._server.api as api:
            return list(parsed(value.decode() for value in api.lrange(self._key, 0, -1)))

    def written(self) -> int:
        with self._server.api as api:
            return int(api.llen(self._key))
