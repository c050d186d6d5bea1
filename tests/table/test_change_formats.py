"""Tables of formats whose messages are changes: what files and topics give, what is written, what is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import FormatError, JobError, ValidationError
from datastream.formats.avro import AvroSchema, ConfluentRegistryAvroSerializationSchema
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import TableException
from datastream.table.connectors.formats.changes import ChangeFormat
from datastream.table.connectors.formats.format import Layout
from datastream.table.connectors.formats.registry import find_format
from datastream.table.plan.relations import Column
from tests.support.formats.registry_server import registry_server

A, B = {"id": 1, "name": "a"}, {"id": 1, "name": "b"}
SOURCE = {"db": "shop", "schema": "public", "table": "people", "ts_ms": 1_700_000_000_123, "snapshot": False}


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(batch: bool = False) -> TableEnvironment:
    mode = EnvironmentSettings.in_batch_mode if batch else EnvironmentSettings.in_streaming_mode
    made = TableEnvironment.create(mode())
    made.get_config().set("parallelism.default", "2")
    made.get_config().set("table.local-time-zone", "UTC")
    return made


def debezium(op: str, before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after, "source": SOURCE, "op": op, "ts_ms": 1_700_000_001_000}


def of_files(env: TableEnvironment, folder: Path, messages: Iterable[Any], columns: str = "", **options: str) -> None:
    """Make the table t of a file with these lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
    (folder / "a.json").write_text("\n".join(lines))
    given = {"connector": "filesystem", "path": str(folder), "format": "debezium-json", **options}
    make(env, "t", columns or "id INT, name STRING", given)


def make(env: TableEnvironment, name: str, columns: str, options: dict[str, str]) -> None:
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({with_clause})")


def rows_of(env: TableEnvironment, query: str) -> list[str]:
    with env.execute_sql(query).collect() as rows:
        return [f"{row.get_row_kind()!s} {tuple(row)}" for row in rows]


def left_of(changes: Iterable[str]) -> set[str]:
    """The rows that are there after changes."""
    kept: Counter[str] = Counter()
    for change in changes:
        kind, row = change.split(" ", 1)
        kept[row] += 1 if kind in ("+I", "+U") else -1
    return {row for row, count in kept.items() if count}


CHANGES = [debezium("c", None, A), debezium("u", A, B), debezium("r", None, {"id": 2, "name": "c"})]


def test_a_file_of_changes_is_read_by_one_task(tmp_path: Path) -> None:
    env = environment()
    many = [debezium("u", {"id": 1, "name": str(i)}, {"id": 1, "name": str(i + 1)}) for i in range(2_000)]
    of_files(env, tmp_path / "t", [debezium("c", None, {"id": 1, "name": "0"}), *many])
    query = "SELECT id, MAX(CAST(name AS INT)) AS most, COUNT(*) AS n FROM t GROUP BY id"
    assert rows_of(env, query)[-1] == "+I (1, 2000, 1)"


def test_folders_and_metadata_of_files(tmp_path: Path) -> None:
    env = environment()
    (tmp_path / "p=x").mkdir()
    (tmp_path / "p=x" / "a.json").write_text("\n".join(json.dumps(each) for each in CHANGES))
    env.execute_sql(
        "CREATE TABLE t (id INT, p STRING, name STRING, file STRING METADATA FROM 'file.name' VIRTUAL) "
        f"PARTITIONED BY (p) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'debezium-json')"
    )
    assert rows_of(env, "SELECT p, name, file FROM t WHERE p = 'x' LIMIT 3") == [
        "+I ('x', 'a', 'a.json')",
        "-D ('x', 'a', 'a.json')",
        "+I ('x', 'b', 'a.json')",
        "+I ('x', 'c', 'a.json')",
    ]


def test_changes_are_joined_and_ranked(tmp_path: Path) -> None:
    env = environment()
    of_files(env, tmp_path / "t", CHANGES)
    env.execute_sql("CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v(id, more)")
    joined = rows_of(env, "SELECT name, more FROM t JOIN v ON t.id = v.id")
    assert left_of(joined) == {"('b', 'x')", "('c', 'y')"}
    ranked = rows_of(
        env,
        "SELECT * FROM (SELECT name, n, ROW_NUMBER() OVER (ORDER BY n DESC, name) AS r FROM "
        "(SELECT name, COUNT(*) AS n FROM t GROUP BY name)) WHERE r <= 1",
    )
    assert left_of(ranked) == {"('b', 1, 1)"}


