"""What a Kafka sink takes as settings, by PyFlink's names, and what it refuses."""

import inspect
import pickle

import pytest

import datastream.connectors.kafka as kafka_names
from datastream.connectors.kafka import (
    DeliveryGuarantee,
    FlinkKafkaProducer,
    FlinkKafkaProducer010,
    FlinkKafkaProducer011,
    KafkaRecordSerializationSchema,
    KafkaSink,
    Semantic,
)
from datastream.connectors.kafka.sink.settings import producer_config
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.formats import SimpleStringSchema
from tests.support.drive import context, write
from tests.support.kafka.sinks import AT_LEAST_ONCE, EXACTLY_ONCE, NONE, sink_of, text_serializer, values

HERE = {"bootstrap.servers": "127.0.0.1:1"}


def config(guarantee=AT_LEAST_ONCE, **properties):
    given = HERE | {name.replace("_", "."): value for name, value in properties.items()}
    return producer_config(given, guarantee, "id" if guarantee is EXACTLY_ONCE else None)


@pytest.mark.usefixtures("pyflink")
def test_pyflinks_imports_find_the_sink():
    from pyflink.datastream.connectors.base import DeliveryGuarantee as theirs
    from pyflink.datastream.connectors.kafka import KafkaSink as their_sink

    assert theirs is DeliveryGuarantee
    assert their_sink is KafkaSink
    assert [guarantee.name for guarantee in DeliveryGuarantee] == ["EXACTLY_ONCE", "AT_LEAST_ONCE", "NONE"]


#: PyFlink's methods with their parameters.
PYFLINK = {
    "KafkaSinkBuilder": {
        "build": [],
        "set_bootstrap_servers": ["bootstrap_servers"],
        "set_delivery_guarantee": ["delivery_guarantee"],
        "set_transactional_id_prefix": ["transactional_id_prefix"],
        "set_record_serializer": ["record_serializer"],
        "set_property": ["key", "value"],
    },
    "KafkaRecordSerializationSchemaBuilder": {
        "build": [],
        "set_topic": ["topic"],
        "set_topic_selector": ["topic_selector"],
        "set_key_serialization_schema": ["key_serialization_schema"],
        "set_value_serialization_schema": ["value_serialization_schema"],
    },
    "KafkaTopicSelector": {"apply": ["data"]},
    "FlinkKafkaProducer": {
        "__init__": ["topic", "serialization_schema", "producer_config", "kafka_producer_pool_size", "semantic"],
        "ignore_failures_after_transaction_timeout": [],
    },
}


@pytest.mark.parametrize("name", PYFLINK)
def test_methods_have_pyflinks_parameters(name):
    for method, parameters in PYFLINK[name].items():
        ours = list(inspect.signature(getattr(getattr(kafka_names, name), method)).parameters)
        assert ours == ["self", *parameters], method


def test_defaults():
    assert config()["enable.idempotence"] is True
    assert config()["partitioner"] == "murmur2_random"
    assert config()["message.timeout.ms"] == 120_000
    assert config(EXACTLY_ONCE)["transaction.timeout.ms"] == 300_000
    assert config(EXACTLY_ONCE)["transactional.id"] == "id"
    assert "transactional.id" not in config()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"acks": "1"}, {"enable.idempotence": False, "acks": "1"}),
        ({"enable.idempotence": "false"}, {"enable.idempotence": False}),
        ({"max.request.size": "5000000"}, {"message.max.bytes": 5_000_000, "queue.buffering.max.kbytes": 65536}),
        ({"max.request.size": 100_000_000}, {"message.max.bytes": 100_000_000, "queue.buffering.max.kbytes": 195312}),
        ({"buffer.memory": "134217728"}, {"queue.buffering.max.kbytes": 131072}),
        ({"delivery.timeout.ms": "5000"}, {"delivery.timeout.ms": "5000"}),
        ({"partitioner": "consistent"}, {"partitioner": "consistent"}),
        ({"key.serializer": "x", "value.serializer": "y", "max.block.ms": "1"}, {}),
    ],
)
def test_properties_of_javas_clients(given, expected):
    made = config(**given)
    assert {name: made[name] for name in expected} == expected
    assert not {"key.serializer", "value.serializer", "max.block.ms"} & made.keys()


def test_a_short_transaction_shortens_the_delivery():
    assert config(EXACTLY_ONCE, transaction_timeout_ms="60000")["message.timeout.ms"] == 60_000


@pytest.mark.parametrize(
    ("guarantee", "given", "text"),
    [
        (EXACTLY_ONCE, {"transactional.id": "mine"}, "use set_transactional_id_prefix"),
        (AT_LEAST_ONCE, {"acks": "0"}, "acks=0 loses records, which AT_LEAST_ONCE must not"),
        (EXACTLY_ONCE, {"acks": "1"}, "EXACTLY_ONCE needs acks=all"),
        (EXACTLY_ONCE, {"enable.idempotence": "false"}, "EXACTLY_ONCE needs acks=all and enable.idempotence=true"),
        (AT_LEAST_ONCE, {"enable.idempotence": "perhaps"}, "expected true or false, got 'perhaps'"),
        (NONE, {"max.request.size": "large"}, "expected a whole number, got 'large'"),
    ],
)
def test_properties_that_contradict_the_guarantee(guarantee, given, text):
    with pytest.raises(ValidationError, match=text):
        sink_of("127.0.0.1:1", "t", guarantee, **given)


