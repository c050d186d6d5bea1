"""Tables of topics: reading, writing, keys, metadata, tombstones."""

from __future__ import annotations

import json

import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.table import DataTypes, EnvironmentSettings, StreamTableEnvironment
from datastream.table.connectors import TableInfo, connector_for
from datastream.table.connectors.connector import check_written
from datastream.table.plan.relations import Column
from datastream.testing.collecting import collect

COLUMNS = [("id", DataTypes.INT()), ("name", DataTypes.STRING()), ("at", DataTypes.TIMESTAMP(3))]
EARLIEST = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


def environment() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)


def table(options, columns=COLUMNS, connector="kafka", **more) -> TableInfo:
    return TableInfo(
        ("c", "d", "t"),
        tuple(Column(name, kind) for name, kind in columns),
        options={"connector": connector, **options},
        **more,
    )


def of_topic(kafka, topic, **options):
    return {"topic": topic, "properties.bootstrap.servers": kafka.bootstrap, **options}


def read(info, wanted, key=None):
    return sorted(collect(connector_for(info).scan(environment(), info, wanted)), key=key)


def write(info, rows, updates=False):
    env = environment()
    connector_for(info).sink(env.from_collection(rows), info, updates, "out")
    env.execute("writes")


def test_rows_go_to_a_topic_and_come_back(kafka):
    topic = kafka.topic(partitions=2)
    info = table(of_topic(kafka, topic, format="json", **EARLIEST))
    rows = [(1, "a", 1_706_704_200_500_000), (2, None, None)]
    write(info, rows)
    values = [json.loads(record.value) for record in kafka.read(topic)]
    assert sorted(values, key=lambda value: value["id"])[0] == {"id": 1, "name": "a", "at": "2024-01-31 12:30:00.5"}
    assert read(info, ["id", "name", "at"]) == rows
    assert read(info, ["at", "id"], key=str) == [(1_706_704_200_500_000, 1), (None, 2)]


def test_keys_and_metadata(kafka):
    topic = kafka.topic(retention_ms=-1)
    options = of_topic(kafka, topic, **EARLIEST)
    options |= {"key.format": "raw", "key.fields": "k_id", "key.fields-prefix": "k_", "value.format": "csv"}
    options |= {"value.fields-include": "EXCEPT_KEY"}
    columns = [("k_id", DataTypes.STRING()), ("n", DataTypes.BIGINT())]
    metadata = {"time": "timestamp", "place": "offset", "part": "partition", "h": "headers", "topic": "topic"}
    info = table(options, columns, metadata=metadata, persisted=("time", "h"))
    write(info, [("x", 7, 1_700_000_000_000_000, {"a": b"1"}), ("y", 8, 1_700_000_001_000_000, None)])
    written = [(record.key, record.value, record.timestamp) for record in kafka.read(topic)]
    assert written == [(b"x", b"7", 1_700_000_000_000), (b"y", b"8", 1_700_000_001_000)]
    wanted = ["place", "time", "k_id", "n", "h", "topic", "part"]
    assert collect(connector_for(info).scan(environment(), info, wanted)) == [
        (0, 1_700_000_000_000_000, "x", 7, {"a": b"1"}, topic, 0),
        (1, 1_700_000_001_000_000, "y", 8, {}, topic, 0),
    ]
    assert read(info, []) == [(), ()]


def test_a_bad_record_is_an_error_that_says_where_or_is_dropped(kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"id": 1}', '{"id": "x"}', "{", '{"id": 2}'])
    info = table(of_topic(kafka, topic, format="json", **EARLIEST))
    with pytest.raises(JobError) as error:
        read(info, ["id"])
    for part in ("offset 1", topic, "`c`.`d`.`t`", "format json", "column id", "'x'"):
        assert part in str(error.value)
    info = table(of_topic(kafka, topic, format="json", **EARLIEST, **{"json.ignore-parse-errors": "true"}))
    assert collect(connector_for(info).scan(environment(), info, ["id"])) == [(1,), (None,), (2,)]


