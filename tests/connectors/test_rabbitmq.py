"""RabbitMQ by PyFlink's names: with a crash before and after every call, and whatever goes wrong, on a real server."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSinkPublishOptions, RMQSource, RMQTls
from datastream.errors import ValidationError
from datastream.formats import JsonRowDeserializationSchema, SerializationSchema, SimpleStringSchema
from datastream.functions import OutputTag
from datastream.io import Backoff, Sink, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.testing.connectors import check_sink, check_source
from tests.support.servers.rabbitmq import PASSWORD, USER, RabbitServer
from tests.support.waiting import wait_until

EPOCHS = [[["a"], ["b", "c"]], [["d"], []]]


@pytest.fixture(autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process, but for one test."""
    monkeypatch.setattr(settings(), "executor", getattr(request, "param", "local"))


def config_of(server: RabbitServer, **settings: Any) -> RMQConnectionConfig:
    builder = RMQConnectionConfig.Builder().set_host(server.host).set_port(server.port).set_virtual_host("/")
    builder.set_user_name(USER).set_password(PASSWORD)
    for name, value in settings.items():
        getattr(builder, f"set_{name}")(value)
    return builder.build()


class QuickSource(RMQSource):
    """One that does not wait for messages that may come."""

    poll_ms = 0
    wait_ms = 20


