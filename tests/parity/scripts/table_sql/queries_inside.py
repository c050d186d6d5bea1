"""Queries inside of expressions, and those that name columns of the query around them: what is left in the end."""

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
for query in (
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = a)",
    "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x < a)",
    "SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE y = b AND z > a * 10)",
    "SELECT a FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE y = b AND z > a * 10)",
    "SELECT a FROM t WHERE a IN (SELECT x FROM u WHERE y = b)",
    "SELECT a FROM t WHERE a NOT IN (SELECT x FROM u WHERE y = b AND x IS NOT NULL)",
    "SELECT a FROM t WHERE a IN (SELECT x FROM u WHERE z > c)",
    "SELECT a FROM t WHERE a NOT IN (SELECT x FROM u WHERE y = b)",
    "SELECT a, (SELECT MAX(z) FROM u WHERE y = b) AS m FROM t",
    "SELECT a, (SELECT COUNT(*) FROM u WHERE y = b) AS m FROM t",
    "SELECT a FROM t WHERE c > (SELECT AVG(x) FROM u WHERE y = b)",
    "SELECT a FROM t WHERE c > (SELECT COUNT(*) FROM u WHERE y = b)",
    "SELECT a FROM t WHERE a > (SELECT COUNT(*) FROM u WHERE x > a)",
    "SELECT a, (SELECT SUM(z) FROM u WHERE x <= a) AS s FROM t",
    "SELECT a, (SELECT MAX(z) FROM u WHERE y = b AND z < 35) + 1 AS m FROM t",
    "SELECT a, (SELECT MAX(z + a) FROM u WHERE y = b) AS m FROM t",
    "SELECT a, (SELECT y FROM u WHERE x = a AND z > 25) AS m FROM t",
    "SELECT a, (SELECT z FROM u WHERE x = 1) AS m FROM t",
    "SELECT a FROM t WHERE c < (SELECT z FROM u WHERE x = 1)",
    "SELECT a, EXISTS (SELECT 1 FROM u WHERE x = a) AS i FROM t",
    "SELECT a, a IN (SELECT x FROM u WHERE y = b) AS i FROM t",
    "SELECT a, NOT EXISTS (SELECT 1 FROM u WHERE z > 100) AS i FROM t",
    "SELECT a, EXISTS (SELECT 1 FROM u WHERE z > 10) AS i FROM t",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = a) OR c > 5",
    "SELECT a FROM t WHERE (EXISTS (SELECT 1 FROM u WHERE x = a)) IS FALSE",
    "SELECT a FROM t WHERE a > ALL (SELECT x FROM u WHERE y = b)",
    "SELECT a FROM t WHERE a >= SOME (SELECT x FROM u WHERE y = b)",
    "SELECT a FROM t WHERE a > ALL (SELECT x FROM u)",
    "SELECT a FROM t WHERE a <> SOME (SELECT x FROM u)",
    "SELECT a FROM t WHERE a <> ALL (SELECT x FROM u WHERE x IS NOT NULL)",
    "SELECT a, a IN (SELECT x FROM u) AS i FROM t",
    "SELECT a, a < SOME (SELECT x FROM u) AS i, a < ALL (SELECT x FROM u) AS j FROM t",
    "SELECT b, COUNT(*) AS n FROM t GROUP BY b HAVING COUNT(*) IN (SELECT x FROM u)",
    "SELECT b, COUNT(*) + (SELECT MAX(z) FROM u) AS n FROM t GROUP BY b",
    "SELECT SUM(CASE WHEN a IN (SELECT x FROM u) THEN 1 ELSE 0 END) AS n FROM t",
    "SELECT MAX(a) - (SELECT MIN(x) FROM u) AS n FROM t",
    "SELECT a FROM t o WHERE c = (SELECT MAX(c) FROM t i WHERE i.b = o.b)",
    "SELECT a FROM t o WHERE EXISTS (SELECT 1 FROM u WHERE x = o.a AND EXISTS (SELECT 1 FROM t i WHERE i.b = u.y AND i.a = o.a))",
    "SELECT a FROM t WHERE EXISTS (SELECT y FROM u WHERE x = a GROUP BY y)",
    "SELECT a FROM t WHERE EXISTS (SELECT y FROM u WHERE x = a GROUP BY y HAVING COUNT(*) > 1)",
    "SELECT t.a, s.z FROM t LEFT JOIN LATERAL (SELECT z FROM u WHERE u.y = t.b) AS s ON TRUE",
    "SELECT t.a, s.z FROM t JOIN LATERAL (SELECT z, x FROM u WHERE u.y = t.b) AS s ON s.x = t.a",
    "SELECT b, (SELECT 1) AS o FROM t",
    "SELECT a FROM t WHERE a = (SELECT 2)",
    "SELECT a FROM t WHERE a IN (SELECT x FROM u) AND b IN (SELECT y FROM u)",
    "SELECT a, CASE (SELECT MAX(x) FROM u) WHEN 5 THEN b END AS m FROM t",
):
    show(t_env, query)
