"""RabbitMQ by PyFlink's names: with a crash before and after every call, and whatever goes wrong, on a real server."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pika
import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSinkPublishOptions, RMQSource, RMQTls
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.formats import JsonRowDeserializationSchema, SerializationSchema, SimpleStringSchema
from datastream.functions import OutputTag
from datastream.io import Backoff, Sink
from datastream.testing.connectors import check_sink, check_source
from tests.support.servers.rabbitmq import PASSWORD, USER, OwnRabbitServer, RabbitServer

EPOCHS = [[["a"], ["b", "c"]], [["d"], []]]


def config_of(server: RabbitServer, **settings: Any) -> RMQConnectionConfig:
    builder = RMQConnectionConfig.Builder().set_host(server.host).set_port(server.port).set_virtual_host("/")
    builder.set_user_name(USER).set_password(PASSWORD)
    for name, value in settings.items():
        getattr(builder, f"set_{name}")(value)
    return builder.build()


class QuickSource(RMQSource):
    """One that does not wait for messages that may come."""

    idle_ms = 0
    wait_ms = 40


@pytest.mark.parametrize("with_ids", [True, False])
def test_a_source_with_a_crash_between_any_two_calls(
    tmp_path: Path, rabbitmq: RabbitServer, with_ids: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here
    queues = []

    def make(world: Path) -> RMQSource:
        queue = rabbitmq.queue()
        queues.append(queue)
        rabbitmq.publish(queue, [(body, body.encode()) for body in "abc"])
        return QuickSource(config_of(rabbitmq), queue, with_ids, SimpleStringSchema())

    crashes = check_source(make, tmp_path, "abc", parallelism=1, budget=2, twice=lambda _: not with_ids)
    assert crashes > 100
    assert [rabbitmq.size(queue) for queue in queues] == [0] * len(queues), "all are acknowledged in the end"


def test_a_sink_with_a_crash_between_any_two_calls(tmp_path: Path, rabbitmq: RabbitServer) -> None:
    queues: dict[Path, str] = {}

    def make(world: Path) -> Sink:
        queues[world] = queue = queues.get(world) or rabbitmq.queue()
        return RMQSink(config_of(rabbitmq), queue, SimpleStringSchema())

    def written(world: Path) -> list[str]:
        return [body.decode() for body in rabbitmq.drain(queues[world])]

    assert check_sink(make, tmp_path, written, EPOCHS, exactly_once=False) > 30
