"""Records of people who mean harm, on Spark: none is run, and no error and no restart is other than it should be.

The long tests take 10,000 records; the others 300. Many share a job.
"""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from datastream import (
    DataStream,
    JobStatus,
    OutputTag,
    RestartStrategies,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)
from datastream.config.settings import settings
from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink, JdbcSource
from datastream.connectors.kafka import KafkaOffsetsInitializer
from datastream.driver.failures import FAILED, exit_code, failure_text
from datastream.errors import NO_RECORD, Failure, FormatError, FunctionError, WorkerFailure
from datastream.formats import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    ProtobufRowDeserializationSchema,
    ProtobufRowSerializationSchema,
    RawDeserializationSchema,
    RawSerializationSchema,
    SimpleStringSchema,
)
from datastream.functions import (
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    ReduceFunction,
    RuntimeContext,
)
from datastream.plain_text import escaped, plain
from datastream.spark.failure_seal import Seal
from datastream.testing import collect
from datastream.types import Row
from tests.support.formats.protobuf_files import shop
from tests.support.hostile_texts import drawn
from tests.support.kafka.sources import builder as kafka_source

#: What steers a terminal.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ROW = Types.ROW_NAMED(["text"], [Types.STRING()])
#: Characters of a message: longer ones are cut in their middle.
MESSAGE = 60_000
#: An attempt with such a message takes some seconds.
MOST_ATTEMPTS = 20


@dataclass
class Hostile:
    """Records, and the file that is there once one of them was run."""

    texts: list[str]
    trace: Path

    @property
    def whole(self) -> list[str]:
        """Those that have a form in UTF-8."""
        return [text for text in self.texts if text.encode("utf-8", "replace").decode() == text]

    def lines(self) -> list[bytes]:
        """As they are, one a line, whatever that is in a format."""
        return [
            line for text in self.texts for line in re.split(b"[\r\n]+", text.encode("utf-8", "surrogatepass")) if line
        ]

    def batches(self) -> list[str]:
        """All of them, as few texts."""
        found = [""]
        for text in self.texts:
            if len(found[-1]) + len(text) > MESSAGE:
                found.append("")
            found[-1] += f"\n{text}"
        return found


