from pyflink.common import Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
t_env = StreamTableEnvironment.create(env)
rows = [
    ("a", 1),
    ("b", 5),
    ("a", 7),
    ("c", 2),
    ("c", 9),
    ("b", 1),
    ("d", 3),
    ("a", -4),
    ("e", 3),
    ("c", 1),
    ("d", 20),
    ("e", 3),
]
NEW = ", ".join(f"('{k}', {n})" for k, n in rows)
t_env.execute_sql(f"CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES {NEW}) AS v(k, n)")
changes = [
    (RowKind.INSERT, "a", 1),
    (RowKind.INSERT, "b", 5),
    (RowKind.INSERT, "c", 3),
    (RowKind.INSERT, "d", 3),
    (RowKind.UPDATE_BEFORE, "a", 1),
    (RowKind.UPDATE_AFTER, "a", 4),
    (RowKind.DELETE, "d", 3),
    (RowKind.INSERT, "e", 0),
    (RowKind.INSERT, "f", 4),
    (RowKind.DELETE, "b", 5),
    (RowKind.UPDATE_BEFORE, "f", 4),
    (RowKind.UPDATE_AFTER, "f", 2),
    (RowKind.INSERT, "g", 2),
    (RowKind.DELETE, "e", 0),
    (RowKind.DELETE, "c", 3),
    (RowKind.DELETE, "a", 4),
]


def of(kind, *values):
    row = Row(*values)
    row.set_row_kind(kind)
    return row


stream = env.from_collection(
    [of(*change) for change in changes], Types.ROW_NAMED(["k", "n"], [Types.STRING(), Types.INT()])
)
t_env.create_temporary_view("changing", t_env.from_changelog_stream(stream))
PARTS = ("LIMIT 2 OFFSET 1", "LIMIT 1 OFFSET 1", "LIMIT 3 OFFSET 2", "LIMIT 2 OFFSET 20", "LIMIT 1", "LIMIT 3")
t_env.execute_sql(
    "CREATE TEMPORARY VIEW fresh AS SELECT * FROM (VALUES ('a', 3), ('b', 1), ('c', 2), ('d', 0)) AS v(k, n)"
)
QUERIES = [
    *(f"SELECT * FROM t ORDER BY {order} {part}" for order in ("n", "n DESC", "k, n DESC") for part in PARTS),
    "SELECT k, MAX(n) AS hi FROM t GROUP BY k ORDER BY k LIMIT 2",
    "SELECT k, COUNT(*) AS c, SUM(n) AS s FROM t GROUP BY k ORDER BY c DESC LIMIT 2",
    "SELECT k, SUM(n) AS s FROM t GROUP BY k ORDER BY s LIMIT 2",
    "SELECT * FROM changing ORDER BY n DESC LIMIT 3",
    "SELECT k, SUM(n) AS s FROM fresh GROUP BY k ORDER BY s LIMIT 2 OFFSET 1",
    "SELECT * FROM t LIMIT 2 OFFSET 1",
]


def show(name, make):
    print("--", name)
    try:
        with make().execute().collect() as found:
            print(" ".join(f"{row.get_row_kind()}{list(row)}" for row in found))
    except Exception:
        print("fails")


for query in QUERIES:
    show(query, lambda text=query: t_env.sql_query(text))
rows_of = t_env.from_path("t")
show("order_by limit", lambda: rows_of.order_by(col("n")).limit(2, 1))
show("order_by offset fetch", lambda: rows_of.order_by(col("n").desc).offset(2).fetch(2))