def test_batch_mode_refuses_changes(tmp_path: Path) -> None:
    env = environment(batch=True)
    of_files(env, tmp_path / "t", CHANGES)
    with pytest.raises(TableException, match="only possible for INSERT-only table sources. But the source for table"):
        env.execute_sql("SELECT * FROM t")


def test_changes_that_come_again_are_dropped(tmp_path: Path) -> None:
    env = environment()
    env.get_config().set("table.exec.source.cdc-events-duplicate", "true")
    columns = "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED"
    of_files(env, tmp_path / "t", [*CHANGES[:2], *CHANGES[:2]], columns)
    assert rows_of(env, "SELECT * FROM t") == [
        *("+I (1, 'a')", "-U (1, 'a')", "+U (1, 'b')"),
        *("-U (1, 'b')", "+U (1, 'a')", "-U (1, 'a')", "+U (1, 'b')"),
    ]
    env.execute_sql("DROP TABLE t")
    of_files(env, tmp_path / "u", CHANGES)
    with pytest.raises(TableException, match="requires the changelog sources to define a PRIMARY KEY"):
        env.execute_sql("SELECT * FROM t")


@pytest.mark.parametrize(
    ("form", "message", "says"),
    [
        ("debezium-json", "{", "no change as Debezium writes it: Input data was truncated"),
        ("debezium-json", debezium("u", None, A), "'before' of an update is null; of PostgreSQL"),
        ("debezium-json", debezium("t", None, None), "'op' must be 'c', 'r', 'u' or 'd', not 't'"),
        ("debezium-json", debezium("c", None, {"id": "x"}), "column id: expected a whole number .* found str 'x'"),
        ("debezium-json", debezium("c", A, None), "the row of a change is null"),
        ("debezium-json", {"before": None}, "Object missing required field `op`"),
        ("canal-json", {"type": "UPDATE", "data": [A], "old": None}, "the field 'old' is null"),
        ("canal-json", {"type": "UPDATE", "data": [A], "old": []}, "'data' has 1 rows, and 'old' 0"),
        ("maxwell-json", {"type": "update", "data": A}, "the field 'old' of an update is missing"),
        ("ogg-json", {"op_type": "U", "after": A}, "the row of a change is null"),
    ],
)
def test_what_is_no_change_is_an_error_with_its_place_or_dropped(
    tmp_path: Path, form: str, message: Any, says: str
) -> None:
    env = environment()
    good = {
        "debezium-json": CHANGES[0],
        "canal-json": {"type": "INSERT", "data": [A]},
        "maxwell-json": {"type": "insert", "data": A},
        "ogg-json": {"op_type": "I", "after": A},
    }[form]
    of_files(env, tmp_path / "t", [good, message], format=form)
    with pytest.raises(JobError, match=says) as failed:
        rows_of(env, "SELECT * FROM t")
    at = len(json.dumps(good)) + 1
    assert f"a.json, line at byte {at}" in str(failed.value) and f"`t`, format {form}" in str(failed.value)
    env.execute_sql(f"ALTER TABLE t SET ('{form}.ignore-parse-errors' = 'true')")
    kept = ["+I (1, 'a')", *(["+I (None, None)"] if "column id" in says else [])]
    assert rows_of(env, "SELECT * FROM t") == kept


@pytest.mark.parametrize("form", ["debezium-json", "canal-json", "maxwell-json", "ogg-json"])
def test_changes_that_are_written_are_read_again(tmp_path: Path, form: str) -> None:
    env = environment()
    of_files(env, tmp_path / "t", CHANGES)
    make(env, "u", "name STRING, n BIGINT", {"connector": "filesystem", "path": str(tmp_path / "u"), "format": form})
    env.execute_sql("INSERT INTO u SELECT name, COUNT(*) FROM t GROUP BY name").wait()
    assert left_of(rows_of(env, "SELECT * FROM u")) == {"('b', 1)", "('c', 1)"}