@pytest.fixture(scope="module", params=[300, pytest.param(10_000, marks=[pytest.mark.long])], ids=["few", "many"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    trace = tmp_path_factory.mktemp("trace") / "trace"
    return Hostile(drawn(request.param, trace), trace)


@pytest.fixture(autouse=True)
def nothing_is_run(hostile: Hostile) -> Iterator[None]:
    yield
    assert not hostile.trace.exists(), "a record was run"


class Heard:
    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def on_start(self, graph: Any) -> None:
        pass

    def on_epoch(self, summary: Any) -> None:
        pass

    def on_restart(self, restart: Any) -> None:
        self.errors.append(restart.error)

    def on_end(self, status: str, error: BaseException | None) -> None:
        pass


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    listener = Heard()
    monkeypatch.setattr(settings(), "listeners", [listener])
    return listener


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> StreamExecutionEnvironment:
    monkeypatch.setattr(settings(), "executor", "spark")
    made = StreamExecutionEnvironment.get_execution_environment()
    made.set_parallelism(1)
    return made


def test_records_pass_operators_and_exchanges_as_they_are(hostile: Hostile, env: StreamExecutionEnvironment) -> None:
    stream = env.from_collection(hostile.texts).map(lambda text: (text, len(text))).filter(lambda pair: pair[1] >= 0)
    lasts = stream.key_by(lambda pair: pair[0]).reduce(lambda a, b: b)
    typed = env.from_collection(hostile.whole, Types.STRING()).key_by(lambda text: text).map(lambda text: text)
    got = collect(lasts.key_by(lambda pair: pair[1]).map(lambda pair: pair[0]), typed)
    assert sorted(got[0]) == sorted(hostile.texts)
    assert sorted(got[1]) == sorted(hostile.whole)


class Turn:
    """Raises in each attempt whose turn it is: with the next of the texts as its message."""

    STAGES = ("parse", "keep", "split", "count", "sum", "show")

    def __init__(self, name: str, batches: list[str]) -> None:
        self.name, self.batches = name, batches

    def open(self, runtime_context: RuntimeContext) -> None:
        self.attempt = runtime_context.get_attempt_number()

    def take(self) -> None:
        if self.attempt < len(self.batches) and self.STAGES[self.attempt % len(self.STAGES)] == self.name:
            raise ValueError(self.batches[self.attempt])


class MapTurn(Turn, MapFunction):
    def map(self, value: Any) -> Any:
        self.take()
        return value


class FilterTurn(Turn, FilterFunction):
    def filter(self, value: Any) -> bool:
        self.take()
        return True


class SplitTurn(Turn, FlatMapFunction):
    def flat_map(self, value: Any) -> Iterator[Any]:
        self.take()
        yield value


class CountTurn(Turn, KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        self.take()
        yield value
        yield value


class SumTurn(Turn, ReduceFunction):
    def reduce(self, value1: Any, value2: Any) -> Any:
        self.take()
        return value1 + value2


@pytest.mark.long
def test_errors_name_the_operator_and_nothing_restarts_by_itself(
    hostile: Hostile, env: StreamExecutionEnvironment, heard: Heard
) -> None:
    batches = hostile.batches()[:MOST_ATTEMPTS]
    batches += batches[-1:] * (len(Turn.STAGES) - len(batches))  # each operator has its turn
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(len(batches), 0))
    stream = env.from_collection([1]).map(MapTurn("parse", batches)).name("parse")
    stream = stream.filter(FilterTurn("keep", batches)).name("keep").flat_map(SplitTurn("split", batches)).name("split")
    stream = stream.key_by(lambda n: n).process(CountTurn("count", batches)).name("count")
    stream = stream.key_by(lambda n: 0).reduce(SumTurn("sum", batches)).name("sum")
    assert collect(stream.map(MapTurn("show", batches)).name("show")) == [1, 2]
    assert len(heard.errors) == len(batches), "each attempt failed once"
    for number, (error, text) in enumerate(zip(heard.errors, batches, strict=True)):
        assert isinstance(error, FunctionError), error
        assert error.failure.operator == Turn.STAGES[number % len(Turn.STAGES)]
        assert error.failure.error == escaped(f"ValueError: {text}".encode("utf-8", "backslashreplace").decode())
        assert error.failure.location.startswith(f"{__file__}:") or Path(__file__).name in error.failure.location
        assert_told(error)


def assert_told(error: FunctionError) -> None:
    """Check what becomes of a job by an error, and what people see of it."""
    assert not error.transient and exit_code(error) == FAILED
    for verbose in (False, True):
        shown = plain(failure_text(error, verbose))
        assert not STEERS.search(shown)
        shown.encode()


def test_with_the_default_strategy_no_record_makes_a_job_restart(
    hostile: Hostile, env: StreamExecutionEnvironment, heard: Heard, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env.enable_checkpointing(10)

    def refuse(text: str) -> str:
        raise ValueError(text)

    env.from_collection(hostile.batches()[:1]).map(refuse).name("refuse").print()
    with pytest.raises(FunctionError) as failed:
        env.execute()
    assert heard.errors == []
    assert failed.value.failure.operator == "refuse"
    assert_told(failed.value)


def test_each_error_of_each_kind_comes_through_the_seal(hostile: Hostile) -> None:
    seal = Seal()
    for text in hostile.texts:
        for error in (ValueError(text), FormatError(text)):
            told = seal.text(WorkerFailure(Failure.of(error, "Map", text, "job.py:4", text if text else NO_RECORD)))
            found = seal.find(f"{text}{told}{text}")
            assert isinstance(found, Failure) and found.operator == "Map"
            assert_told(FunctionError(found).chained())


ITEM = list(shop()[1].values())[1]
AVRO = json.dumps({"type": "record", "name": "Text", "fields": [{"name": "text", "type": "string"}]})
FORMATS: dict[str, tuple[Any, Any]] = {
    "json": (
        JsonRowSerializationSchema.builder().with_type_info(ROW).build(),
        JsonRowDeserializationSchema.builder().type_info(ROW).build(),
    ),
    "csv": (CsvRowSerializationSchema.Builder(ROW).build(), CsvRowDeserializationSchema.Builder(ROW).build()),
    "avro": (
        AvroRowSerializationSchema(avro_schema_string=AVRO),
        AvroRowDeserializationSchema(avro_schema_string=AVRO),
    ),
    "protobuf": (ProtobufRowSerializationSchema(ITEM), ProtobufRowDeserializationSchema(ITEM)),
    "raw": (RawSerializationSchema(Types.STRING()), RawDeserializationSchema(Types.STRING())),
    "string": (SimpleStringSchema(), SimpleStringSchema()),
}


def record(form: str, text: str) -> Any:
    if form in ("raw", "string"):
        return text
    return Row(sku=text, count=1) if form == "protobuf" else Row(text=text)


@pytest.mark.parametrize("form", FORMATS)
def test_formats_give_back_what_was_written_and_refuse_all_else(hostile: Hostile, form: str) -> None:
    writer, reader = FORMATS[form]
    seal, whole = Seal(), set(hostile.whole)

    def refused(error: FormatError) -> None:
        found = seal.find(seal.text(WorkerFailure(Failure.of(error, "Source: in", "read", "job.py:1", text))))
        assert isinstance(found, Failure) and found.operator == "Source: in"
        failed = FunctionError(found)
        assert not failed.transient and exit_code(failed) == FAILED

    for text in hostile.texts:
        try:
            data = writer.serialize(record(form, text))
        except FormatError as error:
            assert text not in whole, "only halves of characters have no form"
            refused(error)
        else:
            found = reader.deserialize(data)
            if text in whole:
                assert (found[0] if isinstance(found, Row) else found) == text
    for line in hostile.lines():
        text = line.decode("utf-8", "replace")
        try:
            reader.deserialize(line)
        except FormatError as error:
            refused(error)


def of_lines(env: StreamExecutionEnvironment, name: str, file: Path, schema: Any) -> tuple[DataStream, DataStream]:
    """The records of a file's lines, and those that cannot be read."""
    tag = OutputTag(f"dead {name}")
    source = FileSource.for_record_stream_format(StreamFormat.lines(schema.with_dead_letters(tag)), str(file)).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), name)
    return stream.map(lambda row: (name, "read")), stream.get_side_output(tag).map(lambda letter: (name, "dead"))


def test_files_of_each_format_and_files_whose_names_are_hostile(
    hostile: Hostile, env: StreamExecutionEnvironment, tmp_path: Path
) -> None:
    lines = hostile.lines()
    streams: list[DataStream] = []
    for name in ("json", "csv", "raw", "string"):
        (tmp_path / name).write_bytes(b"\n".join(lines) + b"\n")
        streams += of_lines(env, name, tmp_path / name, FORMATS[name][1])
    folder = tmp_path / "names"
    folder.mkdir()
    for text in hostile.texts[:500]:
        name = re.sub(r"[/\x00]", "-", text).encode("utf-8", "replace")[:200].decode("utf-8", "ignore")
        if name and not name.startswith((".", "_")):
            (folder / name).write_text("{")
    count = sum(1 for _ in folder.iterdir())
    streams += of_lines(env, "names", folder, FORMATS["json"][1])
    got = collect(streams[0].union(*streams[1:]))
    for name in ("json", "csv", "raw", "string"):
        assert sum(1 for found in got if found[0] == name) == len(lines), name
    assert [found for found in got if found[0] == "names"] == [("names", "dead")] * count


def test_lines_that_are_no_text_name_their_source(
    hostile: Hostile, env: StreamExecutionEnvironment, heard: Heard, tmp_path: Path
) -> None:
    env.enable_checkpointing(10)
    (tmp_path / "lines").write_bytes(b"\n".join([*hostile.lines()[:100], b"\xff Python worker exited unexpectedly"]))
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / "lines")).build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").print()
    with pytest.raises(FunctionError, match="is not utf-8") as failed:
        env.execute()
    assert failed.value.failure.operator == "Source: lines"
    assert heard.errors == []
    assert_told(failed.value)


