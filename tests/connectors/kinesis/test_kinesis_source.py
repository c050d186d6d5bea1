"""Sources of Kinesis: starts, splits and merges, what the service refuses, and what is inside of records."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from datastream import StreamExecutionEnvironment
from datastream.connectors.hybrid_source import HybridSource
from datastream.connectors.kinesis import (
    FlinkKinesisConsumer,
    KinesisDeserializationSchema,
    KinesisStreamsSource,
)
from datastream.connectors.kinesis.aggregation import records_in
from datastream.connectors.kinesis.reader import KinesisReader
from datastream.errors import CheckpointDamaged, FormatError, ValidationError
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff, EnumeratorContext, ReaderContext, Source, Spool
from datastream.metrics import MetricRegistry
from datastream.time import WatermarkStrategy
from tests.support.open_sockets import open_sockets
from tests.support.servers.kinesis import SECRET, KinesisServer

_LOGGER = logging.getLogger("test")
PAUSE = "flink.shard.getrecords.intervalmillis"
OLDEST = {"flink.stream.initpos": "TRIM_HORIZON", PAUSE: "0"}


def consumer(server: KinesisServer, stream: str, schema: Any = None, **more: str) -> FlinkKinesisConsumer:
    properties = {**server.properties, **OLDEST, **{name.replace("__", "."): value for name, value in more.items()}}
    return FlinkKinesisConsumer(stream, schema or SimpleStringSchema(), properties)


class Run:
    """Reads a source by epochs, as the engine does."""

    def __init__(self, source: Source, folder: Path) -> None:
        self.source, self.spool = source, Spool(str(folder / "spool"), "uid")
        self.enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 2, _LOGGER, self.spool))
        group = MetricRegistry("job", "operator", "uid", 0).group
        self.reader = source.create_reader(ReaderContext("job", "uid", 2, True, group, _LOGGER, self.spool))
        self.offset = self.enumerator.initial_offset()

    def epoch(self, budget: int = 1000) -> list[Any]:
        """The records of the next epoch."""
        end = json.loads(json.dumps(self.enumerator.latest_offset(self.offset, budget)))
        if end == self.offset:
            return []
        splits = self.enumerator.splits(self.offset, end, 2)
        self.offset = end
        return [record for split in splits for batch in self.reader.read(split) for record in batch.records]

    def until(self, count: int) -> list[Any]:
        """So many records, and a few epochs more."""
        found: list[Any] = []
        deadline = time.monotonic() + 30
        while len(found) < count and time.monotonic() < deadline:
            found += self.epoch()
        return found + self.epoch() + self.epoch()


class Numbered(KinesisDeserializationSchema):
    def deserialize(
        self, record_value: bytes, partition_key: str, seq_num: str, approx_arrival_timestamp: int, stream: str,
        shard_id: str,
    ) -> Any:  # fmt: skip
        return partition_key, int(record_value), shard_id


def test_each_key_keeps_its_order_over_splits_and_merges(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(2)
    run = Run(consumer(kinesis, stream, Numbered()), tmp_path)
    found: list[Any] = []
    written = 0

    def put(count: int) -> None:
        nonlocal written
        kinesis.put(stream, [(f"k{n % 7}", str(n).encode()) for n in range(written, written + count)])
        written += count

    put(70)
    found += run.epoch(10)
    kinesis.split(stream)
    put(70)
    found += run.epoch(10)
    kinesis.merge(stream)
    put(70)
    kinesis.split(stream, 1)
    put(70)
    while len(found) < written:
        found += run.epoch(10)
    assert run.until(0) == []
    by_key = defaultdict(list)
    for key, number, _ in found:
        by_key[key].append(number)
    assert by_key == {f"k{k}": list(range(k, written, 7)) for k in range(7)}
    assert len({shard for _, _, shard in found}) > 3


def test_keys_keep_their_order_while_a_busy_stream_is_resharded(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(2)
    run = Run(consumer(kinesis, stream, Numbered()), tmp_path)
    over = threading.Event()

    def write() -> None:
        for first in range(0, 3000, 30):
            kinesis.put(stream, [(f"k{n % 5}", str(n).encode()) for n in range(first, first + 30)])
            if first in (600, 1800):
                kinesis.split(stream)
            if first == 1200:
                kinesis.merge(stream)
        over.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    found = run.until(3000)
    writer.join(30)
    assert over.is_set()
    by_key = defaultdict(list)
    for key, number, _ in found:
        by_key[key].append(number)
    assert by_key == {f"k{k}": list(range(k, 3000, 5)) for k in range(5)}


def test_an_epoch_that_runs_again_reads_the_same(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", str(n).encode()) for n in range(5)])
    run = Run(consumer(kinesis, stream), tmp_path)
    start, found = run.offset, run.epoch()
    kinesis.put(stream, [("k", b"later")])
    (split,) = run.enumerator.splits(start, run.offset, 2)
    again = Run(run.source, tmp_path).reader.read(split)
    assert found == ["0", "1", "2", "3", "4"] == [record for batch in again for record in batch.records]
    assert run.epoch() == ["later"]


def test_records_that_are_gone_when_an_epoch_runs_again_are_an_error(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream, other = kinesis.stream(), kinesis.stream()
    kinesis.put(stream, [("k", b"a"), ("k", b"b")])
    run = Run(consumer(kinesis, stream), tmp_path)
    start, _ = run.offset, run.epoch()
    (split,) = run.enumerator.splits(start, run.offset, 2)
    assert isinstance(run.reader, KinesisReader)
    reader: Any = run.reader
    empty = kinesis.boto().get_shard_iterator(
        StreamName=other, ShardId="shardId-000000000000", ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    reader._begin = lambda *_: empty
    with pytest.raises(CheckpointDamaged, match="no longer has the 2 records"):
        list(reader.read(split))


@pytest.mark.parametrize("position", ["LATEST", "AT_TIMESTAMP", "TRIM_HORIZON"])
def test_a_new_job_starts_where_it_is_told_to(moto: KinesisServer, tmp_path: Path, position: str) -> None:
    stream = moto.stream()
    moto.put(stream, [("k", b"before")])
    time.sleep(0.05)  # moto compares times
    more = {"flink__stream__initpos": position}
    if position == "AT_TIMESTAMP":
        more["flink__stream__initpos__timestamp"] = str(time.time())
    run = Run(consumer(moto, stream, **more), tmp_path)
    assert run.epoch() == (["before"] if position == "TRIM_HORIZON" else [])
    time.sleep(0.05)
    moto.put(stream, [("k", b"after")])
    assert run.epoch() == ["after"]


def test_latest_loses_nothing_that_comes_before_the_first_epoch(moto: KinesisServer, tmp_path: Path) -> None:
    stream = moto.stream()
    moto.put(stream, [("k", b"before")])
    time.sleep(0.05)
    run = Run(consumer(moto, stream, flink__stream__initpos="LATEST"), tmp_path)
    time.sleep(0.05)
    moto.put(stream, [("k", b"after")])
    assert run.epoch() == ["after"]


def refusing(reader: Any, code: str, times: int) -> list[str]:
    """Let a reader's requests fail; the names of those that did."""
    client = reader._client
    failed: list[str] = []
    get = client.get_records

    def get_records(**request: Any) -> Any:
        if len(failed) < times:
            failed.append(code)
            raise ClientError({"Error": {"Code": code, "Message": "so it is"}}, "GetRecords")
        return get(**request)

    client.get_records = get_records
    return failed


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ExpiredIteratorException"])
def test_what_passes_is_tried_again(kinesis: KinesisServer, tmp_path: Path, code: str) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", b"a")])
    run = Run(consumer(kinesis, stream, flink__shard__getrecords__backoff__base="1"), tmp_path)
    failed = refusing(run.reader, code, 2)
    assert run.epoch() == ["a"]
    assert len(failed) == 2


