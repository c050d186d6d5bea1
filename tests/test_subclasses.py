"""Classes that users subclass: names that are ours do not collide with the ordinary attributes of subclasses.

A subclass of a PyFlink program keeps what it wants in attributes such as ``topic``, ``records`` or ``exact``. So a
public attribute that PyFlink's class does not have is listed here, with the reason why it is there.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import datastream
import datastream.connectors.kafka as kafka
import datastream.functions as functions
import datastream.time as time
import datastream.windows as windows
from datastream import DeserializationSchema, SerializationSchema, Types
from datastream.config.settings import settings
from datastream.connectors.elasticsearch import ElasticsearchEmitter
from datastream.connectors.files import BucketAssigner, FileSink, FileSource, StreamFormat
from datastream.connectors.kafka import KafkaRecordDeserializationSchema, KafkaRecordSerializationSchema, ProducerRecord
from datastream.connectors.kafka.records.value_only import ValueOnly
from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.testing import case
from tests.names.here import ABSENT, found
from tests.support.processes import visible_lines

#: Module of PyFlink 2.3 -> its classes that users subclass -> their public attributes, inherited ones too.
PYFLINK: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "data" / "pyflink_subclassed.json").read_text()
)

_FASTER = "to be overridden where a block can be done faster"
_FACTORY = "makes one of another class; an instance's attribute of that name hides nothing that is called"
_CONTRACT = "what a connector consists of, by docs/connectors.md; PyFlink's class wraps an object of Java"
_NESTED = "the type of a parameter, a class inside PyFlink's module"

#: Name of a class -> its attributes beyond PyFlink's, and why they are public.
LISTED: dict[str, dict[str, str]] = {
    "SerializationSchema": {"serialize": "what a subclass is there for", "serialize_block": _FASTER},
    "DeserializationSchema": {
        "deserialize": "what a subclass is there for",
        "deserialize_block": _FASTER,
        "get_produced_type": "Java's name, which subclasses override",
        "with_dead_letters": "called on schemas by users",
    },
    "KafkaRecordSerializationSchema": {"serialize": "what a subclass is there for"},
    "Encoder": {
        "encode": "what a subclass is there for",
        "encode_block": _FASTER,
        "file_header": "to be overridden for files with a header",
        "csv": _FACTORY,
        "json_lines": _FACTORY,
        "lines": _FACTORY,
    },
    "BulkWriterFactory": {"create": "what a subclass is there for"},
    "BucketAssigner": {"get_bucket_id": "what a subclass is there for"},
    "RollingPolicy": dict.fromkeys(
        ("inactivity_interval", "part_size", "rollover_interval", "should_roll"),
        "settings of a policy; its factories make all there are",
    ),
    "FileFormat": dict.fromkeys(
        ("exact", "produced_type", "read", "side_tags", "splittable"),
        "what a format consists of, as its docstring says",
    ),
    "StreamFormat": dict.fromkeys(("csv", "json_lines", "lines"), _FACTORY),
    "ElasticsearchEmitter": {"of": _FACTORY},
    "ClusterBuilder": {"build_cluster": "what a subclass is there for"},
    "CassandraFailureHandler": {"on_failure": "what a subclass is there for"},
    "Source": dict.fromkeys(
        ("bounded", "create_enumerator", "create_reader", "grows", "produced", "validate"), _CONTRACT
    ),
    "Sink": dict.fromkeys(("consumed", "create_committer", "create_writer", "validate"), _CONTRACT),
    "WatermarkStrategy": dict.fromkeys(
        (
            "alignment_update_interval",
            "create_watermark_generator",
            "generator_supplier",
            "idle_timeout",
            "max_allowed_watermark_drift",
            "max_out_of_orderness",
            "row_by_row",
            "row_gap",
            "timestamp_assigner",
            "watermark_group",
            "check_assigner",
            "for_generator",
        ),
        "settings of a strategy, which is made by its methods and never subclassed",
    ),
    "TimestampAssigner": {"extract_timestamp": "what a subclass is there for"},
    "ProcessFunction": {"Context": _NESTED},
    "CoProcessFunction": {"Context": _NESTED},
    "WindowAssigner": {"WindowAssignerContext": _NESTED},
    "MergingWindowAssigner": {"MergeCallback": _NESTED},
    "TimeWindow": dict.fromkeys(("start", "end"), "PyFlink's instances have them"),
    "CountWindow": {"id": "PyFlink's instances have it"},
    "Trigger": {"OnMergeContext": _NESTED, "TriggerContext": _NESTED},
}

CLASSES = [(module, name) for module, classes in PYFLINK.items() for name in classes]

#: Ours, without a class of that name in PyFlink: name -> all public attributes.
OURS = {
    KafkaRecordDeserializationSchema: {"deserialize", "get_produced_type", "value_only", "with_dead_letters"},
    functions.JoinFunction: {"join", "open", "close"},
    functions.FlatJoinFunction: {"join", "open", "close"},
    functions.CoGroupFunction: {"co_group", "open", "close"},
    functions.ProcessJoinFunction: {"process_element", "open", "close", "Context"},
    time.WatermarkGenerator: {"on_event", "on_periodic_emit"},
    windows.Evictor: {"evict_before", "evict_after", "EvictorContext"},
}


def public(cls: type) -> set[str]:
    """The public names of a class and its instances, as far as the class says."""
    return {
        name
        for base in cls.__mro__[:-1]
        if base.__module__.startswith("datastream")
        for name in (*vars(base), *inspect.get_annotations(base))
        if not name.startswith("_")
    }


def listed(cls: type) -> set[str]:
    return {name for base in cls.__mro__ for name in LISTED.get(base.__name__, ())}


@pytest.mark.usefixtures("pyflink")
@pytest.mark.parametrize(("module", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_no_public_name_beyond_pyflinks(module: str, name: str) -> None:
    cls = found(module, name)
    if cls is ABSENT or name in ("KafkaTopicSelector",):
        return  # tests/names/test_names.py says what is absent
    assert sorted(public(cls) - set(PYFLINK[module][name]) - listed(cls)) == []


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
def test_classes_of_ours_have_what_they_are_there_for(cls: type) -> None:
    assert public(cls) == OURS[cls]


def test_every_listed_name_is_there() -> None:
    for name, why in LISTED.items():
        cls = next(
            getattr(module, name)
            for module in map(
                importlib.import_module,
                (
                    "datastream",
                    "datastream.windows",
                    "datastream.formats",
                    "datastream.time",
                    "datastream.connectors.files",
                    "datastream.connectors.files.formats",
                    "datastream.connectors.kafka",
                    "datastream.connectors.cassandra",
                    "datastream.connectors.elasticsearch",
                ),
            )
            if hasattr(module, name)
        )
        assert why.keys() <= public(cls), name


def test_every_function_can_be_filled_with_attributes() -> None:
    """No class that is to be subclassed keeps things of its own in the instances of those that call no ``__init__``."""
    for name in functions.__all__:
        base = getattr(functions, name)
        if not inspect.isclass(base) or not inspect.isabstract(base) or name == "RuntimeContext":
            continue
        methods = {method: lambda self, *args: None for method in base.__abstractmethods__}
        made: Any = type(f"My{name}", (base,), methods)()
        assert vars(made) == {}, name


_WORDS = """
name topic topics key keys value values record records message messages data batch batches buffer exact count
counts total index size split splits lines fields schema type types kind config settings client connection
session cache state states timer timers tag tags side_tags ignores_errors errors error log logger metrics
counter gauge meter window windows trigger context start end first last limit path file files format parts uid
id parallelism subtask _topic _records _messages _state _states _cache _buffer _schema _type _name _client
_count _key _value _config _logger
"""
ORDINARY = _WORDS.split()


def filled(base: type, **methods: Any) -> Any:
    """A subclass as users write it: its own ``__init__`` sets attributes of ordinary names, and calls no other."""

    def __init__(self: Any) -> None:
        for name in ORDINARY:
            setattr(self, name, f"mine: {name}")

    return type(f"My{base.__name__}", (base,), {"__init__": __init__, **methods})()


def test_a_schema_of_kafka_that_keeps_a_topic_and_messages() -> None:
    made = filled(KafkaRecordSerializationSchema, serialize=lambda self, value, at: ProducerRecord(self.topic, value))
    (message,) = made._kafka_messages([b"x"], None, lambda topic: 1)
    assert message[:2] == ("mine: topic", b"x")
    kafka.KafkaSink.builder().set_bootstrap_servers("here:9092").set_record_serializer(made).build()


def test_a_deserializer_of_kafka_that_counts_records() -> None:
    class Counting(KafkaRecordDeserializationSchema):
        def __init__(self) -> None:
            self.records = self.timed_records = self.count = 0
            self.exact, self.side_tags = True, "none"

        def deserialize(self, record: Any) -> Any:
            self.records += 1
            return record

        def get_produced_type(self) -> Any:
            return Types.STRING()

    made = kafka.KafkaSource.builder().set_bootstrap_servers("here:9092").set_topics("t")
    produced = made.set_deserializer(Counting()).build().produced
    assert (produced.exact, produced.side_tags) == (False, ())


def test_a_schema_that_is_exact_is_tested_all_the_same() -> None:
    made = filled(DeserializationSchema, deserialize=lambda self, data: f"{self.exact} {data.decode()}")
    assert made.deserialize_block([b"x", None]) == ["mine: exact x"]
    assert not made._records_fit
    assert made._dead_letter_tags == ()
    assert not ValueOnly(made)._records_fit
    again = pickle.loads(pickle.dumps(Plain("topic")))
    assert again.serialize_block([1, 2]) == [b"topic 1", b"topic 2"]


class Plain(SerializationSchema):
    def __init__(self, topic: str) -> None:
        self.topic, self.exact, self.records = topic, topic, [topic]

    def serialize(self, value: Any) -> bytes:
        return f"{self.topic} {value}".encode()


class Split(BucketAssigner):
    def __init__(self) -> None:
        self.split = self.base = "folder"

    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        return f"{self.split}-{element}"


def test_a_bucket_assigner_with_a_split() -> None:
    assert Split()._records_by_bucket(["a", "b", "a"], 0) == {"folder-a": ["a", "a"], "folder-b": ["b"]}
    FileSink.for_row_format("out", datastream.formats.Encoder.simple_string_encoder()).with_bucket_assigner(Split())


def test_an_emitter_with_lines() -> None:
    made = filled(ElasticsearchEmitter, _request_lines=lambda self, record, ids: [])
    assert made.lines == "mine: lines"


class Everything(functions.KeyedProcessFunction):
    """Attributes of any ordinary name, set before and after the job has taken it."""

    def __init__(self) -> None:
        for name in ORDINARY:
            setattr(self, name, 0)

    def open(self, runtime_context: Any) -> None:
        for name in ORDINARY:
            setattr(self, name, getattr(self, name) + 1)
        self.state = runtime_context.get_state(datastream.ValueStateDescriptor("state", Types.LONG()))

    def process_element(self, value: Any, ctx: Any) -> Any:
        self.state.update((self.state.value() or 0) + 1)
        self.count += 1
        yield self.state.value(), {getattr(self, name) for name in ORDINARY if name not in ("state", "count")}


class EveryMap(functions.MapFunction):
    def __init__(self) -> None:
        for name in ORDINARY:
            setattr(self, name, name)

    def map(self, value: Any) -> Any:
        return [name for name in ORDINARY if getattr(self, name) != name]


class EveryAggregate(functions.AggregateFunction):
    def __init__(self) -> None:
        for name in ORDINARY:
            setattr(self, name, 1)

    def create_accumulator(self) -> int:
        return 0

    def add(self, value: Any, accumulator: int) -> int:
        return accumulator + self.count

    def get_result(self, accumulator: int) -> int:
        return accumulator * self.size

    def merge(self, acc_a: int, acc_b: int) -> int:
        return acc_a + acc_b


@case
def test_functions_of_jobs_with_ordinary_attributes(env):
    numbers = env.from_collection([1, 1, 1])
    keyed = numbers.key_by(lambda n: n)
    got = yield (
        keyed.process(Everything()),
        numbers.map(EveryMap()),
        keyed.window(windows.CountTumblingWindowAssigner.of(3)).aggregate(EveryAggregate()),
    )
    assert got == ([(1, {1}), (2, {1}), (3, {1})], [[], [], []], [3])


class Ordinary:
    """Attributes of any ordinary name, and of those with an underscore; whether they still are what they were."""

    NAMES = (*ORDINARY, *(f"_{name}" for name in ORDINARY if not name.startswith("_")))

    def __init__(self) -> None:
        for name in self.NAMES:
            setattr(self, name, f"mine: {name}")

    def told(self, *words: Any) -> str:
        wrong = [name for name in self.NAMES if getattr(self, name) != f"mine: {name}"]
        return f"{' '.join(map(str, words))}{wrong or ''}"


class Times(Ordinary, time.TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return 10 if self.told() == "" else -1


class Marks(Ordinary, time.WatermarkGenerator):
    def on_event(self, event: Any, event_timestamp: int, output: Any) -> None:
        if self.told() == "":
            output.emit_watermark(event_timestamp - 1)

    def on_periodic_emit(self, output: Any) -> None:
        pass


class Pairs(Ordinary, functions.JoinFunction):
    def join(self, first: Any, second: Any) -> Any:
        return self.told("join", first, second)


class FlatPairs(Ordinary, functions.FlatJoinFunction):
    def join(self, first: Any, second: Any) -> Any:
        yield self.told("flat join", first, second)


class Groups(Ordinary, functions.CoGroupFunction):
    def co_group(self, first: Any, second: Any) -> Any:
        yield self.told("co-group", len(list(first)), len(list(second)))


class InInterval(Ordinary, functions.ProcessJoinFunction):
    def process_element(self, left: Any, right: Any, ctx: Any) -> Any:
        yield self.told("interval", left, right)


class First(Ordinary, windows.Evictor):
    def evict_before(self, elements: Any, size: int, window: Any, ctx: Any) -> None:
        del elements[1 if self.told() == "" else 0 :]

    def evict_after(self, elements: Any, size: int, window: Any, ctx: Any) -> None:
        pass


class Assigned(Ordinary, windows.WindowAssigner):
    def assign_windows(self, element: Any, timestamp: int, context: Any) -> Any:
        return [windows.TimeWindow(0, 100)] if self.told() == "" else []

    def get_default_trigger(self, env: Any) -> Any:
        return Fires()

    def get_window_serializer(self) -> Any:
        return windows.TimeWindowSerializer()

    def is_event_time(self) -> bool:
        return True


class Fires(Ordinary, windows.Trigger):
    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> Any:
        ctx.register_event_time_timer(window.max_timestamp())
        return windows.TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> Any:
        return windows.TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> Any:
        return windows.TriggerResult.FIRE if self.told() == "" else windows.TriggerResult.CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        pass

    def clear(self, window: Any, ctx: Any) -> None:
        pass


class Counted(Ordinary, functions.ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Any) -> Any:
        yield self.told("window", len(list(elements)))


@case
def test_classes_beyond_pyflinks_with_ordinary_attributes(env):
    numbers = env.from_collection([1, 1])
    strategy = time.WatermarkStrategy.for_generator(Marks).with_timestamp_assigner(Times())
    timed = numbers.assign_timestamps_and_watermarks(strategy)
    keyed = timed.key_by(lambda n: n)
    of = windows.TumblingEventTimeWindows.of(time.Time.milliseconds(100))
    joined = timed.join(timed).where(lambda n: n).equal_to(lambda n: n).window(of)
    near = keyed.interval_join(keyed).between(time.Time.milliseconds(-1), time.Time.milliseconds(1))
    got = yield (
        joined.apply(Pairs()),
        timed.join(timed).where(lambda n: n).equal_to(lambda n: n).window(of).apply(FlatPairs()),
        timed.co_group(timed).where(lambda n: n).equal_to(lambda n: n).window(of).apply(Groups()),
        near.process(InInterval()),
        keyed.window(of).evictor(First()).process(Counted()),
        keyed.window(Assigned()).process(Counted()),
    )
    assert got == (
        ["join 1 1"] * 4,
        ["flat join 1 1"] * 4,
        ["co-group 2 2"],
        ["interval 1 1"] * 4,
        ["window 1"],
        ["window 2"],
    )


class Lines(Ordinary, datastream.formats.Encoder):
    def encode(self, value: Any) -> bytes:
        return f"{self.told(value)}\n".encode()


class Bulk(Ordinary, BulkWriterFactory):
    def create(self, stream: Any) -> Any:
        return Written(stream, self.told("made"))


class Written(Ordinary, BulkWriter):
    def __init__(self, to: Any, first: str) -> None:
        super().__init__()
        self.to = to
        self.to.write(f"{first}\n".encode())

    def add_element(self, element: Any) -> None:
        self.to.write(f"{self.told(element)}\n".encode())

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        pass


class Folders(Ordinary, BucketAssigner):
    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        return self.told("bucket")


class Texts(Ordinary, DeserializationSchema):
    def deserialize(self, message: bytes) -> Any:
        return self.told(message.decode())

    def get_produced_type(self) -> Any:
        return Types.STRING()


def test_formats_of_files_with_ordinary_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    (tmp_path / "in").write_text("a\nb\n")
    env = datastream.StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    source = FileSource.for_record_stream_format(StreamFormat.lines(Texts()), str(tmp_path / "in")).build()
    stream = env.from_source(source, time.WatermarkStrategy.no_watermarks(), "in")
    rows = FileSink.for_row_format(str(tmp_path / "rows"), Lines()).with_bucket_assigner(Folders())
    stream.sink_to(rows.build())
    stream.sink_to(FileSink.for_bulk_format(str(tmp_path / "bulk"), Bulk()).build())
    env.execute()
    assert visible_lines(tmp_path / "rows" / "bucket") == ["a", "b"]
    assert visible_lines(tmp_path / "bulk") == ["made", "a", "b"]
