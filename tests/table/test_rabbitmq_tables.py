"""The connector ``rabbitmq``: queues and exchanges in SQL, on a real server."""

from __future__ import annotations

from itertools import islice

import pika
import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.rabbitmq import PASSWORD, USER, RabbitServer


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def declared(server: RabbitServer | None, columns: str, **more: str) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    url = "amqp://localhost:1/%2F" if server is None else f"amqp://{server.host}:{server.port}/%2F"
    given = {"connector": "rabbitmq", "url": url, "username": USER, "password": PASSWORD, "format": "json"}
    given |= {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({with_clause})")
    return t_env


def collected(t_env: TableEnvironment, query: str, count: int) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in islice(rows, count))


def test_rows_are_written_and_read(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.name()
    t_env = declared(rabbitmq, "id BIGINT, name STRING", queue=queue, queue__arguments="x-max-length:1000")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    assert collected(t_env, "SELECT name, id FROM t", 2) == ["['ann', 1]", "[None, 2]"]
    rabbitmq.wait_for_size(queue, 0)
    t_env.execute_sql("INSERT INTO t VALUES (3, 'eve')").wait()
    ((body, properties),) = rabbitmq.messages(queue)
    assert body == b'{"id":3,"name":"eve"}'
    assert properties.delivery_mode == 2


def test_metadata_is_written_and_read(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    columns = (
        "id BIGINT, c STRING METADATA FROM 'correlation-id', h MAP<STRING, STRING> METADATA FROM 'headers', "
        "at TIMESTAMP_LTZ(0) METADATA FROM 'timestamp', k STRING METADATA FROM 'routing-key', "
        "e STRING METADATA FROM 'exchange' VIRTUAL, r BOOLEAN METADATA FROM 'redelivered' VIRTUAL"
    )
    t_env = declared(rabbitmq, columns, queue=queue, scan__correlation_ids="true")
    t_env.execute_sql(
        "INSERT INTO t VALUES (1, 'one', MAP['kind', 'order'], TO_TIMESTAMP_LTZ(1700000000, 0), CAST(NULL AS STRING)), "
        f"(2, 'two', CAST(NULL AS MAP<STRING, STRING>), CAST(NULL AS TIMESTAMP_LTZ(0)), '{queue}')"
    ).wait()
    expected = ["['one', {'kind': 'order'}, True, '', False, 1]", "['two', {}, None, '', False, 2]"]
    query = "SELECT c, h, at = TO_TIMESTAMP_LTZ(1700000000, 0), e, r, id FROM t"
    assert collected(t_env, query, 2) == expected


def test_an_exchange(rabbitmq: RabbitServer) -> None:
    queue, exchange = rabbitmq.queue(), rabbitmq.name("exchange")
    with rabbitmq.channel() as channel:
        channel.exchange_declare(exchange, "topic", durable=True)
        channel.queue_bind(queue, exchange, "orders.*")
    t_env = declared(
        rabbitmq,
        "id BIGINT, k STRING METADATA FROM 'routing-key'",
        sink__exchange=exchange,
        sink__routing_key="orders.x",
    )
    t_env.execute_sql("INSERT INTO t VALUES (1, 'orders.us'), (2, CAST(NULL AS STRING))").wait()
    assert sorted(rabbitmq.drain(queue)) == [b'{"id":1}', b'{"id":2}']
    with pytest.raises(
        JobError, match=f"no queue takes the message .* to the exchange '{exchange}' by the key 'other'"
    ):
        t_env.execute_sql("INSERT INTO t VALUES (3, 'other')").wait()
    t_env.execute_sql("INSERT INTO t /*+ OPTIONS('sink.mandatory' = 'false') */ VALUES (3, 'other')").wait()
    with pytest.raises(ValidationError, match="to read it, the option 'queue' must be set"):
        t_env.execute_sql("SELECT id FROM t")


def test_what_cannot_be_read(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    rabbitmq.publish(queue, [b"no json", b'{"id": 2}'])
    t_env = declared(rabbitmq, "id BIGINT", queue=queue)
    assert collected(
        t_env, "SELECT id FROM t /*+ OPTIONS('json.ignore-parse-errors' = 'true', 'queue.passive' = 'true') */", 1
    ) == ["[2]"]
    rabbitmq.wait_for_size(queue, 0)
    rabbitmq.publish(queue, [b"no json"])
    with pytest.raises(DataStreamError, match=f"a message of the queue '{queue}': .*no json"):
        collected(t_env, "SELECT id FROM t", 1)


def test_headers_of_other_kinds(rabbitmq: RabbitServer) -> None:
    queue = rabbitmq.queue()
    with rabbitmq.channel() as channel:
        properties = pika.BasicProperties(headers={"n": 7, "yes": True, "none": None}, message_id="m")
        channel.basic_publish("", queue, b'{"id": 1}', properties)
    columns = "id BIGINT, h MAP<STRING, STRING> METADATA FROM 'headers', m STRING METADATA FROM 'message-id'"
    t_env = declared(rabbitmq, columns, queue=queue)
    assert collected(t_env, "SELECT h['n'], h['yes'], h['none'], m FROM t", 1) == ["['7', 'true', None, 'm']"]


@pytest.mark.parametrize(
    ("columns", "more", "says"),
    [
        ("a INT", {}, "the option 'queue' is missing"),
        ("a INT", {"queue": "q", "url": "http://x"}, "option 'url': expected amqp://"),
        ("a INT", {"queue": "q", "sink__batch_size": "0"}, "'sink.batch-size' must be positive, got 0"),
        ("a INT", {"queue": "q", "sink__max_retries": "-1"}, "'sink.max-retries' must not be negative"),
        ("a INT", {"queue": "q", "scan__prefetch_count": "-1"}, "'scan.prefetch-count' needs a whole number"),
        ("a INT PRIMARY KEY NOT ENFORCED", {"queue": "q"}, "cannot have a PRIMARY KEY"),
        ("a INT, e STRING METADATA FROM 'exchange'", {"queue": "q"}, "cannot write the metadata 'exchange'"),
    ],
)
def test_what_does_not_fit_is_refused(columns: str, more: dict[str, str], says: str) -> None:
    t_env = declared(None, columns, **more)
    with pytest.raises(ValidationError, match=says):
        t_env.execute_sql("INSERT INTO t SELECT * FROM t")


def test_updates_are_refused() -> None:
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        declared(None, "a BIGINT", queue="q").execute_sql("INSERT INTO t SELECT COUNT(*) FROM (VALUES (1))")


def test_passwords_are_not_shown(rabbitmq: RabbitServer) -> None:
    for more in ({"password": "s3c/ret@"}, {"url": f"amqp://guest:s3cret@{rabbitmq.host}:x/"}):
        t_env = declared(rabbitmq, "a INT", queue="q", **more)
        with pytest.raises(DataStreamError) as found:
            t_env.execute_sql("INSERT INTO t VALUES (1)").wait()
        assert "s3c" not in str(found.value)