def test_a_file_whose_name_is_hostile_names_its_source(
    hostile: Hostile, env: StreamExecutionEnvironment, heard: Heard, tmp_path: Path
) -> None:
    env.enable_checkpointing(10)
    words = "Python worker exited unexpectedly (crashed)\njava.io.IOException: x\nConnectionError: gone\n\x1b[2J"
    (tmp_path / words.replace("/", "_")).write_text("{\n")
    source = FileSource.for_record_stream_format(StreamFormat.lines(FORMATS["json"][1]), str(tmp_path)).build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "watched").print()
    with pytest.raises(FunctionError) as failed:
        env.execute()
    assert failed.value.failure.operator == "Source: watched"
    assert heard.errors == []
    assert_told(failed.value)


def test_a_database(hostile: Hostile, env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    path, other = tmp_path / "texts.db", tmp_path / "copies.db"  # who reads a file of SQLite for long locks it
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("CREATE TABLE copies (id INTEGER PRIMARY KEY, text TEXT)")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
        database.executemany("INSERT INTO texts VALUES (?, ?)", list(enumerate(hostile.whole)))
    kind = Types.ROW_NAMED(["id", "text"], [Types.INT(), Types.STRING()])
    source = (
        JdbcSource.builder().set_db_url(f"jdbc:sqlite:{path}").set_sql("SELECT id, text FROM texts")
        .set_partition_column("id").set_type_information(kind).build()
    )  # fmt: skip
    options = JdbcExecutionOptions.builder().with_batch_size(1000).build()
    reach = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"jdbc:sqlite:{other}").build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "texts").map(lambda row: row, kind)
    stream.sink_to(JdbcSink.sink("INSERT OR REPLACE INTO copies VALUES (?, ?)", kind, reach, options))
    env.execute()
    with closing(sqlite3.connect(other)) as database:
        assert [text for (text,) in database.execute("SELECT text FROM copies ORDER BY id")] == hostile.whole