@pytest.mark.long
@pytest.mark.parametrize("with_ids", [True, False])
def test_a_source_with_a_crash_between_any_two_calls(
    tmp_path: Path, rabbitmq: RabbitServer, with_ids: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here
    queues = []
    with rabbitmq.channel() as channel:

        def make(world: Path) -> RMQSource:
            queues.append(queue := rabbitmq.name())
            channel.queue_declare(queue, durable=True)
            for body in "abc":
                channel.basic_publish("", queue, body.encode(), pika.BasicProperties(correlation_id=body))
            return QuickSource(config_of(rabbitmq), queue, with_ids, SimpleStringSchema())

        crashes = check_source(make, tmp_path, "abc", parallelism=1, twice=lambda _: not with_ids)
        assert crashes > 100
        left = [channel.queue_declare(queue, passive=True).method.message_count for queue in queues]
    assert left == [0] * len(queues), "all are acknowledged in the end"


@pytest.mark.long
def test_a_sink_with_a_crash_between_any_two_calls(tmp_path: Path, rabbitmq: RabbitServer) -> None:
    queues: dict[Path, str] = {}

    def make(world: Path) -> Sink:
        queues[world] = queue = queues.get(world) or rabbitmq.queue()
        return RMQSink(config_of(rabbitmq), queue, SimpleStringSchema())

    def written(world: Path) -> list[str]:
        return [body.decode() for body in rabbitmq.drain(queues[world])]

    assert check_sink(make, tmp_path, written, EPOCHS, exactly_once=False) > 30


def stream_of(source: RMQSource) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return env.add_source(source)


def first(source: RMQSource, count: int) -> list[Any]:
    """The first records of a job that reads a source."""
    with stream_of(source).execute_and_collect() as results:
        return [next(results) for _ in range(count)]


def run_sink(sink: Sink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).add_sink(sink)
    env.execute()


@pytest.mark.parametrize("executor", ["spark"], indirect=True)
def test_a_job_as_in_flinks_documentation(rabbitmq: RabbitServer) -> None:
    queue, target = rabbitmq.queue(), rabbitmq.name()
    rabbitmq.publish(queue, [(f"id {n}", f"text {n}".encode()) for n in range(100)])

    env = StreamExecutionEnvironment.get_execution_environment()
    # checkpointing is required for exactly-once or at-least-once guarantees
    env.enable_checkpointing(5000)

    connection_config = (
        RMQConnectionConfig.Builder()
        .set_host(rabbitmq.host)
        .set_port(rabbitmq.port)
        .set_virtual_host("/")
        .set_user_name(USER)
        .set_password(PASSWORD)
        .build()
    )

    stream = env.add_source(
        RMQSource(
            connection_config,
            queue,
            True,
            SimpleStringSchema(),
        )
    ).set_parallelism(1)

    stream.add_sink(
        RMQSink(
            connection_config,  # config for the RabbitMQ connection
            target,  # name of the RabbitMQ queue to send messages to
            SimpleStringSchema(),
        )
    )  # serialization schema to turn Java objects to messages

    job = env.execute_async()
    found: list[bytes] = []

    def look() -> bool:
        with suppress(pika.exceptions.ChannelClosedByBroker):  # the sink declares it with its first records
            found.extend(rabbitmq.drain(target))
        return len(found) >= 100

    wait_until(look, "100 messages", every_s=0.2, seen=lambda: found)
    job.cancel().result()
    assert sorted(found) == sorted(f"text {n}".encode() for n in range(100))
    rabbitmq.wait_for_size(queue, 0)


def test_more_messages_than_an_epoch_and_more_than_are_sent_ahead(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    rabbitmq.publish(queue, [f"{n}".encode() for n in range(3000)])
    for limits in ({}, {"prefetch_count": 100}):
        source = RMQSource(config_of(rabbitmq, **limits), queue, False, SimpleStringSchema())
        assert sorted(map(int, first(source, 3000))) == list(range(3000))
        rabbitmq.wait_for_size(queue, 0)
        rabbitmq.publish(queue, [f"{n}".encode() for n in range(3000)])


def test_messages_of_a_publisher_that_sent_one_twice_are_read_once(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    rabbitmq.publish(queue, [("1", b"a"), ("1", b"a"), ("2", b"b")])
    assert first(RMQSource(config_of(rabbitmq), queue, True, SimpleStringSchema()), 2) == ["a", "b"]


def test_a_message_that_cannot_be_read_is_named_or_goes_aside(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.LONG()]))
    poison = b'{"n": oh no' + b"x" * 1000
    rabbitmq.publish(queue, [b'{"n": 1}', poison, b'{"n": 2}'])
    with pytest.raises(
        JobError, match=rf"the queue '{queue}' cannot be read: .*its body: b'{{\"n\": oh noxx"
    ) as failed:
        first(RMQSource(config_of(rabbitmq), queue, False, schema), 3)
    assert "x" * 500 not in str(failed.value)
    rabbitmq.publish(queue, [b'{"n": 1}', poison, b'{"n": 2}'])
    tag = OutputTag("unreadable")
    stream = stream_of(RMQSource(config_of(rabbitmq), queue, False, schema.with_dead_letters(tag)))
    with stream.get_side_output(tag).execute_and_collect() as letters:
        letter = next(letters)
    assert letter.data == poison and letter.topic == queue


def test_a_message_without_a_correlation_id_is_named(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    rabbitmq.publish(queue, [("1", b"a"), b"nameless"])
    with pytest.raises(JobError, match="has no correlation_id: b'nameless'"):
        first(RMQSource(config_of(rabbitmq), queue, True, SimpleStringSchema()), 2)
    assert rabbitmq.size(queue) == 2, "nothing is lost"


class Fails(SerializationSchema):
    def serialize(self, value: Any) -> bytes:
        return bytes(value)


def test_a_record_that_cannot_be_written_is_named(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    with pytest.raises(JobError, match=r"RMQSink cannot write the record 'poison': TypeError: string argument"):
        run_sink(RMQSink(config_of(rabbitmq), queue, Fails()), [b"a", "poison"])
    with pytest.raises(JobError, match="cannot write the record 7: SimpleStringSchema writes str"):
        run_sink(RMQSink(config_of(rabbitmq), queue, SimpleStringSchema()), ["a", 7])
    assert rabbitmq.size(queue) == 0


def both(config: RMQConnectionConfig, queue: str, **settings: Any) -> list[Callable[[], Any]]:
    """A job with a source, and one with a sink."""
    sink = RMQSink(config, queue, SimpleStringSchema(), **settings)
    sink.backoff = Backoff(retries=1, initial_ms=1)
    return [
        lambda: first(RMQSource(config, queue, False, SimpleStringSchema(), **settings), 1),
        lambda: run_sink(sink, ["a"]),
    ]


def test_a_server_that_is_away_is_named_and_may_come_back() -> None:
    away = RabbitServer("127.0.0.1", 9)
    for run in both(config_of(away, connection_timeout=5000), "q"):
        with pytest.raises(JobError, match=r"RabbitMQ at 127.0.0.1:9 is away.*refused") as failed:
            run()
        assert failed.value.transient


def test_a_wrong_user_or_virtual_host_is_not_waited_for_and_no_password_is_shown(rabbitmq: RabbitServer) -> None:
    wrong = [
        ({"password": "s3cret"}, "refuses the user 'guest'"),
        ({"virtual_host": "nowhere"}, "refuses the user 'guest' its virtual host"),
        ({"uri": f"amqp://guest:s3cret@{rabbitmq.host}:{rabbitmq.port}/%2F"}, "refuses the user 'guest'"),
    ]
    for wrongly, says in wrong:
        config = config_of(rabbitmq, **wrongly)
        assert "s3cret" not in repr(config)
        for run in both(config, "q"):
            with pytest.raises(JobError, match=says) as failed:
                run()
            assert not failed.value.transient and "s3cret" not in str(failed.value)


def test_queues_that_are_missing_or_have_other_settings(rabbitmq: RabbitServer) -> None:
    for run in both(config_of(rabbitmq), rabbitmq.name("missing"), passive=True):
        with pytest.raises(JobError, match=r"no queue 'missing-.*create it first") as failed:
            run()
        assert not failed.value.transient
    limited = rabbitmq.queue(arguments={"x-max-length": 10})
    for run in both(config_of(rabbitmq), limited):
        with pytest.raises(JobError, match="inequivalent arg 'x-max-length'.*use passive=True"):
            run()
    read, write = both(config_of(rabbitmq), limited, queue_arguments={"x-max-length": 10})
    write()
    assert read() == ["a"]


def test_a_queue_that_is_deleted_while_it_is_read(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    rabbitmq.publish(queue, [b"a"])
    env = StreamExecutionEnvironment.get_execution_environment()
    env.add_source(RMQSource(config_of(rabbitmq), queue, False, SimpleStringSchema())).print()
    job = env.execute_async()
    rabbitmq.wait_for_size(queue, 0)  # the job has its message
    rabbitmq.delete(queue)
    # A reader that had not connected yet finds no queue.
    with pytest.raises(JobError, match=f"the queue '{queue}'( was deleted while it was read|: NOT_FOUND)"):
        job.get_job_execution_result().result()


def test_a_full_queue_is_tried_again(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue(arguments={"x-max-length": 2, "x-overflow": "reject-publish"})
    sink = RMQSink(config_of(rabbitmq), queue, SimpleStringSchema(), passive=True)
    sink.backoff = Backoff(retries=2, initial_ms=10)
    with pytest.raises(JobError, match="not taken by 3 tries; it had no room for 1 records") as failed:
        run_sink(sink, ["a", "b", "c"])
    assert failed.value.transient
    assert sorted(rabbitmq.drain(queue))[:2] == [b"a", b"b"]


def test_exchanges_keys_and_properties(rabbitmq: RabbitServer) -> None:
    even, odd, exchange = rabbitmq.queue(), rabbitmq.queue(), rabbitmq.name()
    with rabbitmq.channel() as channel:
        channel.exchange_declare(exchange, "direct", durable=True)
        for queue, key in ((even, "0"), (odd, "1")):
            channel.queue_bind(queue, exchange, key)
    options = RMQSinkPublishOptions(
        routing_key=lambda text: str(int(text) % 2),
        exchange=exchange,
        properties=lambda text: pika.BasicProperties(correlation_id=f"id {text}", headers={"n": int(text)}),
    )
    run_sink(RMQSink(config_of(rabbitmq), None, SimpleStringSchema(), options), ["1", "2", "3"])
    assert rabbitmq.drain(even) == [b"2"]
    ((body, properties), _) = rabbitmq.messages(odd)
    assert (body, properties.correlation_id, properties.headers, properties.delivery_mode) == (
        b"1",
        "id 1",
        {"n": 1},
        2,
    )
    lost = RMQSinkPublishOptions("nobody", exchange)
    with pytest.raises(
        JobError, match=rf"no queue takes the message b'1' to the exchange '{exchange}' by the key 'nobody'"
    ):
        run_sink(RMQSink(config_of(rabbitmq), None, SimpleStringSchema(), lost), ["1"])
    run_sink(
        RMQSink(
            config_of(rabbitmq), None, SimpleStringSchema(), RMQSinkPublishOptions("nobody", exchange, mandatory=False)
        ),
        ["1"],
    )
    for wrong, says in (
        (RMQSinkPublishOptions(lambda text: 7), "routing_key is 7 for the record '1'"),  # type: ignore[arg-type, return-value]
        (RMQSinkPublishOptions(lambda text: text[9]), "routing_key raised IndexError: .* for the record '1'"),
    ):
        with pytest.raises(JobError, match=says):
            run_sink(RMQSink(config_of(rabbitmq), None, SimpleStringSchema(), wrong), ["1"])
    with pytest.raises(JobError, match=r"no exchange 'missing'"):
        run_sink(RMQSink(config_of(rabbitmq), None, SimpleStringSchema(), RMQSinkPublishOptions("k", "missing")), ["1"])


def test_tls(rabbitmq: RabbitServer) -> None:
    port, authority = rabbitmq.tls
    config = config_of(rabbitmq, port=port, tls=RMQTls(authority))
    queue = rabbitmq.queue()
    run_sink(RMQSink(config, queue, SimpleStringSchema()), ["a"])
    assert first(RMQSource(config, queue, False, SimpleStringSchema()), 1) == ["a"]
    unknown = config_of(rabbitmq, uri=f"amqps://guest:guest@127.0.0.1:{port}/%2F")
    with pytest.raises(JobError, match="certificate verify failed"):
        first(RMQSource(unknown, queue, False, SimpleStringSchema()), 1)
    with pytest.raises(JobError, match="its files cannot be used"):
        first(RMQSource(config_of(rabbitmq, tls=RMQTls("/missing.pem")), queue, False, SimpleStringSchema()), 1)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_connection_whose_heartbeats_nobody_answered_is_made_again(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    config = config_of(rabbitmq, requested_heartbeat=1)
    group = MetricRegistry("job", "sink", "uid", 0).group
    context = WriterContext("job", "uid", 0, 1, group, logging.getLogger("test"), Spool(None, "uid"))
    source = RMQSource(config, queue, False, SimpleStringSchema()).connect()
    sink = RMQSink(config, queue, SimpleStringSchema()).connect(context)
    try:
        time.sleep(6)
        sink.publish(["a"])
        assert [message.body for message in source.pull(5)] == [b"a"]
    finally:
        source.close()
        sink.close()
    stubborn = RMQSource(
        config_of(rabbitmq, requested_heartbeat=1, automatic_recovery=False), queue, False, SimpleStringSchema()
    )
    source = stubborn.connect()
    time.sleep(6)
    with pytest.raises(ConnectionError, match="is away"):
        source.pull(5)
    source.close()


def test_settings_of_connections() -> None:
    builder = RMQConnectionConfig.Builder
    config = (
        builder()
        .set_host("h")
        .set_port(5672)
        .set_virtual_host("/")
        .set_user_name("u")
        .set_password("s3cret")
        .set_topology_recovery_enabled(True)
        .set_requested_heartbeat(20)
        .set_requested_frame_max(8192)
        .set_requested_channel_max(7)
        .set_network_recovery_interval(100)
        .set_connection_timeout(3000)
        .set_automatic_recovery(True)
        .set_prefetch_count(50)
        .build()
    )
    assert (config.get_host(), config.get_port(), config.get_virtual_host()) == ("h", 5672, "/")
    assert (config.get_user_name(), config.get_password(), config.get_uri()) == ("u", "s3cret", None)
    assert (config.get_requested_heartbeat(), config.get_requested_frame_max()) == (20, 8192)
    assert (config.get_requested_channel_max(), config.get_connection_timeout()) == (7, 3000)
    assert (config.get_network_recovery_interval(), config.is_automatic_recovery()) == (100, True)
    assert config.is_topology_recovery() is True and config.prefetch_count == 50
    assert "s3cret" not in repr(config) and pickle.loads(pickle.dumps(config)) == config
    of_uri = builder().set_uri("amqps://me:s3cret@rabbit.example/shop").build()
    assert (of_uri.address, of_uri.user) == ("rabbit.example:5671", "me") and "s3cret" not in repr(of_uri)
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: builder().set_host("h").build(), "call set_port, set_virtual_host, set_user_name, set_password"),
        (lambda: builder().set_uri("http://u:s3cret@h"), "got 'http' before"),
        (lambda: builder().set_uri("amqp://u:s3cret@h:port"), "its host or port"),
        (lambda: builder().set_port(-1), "from 0 to 65535, got -1"),
        (lambda: builder().set_prefetch_count(70_000), "from 0 to 65535"),
        (lambda: builder().set_host(""), "not empty"),
        (lambda: builder().set_tls("file"), "needs RMQTls"),  # type: ignore[arg-type]
        (lambda: RMQSource(builder(), "q", True, SimpleStringSchema()), "call .build"),  # type: ignore[arg-type]
        (lambda: RMQSource(config, "", True, SimpleStringSchema()), "the name of a queue"),
        (lambda: RMQSource(config, "q", True, str), "a DeserializationSchema"),  # type: ignore[arg-type]
        (lambda: RMQSink(builder(), "q", SimpleStringSchema()), "call .build"),  # type: ignore[arg-type]
        (lambda: RMQSink(config, None, SimpleStringSchema()), "or publish_options"),
        (lambda: RMQSink(config, "q", str), "a SerializationSchema"),  # type: ignore[arg-type]
        (lambda: RMQSink(config, "q", SimpleStringSchema(), "k"), "RMQSinkPublishOptions"),  # type: ignore[arg-type]
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says) as failed:
            make()
        assert "s3cret" not in str(failed.value)
