"""Models in catalogs: kept and shown, with the words of Flink where there is none."""

from __future__ import annotations

import pytest

from datastream.errors import ValidationError
from datastream.java_maps import hash_map_order
from datastream.table import EnvironmentSettings, ModelDescriptor, Schema, TableEnvironment

MODEL = "CREATE MODEL {} INPUT (a INT) OUTPUT (b DOUBLE) WITH ('provider' = 'x', 'task' = 'y')"


@pytest.fixture
def tables():
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.execute_sql(MODEL.format("m"))
    return made


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (MODEL.format("m"), "Model default_database.m already exists in Catalog default_catalog."),
        ("CREATE MODEL n INPUT (a INT) OUTPUT (b INT)", "Model property list can not be empty."),
        (
            "CREATE MODEL n INPUT (a INT) WITH ('provider' = 'x')",
            "Output column list can not be empty with non-empty input column list.",
        ),
        ("CREATE MODEL n INPUT (a INT, a INT) OUTPUT (b INT) WITH ('p' = 'x')", "Duplicate input column name: 'a'."),
        ("DESCRIBE MODEL n", "Model with the identifier 'default_catalog.default_database.n' doesn't exist."),
        ("SHOW CREATE MODEL n", "Model with identifier `default_catalog`.`default_database`.`n` does not exist."),
        ("DROP MODEL n", "Model with identifier 'default_catalog.default_database.n' does not exist."),
        ("ALTER MODEL n SET ('a' = 'b')", "Model `default_catalog`.`default_database`.`n` doesn't exist."),
        ("ALTER MODEL m SET ()", "ALTER MODEL SET does not support empty option."),
    ],
)
def test_wrong_statements(tables, statement, message):
    with pytest.raises(ValidationError) as caught:
        tables.execute_sql(statement)
    assert message in str(caught.value)


def test_a_database_goes_with_its_models(tables):
    tables.execute_sql("CREATE DATABASE d")
    tables.execute_sql(MODEL.format("d.m"))
    with pytest.raises(ValidationError, match="Database d in catalog default_catalog is not empty"):
        tables.execute_sql("DROP DATABASE d")
    tables.execute_sql("DROP DATABASE d CASCADE")
    tables.execute_sql("CREATE DATABASE d")
    tables.use_database("d")
    assert tables.list_models() == []


def test_a_model_needs_columns(tables):
    with pytest.raises(ValidationError, match="Input schema missing in ModelDescriptor. Input schema cannot be null."):
        tables.create_model("n", ModelDescriptor.for_provider("x").build())
    half = ModelDescriptor.for_provider("x").input_schema(Schema.new_builder().column("a", "INT").build()).build()
    with pytest.raises(ValidationError, match="Output schema missing in ModelDescriptor"):
        tables.create_temporary_model("n", half)


def test_texts_come_in_the_order_of_a_java_map():
    assert hash_map_order(["provider", "task"]) == ["task", "provider"]
    assert hash_map_order(["b", "a", "😀", "a"]) == ["a", "b", "😀"]
