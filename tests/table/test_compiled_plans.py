"""Compiled plans: what is in them, what runs them, and what they say is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration
from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import (
    DataTypes,
    EnvironmentSettings,
    ExplainDetail,
    PlanReference,
    Schema,
    StreamTableEnvironment,
    TableDescriptor,
    TableEnvironment,
)
from datastream.table.execution.compiling import loaded
from datastream.table.execution.inserts import planned
from datastream.table.expressions import col
from datastream.table.udf import udf
from tests.support.savepoints import StopAfter
from tests.table.test_random_queries import COLUMNS, Queries, _environment

PRINTED = "'connector' = 'print'"
# At this rate all rows are there at once: an epoch holds the three, however slow the machine.
NUMBERS = (
    "'connector' = 'datagen', 'rows-per-second' = '1000000000', 'number-of-rows' = '3', "
    "'fields.n.kind' = 'sequence', 'fields.n.start' = '1'"
)


plus_one = udf(lambda n: n + 1, result_type=DataTypes.BIGINT())


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(batch: bool = False) -> TableEnvironment:
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    made = TableEnvironment.create(mode)
    made.get_config().set("parallelism.default", "1")
    made.execute_sql(f"CREATE TABLE numbers (n INT) WITH ({NUMBERS}, 'fields.n.end' = '3')")
    made.execute_sql(f"CREATE TABLE printed (n BIGINT) WITH ({PRINTED})")
    return made


@pytest.fixture
def tables() -> TableEnvironment:
    return environment()


def plan_of(tables: TableEnvironment, query: str = "SELECT SUM(n) FROM numbers") -> str:
    return tables.compile_plan_sql(f"INSERT INTO printed {query}").as_json_string()


def run(tables: TableEnvironment, text: str) -> None:
    tables.execute_plan(PlanReference.from_json_string(text)).wait()


# -- what is in a plan ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_is_read_as_it_was_written(seed: int) -> None:
    queries = Queries(seed)
    made = _environment(seed % 2 == 0, {table: queries.rows(table) for table in COLUMNS})
    table = made.sql_query(queries.query())
    schema = table.get_schema()
    names = [f"c{i}" for i in range(schema.get_field_count())]
    sink = Schema.new_builder().from_fields(names, schema.get_field_data_types()).build()
    made.create_temporary_table("sunk", TableDescriptor.for_connector("blackhole").schema(sink).build())
    pipeline = table.insert_into("sunk")
    text = pipeline.compile_plan().as_json_string()
    before = planned(made._session, [pipeline.target])
    assert loaded(made._session, text, "the plan").sinks == before.sinks


@pytest.mark.parametrize(
    "expression",
    [
        "2.5e0",
        "12.50",
        "x'00ff'",
        "DATE '2026-01-02'",
        "TIMESTAMP '2026-01-02 03:04:05.678'",
        "INTERVAL '1 02:03' DAY TO MINUTE",
        "INTERVAL '1-2' YEAR TO MONTH",
        "ARRAY[1.5, 2.25]",
        "MAP['a', ARRAY[x'01'], 'b', NULL]",
        "ROW(1, 'a', CAST(NULL AS TIME(3)))",
        "CAST(NULL AS MULTISET<ROW<`a b` INT NOT NULL, c TIMESTAMP_LTZ(6)>>)",
        "TRIM(BOTH 'x' FROM 'xax')",
        "EXTRACT(YEAR FROM DATE '2026-01-02')",
        "JSON_VALUE('{\"a\": 1}', '$.a' RETURNING INT DEFAULT 3 ON EMPTY)",
    ],
)
def test_constants_and_types(tables: TableEnvironment, expression: str) -> None:
    query = tables.sql_query(f"SELECT n, {expression} AS v FROM numbers WHERE n > RAND()")
    kinds = query.get_schema().get_field_data_types()
    sink = Schema.new_builder().from_fields(["n", "v"], kinds).build()
    pipeline = query.insert_into(TableDescriptor.for_connector("blackhole").schema(sink).build())
    before = planned(tables._session, [pipeline.target])
    assert loaded(tables._session, pipeline.compile_plan().as_json_string(), "the plan").sinks == before.sinks


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM numbers CROSS JOIN UNNEST(ARRAY[n, 7]) AS u (x)",
        "SELECT i FROM numbers CROSS JOIN UNNEST(ARRAY[n, 7]) WITH ORDINALITY AS u (x, i)",
        "SELECT n FROM numbers INTERSECT ALL SELECT 1",
        "SELECT n FROM numbers EXCEPT SELECT 1",
        "SELECT n FROM numbers WHERE n IN (SELECT MAX(n) FROM numbers)",
        "SELECT n FROM numbers ORDER BY n DESC LIMIT 2",
        "SELECT COUNT(DISTINCT n) FILTER (WHERE n > 1) FROM numbers GROUP BY GROUPING SETS ((n), ())",
        "SELECT CHAR_LENGTH(CURRENT_DATABASE()) FROM numbers",
        "SELECT n FROM (VALUES (1), (CAST(NULL AS INT))) AS v (n)",
    ],
)
def test_queries_of_all_kinds(tables: TableEnvironment, query: str) -> None:
    pipeline = tables.sql_query(query).insert_into("printed")
    before = planned(tables._session, [pipeline.target])
    assert loaded(tables._session, pipeline.compile_plan().as_json_string(), "the plan").sinks == before.sinks


def test_a_plan_runs_without_the_catalog_that_it_was_compiled_with(tables, capsys):
    text = plan_of(tables)
    run(tables, text)
    wanted = ["+I[1]", "-U[1]", "+U[3]", "-U[3]", "+U[6]"]
    assert capsys.readouterr().out.split() == wanted
    run(TableEnvironment.create(EnvironmentSettings.in_streaming_mode()), text)
    assert sorted(line.split()[-1] for line in capsys.readouterr().out.splitlines()) == sorted(wanted)


def test_settings_of_operators_are_those_of_the_plan(tables, capsys):
    tables.get_config().set("table.exec.mini-batch.enabled", "true")
    tables.get_config().set("table.local-time-zone", "Asia/Tokyo")
    text = plan_of(tables)
    assert json.loads(text)["settings"] == {
        "table.exec.mini-batch.enabled": "true",
        "table.local-time-zone": "Asia/Tokyo",
    }
    run(environment(), text)
    assert capsys.readouterr().out.split() == ["+I[6]"]


def test_a_table_that_is_read_twice_is_one_node(tables):
    both = "SELECT a.n FROM numbers AS a JOIN numbers AS b ON a.n = b.n"
    nodes = json.loads(plan_of(tables, both))["nodes"]
    assert [node["node"] for node in nodes].count("Scan") == 1
    assert json.loads(plan_of(tables, both))["uids"].count(f"table.{CATALOG}.numbers.scan") == 1


CATALOG = "default_catalog.default_database"


def test_uids_are_those_of_the_plan(tables):
    text = plan_of(tables)
    assert json.loads(text)["uids"] == [
        f"table.{CATALOG}.numbers.scan",
        f"table.{CATALOG}.printed.aggregate",
        f"table.{CATALOG}.printed",
    ]
    other = text.replace("printed.aggregate", "printed.mine")
    run(tables, other)
    uids = {operator.uid for operator in tables._session.builder.operators.values()} - {None}
    assert uids == set(json.loads(other)["uids"])
    fewer = json.loads(text) | {"uids": [f"table.{CATALOG}.numbers.scan"]}
    with pytest.raises(ValidationError, match=r"uids for 1 operators, and this version makes one more, '.*aggregate'"):
        run(tables, json.dumps(fewer))


def test_a_plan_goes_on_from_a_savepoint(tmp_path, capsys, monkeypatch):
    def part(text: str, epochs: int, savepoint: Path | None = None) -> Any:
        options = {"datastream.epoch.max-records": "500", "parallelism.default": "2"}
        if savepoint is not None:
            options["execution.state-recovery.path"] = str(savepoint)
        stop = StopAfter(epochs, lambda: None)
        monkeypatch.setattr(settings(), "listeners", [stop])
        made = TableEnvironment.create(Configuration.from_dict(options))
        result = made.execute_plan(PlanReference.from_json_string(text))
        stop.handle = result.get_job_client()._handle
        stop.started.set()
        stop.handle.future.result()
        return stop.handle

    def folded() -> list[str]:
        left: list[str] = []
        for line in capsys.readouterr().out.splitlines():
            kind, _, row = line.partition("> ")[2].partition("[")
            (left.append if kind in ("+I", "+U") else left.remove)(row)
        return sorted(left)

    made = environment()
    made.execute_sql(f"CREATE TABLE many (n INT) WITH ({NUMBERS.replace('3', '2000')}, 'fields.n.end' = '2000')")
    made.execute_sql(f"CREATE TABLE sums (k INT, s INT) WITH ({PRINTED})")
    plan = made.compile_plan_sql("INSERT INTO sums SELECT MOD(n, 7), SUM(n) FROM many GROUP BY MOD(n, 7)")
    text = plan.as_json_string().replace("sums.aggregate", "sums.kept")
    part(text, 0)
    wanted = folded()
    assert len(wanted) == 7
    first = part(text, 2)
    first.savepoint(tmp_path / "savepoint")
    before = capsys.readouterr().out
    part(text, 0, tmp_path / "savepoint")
    after = capsys.readouterr().out
    print(before + after, end="")
    assert folded() == wanted


def test_batch_mode(capsys):
    tables = environment(batch=True)
    text = plan_of(tables, "SELECT n FROM (SELECT MAX(n) AS n FROM numbers) ORDER BY n")
    run(tables, text)
    assert capsys.readouterr().out.split() == ["+I[3]"]
    with pytest.raises(ValidationError, match="the plan was compiled in batch mode, and this is streaming mode"):
        run(environment(), text)


# -- functions -----------------------------------------------------------------------------------------


def test_functions_are_named(tables, capsys):
    twice = udf(lambda n: 2 * n, result_type=DataTypes.BIGINT())
    tables.create_temporary_system_function("Twice", twice)
    tables.create_temporary_function("again", twice)
    tables.execute_sql("CREATE FUNCTION stored AS 'tests.table.test_compiled_plans.plus_one' LANGUAGE PYTHON")
    text = plan_of(tables, "SELECT twice(again(stored(n))) FROM numbers")
    wanted = {"kind": "scalar", "result": "BIGINT"}
    names = ["`twice`", "`default_catalog`.`default_database`.`again`", "`default_catalog`.`default_database`.`stored`"]
    assert json.loads(text)["functions"] == dict.fromkeys(names, wanted)

    other = environment()
    with pytest.raises(ValidationError, match=r"calls the function `default_catalog`.*, which is not registered"):
        run(other, text)
    other.create_temporary_function("again", udf(lambda n: n, result_type=DataTypes.STRING()))
    other.execute_sql("CREATE FUNCTION stored AS 'tests.table.test_compiled_plans.plus_one' LANGUAGE PYTHON")
    with pytest.raises(ValidationError, match=r"`again` is .*VARCHAR.*, and the plan was compiled with .*BIGINT"):
        run(other, text)
    other.drop_temporary_function("again")
    other.create_temporary_function("again", udf(lambda n: n, result_type=DataTypes.BIGINT()))
    other.create_temporary_system_function("twice", udf(lambda n: 3 * n, result_type=DataTypes.BIGINT()))
    run(other, text)
    assert capsys.readouterr().out.split() == ["+I[6]", "+I[9]", "+I[12]"]


def test_what_has_no_name_is_refused(tables):
    inline = udf(lambda n: n, result_type=DataTypes.BIGINT(), name="mine")
    with pytest.raises(UnsupportedOperation, match="the function mine.* is called without a name.*register it by"):
        tables.from_path("numbers").select(inline(col("n"))).insert_into("printed").compile_plan()
    from datastream import StreamExecutionEnvironment, Types

    env = StreamExecutionEnvironment.get_execution_environment()
    streams = StreamTableEnvironment.create(env)
    stream = streams.from_data_stream(env.from_collection([1], Types.INT()))
    sink = TableDescriptor.for_connector("blackhole").schema(Schema.new_builder().column("n", "INT").build()).build()
    with pytest.raises(UnsupportedOperation, match="cannot read a stream of the DataStream API"):
        stream.insert_into(sink).compile_plan()
    with pytest.raises(UnsupportedOperation, match="as_json_string"):
        tables.compile_plan_sql("INSERT INTO printed SELECT n FROM numbers").as_smile_bytes()
    with pytest.raises(UnsupportedOperation, match="from_json_string"):
        tables.load_plan(PlanReference.from_smile_bytes(b""))


# -- tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compiled", "restored", "found"),
    [
        ("ALL", "ALL", "+I[1]"),
        ("ALL", "ALL_ENFORCED", "+I[1]"),
        ("ALL", "IDENTIFIER", "now> +I[1]"),
        ("SCHEMA", "ALL", "now> +I[1]"),
        ("IDENTIFIER", "ALL", "now> +I[1]"),
        ("IDENTIFIER", "identifier", "now> +I[1]"),
        ("SCHEMA", "ALL_ENFORCED", None),
    ],
)
def test_options_of_tables(tables, capsys, compiled, restored, found):
    tables.get_config().set("table.plan.compile.catalog-objects", compiled)
    tables.get_config().set("table.plan.restore.catalog-objects", restored)
    text = plan_of(tables, "SELECT 1")
    tables.execute_sql("ALTER TABLE printed SET ('print-identifier' = 'now')")
    if found is None:
        with pytest.raises(ValidationError, match="does not hold the columns and options .*'ALL_ENFORCED'"):
            run(tables, text)
        return
    run(tables, text)
    assert capsys.readouterr().out.strip() == found


def test_tables_that_are_not_there(tables):
    tables.execute_sql(f"CREATE TEMPORARY TABLE mine (n BIGINT) WITH ({PRINTED})")
    text = tables.compile_plan_sql("INSERT INTO mine SELECT n FROM numbers").as_json_string()
    tables.execute_sql("DROP TEMPORARY TABLE mine")
    with pytest.raises(ValidationError, match="names table '.*mine', which is not there: create it before"):
        run(tables, text)
    tables.execute_sql(f"CREATE TEMPORARY TABLE mine (n INT) WITH ({PRINTED})")
    with pytest.raises(ValidationError, match=r"for other columns of table '.*mine' than it has now: \(n INT\)"):
        run(tables, text)
    text = plan_of(tables)
    tables.execute_sql("ALTER TABLE printed ADD m INT")
    with pytest.raises(ValidationError, match=r"plan:     \(n BIGINT\)\ndeclared: \(n BIGINT, m INT\)"):
        run(tables, text)
    with pytest.raises(ValidationError, match="there is no connector 'nowhere'"):
        run(environment(), text.replace('"connector": "print"', '"connector": "nowhere"'))
    with pytest.raises(ValidationError, match="catalog-objects must be one of all, schema, identifier"):
        tables.get_config().set("table.plan.compile.catalog-objects", "some")


def test_tables_without_a_name_are_in_the_plan(capsys):
    schema = Schema.new_builder().column("n", DataTypes.BIGINT()).build()
    sink = TableDescriptor.for_connector("print").schema(schema).option("print-identifier", "x").build()
    text = environment().sql_query("SELECT CAST(5 AS BIGINT) AS n").insert_into(sink).compile_plan().as_json_string()
    other = environment()
    other.get_config().set("table.plan.restore.catalog-objects", "IDENTIFIER")
    run(other, text)
    assert capsys.readouterr().out.split() == ["x>", "+I[5]"]


# -- files ---------------------------------------------------------------------------------------------


def test_statements(tables, tmp_path, capsys):
    file = tmp_path / "plans" / "plan.json"
    compile_it = f"COMPILE PLAN '{file}' {{}} FOR INSERT INTO printed SELECT n FROM numbers WHERE n > {{}}"
    tables.execute_sql(compile_it.format("", 2))
    tables.execute_sql(compile_it.format("IF NOT EXISTS", 0))
    with pytest.raises(ValidationError, match=r"Cannot overwrite the plan file '.*plan\.json': remove it first"):
        tables.execute_sql(compile_it.format("", 0))
    result = tables.execute_sql(f"EXECUTE PLAN '{file}'")
    result.wait()
    assert result.get_table_schema().get_field_names() == [f"{CATALOG}.printed"]
    tables.execute_sql(f"COMPILE AND EXECUTE PLAN '{file}' FOR INSERT INTO printed SELECT nothing FROM nowhere").wait()
    assert capsys.readouterr().out.split() == ["+I[3]", "+I[3]"]
    tables.execute_sql("SET 'table.plan.force-recompile' = 'true'")
    both = "STATEMENT SET BEGIN INSERT INTO printed SELECT 7; INSERT INTO printed SELECT 8; END"
    tables.execute_sql(f"COMPILE PLAN '{file}' FOR {both}")
    tables.execute_sql(f"COMPILE AND EXECUTE PLAN '{file}' FOR INSERT INTO printed SELECT 9").wait()
    assert sorted(capsys.readouterr().out.split()) == ["+I[7]", "+I[8]"]
    assert [path.name for path in file.parent.iterdir()] == ["plan.json"]


def test_urls_of_plans(tables, tmp_path, capsys):
    file = tmp_path / "a plan.json"
    tables.execute_sql(f"COMPILE PLAN 'file://{tmp_path}/a%20plan.json' FOR INSERT INTO printed SELECT 7")
    assert file.exists()
    tables.execute_sql(f"EXECUTE PLAN 'file:{tmp_path}/a%20plan.json'").wait()
    assert capsys.readouterr().out.split() == ["+I[7]"]
    with pytest.raises(ValidationError, match="a plan is a local file"):
        tables.execute_sql("COMPILE PLAN 's3://bucket/plan.json' FOR INSERT INTO printed SELECT 7")


def test_the_api(tables, tmp_path, capsys):
    file = tmp_path / "plan.json"
    several = tables.create_statement_set().add_insert_sql("INSERT INTO printed SELECT n FROM numbers")
    plan = several.compile_plan()
    assert plan.get_flink_version() == json.loads(plan.as_json_string())["version"]
    plan.write_to_file(file)
    plan.write_to_file(file, ignore_if_exists=True)
    with pytest.raises(ValidationError, match="Cannot overwrite"):
        plan.write_to_file(str(file))
    reference = PlanReference.from_file(file)
    assert reference.get_file() == file
    again = tables.load_plan(reference)
    assert again.as_json_string() == plan.as_json_string() == file.read_text()
    assert str(again) == again.explain()
    assert again.explain().startswith(f"== Optimized Execution Plan ==\nSink(table=[{CATALOG}.printed], fields=[n])\n")
    again.print_json_string()
    again.print_explain()
    assert capsys.readouterr().out == f"{plan.as_json_string()}\n{plan.explain()}\n"
    assert '"ship_strategy"' in again.explain(ExplainDetail.JSON_EXECUTION_PLAN)
    again.execute().wait()
    assert capsys.readouterr().out.split() == ["+I[1]", "+I[2]", "+I[3]"]
    several.execute().wait()
    with pytest.raises(ValidationError, match="there is nothing to compile"):
        several.compile_plan()
    for wrong in ("SELECT 1", "CREATE TABLE x (a INT)"):
        with pytest.raises(ValidationError, match="only accepts a single SQL statement of type INSERT"):
            tables.compile_plan_sql(wrong)


# -- what is wrong with a plan -------------------------------------------------------------------------


def wrong_plans(text: str) -> Iterator[tuple[str, str]]:
    yield text[: len(text) // 2], "is damaged, or not a plan: it is not JSON"
    yield "[]", "is not a compiled plan"
    yield "{}", "is not a compiled plan"
    yield text.replace('"format": 1', '"format": 2'), "has the format 2, and datastream .* reads plans up to 1"
    yield text.replace('"Aggregate"', '"Cube"'), "is damaged: node 3 is nothing that this version knows: 'Cube'"
    yield text.replace('"function": "sum"', '"function": "zum"'), "there is no function 'zum' in the library"
    yield text.replace('"rows":', '"row":'), r"PlannedSink\.rows is missing"
    yield text.replace('"rows": 5', '"rows": 9'), "there is no node 9 before it"
    yield text.replace('"BIGINT"', '"BIGGINT"'), "is damaged: .*BIGGINT"
    yield text.replace('"id": 1', '"id": 5'), "node 1 has the id 5"
    yield text.replace('"keys": []', '"keys": "none"'), r"Aggregate\.keys is 'none', expected list"
    yield text.replace('"keys": []', '"keys": [], "more": 1'), r"Aggregate\.more is nothing that this version knows"


@pytest.mark.parametrize("number", range(12))
def test_damage_is_said(tables: TableEnvironment, tmp_path: Path, number: int) -> None:
    found = list(wrong_plans(plan_of(tables)))
    assert len(found) == 12
    text, message = found[number]
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(ValidationError, match=f"(?s)the plan {file}.*{message}"):
        tables.execute_sql(f"EXECUTE PLAN '{file}'")


def test_any_damage_is_an_error_or_a_plan(tables: TableEnvironment) -> None:
    text = plan_of(tables)
    draw = random.Random(7)
    for _ in range(300):
        at = draw.randrange(len(text))
        damaged = text[:at] + draw.choice(['"', "}", "x", "0", "[", ",", "null", ""]) + text[at + draw.randint(0, 3) :]
        with suppress(ValidationError):
            tables.load_plan(PlanReference.from_json_string(damaged))


def test_a_file_that_is_not_there(tables: TableEnvironment, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="Cannot load the plan .*none"):
        tables.execute_sql(f"EXECUTE PLAN '{tmp_path / 'none'}'")
    with pytest.raises(ValidationError, match="load_plan needs a PlanReference"):
        tables.load_plan("plan.json")
