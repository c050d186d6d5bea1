"""The connector ``pulsar``: topics in SQL, on a real server."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import mmh3
import pytest

from datastream.config.settings import settings
from datastream.connectors.pulsar.key_hash import partition_of
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.pulsar import ONCE, PulsarServer

pytestmark = pytest.mark.timeout(900)  # the server is fetched first, once

METADATA = (
    "id BIGINT, k STRING METADATA FROM 'key', p MAP<STRING, STRING> METADATA FROM 'properties', "
    "e TIMESTAMP_LTZ(3) METADATA FROM 'event_time', t STRING METADATA FROM 'topic' VIRTUAL, "
    "s INT METADATA FROM 'message_size' VIRTUAL, w STRING METADATA FROM 'producer_name' VIRTUAL, "
    "m BYTES METADATA FROM 'message_id' VIRTUAL, at TIMESTAMP_LTZ(3) METADATA FROM 'publish_time' VIRTUAL"
)


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def declared(server: PulsarServer | None, columns: str, topic: str, **more: str) -> TableEnvironment:
    """An environment with the table `t`; options by names with underscores for hyphens, and two of them for dots."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("table.local-time-zone", "UTC")
    url = "pulsar://localhost:1" if server is None else server.url
    given = {"connector": "pulsar", "service-url": url, "topics": topic, "format": "json"}
    given |= {"source.subscription-name": "tests", "source.stop.at-message-id": "latest"}
    given |= {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in given.items())
    t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({listed})")
    return t_env


def collected(t_env: TableEnvironment, query: str) -> list[str]:
    """All rows of a query, in the order of their texts."""
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


@pytest.mark.long
def test_rows_are_written_and_read(pulsar: PulsarServer) -> None:
    topic = pulsar.topic(2)
    t_env = declared(pulsar, "id BIGINT, name STRING", topic)
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    assert collected(t_env, "SELECT name, id FROM t") == ["['ann', 1]", "[None, 2]"]
    assert sorted(pulsar.drain(topic)) == [b'{"id":1,"name":"ann"}', b'{"id":2,"name":null}']


