"""What a source reads, and what it says where entries are gone."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.redis import RedisDeserializationSchema, RedisEntry, RedisLookup, RedisStreamsSource
from datastream.connectors.redis.enumerator import StreamsEnumerator
from datastream.errors import ValidationError
from datastream.formats import JsonRowDeserializationSchema, SimpleStringSchema
from datastream.functions import OutputTag
from datastream.io import EnumeratorContext, ReaderContext, Spool
from datastream.metrics import MetricRegistry
from datastream.time import WatermarkStrategy
from tests.support.servers.redis import RedisServer

LOGGER = logging.getLogger("test_redis_source")


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def source(server: RedisServer, streams: Any, **more: Any) -> RedisStreamsSource:
    return RedisStreamsSource(server.connection, streams, SimpleStringSchema(), **{"bounded": True, **more})


def read(made: RedisStreamsSource) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    with env.from_source(made, WatermarkStrategy.no_watermarks(), "in").execute_and_collect() as results:
        return list(results)


class Job:
    """A job that is driven by hand."""

    def __init__(self, made: RedisStreamsSource, folder: Path) -> None:
        spool = Spool(str(folder), "uid")
        self.enumerator = made.create_enumerator(EnumeratorContext("job", "uid", 1, LOGGER, spool))
        assert isinstance(self.enumerator, StreamsEnumerator)
        metrics = MetricRegistry("job", "in", "in", 0).group
        self.reader = made.create_reader(ReaderContext("job", "uid", 1, True, metrics, LOGGER, spool))

    def next(self, start: Any, budget: int) -> Any:
        return json.loads(json.dumps(self.enumerator.latest_offset(start, budget)))

    def records(self, start: Any, end: Any) -> list[str]:
        splits = self.enumerator.splits(start, end, 2)
        return [record for split in splits for batch in self.reader.read(split) for record in batch.records]

    def close(self) -> None:
        self.enumerator.close()
        self.reader.close()


class Whole(RedisDeserializationSchema):
    def deserialize(self, entry: RedisEntry) -> Any:
        return entry.id, entry.timestamp, dict(entry.fields)


def test_whole_entries(redis_server: RedisServer) -> None:
    key = redis_server.key()
    with redis_server.api as api:
        api.xadd(key, {"a": "1", "b": b"\xff"}, id="5-7")
    made = RedisStreamsSource(redis_server.connection, key, Whole(), bounded=True)
    assert read(made) == [("5-7", 5, {b"a": b"1", b"b": b"\xff"})]


@pytest.mark.parametrize(
    ("start", "expected"), [("earliest", "abcd"), ("20-0", "cd"), (20, "bcd"), (21, "d"), ("20-1", "d"), (99, "")]
)
def test_where_it_starts(redis_server: RedisServer, start: Any, expected: str) -> None:
    key = redis_server.key()
    with redis_server.api as api:
        for id, value in (("10-0", "a"), ("20-0", "b"), ("20-1", "c"), ("30-0", "d")):
            api.xadd(key, {"value": value}, id=id)
    assert "".join(read(source(redis_server, key, start=start))) == expected


def test_latest(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"old"])
    job = Job(source(redis_server, key, bounded=False, start="latest", poll_ms=0), tmp_path)
    begin = job.enumerator.initial_offset()
    assert job.next(begin, 10) == begin
    redis_server.add(key, [b"new"])
    assert job.records(begin, job.next(begin, 10)) == ["new"]
    job.close()


def test_a_budget_is_kept_by_many_streams(redis_server: RedisServer, tmp_path: Path) -> None:
    keys = [redis_server.key() for _ in range(5)]
    for place, key in enumerate(keys):
        redis_server.add(key, [f"{place}-{n}".encode() for n in range(7)])
    job = Job(source(redis_server, keys, poll_ms=0), tmp_path)
    at, found = job.enumerator.initial_offset(), []
    while not job.enumerator.finished(at):
        following = job.next(at, 3)
        some = job.records(at, following)
        assert len(some) == 3 or len(found) + len(some) == 35
        assert job.records(at, following) == some, "an epoch that runs again reads the same"
        found += some
        at = following
    assert job.enumerator.backlog(at) == dict.fromkeys(keys, 0)
    assert sorted(found) == sorted(f"{place}-{n}" for place in range(5) for n in range(7))
    job.close()


def test_a_bounded_one_ends_with_what_was_there(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"a", b"b"])
    job = Job(source(redis_server, key, poll_ms=0), tmp_path)
    begin = job.enumerator.initial_offset()
    redis_server.add(key, [b"c"])
    end = job.next(begin, 10)
    assert job.records(begin, end) == ["a", "b"]
    assert job.enumerator.finished(end)
    again = json.loads(json.dumps(job.enumerator.reopen(end)))
    assert not job.enumerator.finished(again)
    assert job.records(again, job.next(again, 10)) == ["c"]
    job.close()


def test_trimmed_before_it_was_planned(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"a", b"b", b"c", b"d"])
    job = Job(source(redis_server, key, bounded=False, poll_ms=0), tmp_path)
    begin = job.enumerator.initial_offset()
    first = job.next(begin, 1)
    with redis_server.api as api:
        api.xtrim(key, maxlen=3, approximate=False)
        assert job.next(first, 1) != first, "what was read may go"
        api.xtrim(key, maxlen=1, approximate=False)
    with pytest.raises(ValidationError, match=f"2 entries of the stream '{key}' after .* were removed before"):
        job.next(first, 1)
    job.close()


@pytest.mark.parametrize("left", [1, 0])
def test_trimmed_before_an_epoch_runs_again(
    redis_server: RedisServer, tmp_path: Path, left: int, caplog: pytest.LogCaptureFixture
) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"a", b"b", b"c", b"d"])
    strict, mild = (
        Job(source(redis_server, key, bounded=False, poll_ms=0, on_gap=on_gap, batch_size=2), tmp_path)
        for on_gap in ("fail", "warn")
    )
    begin = strict.enumerator.initial_offset()
    end = strict.next(begin, 10)
    assert strict.records(begin, end) == ["a", "b", "c", "d"]
    with redis_server.api as api:
        api.xtrim(key, maxlen=left, approximate=False)
    with pytest.raises(ValidationError, match=f"{4 - left} entries .*, or set on_gap='warn' to go on"):
        strict.records(begin, end)
    assert mild.records(begin, end) == ["d"][:left]
    assert f"{4 - left} entries of the stream" in caplog.text
    redis_server.add(key, [b"e"])
    assert mild.records(end, mild.next(end, 10)) == ["e"]
    strict.close()
    mild.close()


def test_entries_that_were_deleted_one_by_one_are_left_out(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"a", b"b", b"c", b"d"])
    with redis_server.api as api:
        ids = [id for id, _ in api.xrange(key)]
        api.xdel(key, ids[1], ids[3])
    job = Job(source(redis_server, key, poll_ms=0), tmp_path)
    at, found = job.enumerator.initial_offset(), []
    while not job.enumerator.finished(at):
        following = job.next(at, 1)
        found += job.records(at, following)
        at = following
    assert found == ["a", "c"]
    job.close()


def test_a_stream_that_was_made_anew(redis_server: RedisServer, tmp_path: Path) -> None:
    key = redis_server.key()
    redis_server.add(key, [b"a", b"b"])
    job = Job(source(redis_server, key, bounded=False, poll_ms=0), tmp_path)
    end = job.next(begin := job.enumerator.initial_offset(), 10)
    with redis_server.api as api:
        api.delete(key)
        for _ in range(2):
            with pytest.raises(ValidationError, match="was deleted"):
                job.records(begin, end)
            with pytest.raises(ValidationError, match="it was deleted, or its server has lost its last entries"):
                job.next(end, 10)
            redis_server.add(key, [b"c"])
    job.close()


def test_a_key_that_is_no_stream(redis_server: RedisServer) -> None:
    key = redis_server.key()
    with redis_server.api as api:
        api.set(key, "a")
    with pytest.raises(JobError, match=f"the stream '{key}': .*WRONGTYPE"):
        read(source(redis_server, key))


def test_dead_letters_and_unreadable_entries(redis_server: RedisServer) -> None:
    key = redis_server.key()
    redis_server.add(key, [b'{"n": 1}', b"{"])
    row = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.INT()])).build()
    with pytest.raises(JobError, match=f"the stream '{key}' cannot be read"):
        read(RedisStreamsSource(redis_server.connection, key, row, bounded=True))
    with pytest.raises(JobError, match="it has no field 'other'"):
        read(RedisStreamsSource(redis_server.connection, key, row, field="other", bounded=True))
    tag = OutputTag("dead")
    env = StreamExecutionEnvironment.get_execution_environment()
    made = RedisStreamsSource(redis_server.connection, key, row.with_dead_letters(tag), bounded=True)
    stream = env.from_source(made, WatermarkStrategy.no_watermarks(), "in")
    with stream.get_side_output(tag).execute_and_collect() as results:
        assert [letter.data for letter in results] == [b"{"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"streams": []}, "expected the key of a stream, or a list of different keys"),
        ({"streams": ["a", "a"]}, "expected the key of a stream, or a list of different keys"),
        ({"schema": "text"}, "needs a DeserializationSchema such as SimpleStringSchema()"),
        ({"start": "5"}, "start must be 'earliest', 'latest', an id such as"),
        ({"start": "latest", "bounded": True}, "a bounded source that starts at 'latest' reads nothing"),
        ({"on_gap": "skip"}, "on_gap must be 'fail' or 'warn', got 'skip'"),
        ({"batch_size": 0}, "batch_size must be a whole number from 1 on, got 0"),
    ],
)
def test_wrong_settings(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as found:
        RedisStreamsSource(**{"connection": "redis://h", "streams": "a", "schema": SimpleStringSchema(), **given})
    assert message in str(found.value)


@pytest.mark.parametrize("kind", ["hash", "string"])
def test_lookups(redis_server: RedisServer, kind: str) -> None:
    from datastream.api import AsyncDataStream
    from datastream.time import Time

    key = redis_server.key()
    with redis_server.api as api:
        if kind == "hash":
            api.hset(f"{key}:1", mapping={"name": "one"})
        else:
            api.set(f"{key}:1", "one")
            api.set(f"{key}:3", "")
    function = RedisLookup(redis_server.connection, lambda n: n, left=True, kind=kind, prefix=f"{key}:")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = AsyncDataStream.ordered_wait(env.from_collection([1, 2, 3, 1]), function, Time.seconds(10))
    with stream.execute_and_collect() as results:
        found = list(results)
    one, three = ({"name": b"one"}, None) if kind == "hash" else (b"one", b"")
    assert found == [(1, one), (2, None), (3, three), (1, one)]


def test_a_lookup_of_a_key_of_another_kind(redis_server: RedisServer) -> None:
    from datastream.api import AsyncDataStream
    from datastream.time import Time

    key = redis_server.key()
    redis_server.add(key, [b"a"])
    env = StreamExecutionEnvironment.get_execution_environment()
    function = RedisLookup(redis_server.connection, lambda n: key)
    stream = AsyncDataStream.ordered_wait(env.from_collection([1]), function, Time.seconds(10))
    with pytest.raises(JobError, match=f"the key '{key}': .*WRONGTYPE"), stream.execute_and_collect() as results:
        list(results)
