"""Queries in ORDER BY, GROUP BY and ON: what is left in the end."""

import tempfile
from collections import Counter
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

path = Path(tempfile.mkdtemp()) / "rows.csv"
path.write_text(
    "a,1,2026-01-01 00:00:01.000\na,2,2026-01-01 00:00:05.000\nb,3,2026-01-01 00:00:07.000\n"
    "a,4,2026-01-01 00:00:30.000\nb,5,2026-01-01 00:00:31.000\na,6,2026-01-01 00:00:33.000\n"
)
t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
for name in ("e", "f"):
    t_env.execute_sql(
        f"CREATE TEMPORARY TABLE {name} (k STRING, x INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH "
        f"('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


def show(query):
    found = Counter()
    with t_env.execute_sql(query).collect() as rows:
        for row in rows:
            kind = row.get_row_kind()
            row.set_row_kind(RowKind.INSERT)
            found[repr(list(row))] += -1 if kind in (RowKind.UPDATE_BEFORE, RowKind.DELETE) else 1
    print(query)
    print("   ", sorted((row, number) for row, number in found.items() if number))


show("SELECT k, x FROM f a ORDER BY (SELECT MAX(x) FROM e WHERE e.k = a.k), x LIMIT 2")
show("SELECT k, x FROM f ORDER BY x IN (SELECT x FROM e), x LIMIT 2")
show("SELECT (SELECT MAX(x) FROM e), COUNT(*) FROM f GROUP BY (SELECT MAX(x) FROM e)")
show("SELECT COUNT(*) FROM f a GROUP BY (SELECT MAX(x) FROM e WHERE e.k = a.k)")
show("SELECT COUNT(*) FROM f GROUP BY x IN (SELECT x FROM e)")
show("SELECT COUNT(*) FROM f GROUP BY EXISTS (SELECT x FROM e)")
show("SELECT a.k, a.x, b.x FROM f a JOIN f b ON a.k = b.k AND a.x = (SELECT MAX(x) FROM e)")
show("SELECT a.k, a.x, b.x FROM f a LEFT JOIN f b ON a.k = b.k AND b.x = (SELECT MAX(x) FROM e)")
show("SELECT a.k, a.x, b.x FROM f a JOIN f b ON a.k = b.k AND EXISTS (SELECT x FROM e WHERE e.x = a.x)")
show("SELECT a.k, a.x, b.x FROM f a LEFT JOIN f b ON a.k = b.k AND EXISTS (SELECT x FROM e WHERE x > 2)")
show("SELECT k FROM f WHERE (k, x) IN (SELECT k, x FROM e) OR x = 1")
