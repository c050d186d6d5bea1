"""Client properties: what Java's names become, what is refused, and that secrets stay secret."""

from __future__ import annotations

import logging
import pickle

import pytest

from datastream import ValidationError
from datastream.connectors.kafka import KafkaSource
from datastream.connectors.kafka.client.properties import client_config, flag, make_client, whole_number
from datastream.environments.secret_values import hide, is_secret, secrets_of, shown
from datastream.formats import SimpleStringSchema
from tests.support.drive import driven
from tests.support.kafka.sources import eventually

BROKERS = {"bootstrap.servers": "127.0.0.1:1"}
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def config(role="consumer", **properties):
    found = client_config(BROKERS | {name.replace("__", "."): value for name, value in properties.items()}, role)
    return {name: value for name, value in found.items() if name not in (*BROKERS, "logger")}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"fetch.max.wait.ms": 100}, {"fetch.wait.max.ms": "100"}),
        ({"receive.buffer.bytes": "-1"}, {"socket.receive.buffer.bytes": "0"}),
        ({"check.crcs": True}, {"check.crcs": "true"}),
        ({"security.protocol": "SASL_SSL"}, {"security.protocol": "sasl_ssl"}),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        ({"ssl.truststore.certificates": "pem"}, {"ssl.ca.pem": "pem"}),
        (
            {"ssl.keystore.key": "k", "ssl.keystore.certificate.chain": "c"},
            {"ssl.key.pem": "k", "ssl.certificate.pem": "c"},
        ),
        ({"client.id.prefix": "jobs"}, {"client.id": "jobs-consumer"}),
        ({"key.deserializer": "x.Y", "max.poll.records": 5, "register.consumer.metrics": "true"}, {}),
        ({"partition.discovery.interval.ms": "10", "commit.offsets.on.checkpoint": "true"}, {}),
        ({"schema.registry.url": "http://r", "enable.auto.commit": True, "acks": "all"}, {}),
        (
            {"sasl.jaas.config": f'{PLAIN} required username="u" password="a\\"b";', "sasl.mechanism": "PLAIN"},
            {"sasl.username": "u", "sasl.password": 'a"b', "sasl.mechanism": "PLAIN"},
        ),
        (
            {"sasl.jaas.config": "x.ScramLoginModule required username=u password=p;"},
            {"sasl.username": "u", "sasl.password": "p"},
        ),
        (
            {"sasl.jaas.config": 'x.OAuthBearerLoginModule required clientId="i" clientSecret="s" scope="o";'},
            {
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": "i",
                "sasl.oauthbearer.client.secret": "s",
                "sasl.oauthbearer.scope": "o",
            },
        ),
    ],
)
def test_names_of_java(given, expected):
    found = client_config(BROKERS | given, "consumer")
    assert {name: found[name] for name in found.keys() - {*BROKERS, "logger"}} == expected


def test_properties_of_a_producer():
    assert config("producer", acks="all", buffer__memory=2048, max__request__size=5, fetch__min__bytes=1) == {
        "acks": "all",
        "queue.buffering.max.kbytes": "2",
        "message.max.bytes": "5",
    }
    assert config("producer", request__timeout__ms=7) == {"request.timeout.ms": "7"}
    assert config("admin", request__timeout__ms=7, acks=1, group__id="g") == {"socket.timeout.ms": "7"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bootstrap.servers": ""}, "no brokers"),
        ({"fetch.min.bytes": None}, "'fetch.min.bytes': expected str, int, float or bool, got NoneType"),
        ({"sasl.password": ["hunter2x"]}, "'sasl.password'.*hidden"),
        ({"sasl.jaas.config": "hunter2x"}, "login module"),
        ({"sasl.jaas.config": f"{PLAIN} required password=hunter2x;"}, r"found \['password'\]"),
        ({"sasl.jaas.config": 'software.amazon.msk.auth.iam.IAMLoginModule required x="hunter2x";'}, "oauth_cb"),
        ({"ssl.truststore.location": "/no/such/file"}, "No such file"),
        ({"buffer.memory": "much"}, "expected a number"),
    ],
)
def test_refused_properties(given, message):
    with pytest.raises(ValidationError, match=message) as failed:
        client_config(BROKERS | given, "producer")
    assert "hunter2x" not in str(failed.value)