def test_offsets(kafka):
    topic = kafka.topic()
    kafka.produce(topic, [json.dumps({"id": i}) for i in range(5)])
    options = of_topic(kafka, topic, format="json")
    options |= {"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "partition:0,offset:2"}
    options |= {"scan.bounded.mode": "specific-offsets", "scan.bounded.specific-offsets": "partition:0,offset:4"}
    assert read(table(options), ["id"]) == [(2,), (3,)]


def test_upserts(kafka):
    topic = kafka.topic()
    options = of_topic(kafka, topic, **{"key.format": "json", "value.format": "json"})
    info = table(options, connector="upsert-kafka", primary_key=("id",))
    write(info, [(0, 1, "a", None), (2, 1, "b", None), (0, 2, "c", None), (3, 2, "c", None)], updates=True)
    records = [(json.loads(r.key), r.value and json.loads(r.value)["name"]) for r in kafka.read(topic)]
    assert records == [({"id": 1}, "a"), ({"id": 1}, "b"), ({"id": 2}, "c"), ({"id": 2}, None)]
    write(info, [(1, 1, "b", None), (2, 1, "d", None), (1, 1, "d", None), (2, 3, "d", None)], updates=True)
    more = [(json.loads(r.key)["id"], r.value and json.loads(r.value)["name"]) for r in kafka.read(topic)[4:]]
    assert more == [(1, "d"), (1, None), (3, "d")]
    bounded = table({**options, "scan.bounded.mode": "latest-offset"}, connector="upsert-kafka", primary_key=("id",))
    rows = collect(connector_for(bounded).scan(environment(), bounded, ["name", "id"]))
    assert rows == [(2, "a", 1), (2, "b", 1), (2, "c", 2), (3, None, 2), (2, "d", 1), (3, None, 1), (2, "d", 3)]


def upserted(kafka, topic, **more):
    """An environment with a table ``t`` of upserts."""
    t_env = StreamTableEnvironment.create(environment())
    options = of_topic(kafka, topic, **{"key.format": "json", "value.format": "json", **more})
    options |= {"connector": "upsert-kafka", "scan.bounded.mode": "latest-offset"}
    given = ", ".join(f"'{name}' = '{value}'" for name, value in options.items())
    t_env.execute_sql(f"CREATE TABLE t (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ({given})")
    return t_env


def changes(t_env, query):
    with t_env.execute_sql(query).collect() as found:
        return [(str(row.get_row_kind()), *row) for row in found]


def test_upserts_are_read_as_changes(kafka):
    topic = kafka.topic()
    records = [(1, "a"), (2, "x"), (1, "b"), (1, "b"), (2, None), (2, None), (3, "c"), (2, "y")]
    values = [None if name is None else json.dumps({"id": id, "name": name}) for id, name in records]
    kafka.produce(topic, [(json.dumps({"id": id}), value) for (id, _), value in zip(records, values, strict=True)])
    t_env = upserted(kafka, topic)
    expected = [("+I", 1, "a"), ("+I", 2, "x"), ("-U", 1, "a"), ("+U", 1, "b"), ("-D", 2, "x"), ("+I", 3, "c")]
    expected.append(("+I", 2, "y"))
    assert changes(t_env, "SELECT * FROM t") == expected
    assert [row[1:] for row in changes(t_env, "SELECT name FROM t WHERE id > 1") if row[0] == "+I"][-1] == ("y",)
    assert changes(t_env, "SELECT COUNT(*) FROM t")[-1][1] == 3
    assert changes(t_env, "SELECT name, COUNT(*) FROM t WHERE name = 'b' GROUP BY name") == [("+I", "b", 1)]
    batch = StreamTableEnvironment.create(environment(), EnvironmentSettings.in_batch_mode())
    with t_env.execute_sql("SHOW CREATE TABLE t").collect() as found:
        batch.execute_sql(next(found)[0])
    assert sorted(changes(batch, "SELECT * FROM t")) == [("+I", 1, "b"), ("+I", 2, "y"), ("+I", 3, "c")]


def test_a_record_of_upserts_without_a_key_is_an_error(kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"id": 1, "name": "a"}'])
    with pytest.raises(JobError, match="a record of upserts needs a key"):
        changes(upserted(kafka, topic), "SELECT * FROM t")


def test_metadata_that_cannot_be_written(kafka):
    info = table(of_topic(kafka, "t", format="json"), metadata={"o": "offset"}, persisted=("o",))
    with pytest.raises(ValidationError, match="cannot write the metadata 'offset' of the column 'o'.*VIRTUAL.*topic"):
        check_written(connector_for(info), info)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "set one of the options 'format' and 'value.format'"),
        ({"format": "json", "key.format": "raw"}, "'key.format' needs the option 'key.fields'"),
        ({"format": "json", "key.fields": "id"}, "'key.fields' needs the option 'key.format'"),
        ({"format": "json", "key.format": "raw", "key.fields": "idd"}, "No column 'idd': did you mean 'id'"),
        ({"format": "json", "value.json.ignore-parse-errors": "true"}, "did you mean 'json.ignore-parse-errors'"),
        ({"format": "json"}, "'group-offsets' .the default. .* needs 'properties.group.id'"),
        ({"format": "json", "scan.startup.mode": "timestamp"}, "needs the option 'scan.startup.timestamp-millis'"),
        ({"format": "json", "topic-pattern": "t.*"}, "set one of the options 'topic' and 'topic-pattern'"),
    ],
)
def test_options_that_do_not_fit(options, message):
    info = table({"topic": "t", "properties.bootstrap.servers": "127.0.0.1:9", **options})
    with pytest.raises(ValidationError, match=message) as error:
        connector_for(info).scan(environment(), info, ["id"])
    assert "table `c`.`d`.`t`" in str(error.value)


def test_a_primary_key_is_for_upserts():
    options = {"topic": "t", "properties.bootstrap.servers": "127.0.0.1:9", "format": "json"}
    with pytest.raises(ValidationError, match="cannot have a PRIMARY KEY.*upsert-kafka"):
        connector_for(table(options, primary_key=("id",)))


