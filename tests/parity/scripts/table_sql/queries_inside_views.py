"""Queries inside of expressions in views, WITH, joins and groups, and beside OVER windows."""

import json
import tempfile
from collections import Counter
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

folder = Path(tempfile.mkdtemp())


def table(t_env, name, columns, rows):
    (folder / name).mkdir(exist_ok=True)
    names = [column.split()[0] for column in columns.split(", ")]
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (folder / name / "rows.json").write_text("\n".join(lines) + "\n")
    options = f"'connector' = 'filesystem', 'path' = '{folder / name}', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({options})")


def show(t_env, query):
    found = Counter()
    with t_env.execute_sql(query).collect() as rows:
        for row in rows:
            kind = row.get_row_kind()
            row.set_row_kind(RowKind.INSERT)
            found[repr(list(row))] += -1 if kind in (RowKind.UPDATE_BEFORE, RowKind.DELETE) else 1
    print(query)
    print("   ", sorted((row, number) for row, number in found.items() if number))


t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
table(
    t_env,
    "t",
    "a INT, b STRING, c DOUBLE",
    [(1, "a", 1.5), (2, "b", 2.5), (3, "c", 3.5), (4, None, 4.5), (None, "a", 5.5)],
)
table(t_env, "u", "x INT, y STRING, z INT", [(1, "a", 10), (2, "b", 20), (2, "a", 30), (None, "b", 40), (5, None, 50)])
t_env.execute_sql(
    "CREATE TEMPORARY VIEW v AS SELECT a, b, (SELECT MAX(z) FROM u WHERE y = b) AS m FROM t WHERE a IN (SELECT x FROM u)"
)
for query in (
    "SELECT * FROM v",
    "SELECT b, SUM(m) AS s FROM v GROUP BY b",
    "WITH w AS (SELECT x, SUM(z) AS s FROM u GROUP BY x) SELECT a, (SELECT s FROM w WHERE w.x = t.a) AS s FROM t",
    "SELECT a FROM t WHERE a IN (WITH w AS (SELECT x FROM u WHERE z > 10) SELECT x FROM w)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT x, y FROM u WHERE z > 10) AS i WHERE i.x = t.a)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT x FROM u WHERE y = t.b) AS i WHERE i.x = t.a)",
    "SELECT a FROM t WHERE a = (SELECT MAX(i.x) FROM u i JOIN t j ON i.x = j.a WHERE j.b = t.b)",
    "SELECT DISTINCT b, (SELECT COUNT(*) FROM u WHERE y = b) AS n FROM t",
    "SELECT b, SUM((SELECT MAX(z) FROM u WHERE x = a)) AS m FROM t GROUP BY b",
    "SELECT b, SUM(a) AS s FROM t GROUP BY b HAVING SUM(a) > (SELECT MIN(x) FROM u)",
    "SELECT b, SUM(a) AS s FROM t GROUP BY GROUPING SETS ((b), ()) HAVING SUM(a) > (SELECT MIN(x) FROM u)",
    "SELECT o.a, (SELECT COUNT(*) FROM t i WHERE i.c <= o.c) AS place FROM t o",
    "SELECT a FROM t WHERE (a, b) NOT IN (SELECT x, y FROM u)",
    "SELECT a FROM t WHERE (a, b) IN (SELECT x, y FROM u WHERE z < c * 10)",
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM u WHERE x = a) THEN (SELECT MAX(z) FROM u WHERE x = a) ELSE -1 END AS r FROM t",
    "SELECT a FROM t WHERE NOT (a IN (SELECT x FROM u) OR EXISTS (SELECT 1 FROM u WHERE y = b))",
    "SELECT a FROM t WHERE COALESCE((SELECT MAX(z) FROM u WHERE x = a), 0) > 5",
    "SELECT a FROM t WHERE a BETWEEN (SELECT MIN(x) FROM u) AND (SELECT MAX(x) FROM u) - 2",
    "SELECT a FROM t WHERE b LIKE (SELECT MAX(y) FROM u)",
    "SELECT a + (SELECT COUNT(DISTINCT y) FROM u WHERE x = a) AS k FROM t",
    "SELECT a, (SELECT LISTAGG(y) FROM u WHERE x = a) AS k FROM t WHERE a = 1",
    "SELECT a, (SELECT MAX(z) FROM u WHERE x = a GROUP BY x) AS k FROM t",
    "SELECT a, (SELECT MAX(z) FROM u WHERE x = a HAVING COUNT(*) > 1) AS k FROM t",
    "SELECT a FROM t WHERE a IN (SELECT MAX(x) FROM u)",
    "SELECT a FROM t WHERE a IN (SELECT MAX(x) FROM u WHERE y = b)",
    "SELECT a FROM t WHERE EXISTS (SELECT MAX(x) FROM u WHERE y = b)",
    "SELECT t.a, s.n FROM t LEFT JOIN LATERAL (SELECT y, COUNT(*) AS n FROM u WHERE u.x = t.a GROUP BY y) AS s ON s.y = t.b",
    "SELECT t.a FROM t, u WHERE t.a = u.x AND u.z = (SELECT MAX(z) FROM u i WHERE i.x = u.x)",
    "SELECT x FROM (SELECT a AS x FROM t) o WHERE EXISTS (SELECT 1 FROM u WHERE u.x = o.x)",
    "SELECT a, RANK() OVER (PARTITION BY b ORDER BY c) FROM t WHERE a IN (SELECT x FROM u)",
    "SELECT (SELECT MAX(x) FROM u) AS m",
    "SELECT a FROM t WHERE a = (SELECT x FROM u WHERE FALSE)",
):
    show(t_env, query)
