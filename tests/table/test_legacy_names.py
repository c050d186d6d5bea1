"""Names of Flink before 1.14: expressions as text, descriptors, sources and sinks of files."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, UnsupportedOperation, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.api.window import Over, Tumble
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.descriptors import (
    Csv,
    CustomConnectorDescriptor,
    Elasticsearch,
    FileSystem,
    HBase,
    Json,
    Kafka,
    OldCsv,
    Rowtime,
    Schema,
)
from datastream.table.dsl.text_expressions import text_expressions
from datastream.table.legacy import CsvTableSink, CsvTableSource, WriteMode


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a, b as c", "a; as(b, 'c')"),
        ("word, count(1) as count", "word; as(count(1), 'count')"),
        ("a.sum as s, b.avg.distinct", "as(sum(a), 's'); distinct(avg(b))"),
        ("a.count(), count(a)", "count(a); count(a)"),
        ("a === 'x' && b > 1 || !c", "or(and(equals(a, 'x'), greaterThan(b, 1)), not(c))"),
        ("a = 1, a == 1, a <> 1, a != 1, a !== 1", "; ".join(["equals(a, 1)"] * 2 + ["notEquals(a, 1)"] * 3)),
        ("a + b * -2 % 3", "plus(a, mod(times(b, -2), 3))"),
        ("(a + b) * 2", "times(plus(a, b), 2)"),
        ("1L, 1.5f, 2d, 3.25p, 1e3", "1; 1.5; 2.0; 3.25; 1000.0"),
        ("'it''s', \"it's\", `as`", "'it''s'; 'it''s'; as"),
        ("a.cast(LONG), cast(a, DECIMAL(10, 2))", "cast(a, BIGINT); cast(a, DECIMAL(10, 2))"),
        ("cast(a as STRING)", "cast(a, STRING)"),
        ("a.isNull, a.isNotNull()", "isNull(a); isNotNull(a)"),
        ("a.in(1, 2)", "in(a, 1, 2)"),
        (
            "if(a > 1, 'x', 'y'), (a > 1).?(1, 2)",
            "ifThenElse(greaterThan(a, 1), 'x', 'y'); ifThenElse(greaterThan(a, 1), 1, 2)",
        ),
        ("a.substring(1, 2), substring(a, 1, 2)", "substring(a, 1, 2); substring(a, 1, 2)"),
        ("a.upperCase(), upperCase(a)", "upper(a); upper(a)"),
        ("concat(a, b), round(a, 2)", "concat(a, b); round(a, 2)"),
        ("t.floor(HOUR), t.extract(YEAR)", "floor(t, HOUR); extract(YEAR, t)"),
        ("w.start, w.end as e", "start(w); as(end(w), 'e')"),
        ("5.minutes, 10.rows", "300000; 10"),
        ("a.sum over w", "over(sum(a), w)"),
        ("nullOf(INT), Null(INT)", "null; null"),
        ("a.desc, b.asc", "desc(a); asc(b)"),
        ("r.get('x'), r.x", "get(r, 'x'); get(r, 'x')"),
        ("withColumns(1 to 2)", "withColumns(rangeTo(1, 2))"),
        ("split(a) as (x, y)", "as(split(a), 'x', 'y')"),
        ("true, FALSE", "true; false"),
    ],
)
def test_expressions_as_text(text, wanted):
    found = text_expressions(text, "select", lambda name: name == "split")
    assert "; ".join(str(each) for each in found) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a +", "select: the expression 'a \\+', column 4: expected an expression, found the end"),
        ("a b", "column 3: expected a comma, 'as' or an operator, found b"),
        ("a ; b", "column 3: ';' is not known here"),
        ("w = 'x", "column 5: the ' has no end"),
        ("(a", "column 3: expected '\\)', found the end"),
        ("a.uperCase()", "column 3: there is no function uperCase; did you mean upper_case"),
        ("a.substring()", "column 3: substring: missing a required argument: 'begin_index'"),
        ("a.sum(1)", "column 3: sum takes no arguments"),
        ("a.upperCase(1)", "column 3: upperCase takes no arguments"),
        ("upperCase(a, b)", "column 1: upperCase takes no arguments"),
        ("mod(a)", "column 1: mod: missing a required argument: 'divisor'"),
        ("if(a)", "column 1: if: missing a required argument: 'if_true'"),
        ("pi(1)", "column 1: pi: too many positional arguments"),
        ("a.?(1)", "column 3: \\?: missing a required argument: 'if_false'"),
        ("a.floor(b)", "column 3: 'b' is no unit of time; there are YEAR"),
        ("extract(a, 1)", "column 1: '1' is no unit of time"),
        ("a.cast(FOO)", "column 8: data type 'FOO'"),
        ("a as", "column 5: expected a name, found the end"),
        ("", "column 1: expected an expression, found the end"),
    ],
)
def test_a_text_that_is_none_says_where(text, message):
    with pytest.raises(ValidationError, match=message):
        text_expressions(text, "select")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n.foo", "n has no field 'foo', and there is no such function: it is BIGINT"),
        ("n.sum.cuont", "sum\\(n\\) has no field 'cuont'"),
        ("w.upperCse", "w has no field 'upperCse'"),
        ("array(n).foo", "has no field 'foo', and there is no such function: it is ARRAY<BIGINT>"),
        ("row(n, w).foo", "has no field 'foo'; there are f0, f1"),
        ("w.start", "start is of a window"),
        ("w.rowtime as r", "rowtime is of a window"),
        ("foo(n)", "No function 'foo'"),
    ],
)
def test_a_name_that_is_unknown_is_named(tables, text, message):
    with pytest.raises(ValidationError, match=message):
        tables.scan("t").select(text)


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    made = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    made.set_parallelism(1)
    made.register_table("t", made.from_elements([(1, "a"), (2, "b"), (3, "a")], ["n", "w"]))
    return made


def rows(table):
    return sorted(tuple(row) for row in table.execute().collect())


def test_methods_take_text(tables):
    t = tables.scan("t")
    assert rows(t.where("n > 1 && w === 'a'")) == [(3, "a")]
    assert rows(t.group_by("w").select("w, n.sum as s").filter("s >= 2")) == [("a", 4), ("b", 2)]
    assert rows(t.alias("x, y").select("y, x + 1")) == [("a", 2), ("a", 4), ("b", 3)]
    assert rows(t.join(t.alias("m, v"), "n = m").select("v, m")) == [("a", 1), ("a", 3), ("b", 2)]
    assert rows(t.add_columns("n * 2 as d").drop_columns("w, n")) == [(2,), (4,), (6,)]
    assert [tuple(row) for row in t.order_by("n.desc").select("n").execute().collect()] == [(3,), (2,), (1,)]
    assert rows(t.select("*")) == rows(t)
    over = Over.partition_by("w, n").order_by("n").preceding("unbounded_range").alias("o")
    assert rows(t.over_window(over).select("w, n.sum over o as s")) == [("a", 1), ("a", 3), ("b", 2)]


def test_a_column_of_the_old_name_is_the_column(tables):
    t = tables.from_elements([(1,)], ["insertInto"])
    assert rows(t.select(t.insertInto)) == [(1,)]


def test_old_methods_are_no_attributes_that_tools_see(tables):
    assert "connect" not in dir(tables) and "execute" not in dir(tables)
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        tables.conect  # noqa: B018


def test_only_what_nothing_ran_is_executed(tables, tmp_path):
    for name in ("one", "two", "three"):
        tables.register_table_sink(name, CsvTableSink(["n"], [DataTypes.BIGINT()], str(tmp_path / name)))
    t = tables.scan("t").select("n")
    t.insert_into("one").execute().wait()
    tables.create_statement_set().add(t.insert_into("two")).execute().wait()
    t.insert_into("three")
    tables.sql_update("CREATE TABLE four (n BIGINT) WITH ('connector' = 'blackhole')")
    tables.sql_update("INSERT INTO four SELECT n FROM t")
    result = tables.execute("both")
    assert result.get_job_id() is not None
    for name in ("one", "two", "three"):
        assert sorted((tmp_path / name).read_text().split()) == ["1", "2", "3"]


def test_a_file_that_is_there_is_an_error_or_replaced(tables, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before\n")
    kinds = [DataTypes.BIGINT(), DataTypes.STRING()]
    tables.register_table_sink("kept", CsvTableSink(["n", "w"], kinds, str(path)))
    tables.scan("t").insert_into("kept")
    with pytest.raises(DataStreamError, match="is there already"):
        tables.execute()
    assert path.read_text() == "before\n"
    sink = CsvTableSink(["n", "w"], kinds, str(path), "|", write_mode=WriteMode.OVERWRITE)
    tables.register_table_sink("replaced", ["n", "w"], kinds, sink)
    tables.insert_into("replaced", tables.scan("t"))
    tables.execute()
    assert sorted(path.read_text().splitlines()) == ["1|a", "2|b", "3|a"]


def test_no_rows_give_an_empty_file(tables, tmp_path):
    tables.register_table_sink("out", CsvTableSink(["n"], ["LONG"], str(tmp_path / "out")))
    tables.scan("t").where("n > 5").select("n").insert_into("out")
    tables.execute()
    assert (tmp_path / "out").read_text() == ""


def test_sources_of_files(tables, tmp_path):
    path = tmp_path / "in"
    path.write_text("n;w\n# comment\n1;'a;b'\nx;y\n2;\n")
    source = CsvTableSource(
        str(path),
        ["n", "w"],
        [DataTypes.INT, "STRING"],
        field_delim=";",
        quote_character="'",
        ignore_first_line=True,
        ignore_comments="#",
        lenient=True,
    )
    assert (1, "a;b") in rows(tables.from_table_source(source).where("n.isNotNull"))
    strict = CsvTableSource(str(path), ["n", "w"], [DataTypes.INT(), DataTypes.STRING()], field_delim=";")
    with pytest.raises(DataStreamError, match="row at byte 0: .*column n: expected a value of INT, found 'n'"):
        rows(tables.from_table_source(strict))


def test_fields_and_columns_of_descriptors(tables, tmp_path):
    path = tmp_path / "in"
    path.write_text("1,skipped,a|2,skipped,b|")
    written = OldCsv().line_delimiter("|").field("id", "INT").field("more", "STRING").field("word", "STRING")
    schema = Schema().field("w", DataTypes.STRING()).from_origin_field("word").field("id", DataTypes.INT())
    tables.connect(FileSystem().path(str(path))).with_format(written).with_schema(schema).create_temporary_table("d")
    assert rows(tables.scan("d")) == [("a", 1), ("b", 2)]


def test_event_time_of_descriptors(tables, tmp_path):
    path = tmp_path / "in"
    path.write_text("2024-01-01 00:00:01,1\n2024-01-01 00:00:02,2\n2024-01-01 00:00:11,4\n")
    time = Rowtime().timestamps_from_field("t").watermarks_periodic_bounded(1000)
    schema = Schema().field("at", DataTypes.TIMESTAMP(3)).rowtime(time).field("n", DataTypes.INT())
    schema.field("p", DataTypes.TIMESTAMP(3)).proctime()
    written = Csv().field("t", DataTypes.TIMESTAMP(3)).field("n", DataTypes.INT())
    tables.connect(FileSystem().path(str(path))).with_format(written).with_schema(schema).register_table_source("e")
    windows = Tumble.over("10.seconds").on("at").alias("w")
    assert rows(tables.scan("e").window(windows).group_by("w").select("n.sum")) == [(3,), (4,)]


def options(tables, name):
    return tables._session.catalogs.get(tables._session.qualify(name)).options


def test_tables_of_kafka(tables):
    kafka = Kafka().version("universal").topic("in").start_from_earliest().property("bootstrap.servers", "h:1")
    kafka.property("zookeeper.connect", "h:2").property("group.id", "g")
    schema = Schema().field("a", "INT").field("b", DataTypes.STRING())
    form = Json().fail_on_missing_field(True).derive_schema()
    tables.connect(kafka).with_format(form).with_schema(schema).in_append_mode().create_temporary_table("k")
    assert options(tables, "k") == {
        "connector": "kafka",
        "topic": "in",
        "scan.startup.mode": "earliest-offset",
        "properties.bootstrap.servers": "h:1",
        "properties.group.id": "g",
        "format": "json",
        "json.fail-on-missing-field": "true",
    }
    some = CustomConnectorDescriptor("datagen", 1, False).property("connector.number-of-rows", "3")
    tables.connect(some).with_schema(Schema(TableSchema(["a"], [DataTypes.INT()]))).create_temporary_table("c")
    assert len(rows(tables.scan("c"))) == 3


def declared(tables, connector):
    schema = Schema().field("a", DataTypes.INT())
    tables.connect(connector).with_format(OldCsv()).with_schema(schema).create_temporary_table("no")


def test_what_is_not_there_any_more_is_refused(tables):
    for make, message in (
        (Elasticsearch, "ElasticsearchSink"),
        (HBase, "no connector for HBase"),
        (lambda: Rowtime().timestamps_from_extractor("X"), "name a field"),
        (lambda: tables.connect(Kafka()).in_upsert_mode(), "upsert-kafka"),
        (lambda: tables.register_java_function("f", "org.F"), "Java classes"),
        (
            lambda: (
                tables.connect(FileSystem().path("x"))
                .with_format(Json())
                .with_schema(Schema().field("a", "INT"))
                .create_temporary_table("j")
            ),
            "for_connector\\('filesystem'\\)",
        ),
    ):
        with pytest.raises(UnsupportedOperation, match=message):
            make()
    for make, message in (
        (lambda: tables.connect("x"), "connect needs a connector"),
        (lambda: tables.connect(FileSystem()).with_format("csv"), "with_format needs a format"),
        (lambda: tables.connect(FileSystem()).with_schema({}), "with_schema needs a Schema"),
        (lambda: tables.connect(FileSystem()).create_temporary_table("x"), "the columns are missing"),
        (lambda: declared(tables, FileSystem()), "FileSystem\\(\\) does not say its path: call .*path\\('...'\\)"),
        (lambda: declared(tables, Kafka().topic("t")), "does not say its properties.bootstrap.servers"),
        (lambda: declared(tables, Kafka().property("bootstrap.servers", "b")), "does not say its topic"),
        (lambda: Schema().proctime(), "there is none"),
        (lambda: Schema().field("a", "INT").field("a", "INT"), "there twice"),
    ):
        with pytest.raises(ValidationError, match=message):
            make()


def test_settings_of_older_planners(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    given = EnvironmentSettings.new_instance().in_batch_mode().use_blink_planner().build()
    made = TableEnvironment.create(given)
    assert rows(made.from_collection([(1, 2)], "a, b").select("a + b")) == [(3,)]