@pytest.mark.long
def test_a_table_without_an_end(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    pulsar.publish(topic, [b'{"id":1}', b'{"id":2}'])
    t_env = declared(pulsar, "id BIGINT", topic, source__stop__at_message_id="never")
    with t_env.execute_sql("SELECT id FROM t").collect() as rows:
        assert [row[0] for row in islice(rows, 2)] == [1, 2]


@pytest.mark.long
@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_metadata_is_written_and_read(pulsar: PulsarServer, guarantee: str) -> None:
    pulsar.make_namespace()
    topic = pulsar.topic(namespace=ONCE)
    t_env = declared(
        pulsar,
        METADATA,
        topic,
        admin_url=pulsar.admin_url,
        sink__delivery_guarantee=guarantee,
        pulsar__producer__producerName="shop",
    )
    t_env.execute_sql(
        "INSERT INTO t VALUES (1, 'a', MAP['kind', 'order', 'none', CAST(NULL AS STRING)], "
        "TO_TIMESTAMP_LTZ(1700000000123, 3)), "
        "(2, CAST(NULL AS STRING), CAST(NULL AS MAP<STRING, STRING>), CAST(NULL AS TIMESTAMP_LTZ(3)))"
    ).wait()
    query = "SELECT id, k, p, CAST(e AS STRING), t, s, SUBSTRING(w, 1, 5), m IS NOT NULL, at > e FROM t"
    assert collected(t_env, query) == [
        f"[1, 'a', {{'kind': 'order'}}, '2023-11-14 22:13:20.123', '{topic}', 8, 'shop-', True, True]",
        f"[2, None, {{}}, None, '{topic}', 8, 'shop-', True, None]",
    ]
    first, second = pulsar.messages(topic)
    assert (first.partition_key(), first.properties(), first.event_timestamp()) == (
        "a",
        {"kind": "order"},
        1_700_000_000_123,
    )
    assert (second.partition_key(), second.properties(), second.event_timestamp()) == ("", {}, 0)


@pytest.mark.long
def test_messages_of_a_key_go_to_one_partition(pulsar: PulsarServer) -> None:
    topic = pulsar.topic(3)
    columns = "id BIGINT, k STRING METADATA FROM 'key', t STRING METADATA FROM 'topic' VIRTUAL"
    t_env = declared(pulsar, columns, topic, sink__topic_routing_mode="message-key-hash")
    values = ", ".join(f"({n}, 'k{n % 5}')" for n in range(20))
    t_env.execute_sql(f"INSERT INTO t VALUES {values}").wait()
    with t_env.execute_sql("SELECT DISTINCT k, t FROM t").collect() as rows:
        found = {tuple(row) for row in rows}
    wanted = {(key, f"{topic}-partition-{(mmh3.hash(key) & 0x7FFFFFFF) % 3}") for key in map("k{}".format, range(5))}
    assert found == wanted


@pytest.mark.long
def test_where_reading_starts_and_stops(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    ids = [f"{id.ledger_id()}:{id.entry_id()}:-1" for id in pulsar.publish(topic, [b'{"id":%d}' % n for n in range(5)])]
    cases = [
        ({"source__start__message_id": "earliest"}, [0, 1, 2, 3, 4]),
        ({"source__start__message_id": ids[2]}, [2, 3, 4]),
        ({"source__start__publish_time": "1000"}, [0, 1, 2, 3, 4]),
        ({"source__stop__at_message_id": ids[2]}, [0, 1]),
    ]
    for given, wanted in cases:
        assert collected(declared(pulsar, "id BIGINT", topic, **given), "SELECT id FROM t") == [
            f"[{n}]" for n in wanted
        ]


@pytest.mark.long
def test_a_message_that_cannot_be_read(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    pulsar.publish(topic, [b'{"id":1}', b"no json", b'{"id":3}'])
    columns = "id BIGINT, k STRING METADATA FROM 'key' VIRTUAL"
    with pytest.raises(DataStreamError, match=rf"a message of the topic '{topic}'.*no json"):
        collected(declared(pulsar, columns, topic), "SELECT id, k FROM t")
    dropping = declared(pulsar, columns, topic, json__ignore_parse_errors="true")
    assert collected(dropping, "SELECT id, k FROM t") == ["[1, None]", "[3, None]"]


@pytest.mark.long
def test_an_event_time_before_1970(pulsar: PulsarServer) -> None:
    t_env = declared(pulsar, "id BIGINT, e TIMESTAMP_LTZ(3) METADATA FROM 'event_time'", pulsar.topic())
    with pytest.raises(JobError, match="cannot have an event time before 1970"):
        t_env.execute_sql("INSERT INTO t VALUES (1, TO_TIMESTAMP_LTZ(-5, 3))").wait()


@pytest.mark.parametrize("key", ["", "a", "ab", "abc", "abcd", "customer-17", "käse", "k" * 100])
def test_keys_have_the_partitions_of_other_clients(key: str) -> None:
    assert partition_of(key, 1000) == (mmh3.hash(key) & 0x7FFFFFFF) % 1000


def test_what_a_table_refuses() -> None:
    def select(**more: str) -> Callable[[], object]:
        return lambda: declared(None, "id BIGINT", "a", **more).execute_sql("SELECT * FROM t")

    def insert(**more: str) -> Callable[[], object]:
        return lambda: declared(None, "id BIGINT", "a", **more).execute_sql("INSERT INTO t VALUES (1)")

    wrong: list[tuple[Callable[[], object], str]] = [
        (select(source__subscription_name=""), "'source.subscription-name' must be set"),
        (select(source__start__message_id="5"), "expected a message as 'ledger:entry:partition'.*got '5'"),
        (select(source__start__message_id="1:2:-1", source__start__publish_time="5"), "only one of the options"),
        (select(source__stop__after_message_id="x", source__stop__at_message_id="never"), "only one of the options"),
        (select(source__start__publish_time="-5"), "expected milliseconds since 1970"),
        (select(service_url="localhost"), "service_url"),
        (select(pulsar__other="1"), "the option 'pulsar.other' is not known"),
        (select(pulsar__consumer__receiverQueueSize="x"), "receiverQueueSize must be a whole number"),
        (insert(sink__delivery_guarantee="exactly-once"), "needs set_admin_url"),
        (insert(sink__delivery_guarantee="twice"), "expected one of none, at-least-once, exactly-once"),
        (insert(pulsar__producer__compressionType="RAR"), "compressionType"),
        (select(format="debezium-json"), "are changes"),
    ]
    for call, reason in wrong:
        with pytest.raises(ValidationError, match=reason):
            call()
    with pytest.raises(ValidationError, match="cannot write the metadata 'topic'"):
        declared(None, "id BIGINT, topic STRING METADATA", "a").execute_sql("INSERT INTO t VALUES (1, 'b')")
    with pytest.raises(ValidationError, match="PRIMARY KEY"):
        declared(None, "id BIGINT, PRIMARY KEY (id) NOT ENFORCED", "a").execute_sql("SELECT * FROM t")
