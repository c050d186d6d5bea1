"""Confluent's wire format, against a small server of the registry's protocol on loopback (no true registry)."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row
from datastream.errors import FormatError, JobError, ValidationError
from datastream.formats.avro import (
    AvroSchema,
    GenericRecordAvroTypeInfo,
    to_row_type,
)
from datastream.formats.avro import ConfluentRegistryAvroDeserializationSchema as Reading
from datastream.formats.avro import ConfluentRegistryAvroSerializationSchema as Writing
from tests.support.draws import draws
from tests.support.formats.registry_server import RegistryServer, registry_server

QUICK = {"retries.wait.ms": 1, "retries.max.wait.ms": 2}
OLD = AvroSchema('{"type": "record", "name": "User", "fields": [{"name": "id", "type": "int"}]}')
NEW = AvroSchema(
    """{"type": "record", "name": "User", "fields": [
    {"name": "id", "type": "long"}, {"name": "name", "type": "string", "default": "?"}]}"""
)


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with registry_server() as server:
        yield server


def test_records_bear_their_schemas_number(registry: RegistryServer) -> None:
    registry.register("other", '"int"')
    writer = Writing.for_generic("users-value", OLD, registry.url)
    messages = pickle.loads(pickle.dumps(writer)).serialize_block([{"id": 1}, {"id": 2}])
    assert messages == [b"\0\0\0\0\2\2", b"\0\0\0\0\2\4"]
    reader = pickle.loads(pickle.dumps(Reading.for_generic(OLD, registry.url)))
    assert reader.deserialize_block([messages[0], None, messages[1]]) == [{"id": 1}, {"id": 2}]
    assert reader.deserialize_block([messages[1]]) == [{"id": 2}]
    assert registry.requests == ["POST /subjects/users-value/versions", "GET /schemas/ids/2"]
    assert reader.get_produced_type() == GenericRecordAvroTypeInfo(OLD)


def test_messages_of_several_schemas_in_one_block(registry: RegistryServer) -> None:
    old = Writing.for_row("users-value", OLD, registry.url)
    new = Writing.for_row("users-value", NEW, registry.url)
    messages = [*old.serialize_block([Row(id=1)]), *new.serialize_block([Row(id=2, name="b")]), old.serialize(Row(3))]
    reader = Reading.for_row(NEW, registry.url)
    assert reader.deserialize_block(messages) == [Row(id=1, name="?"), Row(id=2, name="b"), Row(id=3, name="?")]
    assert reader.get_produced_type() == to_row_type(NEW)
    assert registry.requests.count("GET /schemas/ids/1") == 1


def test_schemas_that_name_others(registry: RegistryServer) -> None:
    inner = '{"type": "record", "name": "a.Part", "fields": [{"name": "x", "type": "int"}]}'
    registry.register("part", inner)
    whole = '{"type": "record", "name": "Whole", "fields": [{"name": "part", "type": "a.Part"}]}'
    references = [{"name": "a.Part", "subject": "part", "version": 1}]
    number = registry.register("whole", whole, references=references)
    reader = Reading.for_generic(AvroSchema(whole, [inner]), registry.url)
    assert reader.deserialize(b"\0" + number.to_bytes(4, "big") + b"\6") == {"part": {"x": 3}}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "expected Confluent's wire format"),
        (b"\0\0\0\0", "expected Confluent's wire format"),
        (b"\1\0\0\0\1\2", "if the messages are plain Avro"),
        (b"\0\0\0\0\7\2", "no schema of number 7"),
        (b"\0\xff\xff\xff\xff\2", "no schema of number 4294967295"),
        (b"\0\0\0\0\1\2\2", "1 bytes are left"),
        (b"\0\0\0\0\1", "field id: the bytes end too early"),
        (b"\0\0\0\0\2\2", "cannot be read as the one given"),
        (b"\0\0\0\0\3\2", "JSON, not AVRO"),
        (b"\0\0\0\0\4\2", "must be JSON"),
    ],
)
def test_messages_that_cannot_be_read(registry: RegistryServer, data: bytes, words: str) -> None:
    registry.register("users-value", str(OLD))
    registry.register("users-value", '"string"')
    registry.register("json", "{}", schemaType="JSON")
    registry.register("bad", "nonsense")
    reader = Reading.for_generic(OLD, registry.url, QUICK)
    with pytest.raises(FormatError, match=words):
        reader.deserialize(data)
    with pytest.raises(FormatError, match=f"of topic, offset 2: .*{words}"):
        reader.deserialize_block([b"\0\0\0\0\1\2", None, data], lambda index: ("topic", None, index))


def test_an_unknown_number_is_not_asked_for_again_at_once(registry: RegistryServer) -> None:
    reader = Reading.for_generic(OLD, registry.url, QUICK)
    for _ in range(3):
        with pytest.raises(FormatError):
            reader.deserialize(b"\0\0\0\0\7\2")
    assert len(registry.requests) == 1


@pytest.fixture(scope="module")
def kept() -> Iterator[Reading]:
    with registry_server() as server:
        server.register("users-value", str(OLD))
        yield Reading.for_generic(NEW, server.url, QUICK)


@draws(1000)
@given(st.binary(max_size=12) | st.binary(max_size=8).map(lambda data: b"\0\0\0\0\1" + data))
def test_any_bytes_are_a_record_or_a_format_error(kept: Reading, data: bytes) -> None:
    with suppress(FormatError):
        assert set(kept.deserialize(data)) == {"id", "name"}


def test_a_registry_that_fails_for_a_while_is_asked_again(registry: RegistryServer) -> None:
    writer = Writing.for_generic("s", OLD, registry.url, QUICK)
    registry.failures = 2
    assert writer.serialize({"id": 1}) == b"\0\0\0\0\1\2"
    assert len(registry.requests) == 3


def test_a_registry_that_is_down_is_no_format_error() -> None:
    with registry_server() as server:
        pass
    secrets = {**QUICK, "basic.auth.user.info": "someone:s3cret"}
    reader = Reading.for_generic(OLD, server.url, secrets)
    writer = Writing.for_generic("s", OLD, server.url, secrets)
    for call in (lambda: reader.deserialize(b"\0\0\0\0\1\2"), lambda: writer.serialize({"id": 1})):
        with pytest.raises(JobError, match="cannot ask the schema registry at http://127.0.0.1") as caught:
            call()
        assert "s3cret" not in str(caught.value) and "check that it runs" in str(caught.value)


def test_credentials_are_sent_and_never_shown(registry: RegistryServer) -> None:
    registry.user = "someone:s3cret"
    good = Writing.for_generic("s", OLD, registry.url, {**QUICK, "basic.auth.user.info": "someone:s3cret"})
    assert good.serialize({"id": 1}) == b"\0\0\0\0\1\2"
    by_url = registry.url.replace("//", "//someone:s3cret@")
    assert Writing.for_generic("s", OLD, by_url, QUICK).serialize({"id": 1}) == b"\0\0\0\0\1\2"
    registry.user = "else:other"
    for bad in (
        Writing.for_generic("s", OLD, registry.url, {**QUICK, "basic.auth.user.info": "someone:s3cret"}),
        Writing.for_generic("s", OLD, by_url, QUICK),
    ):
        with pytest.raises(JobError, match="check the credentials") as caught:
            bad.serialize({"id": 1})
        shown = f"{caught.value} {caught.value.__cause__} {bad!r} {bad._registry!r}"
        assert "s3cret" not in shown and "someone" not in shown


def test_a_schema_that_the_registry_refuses(registry: RegistryServer) -> None:
    registry.refuse = True
    with pytest.raises(JobError, match="to register the schema under the subject 's'.*incompatible"):
        Writing.for_generic("s", OLD, registry.url, QUICK).serialize({"id": 1})


def test_a_record_that_does_not_fit_is_told(registry: RegistryServer) -> None:
    with pytest.raises(FormatError, match="field id: expected Integer"):
        Writing.for_generic("s", OLD, registry.url).serialize({"id": "x"})


def test_wrong_settings_are_refused_at_once() -> None:
    with pytest.raises(ValidationError, match="not valid: ValueError: Unrecognized properties: what"):
        Reading.for_generic(OLD, "http://localhost", {"what": 1})
    with pytest.raises(ValidationError, match="Invalid url"):
        Reading.for_generic(OLD, "ftp://someone:s3cret@localhost")
    with pytest.raises(ValidationError, match="the subject is a str"):
        Writing.for_generic("", OLD, "http://localhost")
    Reading.for_generic(OLD, "http://localhost", {"basic.auth.credentials.source": "USER_INFO"})


def test_without_the_client_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("confluent_kafka"):
            raise ImportError("No module named 'confluent_kafka'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValidationError, match=r"pip install 'confluent-kafka\[schemaregistry\]'"):
        Reading.for_generic(OLD, "http://localhost")
