"""Sinks of Kinesis and Firehose: what the service has no room for, limits, keys, and what is wrong."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from datastream import StreamExecutionEnvironment
from datastream.connectors.kinesis import (
    KinesisFirehoseSink,
    KinesisStreamsSink,
    KinesisStreamsSinkBuilder,
    PartitionKeyGenerator,
)
from datastream.errors import FormatError, JobError, ValidationError
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff, Batch, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.support.servers.kinesis import SECRET, KinesisServer


def builder(server: KinesisServer, stream: str) -> KinesisStreamsSinkBuilder:
    made = KinesisStreamsSink.builder().set_stream_name(stream).set_serialization_schema(SimpleStringSchema())
    made.set_partition_key_generator(PartitionKeyGenerator(lambda record: record.partition("-")[0]))
    return made.set_kinesis_client_properties(server.properties)


def context(folder: Path) -> WriterContext:
    registry = MetricRegistry("job", "operator", "uid", 3)
    return WriterContext("job", "uid", 3, 4, registry.group, logging.getLogger("t"), Spool(str(folder), "uid"))


class Writing:
    """Writes an epoch, over a client some of whose answers are changed."""

    def __init__(self, sink: Any, folder: Path, method: str = "put_records") -> None:
        sink.backoff = Backoff(retries=5, initial_ms=1)
        self.sink = sink
        self.requests: list[list[dict[str, Any]]] = []
        self.refuse: Any = lambda number, index: None
        connect = type(sink).connect

        def connected(given: WriterContext) -> Any:
            found = connect(sink, given)
            put = getattr(found._client, method)
            setattr(found._client, method, lambda **request: self.answer(put, request))
            return found

        sink.connect = connected
        self.writer = sink.create_writer(context(folder))

    def answer(self, put: Any, request: dict[str, Any]) -> Any:
        number, entries = len(self.requests), request["Records"]
        self.requests.append(entries)
        codes = [self.refuse(number, index) for index in range(len(entries))]
        if isinstance(codes[0], Exception):
            raise codes[0]
        taken = [entry for entry, code in zip(entries, codes, strict=True) if code is None]
        answer = put(**{**request, "Records": taken}) if taken else {"Records": [], "RequestResponses": []}
        given = iter(answer.get("RequestResponses") or answer["Records"])
        found = [next(given) if code is None else {"ErrorCode": code, "ErrorMessage": "so it is"} for code in codes]
        return {"Records": found, "RequestResponses": found}

    def epoch(self, records: list[str]) -> None:
        self.writer.begin(0, 0)
        self.writer.write(Batch(records))
        self.writer.prepare_commit()


THROTTLED = "ProvisionedThroughputExceededException"


def test_what_the_service_has_no_room_for_is_put_again(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream(2)
    writing = Writing(builder(kinesis, stream).set_max_batch_size(10).build(), tmp_path)
    writing.refuse = lambda number, index: THROTTLED if number < 4 and index % 3 == 0 else None
    records = [f"k{n % 3}-{n}" for n in range(40)]
    writing.epoch(records)
    assert sorted(kinesis.contents(stream)) == sorted(record.encode() for record in records)
    assert len(writing.requests) == 6  # four, and the 16 records that were left


def test_requests_that_failed_are_made_again_alone(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    writing = Writing(builder(kinesis, stream).set_max_batch_size(10).build(), tmp_path)
    away = EndpointConnectionError(endpoint_url="x")
    busy = ClientError({"Error": {"Code": THROTTLED, "Message": ""}}, "PutRecords")
    writing.refuse = lambda number, index: {1: away, 2: busy}.get(number)
    records = [f"k-{n}" for n in range(30)]
    writing.epoch(records)
    assert sorted(kinesis.contents(stream)) == sorted(record.encode() for record in records)


def test_an_epoch_ends_only_when_all_is_there(kinesis: KinesisServer, tmp_path: Path) -> None:
    writing = Writing(builder(kinesis, kinesis.stream()).build(), tmp_path)
    writing.refuse = lambda number, index: THROTTLED
    with pytest.raises(ConnectionError, match="was not taken by 6 tries; it had no room for 2 records"):
        writing.epoch(["a", "b"])


def test_fail_on_error_fails_at_once(kinesis: KinesisServer, tmp_path: Path) -> None:
    writing = Writing(builder(kinesis, kinesis.stream()).set_fail_on_error(True).build(), tmp_path)
    writing.refuse = lambda number, index: THROTTLED if index else None
    with pytest.raises(ValidationError, match=f"does not take 'b': {THROTTLED}: 'so it is'"):
        writing.epoch(["a", "b"])
    assert len(writing.requests) == 1


def test_requests_keep_to_the_limits(kinesis: KinesisServer, tmp_path: Path) -> None:
    stream = kinesis.stream()
    writing = Writing(builder(kinesis, stream).build(), tmp_path)
    large, small = ["k-" + "x" * 1_000_000 for _ in range(7)], [f"k-{n}" for n in range(1200)]
    writing.epoch(large + small)
    sizes = [sum(len(e["Data"]) + len(e["PartitionKey"]) for e in entries) for entries in writing.requests]
    assert max(sizes) <= 5 << 20 and max(map(len, writing.requests)) <= 500
    assert kinesis.contents(stream) == [record.encode() for record in large + small]


def test_a_record_that_is_too_large_is_named(kinesis: KinesisServer, tmp_path: Path) -> None:
    writing = Writing(builder(kinesis, kinesis.stream()).build(), tmp_path)
    with pytest.raises(FormatError, match="cannot write the record 'k-xxx.*1,048,579 bytes; at most 1,048,576"):
        writing.epoch(["k-" + "x" * ((1 << 20) - 0)])
    assert writing.requests == []


def test_keys_keep_their_order(kinesis: KinesisServer) -> None:
    stream = kinesis.stream(3)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection([f"k{n % 5}-{n}" for n in range(2000)]).sink_to(builder(kinesis, stream).build())
    env.execute("keys")
    by_key = defaultdict(list)
    for data in kinesis.contents(stream):
        key, _, number = data.decode().partition("-")
        by_key[key].append(int(number))
    assert by_key == {f"k{k}": list(range(k, 2000, 5)) for k in range(5)}


def test_fixed_keys_are_those_of_the_subtask_and_random_ones_differ(kinesis: KinesisServer, tmp_path: Path) -> None:
    for keys, check in (
        (PartitionKeyGenerator.fixed(), {"3"}.__eq__),
        (PartitionKeyGenerator.random(), lambda found: len(found) == 50),
    ):
        writing = Writing(builder(kinesis, kinesis.stream()).set_partition_key_generator(keys).build(), tmp_path)
        writing.epoch([str(n) for n in range(50)])
        assert check({entry["PartitionKey"] for entry in writing.requests[0]})


@pytest.mark.parametrize("key", ["", 7, "k" * 257])
def test_a_wrong_key_names_the_record(kinesis: KinesisServer, tmp_path: Path, key: Any) -> None:
    sink = builder(kinesis, "s").set_partition_key_generator(PartitionKeyGenerator(lambda record: key)).build()
    with pytest.raises(ValidationError, match="expected a text of 1 to 256 characters, for the record 'a'"):
        Writing(sink, tmp_path).epoch(["a"])


def test_a_missing_stream_fails_the_job(kinesis: KinesisServer) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection(["a"]).sink_to(builder(kinesis, "nowhere").build())
    with pytest.raises(JobError, match="the stream 'nowhere' is not there"):
        env.execute("missing")


def firehose(moto: KinesisServer, name: str) -> Any:
    made = KinesisFirehoseSink.builder().set_delivery_stream_name(name)
    return made.set_serialization_schema(SimpleStringSchema()).set_firehose_client_properties(moto.properties)


def test_firehose_delivers(moto: KinesisServer) -> None:
    name = moto.delivery_stream()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    records = [json.dumps({"n": n}) + "\n" for n in range(700)]
    env.from_collection(records).sink_to(firehose(moto, name).build())
    env.execute("deliver")
    lines = moto.delivered(name).splitlines()
    assert sorted(json.loads(line)["n"] for line in lines) == list(range(700))


def test_firehose_puts_again_what_it_had_no_room_for(moto: KinesisServer, tmp_path: Path) -> None:
    name = moto.delivery_stream()
    writing = Writing(firehose(moto, name).build(), tmp_path, "put_record_batch")
    writing.refuse = lambda number, index: "ServiceUnavailableException" if number == 0 and index % 2 else None
    writing.epoch([f"{n}\n" for n in range(10)])
    assert sorted(moto.delivered(name).split()) == [str(n) for n in range(10)]


def test_builders_say_what_is_missing(kinesis: KinesisServer) -> None:
    nothing: Any = None
    for made, text in (
        (KinesisStreamsSink.builder(), "set_partition_key_generator needs"),
        (builder(kinesis, "s").set_serialization_schema(nothing), "set_serialization_schema needs"),
        (builder(kinesis, "no such name!"), "set_stream_name: expected the name or the ARN"),
        (builder(kinesis, "s").set_kinesis_client_properties({}), "'aws.region' is needed"),
        (builder(kinesis, "s").set_max_batch_size_in_bytes(10), "would not fit into a request"),
    ):
        with pytest.raises(ValidationError, match=text):
            made.build()
    with pytest.raises(ValidationError, match="max_batch_size must be a whole number from 1 to 500, got 501"):
        builder(kinesis, "s").set_max_batch_size(501)


def test_keys_are_not_shown(kinesis: KinesisServer) -> None:
    sink = builder(kinesis, "s").build()
    assert SECRET not in f"{sink!r} {sink.settings!r}"


def test_a_server_that_is_away_is_worth_a_restart(tmp_path: Path) -> None:
    sink = builder(KinesisServer("http://127.0.0.1:9"), "s").build()
    sink.backoff = Backoff(retries=1, initial_ms=1)
    writer = sink.create_writer(context(tmp_path))
    writer.write(Batch(["a"]))
    with pytest.raises(ConnectionError, match="is away for the stream 's': EndpointConnectionError"):
        writer.prepare_commit()


def test_the_examples_of_pyflinks_docstrings_are_taken() -> None:
    sink_properties = {"aws.region": "eu-west-1"}
    streams = (
        KinesisStreamsSink.builder()
        .set_kinesis_client_properties(sink_properties)
        .set_stream_name("your_stream_name")
        .set_serialization_schema(SimpleStringSchema())
        .set_partition_key_generator(PartitionKeyGenerator.random())
        .build()
    )
    delivery = (
        KinesisFirehoseSink.builder()
        .set_firehose_client_properties(sink_properties)
        .set_delivery_stream_name("delivery-stream-name")
        .set_serialization_schema(SimpleStringSchema())
        .set_max_batch_size(20)
        .build()
    )
    assert (streams.settings.limits.batch_size, delivery.settings.limits.batch_size) == (500, 20)
