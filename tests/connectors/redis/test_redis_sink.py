"""What a sink writes, and what it says where it cannot."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from datastream import JobError, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors import DeliveryGuarantee
from datastream.connectors.redis import RedisCommand, RedisConnection, RedisSink, RedisTls
from datastream.errors import ValidationError
from datastream.io import Batch, SinkWriter, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.support.servers.redis import RedisServer


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def run(sink: RedisSink, records: list[Any], parallelism: int = 1) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    env.from_collection(records).sink_to(sink)
    env.execute("sink")


def writer_of(sink: RedisSink, folder: Path, job_id: str) -> SinkWriter:
    metrics = MetricRegistry("job", "out", "out", 0).group
    return sink.create_writer(
        WriterContext(job_id, "uid", 0, 1, metrics, logging.getLogger("test"), Spool(str(folder), "uid"))
    )


@pytest.fixture(params=[DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE], ids=["exactly", "at-least"])
def guarantee(request: pytest.FixtureRequest) -> Iterator[DeliveryGuarantee]:
    yield request.param


def test_all_commands(redis_server: RedisServer, guarantee: DeliveryGuarantee) -> None:
    key = redis_server.key()
    commands = [
        RedisCommand.set(f"{key}:text", "größe", ttl_ms=60_000),
        RedisCommand.set(f"{key}:gone", b"\xff"),
        RedisCommand.delete(f"{key}:gone"),
        RedisCommand.hset(f"{key}:hash", {"a": 1, "b": 2.5, "c": "x"}, ttl_ms=60_000),
        RedisCommand.hdel(f"{key}:hash", "c"),
        RedisCommand.rpush(f"{key}:list", 1, 2),
        RedisCommand.lpush(f"{key}:list", 0),
        RedisCommand.sadd(f"{key}:set", "a", "b"),
        RedisCommand.srem(f"{key}:set", "b"),
        RedisCommand.xadd(f"{key}:stream", {"value": "v"}, max_length=100),
    ]
    run(RedisSink(redis_server.connection, lambda record: record, guarantee), [commands])
    with redis_server.api as api:
        assert api.get(f"{key}:text") == "größe".encode()
        assert api.get(f"{key}:gone") is None
        assert api.hgetall(f"{key}:hash") == {b"a": b"1", b"b": b"2.5"}
        assert api.lrange(f"{key}:list", 0, -1) == [b"0", b"1", b"2"]
        assert api.smembers(f"{key}:set") == {b"a"}
        assert [fields for _, fields in api.xrange(f"{key}:stream")] == [{b"value": b"v"}]
        assert 0 < api.pttl(f"{key}:text") <= 60_000
        assert 0 < api.pttl(f"{key}:hash") <= 60_000
        assert api.pttl(f"{key}:list") == -1


def test_a_record_may_be_nothing(redis_server: RedisServer) -> None:
    key = redis_server.key()
    sink = RedisSink(redis_server.connection, lambda n: RedisCommand.rpush(key, n) if n % 2 else None)
    run(sink, list(range(10)), parallelism=2)
    with redis_server.api as api:
        assert sorted(map(int, api.lrange(key, 0, -1))) == [1, 3, 5, 7, 9]


def test_of_two_attempts_one_writes(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    sink = RedisSink(redis_server.connection, lambda n: RedisCommand.rpush(key, n))
    first, second = (writer_of(sink, tmp_path, key) for _ in range(2))
    for attempt, writer in enumerate((first, second)):
        writer.begin(5, attempt)
        writer.write(Batch([1, 2]))
    second.prepare_commit()
    with pytest.raises(ConnectionError, match="another attempt"):
        first.prepare_commit()
    first.close()
    with redis_server.api as api:
        assert api.lrange(key, 0, -1) == [b"1", b"2"]
    second.close()


def test_a_key_of_another_kind_leaves_all_unwritten(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    with redis_server.api as api:
        api.set(f"{key}:b", "text")
        writer = writer_of(
            RedisSink(redis_server.connection, lambda name: RedisCommand.rpush(f"{key}:{name}", 1)), tmp_path, key
        )
        writer.begin(0, 0)
        writer.write(Batch(["a", "b"]))
        with pytest.raises(
            ValidationError, match="b' holds a string, and the sink writes a list; nothing of the epoch"
        ):
            writer.prepare_commit()
        assert not api.exists(f"{key}:a")
        api.delete(f"{key}:b")
        writer.begin(0, 1)
        writer.write(Batch(["a", "b"]))
        writer.prepare_commit()
        assert [api.llen(f"{key}:{name}") for name in "ab"] == [1, 1]
        writer.close()


def test_kinds_within_an_epoch(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    writer = writer_of(RedisSink(redis_server.connection, lambda command: command), tmp_path, key)
    writer.begin(0, 0)
    writer.write(Batch([RedisCommand.set(key, 1), RedisCommand.hset(key, {"a": 1})]))
    with pytest.raises(ValidationError, match="holds a string, and the sink writes a hash"):
        writer.prepare_commit()
    writer.begin(0, 1)
    writer.write(Batch([RedisCommand.set(key, 1), RedisCommand.delete(key), RedisCommand.hset(key, {"a": 1})]))
    writer.prepare_commit()
    with redis_server.api as api:
        assert api.hgetall(key) == {b"a": b"1"}
    writer.close()


def test_tls_and_a_user_of_the_acl(redis_server: RedisServer) -> None:
    port, authority = redis_server.tls
    key = redis_server.key("jobs")
    with redis_server.api as api:
        api.execute_command(
            "ACL", "SETUSER", "jobs", "on", ">s3cret", "~jobs*", "~datastream:*", "+@all", "-@dangerous"
        )
    url = f"rediss://jobs:s3cret@localhost:{port}"
    reached = RedisConnection.of_url(url, tls=RedisTls(authority))
    assert "s3cret" not in repr(reached)
    run(RedisSink(reached, lambda n: RedisCommand.set(key, n)), [7])
    with redis_server.api as api:
        assert api.get(key) == b"7"
    with pytest.raises(JobError) as refused:
        run(RedisSink(reached, lambda n: RedisCommand.set("other", n)), [7])
    assert "the user 'jobs' may not do that" in str(refused.value)
    other = RedisConnection("127.1", port, password="s3cret", tls=RedisTls(authority), retries=0)  # the same address
    for client in (other.reader(), other.writer()):
        with client, pytest.raises(redis.ConnectionError, match="(?i)hostname mismatch"):
            client.ping()
    wrong = RedisConnection.of_url(f"rediss://jobs:wr0ng@localhost:{port}", tls=RedisTls(authority))
    with pytest.raises(JobError, match="refuses the user 'jobs'; check the user and the password") as refused:
        run(RedisSink(wrong, lambda n: RedisCommand.set(key, n)), [7])
    assert "wr0ng" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RedisConnection.of_url("http://u:s3cret@h"), "the URL must look like"),
        (lambda: RedisConnection.of_url("redis://u:s3cret@h/x"), "the database is a number, got 'x'"),
        (lambda: RedisConnection.of_url("redis://u:s3cret@h:99999999"), "the URL must look like"),
        (lambda: RedisConnection.of_url("redis://u:12/s3cret@h"), "write '/' as %2F"),
        (lambda: RedisConnection("h", port=0), "port must be a whole number from 1 to 65535, got 0"),
        (lambda: RedisConnection("h", user_name="u"), "the user 'u' needs a password"),
        (lambda: RedisSink("redis://h", "SET"), "command must be a function of a record, got 'SET'"),
        (lambda: RedisSink("redis://h", print, DeliveryGuarantee.NONE), "expected EXACTLY_ONCE or AT_LEAST_ONCE"),
        (lambda: RedisSink(5, print), "expected RedisConnection(...) or a URL, got int"),
        (lambda: RedisCommand.set("", 1), "a key must be a text or bytes, and not empty"),
        (lambda: RedisCommand.set("k", None), "a value must be text, bytes or a number, got NoneType"),
        (lambda: RedisCommand.hset("k", {}), "HSET of the key 'k' has no fields"),
        (lambda: RedisCommand.set("k", 1, ttl_ms=0), "ttl_ms must be a whole number from 1 on, got 0"),
        (lambda: RedisCommand.xadd("k", {"a": 1}, max_length=0), "max_length must be a whole number from 1 on"),
    ],
)
def test_wrong_settings(make: Any, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        make()
    assert message in str(found.value)
    assert "s3cret" not in str(found.value)


def test_a_function_that_returns_no_command(redis_server: RedisServer) -> None:
    with pytest.raises(JobError, match="the function must return a RedisCommand, a list of them, or None, got 7"):
        run(RedisSink(redis_server.connection, lambda record: record), [7])