def test_exactly_once(kafka):
    topic = kafka.topic()
    options = of_topic(kafka, topic, format="json", **{"sink.delivery-guarantee": "exactly-once"}, **EARLIEST)
    with pytest.raises(ValidationError, match="sink.transactional-id-prefix"):
        write(table(options), [(1, "a", None)])
    info = table({**options, "sink.transactional-id-prefix": topic})
    write(info, [(1, "a", None)])
    kafka.read(topic, count=1)  # the end of a committed transaction shows a moment later
    assert read(info, ["id"]) == [(1,)]


def test_upserts_are_versions(kafka, tmp_path):
    topic = kafka.topic()
    records = [(1, "a", 1), (2, "x", 2), (1, "b", 6), (3, "c", 7), (2, "y", 9)]
    values = [json.dumps({"id": id, "name": name, "at": f"2024-01-01 00:00:0{second}"}) for id, name, second in records]
    keys = [json.dumps({"id": id}) for id, _, _ in records]
    kafka.produce(topic, list(zip(keys, values, strict=True)))
    (tmp_path / "o").write_text("".join(f"{id},2024-01-01 00:00:0{second}\n" for second in (0, 5, 8) for id in (1, 2)))
    columns = "id INT, name STRING, `at` TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR `at` AS `at`"
    options = of_topic(kafka, topic, **{"key.format": "json", "value.format": "json"})
    options |= {"connector": "upsert-kafka", "scan.bounded.mode": "latest-offset"}
    given = ", ".join(f"'{name}' = '{value}'" for name, value in options.items())
    t_env = StreamTableEnvironment.create(environment())
    t_env.execute_sql(f"CREATE TABLE t ({columns}) WITH ({given})")
    t_env.execute_sql(
        "CREATE TABLE o (id INT, made TIMESTAMP(3), WATERMARK FOR made AS made) WITH "
        f"('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'o'}')"
    )
    joined = "SELECT o.id, SECOND(made), name FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.made AS r ON o.id = r.id"
    assert sorted(changes(t_env, joined)) == [
        ("+I", 1, 0, None), ("+I", 1, 5, "a"), ("+I", 1, 8, "b"),
        ("+I", 2, 0, None), ("+I", 2, 5, "x"), ("+I", 2, 8, "x"),
    ]  # fmt: skip
    assert changes(t_env, "SELECT id, name FROM t WHERE id = 1")[1:] == [("-U", 1, "a"), ("+U", 1, "b")]


def test_a_version_ends_at_the_time_of_its_deletion(kafka, tmp_path):
    topic = kafka.topic()
    kafka.produce(topic, [('{"id": 1}', '{"name": "a"}'), ('{"id": 2}', '{"name": "b"}'), ('{"id": 1}', None)])
    (tmp_path / "o").write_text("1,2100-01-01 00:00:00\n2,2100-01-01 00:00:00\n1,2000-01-01 00:00:00\n")
    columns = "id INT, name STRING, `at` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', PRIMARY KEY (id) NOT ENFORCED"
    options = of_topic(
        kafka, topic, **{"key.format": "json", "value.format": "json", "value.fields-include": "EXCEPT_KEY"}
    )
    options |= {"connector": "upsert-kafka", "scan.bounded.mode": "latest-offset"}
    given = ", ".join(f"'{name}' = '{value}'" for name, value in options.items())
    t_env = StreamTableEnvironment.create(environment())
    t_env.execute_sql(f"CREATE TABLE t ({columns}, WATERMARK FOR `at` AS `at`) WITH ({given})")
    t_env.execute_sql(
        "CREATE TABLE o (id INT, text STRING, made AS CAST(TO_TIMESTAMP(text) AS TIMESTAMP_LTZ(3)), WATERMARK FOR made "
        f"AS made) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'o'}')"
    )
    joined = "SELECT o.id, YEAR(made), name FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.made AS r ON o.id = r.id"
    assert sorted(changes(t_env, joined)) == [("+I", 1, 2000, None), ("+I", 1, 2100, None), ("+I", 2, 2100, "b")]


def test_what_becomes_of_bad_records_may_change_between_runs(kafka):
    """A checkpoint's offsets are those of the topic, whatever the table makes of records."""
    kinds = []
    for ignore in ("false", "true"):
        info = table(of_topic(kafka, kafka.topic(), format="json", **EARLIEST, **{"json.ignore-parse-errors": ignore}))
        env = environment()
        connector_for(info).scan(env, info, ["id"]).print()
        kinds.append(list(describe(Plan.of(graph_of(env, "job")))["sources"].values()))
    assert kinds == [["KafkaSource"], ["KafkaSource"]]


def test_the_error_of_a_bad_record_says_how_to_drop_it(kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"id": 1}', '{"id'])
    with pytest.raises(JobError, match=r"such as 'json\.ignore-parse-errors' = 'true'\) would drop it"):
        read(table(of_topic(kafka, topic, format="json", **EARLIEST)), ["id"])