def test_what_a_builder_must_be_told():
    serializer = text_serializer("t").build()
    with pytest.raises(ValidationError, match="no record serializer"):
        KafkaSink.builder().set_bootstrap_servers("h:1").build()
    with pytest.raises(ValidationError, match="call set_bootstrap_servers"):
        KafkaSink.builder().set_record_serializer(serializer).build()
    exactly_once = KafkaSink.builder().set_bootstrap_servers("h:1").set_record_serializer(serializer)
    with pytest.raises(ValidationError, match="EXACTLY_ONCE needs a transactional id prefix"):
        exactly_once.set_delivery_guarantee(EXACTLY_ONCE).build()
    with pytest.raises(ValidationError, match="expected a DeliveryGuarantee, got str 'exactly"):
        exactly_once.set_delivery_guarantee("exactly_once")
    with pytest.raises(ValidationError, match="expected text of 1 to 1000 bytes, got str ''"):
        exactly_once.set_transactional_id_prefix("")
    with pytest.raises(ValidationError, match="expected a KafkaRecordSerializationSchema, got SimpleStringSchema"):
        exactly_once.set_record_serializer(SimpleStringSchema()).build()


def test_what_a_serializers_builder_must_be_told():
    builder = KafkaRecordSerializationSchema.builder
    with pytest.raises(ValidationError, match="no topic"):
        builder().set_value_serialization_schema(SimpleStringSchema()).build()
    with pytest.raises(ValidationError, match="call set_value_serialization_schema"):
        builder().set_topic("t").build()
    with pytest.raises(ValidationError, match="the topic is set already"):
        builder().set_topic("t").set_topic_selector(str)
    with pytest.raises(ValidationError, match="expected a topic's name, got int 5"):
        builder().set_topic(5)
    with pytest.raises(ValidationError, match="expected a SerializationSchema such as .*, got ABCMeta"):
        builder().set_value_serialization_schema(SimpleStringSchema)
    with pytest.raises(ValidationError, match="set_topic_selector: expected a function record -> topic, got str 't'"):
        builder().set_topic_selector("t")
    with pytest.raises(UnsupportedOperation, match=r"use KafkaRecordSerializationSchema.builder\(\)"):
        KafkaRecordSerializationSchema(object())


def old(kafka, topic, semantic=Semantic.AT_LEAST_ONCE, **properties):
    return FlinkKafkaProducer(
        topic, SimpleStringSchema(), {"bootstrap.servers": kafka.bootstrap} | properties, semantic=semantic
    )


@pytest.mark.parametrize("semantic", list(Semantic))
def test_the_older_name(kafka, semantic):
    topic = kafka.topic()
    sink = old(kafka, topic, semantic)
    sink.validate()
    for epoch in range(2):
        for attempt in range(2 if semantic is Semantic.EXACTLY_ONCE else 1):
            write(sink, context(epoch, attempt=attempt, job=topic), [f"{epoch}"])
    kafka.read(topic, count=2)
    assert values(kafka, topic) == ["0", "1"]


def test_options_of_the_older_name(kafka):
    topic = kafka.topic(max_message_bytes=2000)
    sink = old(kafka, topic)
    assert not sink.consumed.timestamps
    assert sink.set_write_timestamp_to_kafka(True).consumed.timestamps
    assert sink.ignore_failures_after_transaction_timeout() is sink
    assert issubclass(FlinkKafkaProducer010, FlinkKafkaProducer)
    assert issubclass(FlinkKafkaProducer011, FlinkKafkaProducer)
    write(sink.set_log_failures_only(True), context(), ["x" * 5000])
    write(sink, context(1), ["y"])
    write(sink.set_flush_on_checkpoint(False), context(2), ["z"])
    kafka.read(topic, count=2)
    assert values(kafka, topic) == ["y", "z"]
    with pytest.raises(ValidationError, match="expected a Semantic, got DeliveryGuarantee"):
        FlinkKafkaProducer("t", SimpleStringSchema(), HERE, semantic=AT_LEAST_ONCE)
    with pytest.raises(ValidationError, match="expected a dict of properties"):
        FlinkKafkaProducer("t", SimpleStringSchema(), "h:1")
    with pytest.raises(ValidationError, match="expected a SerializationSchema"):
        FlinkKafkaProducer("t", None, HERE)


def test_settings_travel_and_show_no_secrets():
    secret = "hunter2-secret"
    sink = sink_of("127.0.0.1:1", "t", sasl_password=secret, sasl_username="u", sasl_mechanism="PLAIN")
    copy = pickle.loads(pickle.dumps(sink))
    assert copy._settings == sink._settings
    assert secret not in repr(sink) + repr(sink.__dict__)
