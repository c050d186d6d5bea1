"""ML_PREDICT: rows of a table with what a model makes of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, JobError, UnsupportedOperation, ValidationError
from datastream.table import EnvironmentSettings, ModelDescriptor, Schema, TableEnvironment, col
from datastream.table.catalogs.errors import TableException

MODELS = {
    "labels": ("word STRING", "label STRING", "Label"),
    "texts": ("word STRING", "id STRING", "Wrong"),
    "halves": ("n BIGINT", "half DOUBLE, below ARRAY<INT>", "Halves"),
    "doubled": ("n BIGINT", "twice BIGINT", "Doubled"),
    "how": ("n INT", "how STRING", "Either"),
    "batches": ("n DECIMAL(5, 1)", "twice DECIMAL(6, 1)", "Batches"),
    "frames": ("n BIGINT", "twice BIGINT, `text` STRING", "Frames"),
    "arrays": ("n INT", "twice DOUBLE", "Arrays"),
    "few": ("n INT", "zero INT", "TooFew"),
    "wrong": ("n INT", "number INT", "Wrong"),
    "slow": ("n INT", "number INT", "Slow"),
    "narrow": ("n INT NOT NULL", "number INT", "Wrong"),
    "absent": ("n INT", "number INT", "Absent"),
    "unfinished": ("n INT", "number INT", "Unfinished"),
}


DOUBLED = [(1, "a", 2), (2, "b", 4), (3, None, 6)]


def environment(batch: bool = False) -> TableEnvironment:
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    tables = TableEnvironment.create(mode)
    tables.get_config().set("parallelism.default", "1")
    for name, (inputs, outputs, kind) in MODELS.items():
        options = f"'provider' = 'python', 'class' = 'tests.table.predict_functions.{kind}', 'good' = 'a,c'"
        tables.execute_sql(f"CREATE MODEL {name} INPUT ({inputs}) OUTPUT ({outputs}) WITH ({options})")
    tables.execute_sql(
        "CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, CAST(NULL AS STRING))) AS t (id, word)"
    )
    return tables


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    return environment()


def rows(tables: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with tables.execute_sql(query).collect() as found:
        return [tuple(row) for row in found]


def names(tables: TableEnvironment, query: str) -> list[str]:
    return tables.sql_query(query).get_schema().get_field_names()


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("MODEL labels, DESCRIPTOR(word)", [(1, "a", "good"), (2, "b", "bad")]),
        (
            "MODEL halves, DESCRIPTOR(id)",
            [
                (1, "a", 0.5, []),
                (2, "b", 1.0, []),
                (2, "b", 1.0, [0]),
                *((3, None, 1.5, list(range(i))) for i in range(3)),
            ],
        ),
        ("MODEL doubled, DESCRIPTOR(id)", DOUBLED),
        (
            "MODEL doubled, DESCRIPTOR(id), MAP['max-concurrent-operations', '1']",
            DOUBLED,
        ),
        (
            "MODEL doubled, DESCRIPTOR(id), MAP['output-mode', 'ALLOW_UNORDERED']",
            [(3, None, 6), (2, "b", 4), (1, "a", 2)],
        ),
        ("MODEL how, DESCRIPTOR(id)", [(1, "a", "async"), (2, "b", "async"), (3, None, "async")]),
        ("MODEL how, DESCRIPTOR(id), MAP['async', 'false']", [(1, "a", "sync"), (2, "b", "sync"), (3, None, "sync")]),
        ("MODEL batches, DESCRIPTOR(id)", DOUBLED),
        ("MODEL frames, DESCRIPTOR(id)", [(1, "a", 2, "1"), (2, "b", 4, "2"), (3, None, 6, "3")]),
        ("MODEL arrays, DESCRIPTOR(id)", [(1, "a", 2.0), (2, "b", 4.0), (3, None, 6.0)]),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_predictions(tables: TableEnvironment, call: str, wanted: list[Any], batch: bool) -> None:
    tables = environment(batch) if batch else tables
    assert rows(tables, f"SELECT * FROM ML_PREDICT(TABLE t, {call})") == wanted


def test_arguments_by_name(tables: TableEnvironment) -> None:
    call = (
        "ML_PREDICT(config => MAP['timeout', '10 s'], model => MODEL doubled, args => DESCRIPTOR(id), input => TABLE t)"
    )
    assert rows(tables, f"SELECT p.twice FROM {call} AS p WHERE id > 1") == [(4,), (6,)]
    assert rows(tables, f"SELECT twice FROM TABLE({call}) LIMIT 1") == [(2,)]


def test_the_table_api(tables: TableEnvironment) -> None:
    table = tables.from_path("t")
    doubled = tables.from_model("doubled").predict(table, "id", options={"output-mode": "ALLOW_UNORDERED"})
    with doubled.execute().collect() as found:
        assert [tuple(row) for row in found] == DOUBLED[::-1]
    inputs, outputs = (Schema.new_builder().column(name, "INT").build() for name in ("n", "twice"))
    declared = ModelDescriptor.for_provider("python").option("class", "tests.table.predict_functions.Batches")
    model = tables.from_model(declared.input_schema(inputs).output_schema(outputs).build())
    with model.predict(table, "id").where(col("id") > 1).select(col("twice")).execute().collect() as found:
        assert [tuple(row) for row in found] == [(4,), (6,)]
    for wrong, message in (
        (lambda: tables.from_model("double"), "No model 'double': did you mean 'doubled'?"),
        (lambda: tables.from_model("doubled").predict(table), "does not match model input size"),
        (lambda: tables.from_model("doubled").predict(table, "idd"), "Descriptor column 'idd' not found"),
        (lambda: tables.from_model("doubled").predict(table, "id", options={"asyn": "true"}), "did you mean 'async'?"),
        (lambda: tables.from_model("doubled").predict(environment().from_path("t"), "id"), "same TableEnvironment"),
    ):
        with pytest.raises(ValidationError, match=re.escape(message)):
            wrong()


def test_a_column_of_a_taken_name_gets_a_number(tables: TableEnvironment) -> None:
    query = "SELECT * FROM ML_PREDICT((SELECT id, word FROM t), MODEL texts, DESCRIPTOR(word))"
    assert names(tables, query) == ["id", "word", "id0"]


def test_the_time_of_rows_stays(tables: TableEnvironment) -> None:
    tables.execute_sql(
        "CREATE TABLE timed (n BIGINT, at AS TO_TIMESTAMP_LTZ(n * 1000, 3), WATERMARK FOR at AS at) WITH ("
        "'connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '4')"
    )
    made = "(SELECT * FROM ML_PREDICT(TABLE timed, MODEL doubled, DESCRIPTOR(n)))"
    tables.execute_sql(f"CREATE VIEW predicted AS {made[1:-1]}")
    query = "SELECT SUM(twice) FROM TUMBLE(TABLE predicted, DESCRIPTOR(at), INTERVAL '2' SECOND) GROUP BY window_start"
    assert rows(tables, f"{query}, window_end") == [(2,), (10,), (8,)]


def test_rows_are_left_out_before_the_model_sees_them(tables: TableEnvironment) -> None:
    tables.execute_sql("CREATE VIEW words AS SELECT * FROM (VALUES (1, 'a'), (2, 'unknown')) AS t (id, word)")
    call = "SELECT label FROM ML_PREDICT(TABLE words, MODEL labels, DESCRIPTOR(word))"
    assert rows(tables, f"{call} WHERE id = 1 AND label = 'good'") == [("good",)]
    plan = tables.explain_sql(f"{call} WHERE id = 1 AND label = 'good'")
    *_, predict, calc, _ = plan.rstrip().splitlines()
    assert predict == (
        "+- MLPredictTableFunction(invocation=[ML_PREDICT(TABLE(#0), "
        "Model(MODEL default_catalog.default_database.labels), DESCRIPTOR('word'), DEFAULT())], "
        "rowType=[RecordType(VARCHAR(7) word, STRING label)])"
    )
    assert "where=[(EXPR$0 = 1)]" in calc


def test_an_error_names_the_model_the_function_and_the_row(tables: TableEnvironment) -> None:
    with pytest.raises((FunctionError, JobError)) as caught:
        rows(tables, "SELECT * FROM ML_PREDICT((SELECT 'unknown' AS w), MODEL labels, DESCRIPTOR(w))")
    text = str(caught.value)
    assert "operator 'MLPredict(default_catalog.default_database.labels)' failed: LookupError: no label" in text
    assert "function: Label of the model default_catalog.default_database.labels" in text
    assert "predict_functions.py" in text
    assert "record:   ('unknown',)" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("MODEL wrong, DESCRIPTOR(id)", "number: expected INT, found str 'two'; it was returned by Wrong of the model"),
        ("MODEL few, DESCRIPTOR(id)", "must return one row for each of the 3 rows it got, and returned 2"),
        ("MODEL slow, DESCRIPTOR(id), MAP['timeout', '50 ms']", "Async function call has timed out"),
    ],
)
def test_wrong_results(tables: TableEnvironment, call: str, message: str) -> None:
    with pytest.raises((FunctionError, JobError)) as caught:
        rows(tables, f"SELECT * FROM ML_PREDICT(TABLE t, {call})")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            "TABLE t, MODEL labels, DESCRIPTOR(id)",
            "Descriptor column 'id' type INT NOT NULL cannot be assigned to model input type STRING",
        ),
        (
            "TABLE t, MODEL labels, DESCRIPTOR(id, word)",
            "Number of descriptor columns (2) does not match model input size (1).",
        ),
        (
            "TABLE t, MODEL labels, DESCRIPTOR(nothing)",
            "Descriptor column 'nothing' not found in table columns. Available columns: id, word.",
        ),
        (
            "(SELECT CAST(NULL AS INT) AS n), MODEL narrow, DESCRIPTOR(n)",
            "type INT cannot be assigned to model input type INT NOT NULL",
        ),
        ("TABLE t, MODEL nothing, DESCRIPTOR(word)", "line 1, column 35: No model 'nothing'; there are"),
        ("TABLE t, MODEL label, DESCRIPTOR(word)", "did you mean 'labels'?"),
        ("TABLE t, MODEL labels", "the argument 'args' is missing"),
        ("TABLE t, MODEL labels, word => DESCRIPTOR(word)", "No argument of ML_PREDICT has the name 'word'"),
        (
            "TABLE t PARTITION BY id, MODEL labels, DESCRIPTOR(word)",
            "Only tables with set semantics may be partitioned",
        ),
        (
            "TABLE t, MODEL labels, DESCRIPTOR(word), MAP['async', 'true']",
            "Require async mode, but model provider Label doesn't support async mode.",
        ),
        (
            "TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['async', 'false']",
            "Require sync mode, but model provider Doubled doesn't support sync mode.",
        ),
        (
            "TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['async', 'maybe']",
            "Could not parse value 'maybe' for key 'async'",
        ),
        ("TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['asyn', 'true']", "did you mean 'async'?"),
        (
            "TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['max-concurrent-operations', '0']",
            "Its value should be positive integer but was 0.",
        ),
        ("TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['output-mode', 'x']", "ORDERED or ALLOW_UNORDERED"),
        ("TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['timeout', 'soon']", "timeout"),
        ("TABLE t, MODEL doubled, DESCRIPTOR(id), MAP['async', TRUE]", "a constant map of strings"),
        ("TABLE t, MODEL absent, DESCRIPTOR(id)", "the class tests.table.predict_functions.Absent cannot be imported"),
        ("TABLE t, MODEL unfinished, DESCRIPTOR(id)", "lacks the method predict"),
    ],
)
def test_wrong_calls(tables: TableEnvironment, args: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        tables.sql_query(f"SELECT * FROM ML_PREDICT({args})")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("INPUT (a INT) OUTPUT (b INT) WITH ('task' = 'x')", "do not contain an option key 'provider'"),
        ("INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'x')", "there is no provider 'x'; there are"),
        ("INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'python')", "the option 'class' is missing"),
        (
            "INPUT (a INT) OUTPUT (b INT) WITH ('provider' = 'python', 'class' = 'decimal.Decimal')",
            "must name a subclass of one of PredictFunction, BatchPredictFunction",
        ),
    ],
)
def test_models_that_nothing_runs(tables: TableEnvironment, model: str, message: str) -> None:
    tables.execute_sql(f"CREATE TEMPORARY MODEL m {model}")
    with pytest.raises(ValidationError, match="Unable to create a model provider for model") as caught:
        tables.sql_query("SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(id))")
    assert message in str(caught.value)


def test_a_table_with_updates_is_refused(tables: TableEnvironment) -> None:
    query = "SELECT * FROM ML_PREDICT((SELECT word, COUNT(*) FROM t GROUP BY word), MODEL labels, DESCRIPTOR(word))"
    with pytest.raises(TableException, match="ML_PREDICT doesn't support consuming update changes"):
        tables.execute_sql(query)


def test_ml_evaluate_is_refused(tables: TableEnvironment) -> None:
    with pytest.raises(UnsupportedOperation, match="ML_EVALUATE is not supported: Flink cannot run it either"):
        tables.sql_query("SELECT * FROM ML_EVALUATE(TABLE t, MODEL labels, DESCRIPTOR(a), DESCRIPTOR(b), 'regression')")


@pytest.mark.long
def test_on_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "spark")
    tables = environment()
    tables.get_config().set("parallelism.default", "2")
    for call, wanted in (
        ("MODEL labels, DESCRIPTOR(word)", [(1, "a", "good"), (2, "b", "bad")]),
        ("MODEL doubled, DESCRIPTOR(id)", DOUBLED),
        ("MODEL frames, DESCRIPTOR(id)", [(1, "a", 2, "1"), (2, "b", 4, "2"), (3, None, 6, "3")]),
    ):
        assert sorted(rows(tables, f"SELECT * FROM ML_PREDICT(TABLE t, {call})")) == wanted