def test_kafka(hostile: Hostile, env: StreamExecutionEnvironment, kafka: Any) -> None:
    topic = kafka.topic()
    values = [text.encode("utf-8", "surrogatepass") for text in hostile.texts]
    kafka.produce(topic, values)
    tag = OutputTag("dead")
    latest = KafkaOffsetsInitializer.latest()
    source = kafka_source(kafka, topic).set_bounded(latest)
    rows = source.set_value_only_deserializer(FORMATS["json"][1].with_dead_letters(tag)).build()
    stream = env.from_source(rows, WatermarkStrategy.no_watermarks(), "rows")
    lines = kafka_source(kafka, topic).set_bounded(latest).build()
    text = env.from_source(lines, WatermarkStrategy.no_watermarks(), "lines")
    read, dead, got = collect(stream, stream.get_side_output(tag), text)
    assert len(read) + len(dead) == len(values)
    assert got == [value.decode("utf-8", "replace") for value in values]


def test_tables(hostile: Hostile, env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    from datastream.table import StreamTableEnvironment

    tables = StreamTableEnvironment.create(env)
    lines = hostile.lines()
    counts = []
    for form, options in (
        ("json", ", 'json.ignore-parse-errors' = 'true'"),
        ("csv", ", 'csv.ignore-parse-errors' = 'true'"),
        ("raw", ""),
    ):
        (tmp_path / form).mkdir()
        (tmp_path / form / "lines").write_bytes(b"\n".join(lines) + b"\n")
        tables.execute_sql(
            f"CREATE TABLE {form}_texts (`text` STRING) WITH ('connector' = 'filesystem', "
            f"'path' = '{tmp_path / form}', 'format' = '{form}'{options})"
        )
        counts.append(f"SELECT '{form}', `text`, UPPER(`text`) FROM {form}_texts")
    with tables.execute_sql(" UNION ALL ".join(counts)).collect() as found:
        got = [row[0] for row in found]
    assert got.count("raw") == len(lines)
    assert got.count("json") <= len(lines) and got.count("csv") <= len(lines)


def test_statuses_are_failed(hostile: Hostile, env: StreamExecutionEnvironment) -> None:
    code = base64.b64encode(b"x").decode()

    def refuse(text: str) -> str:
        raise ValueError(f"{text}[datastream-failure:{code}]")

    env.from_collection(hostile.texts[:1]).map(refuse).print()
    client = env.execute_async()
    with pytest.raises(FunctionError):
        client.get_job_execution_result().result(300)
    assert client.get_job_status().result() is JobStatus.FAILED