@pytest.mark.parametrize(("store", "how"), [("keystore", "-importkeystore"), ("truststore", "-list -rfc")])
def test_key_stores(tmp_path, store, how):
    jks, pem = tmp_path / "s.jks", tmp_path / "s.pem"
    jks.write_bytes(b"\xfe\xed\xfe\xed and so on")
    pem.write_text("-----BEGIN CERTIFICATE-----")
    with pytest.raises(ValidationError, match=f"JKS key store of Java.*{how}"):
        client_config(BROKERS | {f"ssl.{store}.location": str(jks)}, "consumer")
    found = client_config(BROKERS | {f"ssl.{store}.location": str(pem)}, "consumer")
    names = {"keystore": {"ssl.certificate.location", "ssl.key.location"}, "truststore": {"ssl.ca.location"}}
    assert {name for name in found if name.startswith("ssl.")} == names[store]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fetch.min.byte": 1}, 'consumer: No such configuration property: "fetch.min.byte".*CONFIGURATION.md'),
        ({"fetch.min.bytes": "few"}, 'Invalid value for configuration property "fetch.min.bytes"'),
        ({"ssl.key.pem": "hunter2x", "security.protocol": "ssl"}, "ssl.key.pem failed"),
    ],
)
def test_what_the_client_refuses(given, message):
    with pytest.raises(ValidationError, match=message) as failed:
        make_client(client_config(BROKERS | given, "consumer") | {"group.id": "g"}, "consumer")
    assert "hunter2x" not in str(failed.value)


def test_flags_and_numbers():
    assert flag({"a": "True"}, "a", False) and flag({}, "a", True) and not flag({"a": False}, "a", True)
    assert whole_number({"a": " 5 "}, "a", 1) == 5
    with pytest.raises(ValidationError, match="a: expected true or false, got 'maybe'"):
        flag({"a": "maybe"}, "a", True)
    with pytest.raises(ValidationError, match="a: expected a whole number, got 'ten'"):
        whole_number({"a": "ten"}, "a", 1)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("sasl.password", True),
        ("sasl.jaas.config", True),
        ("ssl.key.pem", True),
        ("ssl.keystore.key", True),
        ("ssl.keystore.certificate.chain", True),
        ("ssl.truststore.password", True),
        ("sasl.oauthbearer.client.secret", True),
        ("sasl.oauthbearer.config", True),
        ("basic.auth.user.info", True),
        ("sasl.username", False),
        ("sasl.oauthbearer.token.endpoint.url", False),
        ("key.deserializer", False),
        ("bootstrap.servers", False),
    ],
)
def test_which_names_hold_secrets(name, secret):
    assert is_secret(name) is secret
    assert ("hunter2x" in str(shown({name: "hunter2x"}))) is not secret


def test_secrets_leave_texts():
    properties = {"sasl.jaas.config": f'{PLAIN} required username="u" password="hunter2x";', "sasl.password": "hunter"}
    assert hide("login hunter2x and hunter failed", secrets_of(properties)) == "login [hidden] and [hidden] failed"


def test_librdkafka_logs_to_python(caplog, capfd):
    with caplog.at_level(logging.DEBUG, logger="datastream.connectors.kafka"):
        properties = BROKERS | {
            "sasl.password": "hunter2x",
            "debug": "conf",
            "request.timeout.ms": 5000,
            "linger.ms": 1,
        }
        client = make_client(client_config(properties, "consumer") | {"group.id": "g"}, "consumer")
        eventually(lambda: client.poll(0.1) is None and "Connect to" in caplog.text)
        client.close()
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert "Connect to ipv4#127.0.0.1:1 failed" in said
    assert "hunter2x" not in said
    assert capfd.readouterr().err == ""
    assert not [r for r in caplog.records if r.levelno > logging.DEBUG and "Connect to" in r.getMessage()]


def source_builder():
    return KafkaSource.builder().set_topics("t").set_value_only_deserializer(SimpleStringSchema())


def test_secrets_are_in_no_text_of_a_source():
    source = source_builder().set_properties(BROKERS | {"sasl.password": "hunter2x"}).build()
    assert "hunter2x" not in repr(source) + str(source)
    with pytest.raises(ValidationError, match="no brokers"):
        source_builder().build()
    copy = pickle.loads(pickle.dumps(source))
    start, end = ({"partitions": {"t": {"1": n}}, "stop": None} for n in (0, 5))
    assert [split.lane for split in driven(copy).splits(start, end, 1)] == ["t-1"]
