"""RabbitMQ that is killed, blocked or paused, and jobs that start again meanwhile."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment, Types
from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcSink
from datastream.connectors.rabbitmq import RMQSink, RMQSource
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff, Batch, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.connectors.test_rabbitmq import config_of
from tests.support.servers.rabbitmq import OwnRabbitServer
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MESSAGES = 20_000


def test_each_message_once_though_the_server_is_killed_and_the_job_restarts(
    own_rabbitmq: OwnRabbitServer, tmp_path: Path
) -> None:
    queue = own_rabbitmq.queue()
    own_rabbitmq.publish(queue, [(f"{n}", f"{n}".encode()) for n in range(MESSAGES)])
    database = tmp_path / "found.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE found (n INTEGER)")

    def start() -> Any:
        configuration = Configuration()
        configuration.set_string("execution.checkpointing.dir", f"{tmp_path}/checkpoint")
        configuration.set_string("datastream.epoch.max-records", "500")
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(2)
        numbers = env.add_source(RMQSource(config_of(own_rabbitmq), queue, True, SimpleStringSchema())).uid("queue")
        options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"jdbc:sqlite:{database}").build()
        sink = JdbcSink.exactly_once_sink("INSERT INTO found VALUES (?)", Types.ROW([Types.LONG()]), options)
        numbers.map(lambda text: (int(text),)).add_sink(sink).uid("found")
        return env.execute_async("numbers")

    def wait_for(count: int, job: Any) -> Any:
        """Wait for so many rows; a job that has failed starts again."""

        def look() -> bool:
            nonlocal job
            if rows(database) >= count:
                return True
            if job.get_job_execution_result().done():
                job = start()
            return False

        wait_until(look, f"{count} rows", 150, 0.1, lambda: rows(database))
        return job

    job = wait_for(2_000, start())
    job.cancel().result()
    job = wait_for(5_000, start())
    own_rabbitmq.kill()
    own_rabbitmq.start()
    job = wait_for(10_000, job)
    with suppress(JobError):
        job.cancel().result()
    job = wait_for(MESSAGES, start())
    own_rabbitmq.wait_for_size(queue, 0)
    job.cancel().result()
    with closing(sqlite3.connect(database)) as connection:
        found = Counter(n for (n,) in connection.execute("SELECT n FROM found"))
    assert found == Counter(range(MESSAGES))
    own_rabbitmq.wait_for_size(queue, 0)


def rows(database: Path) -> int:
    with closing(sqlite3.connect(database, timeout=60)) as connection:
        return int(connection.execute("SELECT count(*) FROM found").fetchone()[0])


def writer_of(sink: RMQSink) -> Any:
    group = MetricRegistry("job", "sink", "uid", 0).group
    return sink.connect(WriterContext("job", "uid", 0, 1, group, logging.getLogger("test"), Spool(None, "uid")))


def test_a_server_that_is_low_on_memory_is_waited_for(own_rabbitmq: OwnRabbitServer) -> None:
    queue = own_rabbitmq.queue()
    sink = RMQSink(config_of(own_rabbitmq), queue, SimpleStringSchema())
    sink.confirm_ms = 2000
    publisher = writer_of(sink)
    own_rabbitmq.control("set_vm_memory_high_watermark", "0.00001")
    with pytest.raises(ConnectionError, match=r"has not confirmed 1 messages within 2 s; .* low on memory"):
        publisher.publish(["a"])
    publisher.close()
    sink.confirm_ms = 30_000
    publisher = writer_of(sink)
    relief = threading.Timer(1, own_rabbitmq.control, ["set_vm_memory_high_watermark", "0.6"])
    relief.start()
    assert not publisher.publish(["b"])
    relief.join()
    publisher.close()
    assert b"b" in own_rabbitmq.drain(queue)


def test_a_sink_sends_a_batch_again_when_the_server_is_back(own_rabbitmq: OwnRabbitServer) -> None:
    queue = own_rabbitmq.queue()
    sink = RMQSink(config_of(own_rabbitmq), queue, SimpleStringSchema())
    sink.backoff = Backoff(retries=100, initial_ms=200, factor=1)
    group = MetricRegistry("job", "sink", "uid", 0).group
    writer = sink.create_writer(WriterContext("job", "uid", 0, 1, group, logging.getLogger("test"), Spool(None, "uid")))
    writer.begin(0, 0)
    writer.write(Batch([f"{n}" for n in range(2500)]))
    own_rabbitmq.kill()
    back = threading.Thread(target=own_rabbitmq.start)
    back.start()
    writer.write(Batch([f"{n}" for n in range(2500, 3000)]))
    writer.prepare_commit()
    back.join()
    writer.close()
    found = own_rabbitmq.drain(queue)
    assert {int(body) for body in found} == set(range(3000)), "confirmed messages outlive the server"


def test_a_user_without_rights_is_told(own_rabbitmq: OwnRabbitServer) -> None:
    own_rabbitmq.control("add_user", "nobody", "s3cret")
    own_rabbitmq.control("set_permissions", "nobody", "^$", "^$", "^$")
    config = config_of(own_rabbitmq, user_name="nobody", password="s3cret")
    with pytest.raises(ValueError, match="the user 'nobody' may not do that: ACCESS_REFUSED"):
        RMQSource(config, "q", False, SimpleStringSchema()).connect()
