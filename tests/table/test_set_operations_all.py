"""INTERSECT ALL and EXCEPT ALL; `test_random_queries` compares more of them with DuckDB."""

from __future__ import annotations

from collections import Counter

import pytest

from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import EnvironmentSettings, Table, TableEnvironment
from datastream.types import RowKind


@pytest.fixture(params=["batch", "streaming"])
def tables(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    batch = request.param == "batch"
    made = TableEnvironment.create(
        EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    )
    made.execute_sql(
        "CREATE VIEW a AS SELECT * FROM (VALUES (1, 'x'), (1, 'x'), (1, 'x'), (2, 'y'), (2, 'y')) AS t (n, s)"
    )
    made.execute_sql("CREATE VIEW b AS SELECT * FROM (VALUES (1, 'x'), (1, 'x'), (3, 'y'), (2, 'z')) AS t (n, s)")
    return made


def rows(table: Table) -> dict[tuple[object, ...], int]:
    """The rows that are left, and how often."""
    found: Counter[tuple[object, ...]] = Counter()
    with table.execute().collect() as changes:
        for row in changes:
            found[tuple(row)] += 1 if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
    return dict(+found)


def test_rows_are_there_as_often_as_the_counts_say(tables):
    a, b = tables.from_path("a"), tables.from_path("b")
    assert rows(a.intersect_all(b)) == {(1, "x"): 2}
    assert rows(a.minus_all(b)) == {(1, "x"): 1, (2, "y"): 2}
    assert rows(b.minus_all(a)) == {(3, "y"): 1, (2, "z"): 1}
    assert rows(tables.sql_query("SELECT * FROM a INTERSECT ALL SELECT * FROM b")) == {(1, "x"): 2}
    assert rows(tables.sql_query("SELECT n FROM a EXCEPT ALL SELECT n FROM b")) == {(1,): 1, (2,): 1}


def test_columns_that_nobody_reads_count(tables):
    query = "SELECT s, COUNT(*) FROM (SELECT * FROM a INTERSECT ALL SELECT * FROM b) AS w WHERE n > 0 GROUP BY s"
    assert rows(tables.sql_query(query)) == {("x", 2): 1}


def test_both_sides_may_be_one_table(tables):
    a = tables.from_path("a")
    assert rows(a.minus_all(a)) == {}
    assert rows(a.union_all(a).minus_all(a)) == rows(a.intersect_all(a)) == {(1, "x"): 3, (2, "y"): 2}


def test_columns_that_do_not_fit(tables):
    with pytest.raises(ValidationError, match="INTERSECT: the left side has 2 columns"):
        tables.sql_query("SELECT * FROM a INTERSECT ALL SELECT n FROM b")
