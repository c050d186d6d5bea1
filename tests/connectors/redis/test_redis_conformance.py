"""The suites of all connectors, on a real Redis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from datastream.connectors import DeliveryGuarantee
from datastream.connectors.redis import RedisCommand, RedisConnection, RedisSink, RedisStreamsSource
from datastream.formats import SimpleStringSchema
from datastream.testing.conformance import SinkConformance, SourceConformance
from tests.support.servers.redis import RedisServer

_SECRET = "s3cret"
_AWAY = RedisConnection("127.0.0.1", 9, user_name="jobs", password=_SECRET, retries=1)


class _OnRedis:
    server: RedisServer

    @pytest.fixture(autouse=True)
    def _server(self, redis_server: RedisServer) -> Iterator[None]:
        self.server, self.keys = redis_server, {}
        yield

    def key_of(self, folder: Path) -> str:
        return self.keys.setdefault(folder, self.server.key())


class TestOneStream(_OnRedis, SourceConformance):
    expected = [f"n{n}" for n in range(7)]
    secrets = (_SECRET,)

    def create(self, folder: Path) -> RedisStreamsSource:
        key = self.server.key()
        self.server.add(key, (text.encode() for text in self.expected))
        return RedisStreamsSource(
            self.server.connection, key, SimpleStringSchema(), bounded=True, poll_ms=0, batch_size=2
        )

    def unreachable(self) -> RedisStreamsSource:
        return RedisStreamsSource(_AWAY, "orders", SimpleStringSchema())


class TestTwoStreams(_OnRedis, SourceConformance):
    """The order in a stream alone is sure, and the second one is not there."""

    expected = [f"n{n}" for n in range(6)]
    ordered = False

    def create(self, folder: Path) -> RedisStreamsSource:
        keys = [self.server.key() for _ in range(3)]
        self.server.add(keys[0], [b"n0", b"n1", b"n2", b"n3"])
        self.server.add(keys[2], [b"n4", b"n5"])
        return RedisStreamsSource(self.server.connection, keys, SimpleStringSchema(), bounded=True, poll_ms=0)


class _Sink(_OnRedis, SinkConformance):
    secrets = (_SECRET,)

    @staticmethod
    def command(key: str, record: Any) -> RedisCommand:
        raise NotImplementedError

    def create(self, folder: Path) -> RedisSink:
        key, command = self.key_of(folder), self.command
        # The suite gives all jobs the same id.
        return RedisSink(self.server.connection, lambda record: command(key, record), marker_prefix=f"{key}:")

    def unreachable(self) -> RedisSink:
        return RedisSink(_AWAY, lambda record: RedisCommand.set("a", record))


class TestList(_Sink):
    ordered = True

    @staticmethod
    def command(key: str, record: Any) -> RedisCommand:
        return RedisCommand.rpush(key, record)

    def written(self, folder: Path) -> Iterable[int]:
        with self.server.api as api:
            return [int(value) for value in api.lrange(self.key_of(folder), 0, -1)]


class TestStream(_Sink):
    ordered = True

    @staticmethod
    def command(key: str, record: Any) -> RedisCommand:
        return RedisCommand.xadd(key, {"value": record})

    def written(self, folder: Path) -> Iterable[int]:
        with self.server.api as api:
            return [int(fields[b"value"]) for _, fields in api.xrange(self.key_of(folder))]


class TestHash(_Sink):
    @staticmethod
    def command(key: str, record: Any) -> RedisCommand:
        return RedisCommand.hset(key, {str(record): record})

    def written(self, folder: Path) -> Iterable[int]:
        with self.server.api as api:
            return [int(value) for value in api.hgetall(self.key_of(folder)).values()]


class TestSetAtLeastOnce(_Sink):
    """Members are there once, however often they are added."""

    def create(self, folder: Path) -> RedisSink:
        key = self.key_of(folder)
        return RedisSink(
            self.server.connection, lambda record: RedisCommand.sadd(key, record), DeliveryGuarantee.AT_LEAST_ONCE
        )

    def written(self, folder: Path) -> Iterable[int]:
        with self.server.api as api:
            return map(int, api.smembers(self.key_of(folder)))


class TestListAtLeastOnce(_Sink):
    exactly_once = False

    def create(self, folder: Path) -> RedisSink:
        key = self.key_of(folder)
        return RedisSink(
            self.server.connection, lambda record: RedisCommand.rpush(key, record), DeliveryGuarantee.AT_LEAST_ONCE
        )

    def written(self, folder: Path) -> Iterable[int]:
        with self.server.api as api:
            return [int(value) for value in api.lrange(self.key_of(folder), 0, -1)]
