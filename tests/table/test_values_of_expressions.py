"""Expressions, lists, dicts, rows and objects of users as values."""

from __future__ import annotations

import datetime as dt

import pytest

from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.dsl.units import JsonOnNull
from datastream.table.expressions import col, convert_tz, json_array_agg, json_string, lit, not_, null_of, row
from datastream.table.types.user_defined_type import UserDefinedType
from datastream.types import Row

PAIR = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])


class PointType(UserDefinedType):
    @classmethod
    def sql_type(cls):
        return DataTypes.ARRAY(DataTypes.DOUBLE())

    def serialize(self, obj):
        return [obj.x, obj.y]

    def deserialize(self, datum):
        return Point(*datum)


class Point:
    __UDT__ = PointType()

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return vars(self) == vars(other)


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def rows(table):
    with table.execute().collect() as found:
        return [tuple(each) for each in found]


def test_rows_of_expressions(tables):
    table = tables.from_elements([row(1, "x"), row(lit(1) + 1, null_of(DataTypes.STRING()))], PAIR)
    assert table.get_schema().get_field_data_types() == PAIR.field_types()
    assert sorted(rows(table)) == [(1, "x"), (2, None)]


def test_expressions_of_one_column_and_without_a_schema(tables):
    assert sorted(rows(tables.from_elements([lit(1), lit(2)], DataTypes.BIGINT()))) == [(1,), (2,)]
    named = tables.from_elements([row(1, "x")], ["n"])
    assert named.get_schema().get_field_names() == ["n", "f1"]


@pytest.mark.parametrize(
    "elements", [[row(1)], [row(1, "a", 2)], [row(1, "a"), (2, "b")], [row(1, "a"), row(1)]], ids=str
)
def test_rows_that_do_not_fit_the_schema_are_refused(tables, elements):
    with pytest.raises(ValidationError):
        tables.from_elements(elements, PAIR)


def test_lists_dicts_and_rows_are_values_of_functions(tables):
    one = tables.from_elements([(1,)], ["a"])
    made = one.select(json_string([1, col("a")]), json_string({"k": [2]}), json_string(Row(1, "x")))
    assert rows(made) == [("[1,1]", '{"k":[2]}', '{"f0":1,"f1":"x"}')]


def test_in_a_table(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    left = tables.from_elements([(1,), (2,), (None,)], ["a"])
    right = tables.from_elements([(2,), (3,)], ["b"])
    assert rows(left.where(col("a").in_(right))) == [(2,)]
    assert rows(left.where((~col("a").in_(right)) & (col("a") > 0))) == [(1,)]
    assert sorted(rows(left.where(~col("a").in_(right))), key=str) == [(1,), (None,)]  # NULL is not known to be in it
    assert rows(left.where(not_(col("a").in_(right)))) == [(1,)]
    with pytest.raises(ValidationError, match="values, or one table"):
        col("a").in_(right, 1)


def test_short_names_of_zones(tables):
    one = tables.from_elements([("1970-01-01 00:00:00",)], ["a"])
    made = one.select(convert_tz(col("a"), "PST", "UTC"), convert_tz(col("a"), "UTC", "JST"))
    assert rows(made) == [("1970-01-01 08:00:00", "1970-01-01 09:00:00")]


def test_rows_inside_of_results_have_no_names(tables):
    kind = DataTypes.ROW([DataTypes.FIELD("p", PAIR), DataTypes.FIELD("q", DataTypes.ARRAY(PAIR))])
    table = tables.from_elements([((1, "x"), [(2, "y")])], kind)
    assert rows(table) == [(Row(1, "x"), [Row(2, "y")])]


def test_json_of_all_rows(tables):
    table = tables.from_elements([("x",), (None,)], ["a"])
    assert rows(table.select(json_array_agg(JsonOnNull.NULL, col("a"))))[-1] == ('["x",null]',)


def test_objects_of_a_users_type(tables):
    points = [("a", Point(1.0, 2.0)), ("b", None)]
    kind = DataTypes.ROW([DataTypes.FIELD("n", DataTypes.STRING()), DataTypes.FIELD("p", PointType())])
    table = tables.from_elements(points, kind)
    assert table.get_schema().get_field_data_types()[1] == DataTypes.ARRAY(DataTypes.DOUBLE())
    assert sorted(rows(table)) == [("a", [1.0, 2.0]), ("b", None)]
    assert rows(tables.from_elements(points[:1], ["n", "p"])) == [("a", [1.0, 2.0])]


def test_values_of_sql_and_back():
    day = dt.date(2024, 2, 29)
    kind = DataTypes.ROW([DataTypes.FIELD("d", DataTypes.DATE()), DataTypes.FIELD("p", PointType())])
    inside = kind.to_sql_type(Row(d=day, p=Point(1.0, 2.0)))
    assert inside == (0, 19782, [1.0, 2.0])
    assert kind.from_sql_type(inside[1:]) == Row(d=day, p=Point(1.0, 2.0))
    assert not DataTypes.ARRAY(DataTypes.INT()).need_conversion()
    with pytest.raises(ValueError, match="Unexpected"):
        kind.to_sql_type(5)


def test_names_are_those_of_fields_without_one(tables):
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    for elements in ([Pair(1, "x")], [{"a": 1, "b": "x"}], [Row(a=1, b="x")]):
        table = tables.from_elements(elements, ["one", "two"])
        assert (table.get_schema().get_field_names(), rows(table)) == (["a", "b"], [(1, "x")])
    table = tables.from_elements([(1, "x"), (2, "y")], ["one", "two", "three"])
    assert table.get_schema().get_field_names() == ["one", "two"]


def test_values_without_a_common_type_are_a_type_error(tables):
    for elements in ([(1,), ("a",)], [1, 2]):
        with pytest.raises(TypeError):
            tables.from_elements(elements)