def test_what_does_not_pass_fails_the_epoch(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    source = consumer(kinesis, stream)
    source.settings = replace(source.settings, backoff=Backoff(retries=2, initial_ms=1))
    run = Run(source, tmp_path)
    failed = refusing(run.reader, "ProvisionedThroughputExceededException", 10)
    with pytest.raises(ConnectionError, match=f"has no room or is away for the shard .* of the stream '{stream}'"):
        run.epoch()
    assert len(failed) == 3


def test_a_missing_stream_says_so(kinesis: KinesisServer, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="the stream 'nowhere' is not there"):
        Run(consumer(kinesis, "nowhere"), tmp_path)


def test_a_record_that_cannot_be_read_is_named(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", b"one")])
    with pytest.raises(FormatError, match=f"the record \\d+ of the shard shardId-0+ of the stream '{stream}' .*ValueE"):
        Run(consumer(kinesis, stream, Numbered()), tmp_path).epoch()


def _field(number: int, data: bytes | int) -> bytes:
    if isinstance(data, int):
        return bytes([number << 3, data])
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def aggregated(message: bytes) -> bytes:
    return b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message).digest()


def test_records_of_the_producer_library_are_taken_apart(kinesis: KinesisServer, tmp_path: Path) -> None:
    inner = [_field(3, _field(1, n) + _field(3, str(n).encode())) for n in (0, 1)]
    message = _field(1, b"a") + _field(1, b"b") + b"".join(inner)
    stream = kinesis.stream()
    kinesis.put(stream, [("x", aggregated(message)), ("y", b"2")])
    found = Run(consumer(kinesis, stream, Numbered()), tmp_path).epoch()
    assert [(key, number) for key, number, _ in found] == [("a", 0), ("b", 1), ("y", 2)]


def test_records_that_the_producer_library_puts_again_are_left_out(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(2)
    low, high = (next(k for k in "abcdef" if hashlib.md5(k.encode()).digest()[0] >> 7 == half) for half in (0, 1))
    message = _field(1, high.encode()) + _field(3, _field(1, 0) + _field(3, b"1"))
    with_hash = _field(1, high.encode()) + _field(2, b"0") + _field(3, _field(1, 0) + _field(2, 0) + _field(3, b"2"))
    kinesis.put(stream, [(low, aggregated(message)), (high, aggregated(message)), (low, aggregated(with_hash))])
    found = Run(consumer(kinesis, stream, Numbered()), tmp_path).epoch()
    assert sorted(number for _, number, _ in found) == [1, 2]


@pytest.mark.parametrize(
    "message",
    [b"\x0a\x05a", b"\x0f", b"\x1a\x00", b"\x08\x01", b"\x0a\x01\xff", b"\x80", bytes([8, *[255] * 2**20])],
    ids=lambda message: str(message[:6]),
)
def test_what_only_looks_like_records_of_the_producer_library_is_a_record(message: bytes) -> None:
    assert records_in(aggregated(message)) is None


def test_a_job_reads_all_shards_with_watermarks_of_their_own(kinesis: KinesisServer) -> None:
    stream = kinesis.stream(2)
    kinesis.put(stream, [(f"k{n}", str(n).encode()) for n in range(20)])
    kinesis.split(stream)
    kinesis.put(stream, [(f"k{n}", str(n).encode()) for n in range(20, 40)])
    builder = KinesisStreamsSource.builder().set_stream_arn(stream).set_deserialization_schema(SimpleStringSchema())
    source = builder.set_source_config(kinesis.properties).set_bounded().build()
    env = StreamExecutionEnvironment.get_execution_environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    found: Iterator[Any] = env.from_source(source, strategy, "lines").execute_and_collect()
    assert sorted(map(int, found)) == list(range(40))


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({}, "the property 'aws.region' is needed"),
        ({"aws.regoin": "x"}, "the property 'aws.regoin' is unknown; did you mean 'aws.region'"),
        ({"aws.region": "x", "flink.stream.initpos": "NEWEST"}, "must be one of LATEST, TRIM_HORIZON, AT_TIMESTAMP"),
        ({"aws.region": "x", "flink.stream.initpos": "AT_TIMESTAMP"}, "needs flink.stream.initpos.timestamp as"),
        ({"aws.region": "x", "flink.stream.recordpublisher": "EFO"}, "enhanced fan-out"),
        ({"aws.region": "x", "aws.credentials.provider": "BASIC"}, "needs the property 'aws.credentials.basic.access"),
        ({"aws.region": "x", "aws.credentials.provider": "ASSUME_ROLE"}, "use AUTO, BASIC, ENV_VAR, PROFILE"),
        ({"aws.region": "x", "flink.shard.getrecords.maxrecordcount": "0"}, "a whole number from 1 to 10,000"),
    ],
)
def test_wrong_properties_are_refused(properties: dict[str, str], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        FlinkKinesisConsumer("s", SimpleStringSchema(), properties)


def test_keys_are_not_shown(kinesis: KinesisServer) -> None:
    source = consumer(kinesis, "s")
    assert SECRET not in f"{source.settings!r} {source!r} {source.settings.service}"


def test_an_enumerator_and_a_reader_that_are_closed_leave_no_socket_open(
    kinesis: KinesisServer, tmp_path: Path
) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("x", b"1")])
    with open_sockets() as count:
        run = Run(consumer(kinesis, stream), tmp_path)
        assert run.epoch() == ["1"]
        assert count() > 0
        run.reader.close()
        run.enumerator.close()
        assert count() == 0


