"""Rows with NaN in them that are taken back: what is left in the end."""

from collections import Counter

from pyflink.common import Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
t_env = StreamTableEnvironment.create(env)
NAN = float("nan")
INSERT, DELETE = RowKind.INSERT, RowKind.DELETE
TYPES = Types.ROW_NAMED(["k", "x", "f"], [Types.INT(), Types.DOUBLE(), Types.FLOAT()])


def view(name, *changes):
    rows = []
    for kind, *values in changes:
        row = Row(*values)
        row.set_row_kind(kind)
        rows.append(row)
    t_env.create_temporary_view(name, t_env.from_changelog_stream(env.from_collection(rows, TYPES)))


view(
    "t",
    (INSERT, 1, NAN, NAN),
    (INSERT, 1, 2.0, 3.0),
    (INSERT, 2, NAN, 1.0),
    (DELETE, 1, NAN, NAN),
    (DELETE, 2, NAN, 1.0),
    (INSERT, 3, NAN, NAN),
    (INSERT, 3, NAN, NAN),
)
view("u", (INSERT, 1, 5.0, 5.0), (INSERT, 2, NAN, 5.0), (INSERT, 3, NAN, NAN))


def left(query):
    """What is left when all changes are carried out."""
    found = Counter()
    with t_env.execute_sql(query).collect() as changes:
        for row in changes:
            goes = row.get_row_kind() in (RowKind.UPDATE_BEFORE, RowKind.DELETE)
            row.set_row_kind(INSERT)
            found[str(row)] += -1 if goes else 1
    print(query)
    print("   ", sorted((row, number) for row, number in found.items() if number))


left("SELECT t.k, t.x, u.x FROM t JOIN u ON t.k = u.k")
left("SELECT t.k, t.x, u.x FROM t LEFT JOIN u ON t.k = u.k AND t.x > u.x")
left("SELECT t.k, u.k, u.x FROM t RIGHT JOIN u ON t.k = u.k")
left("SELECT t.k, CAST(t.f AS DOUBLE) AS f, u.k FROM t FULL JOIN u ON t.k = u.k AND u.k < 3")
left("SELECT t.k, t.x, u.k FROM t JOIN u ON t.x = u.x")
left("SELECT k, x FROM t WHERE k IN (SELECT k FROM u)")
left("SELECT k, x FROM t WHERE k NOT IN (SELECT k FROM u WHERE k > 2)")
left("SELECT k, x FROM t ORDER BY k LIMIT 2")
left("SELECT k, CAST(ARRAY[x, 1] AS STRING) AS a FROM t ORDER BY k LIMIT 2")
left("SELECT a.k, CAST(a.m AS STRING) FROM (SELECT k, ARRAY[x] AS m FROM t) a JOIN u ON a.k = u.k")
left("SELECT k, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY k) AS n FROM t) WHERE n <= 2")
left("SELECT x, COUNT(*) AS c FROM t GROUP BY x")
left("SELECT DISTINCT x FROM t")
left("SELECT x FROM t INTERSECT SELECT x FROM u")
left("SELECT x FROM t EXCEPT SELECT x FROM u")
left("SELECT k, COUNT(DISTINCT x) AS c FROM t GROUP BY k")
