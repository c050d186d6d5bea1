"""Windows of a number of rows: what is refused, and their state. Results are compared with Flink's by tests/parity."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, Slide, TableEnvironment, Tumble, col
from datastream.table.catalogs.errors import TableException
from datastream.table.expressions import row_interval
from datastream.table.udf import AggregateFunction, udaf

KIND = DataTypes.ROW([DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("v", DataTypes.BIGINT())])
ROWS = [("ab"[i % 3 == 1], i) for i in range(40)]


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "3"})


def timed(how=EnvironmentSettings.in_streaming_mode):
    tables = TableEnvironment.create(how())
    tables.create_temporary_view("rows", tables.from_elements(ROWS, KIND))
    return tables.sql_query("SELECT k, v, PROCTIME() AS p FROM `rows`")


def found(table, window, *fields):
    made = table.window(window.on(col("p")).alias("w")).group_by(col("k"), col("w")).select(col("k"), *fields)
    with made.execute().collect() as rows:
        return sorted(tuple(row) for row in rows)


def full_windows(size, step):
    """(key, the values of a window) of each full window."""
    for key in "ab":
        values = [v for k, v in ROWS if k == key]
        for start in range(0, len(values) - size + 1, step):
            yield key, values[start : start + size]


@pytest.mark.parametrize(("size", "step"), [(1, 1), (4, 4), (7, 2), (2, 5), (6, 3)])
def test_open_windows_are_kept_from_epoch_to_epoch(size, step):
    window = Slide.over(row_interval(size)).every(row_interval(step))
    wanted = sorted((key, sum(values), len(values)) for key, values in full_windows(size, step))
    assert found(timed(), window, col("v").sum, col("v").count) == wanted


class Ends(AggregateFunction):
    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, value):
        accumulator.append(value)

    def get_value(self, accumulator):
        return f"{accumulator[0]} to {accumulator[-1]}"


def test_an_aggregate_function_of_python():
    ends = udaf(Ends(), result_type=DataTypes.STRING(), accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
    wanted = sorted((key, f"{values[0]} to {values[-1]}") for key, values in full_windows(5, 5))
    assert found(timed(), Tumble.over(row_interval(5)), ends(col("v"))) == wanted


def test_an_error_names_function_and_row():
    class Divided(Ends):
        def accumulate(self, accumulator, value):
            accumulator.append(10 // (value - 7))

    divided = udaf(Divided(), result_type=DataTypes.STRING(), accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
    with pytest.raises(JobError, match=r"(?s)ZeroDivisionError.*Divided.*record: +\('b', .*7\)"):
        found(timed(), Tumble.over(row_interval(4)), divided(col("v")))


def test_there_are_none_in_batch_mode():
    with pytest.raises(TableException, match="streaming mode only"):
        found(timed(EnvironmentSettings.in_batch_mode), Tumble.over(row_interval(4)), col("v").sum)


def test_a_window_has_at_least_one_row():
    with pytest.raises(ValidationError, match=r"at least one row, got row_interval\(0\)"):
        found(timed(), Tumble.over(row_interval(0)), col("v").sum)


def test_the_plan_shows_their_lengths():
    window = Slide.over(row_interval(4)).every(row_interval(2)).on(col("p")).alias("w")
    plan = timed().window(window).group_by(col("w")).select(col("v").sum).explain()
    assert "ROWS(time_col=[p], size=[4], slide=[2])" in plan
