"""The connector ``mqtt``: topics in SQL, on a real server."""

from __future__ import annotations

import uuid
from itertools import islice

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.mqtt import MqttServer

METADATA = (
    "id BIGINT, t STRING METADATA FROM 'topic', p MAP<STRING, STRING> METADATA FROM 'user-properties', "
    "q INT METADATA FROM 'qos' VIRTUAL, r BOOLEAN METADATA FROM 'retain' VIRTUAL, "
    "c STRING METADATA FROM 'content-type' VIRTUAL, a STRING METADATA FROM 'response-topic' VIRTUAL, "
    "d BYTES METADATA FROM 'correlation-data' VIRTUAL"
)


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def declared(server: MqttServer | None, columns: str, **more: str) -> TableEnvironment:
    """An environment with the table `t`; options by names with underscores for hyphens, and two of them for dots."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    url = "mqtt://localhost:1" if server is None else f"mqtt://{server.host}:{server.port}"
    given = {"connector": "mqtt", "url": url, "format": "json"}
    given |= {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in given.items())
    t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({listed})")
    return t_env


def collected(t_env: TableEnvironment, query: str, count: int) -> list[str]:
    """The first rows of a query, in the order of their texts."""
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in islice(rows, count))


def kept(server: MqttServer, filter: str) -> str:
    """The client id of a table whose session keeps what comes from now on."""
    client_id = f"test-{uuid.uuid4().hex[:12]}"
    server.keep(f"{client_id}-0", filter)
    return client_id


def test_rows_are_written_and_read(mqtt: MqttServer) -> None:
    topic = mqtt.topic()
    t_env = declared(mqtt, "id BIGINT, name STRING", topic=topic, client_id=kept(mqtt, topic), sink__qos="2")
    mqtt.keep(topic, topic)
    t_env.execute_sql("INSERT INTO t VALUES (1, 'ann'), (2, CAST(NULL AS STRING))").wait()
    assert collected(t_env, "SELECT name, id FROM t", 2) == ["['ann', 1]", "[None, 2]"]
    payloads = [message.payload for message in mqtt.drain(topic, topic)]
    assert payloads == [b'{"id":1,"name":"ann"}', b'{"id":2,"name":null}']


def test_metadata_is_written_and_read(mqtt: MqttServer) -> None:
    base = mqtt.topic()
    options = {"topic": f"{base}/#", "client_id": kept(mqtt, f"{base}/#"), "scan__id_property": "id"}
    t_env = declared(mqtt, METADATA, sink__content_type="application/json", **options)
    t_env.execute_sql(
        f"INSERT INTO t VALUES (1, '{base}/a', MAP['id', 'x', 'none', CAST(NULL AS STRING)]), "
        f"(2, '{base}/b/c', MAP['id', 'y', 'kind', 'order'])"
    ).wait()
    query = f"SELECT id, SUBSTRING(t, {len(base) + 1}), p, q, r, c, a, d FROM t"
    assert collected(t_env, query, 2) == [
        "[1, '/a', {'id': 'x'}, 1, False, 'application/json', None, None]",
        "[2, '/b/c', {'id': 'y', 'kind': 'order'}, 1, False, 'application/json', None, None]",
    ]


def test_properties_of_other_senders(mqtt: MqttServer) -> None:
    base = mqtt.topic()
    mqtt.publish(
        [(base, b'{"id": 7}')],
        retain=True,
        UserProperty=[("k", "1"), ("k", "2")],
        ResponseTopic="answers",
        CorrelationData=b"\x01",
    )
    t_env = declared(mqtt, METADATA, topic=base, client_id=base, scan__retained="true", scan__session_expiry="1 min")
    expected = ["[7, '2', True, None, 'answers', bytearray(b'\\x01')]"]
    assert collected(t_env, "SELECT id, p['k'], r, c, a, d FROM t", 1) == expected


def test_a_topic_of_the_table_and_retained_rows(mqtt: MqttServer) -> None:
    base = mqtt.topic()
    columns = "id BIGINT, p STRING METADATA FROM 'topic'"
    t_env = declared(mqtt, columns, topic=f"{base}/all", sink__retain="true", sink__message_expiry="1 min")
    t_env.execute_sql(f"INSERT INTO t VALUES (1, '{base}/one'), (2, CAST(NULL AS STRING))").wait()
    read = f"'topic' = '{base}/all;{base}/one', 'client-id' = '{base}', 'scan.retained' = 'true'"
    rows = collected(t_env, f"SELECT id, p FROM t /*+ OPTIONS({read}) */", 2)
    assert rows == [f"[1, '{base}/one']", f"[2, '{base}/all']"]
    with pytest.raises(JobError, match="'a/#' is no topic for the record"):
        t_env.execute_sql("INSERT INTO t VALUES (3, 'a/#')").wait()
    with pytest.raises(ValidationError, match="to read it, the option 'client-id' must be set"):
        t_env.execute_sql("SELECT id FROM t")


def test_what_cannot_be_read(mqtt: MqttServer) -> None:
    topic = mqtt.topic()
    t_env = declared(mqtt, "id BIGINT", topic=topic, client_id=kept(mqtt, topic))
    mqtt.publish([(topic, b"no json"), (topic, b'{"id": 2}')])
    assert collected(t_env, "SELECT id FROM t /*+ OPTIONS('json.ignore-parse-errors' = 'true') */", 1) == ["[2]"]
    other = kept(mqtt, topic)
    mqtt.publish([(topic, b"no json")])
    with pytest.raises(DataStreamError, match=f"a message of the topic '{topic}': .*no json"):
        collected(t_env, f"SELECT id FROM t /*+ OPTIONS('client-id' = '{other}') */", 1)


@pytest.mark.parametrize(
    ("columns", "more", "says"),
    [
        ("a INT", {"client_id": "c"}, "to read it, the option 'topic' must be set"),
        ("a INT", {"topic": "t"}, "to read it, the option 'client-id' must be set"),
        ("a INT", {"topic": "a/#", "client_id": "c"}, "'a/#' is no topic"),
        ("a INT", {"topic": "t+", "client_id": "c"}, "'\\+' stands for a whole level"),
        ("a INT", {"url": "http://x"}, "got 'http' before the first colon"),
        ("a INT", {"url": "mqtt://u:12/s3cret@h"}, "write '/' as %2F"),
        ("a INT", {"password": "s3cret"}, "a password needs a user_name"),
        ("a INT", {"tls__ca_file": "ca.pem"}, "does not begin with 'mqtts://'"),
        ("a INT", {"scan__qos": "2"}, "option 'scan.qos': expected one of 0, 1, got '2'"),
        ("a INT", {"scan__session_expiry": "1500 ms"}, "'scan.session-expiry' must be whole seconds, got '1500 ms'"),
        ("a INT", {"sink__message_expiry": "0 s"}, "'sink.message-expiry' must be whole seconds, got '0 s'"),
        ("a INT", {"sink__batch_size": "0"}, "'sink.batch-size' must be at least 1, got 0"),
        ("a INT", {"sink__max_retries": "-1"}, "'sink.max-retries' must be at least 0, got -1"),
        ("a INT PRIMARY KEY NOT ENFORCED", {}, "cannot have a PRIMARY KEY"),
        ("a INT, q INT METADATA FROM 'qos'", {"topic": "t", "client_id": "c"}, "cannot write the metadata 'qos'"),
    ],
)
def test_what_does_not_fit_is_refused(columns: str, more: dict[str, str], says: str) -> None:
    t_env = declared(None, columns, **more)
    with pytest.raises(ValidationError, match=says) as refused:
        t_env.execute_sql("INSERT INTO t SELECT * FROM t")
    assert "s3cret" not in str(refused.value)


def test_a_topic_to_write_is_needed() -> None:
    with pytest.raises(ValidationError, match="to write it, the option 'topic' must be set, or a column"):
        declared(None, "a INT").execute_sql("INSERT INTO t VALUES (1)")


def test_updates_are_refused() -> None:
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        declared(None, "a BIGINT", topic="t").execute_sql("INSERT INTO t SELECT COUNT(*) FROM (VALUES (1))")


def test_a_user_and_a_password(own_mqtt: MqttServer) -> None:
    """The server has a port at which a user may use some topics alone."""
    url = f"mqtt://{own_mqtt.host}:{own_mqtt.guarded_port}"
    columns, options = "id BIGINT", {"topic": "open/a", "url": url, "username": "reader", "sink__max_retries": "0"}
    own_mqtt.keep("watcher", "open/a")
    declared(own_mqtt, columns, password="s3cret", **options).execute_sql("INSERT INTO t VALUES (1)").wait()
    assert [message.payload for message in own_mqtt.drain("watcher", "open/a")] == [b'{"id":1}']
    with pytest.raises(DataStreamError) as refused:
        declared(own_mqtt, columns, password="wr0ng", **options).execute_sql("INSERT INTO t VALUES (1)").wait()
    assert "wr0ng" not in str(refused.value)
