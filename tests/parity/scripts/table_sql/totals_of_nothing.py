from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = "(VALUES (1, 'x'), (2, 'y')) AS v (n, w)"
NONE = f"(SELECT * FROM {ROWS} WHERE FALSE)"


def show(query):
    print(query, flush=True)
    try:
        env.execute_sql(query).print()
    except Exception:
        print("fails", flush=True)


env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
for query in (
    f"SELECT COUNT(*) AS c FROM {ROWS} WHERE FALSE",
    f"SELECT COUNT(*) AS c, SUM(n) AS s, MIN(w) AS a, MAX(n) AS b FROM {ROWS} WHERE 1 = 2",
    f"SELECT COUNT(n) AS c, COUNT(DISTINCT n) AS d FROM {ROWS} WHERE CAST(NULL AS BOOLEAN)",
    f"SELECT COUNT(*) AS c FROM {ROWS} WHERE n > 1 AND FALSE",
    f"SELECT w, COUNT(*) AS c FROM {ROWS} WHERE FALSE GROUP BY w",
    f"SELECT COUNT(*) AS c FROM (SELECT w, COUNT(*) AS d FROM {ROWS} WHERE FALSE GROUP BY w)",
    f"SELECT COUNT(*) AS c FROM (SELECT COUNT(*) AS d FROM {ROWS} WHERE FALSE)",
    f"SELECT COUNT(*) AS c FROM {ROWS} JOIN {NONE} AS o ON v.n = o.n",
    f"SELECT MAX(v.n) AS c FROM {ROWS} LEFT JOIN {NONE} AS o ON v.n = o.n",
    f"SELECT MAX(v.n) AS c FROM {ROWS} RIGHT JOIN {NONE} AS o ON v.n = o.n",
    f"SELECT COUNT(*) AS c FROM ({NONE} UNION ALL {NONE})",
    f"SELECT COUNT(*) + 1 AS c FROM {NONE} HAVING COUNT(*) < 5",
    f"SELECT COUNT(*) AS c FROM {ROWS} WHERE n > 5",
):
    show(query)