def test_topics_of_changes(kafka: Any) -> None:
    """With the metadata of format and record; a record without a value, as Debezium writes after -D, is nothing."""
    env = environment()
    topic = kafka.topic(partitions=1)
    deleted = debezium("d", B, None)
    kafka.produce(topic, [json.dumps(each) for each in [*CHANGES, deleted]])
    options = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": kafka.bootstrap}
    options |= {"format": "debezium-json", "scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
    make(
        env,
        "t",
        "o BIGINT METADATA FROM 'offset' VIRTUAL, id INT, name STRING, "
        "origin STRING METADATA FROM 'value.source.table' VIRTUAL, "
        "written TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, "
        "more MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL, PRIMARY KEY (id) NOT ENFORCED",
        options,
    )
    assert rows_of(env, "SELECT o, name, origin, CAST(written AS STRING), more['snapshot'] FROM t") == [
        "+I (0, 'a', 'people', '2023-11-14 22:13:20.123', 'false')",
        "-U (1, 'a', 'people', '2023-11-14 22:13:20.123', 'false')",
        "+U (1, 'b', 'people', '2023-11-14 22:13:20.123', 'false')",
        "+I (2, 'c', 'people', '2023-11-14 22:13:20.123', 'false')",
        "-D (3, 'b', 'people', '2023-11-14 22:13:20.123', 'false')",
    ]
    copy = kafka.topic(partitions=1)
    make(env, "u", "id INT, name STRING", {**options, "topic": copy, "format": "maxwell-json"})
    env.execute_sql("INSERT INTO u SELECT id, name FROM t").wait()
    kinds = [(found["type"], found["data"]["name"]) for found in (json.loads(r.value) for r in kafka.read(copy))]
    assert kinds == [("insert", "a"), ("delete", "a"), ("insert", "b"), ("insert", "c"), ("delete", "b")]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("debezium-json", {"op": "c", "after": A, "ts_ms": "x", "source": [1]}),
        ("canal-json", {"type": "INSERT", "data": [A], "ts": "x", "pkNames": "id", "sqlType": {"id": "q"}}),
        ("maxwell-json", {"type": "insert", "data": A, "ts": {}, "primary_key_columns": 1}),
        ("ogg-json", {"op_type": "I", "after": A, "op_ts": "nonsense", "primary_keys": "id"}),
    ],
)
def test_metadata_that_nobody_reads_may_be_anything(tmp_path: Path, form: str, message: Any) -> None:
    """And what is read is an error, or NULL."""
    env = environment()
    of_files(env, tmp_path / "t", [message], format=form)
    assert rows_of(env, "SELECT * FROM t") == ["+I (1, 'a')"]
    made = find_format(form, "t")
    assert isinstance(made, ChangeFormat)
    layout = Layout((Column("id", DataTypes.INT()),), "table t")
    options = {option.name: option.default for option in made.options}
    data = json.dumps(message).encode()
    wrong = {"maxwell-json": "ingestion-timestamp", "ogg-json": "event-timestamp"}.get(form, "ingestion-timestamp")
    with pytest.raises(FormatError, match="table t"):
        made.change_decoder(layout, ["id"], options, [wrong]).deserialize_block([data])
    ignoring = made.change_decoder(layout, ["id"], {**options, "ignore-parse-errors": True}, [wrong])
    assert ignoring.deserialize_block([data]) == [(0, 1, None)]


def test_json_that_java_reads(tmp_path: Path) -> None:
    """A byte order mark, control characters, half a pair of surrogates, and something after the object."""
    env = environment()
    after = '{"op":"c","after":{"id":%d,"name":"%s"}}%s'
    lines = [
        "\ufeff" + after % (1, "a", ""),
        after % (2, "x\ty", ""),
        after % (3, "\\ud800", ""),
        after % (4, "b", " z"),
    ]
    of_files(env, tmp_path / "t", lines)
    rows = ["+I (1, 'a')", "+I (2, 'x\\ty')", "+I (3, '?')", "+I (4, 'b')"]
    assert rows_of(env, "SELECT * FROM t") == rows
    plain = [line.replace('{"op":"c","after":', "").replace("}}", "}") for line in lines]
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "a.json").write_text("\n".join(plain))
    make(env, "u", "id INT, name STRING", {"connector": "filesystem", "path": str(tmp_path / "u"), "format": "json"})
    assert rows_of(env, "SELECT * FROM u") == rows


ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "server.shop.people",
    "fields": [
        {
            "name": "before",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "Value",
                    "fields": [{"name": "id", "type": "int"}, {"name": "name", "type": ["null", "string"]}],
                },
            ],
        },
        {"name": "after", "type": ["null", "Value"]},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"]},
    ],
}