def test_two_regions_are_refused() -> None:
    arns = [f"arn:aws:kinesis:{region}:000000000000:stream/{name}" for region, name in (("a-1", "x"), ("b-1", "y"))]
    with pytest.raises(ValidationError, match="several regions"):
        FlinkKinesisConsumer(arns, SimpleStringSchema(), {})


def test_a_bounded_source_that_is_started_again_reads_what_is_new(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(2)
    kinesis.put(stream, [(f"k{n}", str(n).encode()) for n in range(10)])
    builder = KinesisStreamsSource.builder().set_stream_arn(stream).set_deserialization_schema(SimpleStringSchema())
    run = Run(builder.set_source_config({**kinesis.properties, PAUSE: "0"}).set_bounded().build(), tmp_path)

    def rest() -> list[int]:
        found: list[Any] = []
        while not run.enumerator.finished(run.offset):
            found += run.epoch(4)
            run.enumerator.commit(run.offset)
        return sorted(map(int, found))

    assert rest() == list(range(10))
    kinesis.split(stream)
    kinesis.put(stream, [(f"k{n}", str(n).encode()) for n in range(10, 20)])
    run.offset = json.loads(json.dumps(run.enumerator.reopen(run.offset)))
    assert not run.enumerator.finished(run.offset)
    assert rest() == list(range(10, 20))


def test_a_source_that_follows_another_one_has_notes_of_its_own(kinesis: KinesisServer, tmp_path: Path) -> None:
    streams = kinesis.stream(), kinesis.stream()
    for stream, values in zip(streams, ("12", "3"), strict=True):
        kinesis.put(stream, [("x", value.encode()) for value in values])
    first = KinesisStreamsSource.builder().set_stream_arn(streams[0]).set_bounded()
    first.set_deserialization_schema(SimpleStringSchema()).set_source_config({**kinesis.properties, **OLDEST})
    both = HybridSource.builder(first.build()).add_source(consumer(kinesis, streams[1])).build()
    assert Run(both, tmp_path).until(3) == ["1", "2", "3"]


def test_an_epoch_of_a_small_budget_reads_shards_in_turn(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(5)
    kinesis.put(stream, [(f"k{n}", str(n).encode()) for n in range(24)])
    run = Run(consumer(kinesis, stream), tmp_path)
    found: list[Any] = []
    for _ in range(90):
        some = run.epoch(2)
        assert len(some) <= 2
        found += some
    assert sorted(map(int, found)) == list(range(24))


def test_each_open_shard_is_a_lane_until_it_is_read(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    kinesis.put(stream, [("k", b"1")])
    run = Run(consumer(kinesis, stream), tmp_path)
    lanes = [f"{stream}/shardId-{number:012}" for number in range(3)]
    assert run.enumerator.lanes(run.offset) == lanes[:1]
    kinesis.split(stream)
    run.until(1)
    assert run.enumerator.lanes(run.offset) == lanes[1:]