def test_topics_of_changes_in_avro(kafka: Any) -> None:
    """Messages of Debezium's own schema, with a field more; what is written is read again."""
    with registry_server() as registry:
        env, topic = environment(), kafka.topic(partitions=1)
        writer = ConfluentRegistryAvroSerializationSchema.for_generic(
            f"{topic}-value", AvroSchema(json.dumps(ENVELOPE)), registry.url
        )
        events = [("c", None, A), ("u", A, B), ("d", B, None), ("r", None, A)]
        kafka.produce(topic, [writer.serialize({"op": o, "before": b, "after": a, "ts_ms": 1}) for o, b, a in events])
        options = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": kafka.bootstrap}
        options |= {"format": "debezium-avro-confluent", "debezium-avro-confluent.url": registry.url}
        options |= {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
        make(env, "t", "id INT, name STRING", options)
        rows = ["+I (1, 'a')", "-U (1, 'a')", "+U (1, 'b')", "-D (1, 'b')", "+I (1, 'a')"]
        assert rows_of(env, "SELECT * FROM t") == rows
        assert rows_of(env, "SELECT name FROM t") == [row.replace("1, ", "").replace(")", ",)") for row in rows]
        make(env, "u", "id INT, name STRING", {**options, "topic": kafka.topic(partitions=1)})
        env.execute_sql("INSERT INTO u SELECT * FROM t").wait()
        assert left_of(rows_of(env, "SELECT * FROM u")) == {"(1, 'a')"}
        bad = kafka.topic(partitions=1)
        kafka.produce(bad, [writer.serialize({"op": "d", "before": None, "after": None, "ts_ms": 1})])
        make(env, "w", "id INT, name STRING", {**options, "topic": bad})
        with pytest.raises(JobError, match="offset 0: .*'before' of an event with the op 'd' is null"):
            rows_of(env, "SELECT * FROM w")


def test_a_topic_with_a_bad_change(kafka: Any) -> None:
    env = environment()
    topic = kafka.topic(partitions=1)
    kafka.produce(topic, [json.dumps(CHANGES[0]), "{", json.dumps(CHANGES[1])])
    options = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": kafka.bootstrap}
    options |= {"format": "debezium-json", "scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
    make(env, "t", "id INT, name STRING, o BIGINT METADATA FROM 'offset' VIRTUAL", options)
    with pytest.raises(JobError, match=r"partition 0, offset 1: .*no change as Debezium writes it"):
        rows_of(env, "SELECT * FROM t")
    env.execute_sql("ALTER TABLE t SET ('debezium-json.ignore-parse-errors' = 'true')")
    assert rows_of(env, "SELECT o, name FROM t") == ["+I (0, 'a')", "-U (2, 'a')", "+U (2, 'b')"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"key.format": "debezium-json", "key.fields": "id"}, "'key.format' cannot be 'debezium-json'"),
        ({"connector": "upsert-kafka", "key.format": "json"}, "the messages of 'debezium-json' are changes"),
        ({"value.canal-json.table.include": "("}, "no option 'value.canal-json.table.include'"),
        ({"value.format": "canal-json", "value.canal-json.table.include": "("}, "is no regular expression"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, str], says: str) -> None:
    env = environment()
    given = {"connector": "kafka", "topic": "a", "properties.bootstrap.servers": "localhost:1"}
    given |= {"value.format": "debezium-json", **options}
    make(env, "t", "id INT, PRIMARY KEY (id) NOT ENFORCED", given)
    with pytest.raises(ValidationError, match=says):
        env.execute_sql("SELECT * FROM t")
