from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("CREATE TABLE t (a INT, b STRING, d DATE) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
env.execute_sql("CREATE TABLE u (a INT, c STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
env.execute_sql("CREATE TABLE k (a INT NOT NULL, b STRING) WITH ('connector' = 'blackhole')")
env.execute_sql("CREATE TABLE e (s TIMESTAMP(3), WATERMARK FOR s AS s) WITH ('connector' = 'datagen')")


def refused(*statements):
    for each in statements:
        try:
            env.explain_sql(each) if each.startswith(("SELECT", "INSERT", "VALUES", "WITH")) else env.execute_sql(each)
            print("accepted:", each)
        except Exception:
            print("refused: ", each)


refused("SELECT a FROM t WHERE a = '1'", "SELECT a FROM t WHERE a > '1'", "SELECT a FROM t WHERE b = 1")
refused(
    "SELECT a FROM t WHERE a IN ('1', '2')", "SELECT NULLIF(a, '1') FROM t", "SELECT a FROM t WHERE d = '2026-01-01'"
)
refused(
    "SELECT a, COUNT(*) FROM t GROUP BY 1", "SELECT COUNT(*) FROM t WHERE COUNT(*) > 1", "SELECT SUM(SUM(a)) FROM t"
)
refused(
    "SELECT a FROM t, u", "SELECT x FROM (SELECT a AS x, b AS x FROM t)", "SELECT COUNT(*) FROM (SELECT a, a FROM t)"
)
refused(
    "CREATE VIEW v AS SELECT a, a FROM t",
    "CREATE VIEW v (x, x) AS SELECT a, b FROM t",
    "CREATE VIEW v AS SELECT nope FROM t",
)
refused("CREATE TABLE c (a INT, a STRING) WITH ('connector' = 'print')", "CREATE TABLE c (a ROW<x INT, x INT>)")
refused("INSERT INTO k SELECT a FROM t", "INSERT INTO k SELECT b, a FROM t", "INSERT INTO k SELECT a, b FROM t")
refused(
    "INSERT INTO k SELECT a, d FROM t", "INSERT INTO k (b) SELECT b FROM t", "INSERT INTO k (a, a) SELECT a, a FROM t"
)
refused(
    "INSERT INTO k VALUES (1, NULL)",
    "INSERT INTO k SELECT CAST(a AS TINYINT), b FROM t",
    "INSERT INTO k SELECT 1.5, b FROM t",
)
refused(
    "SELECT a FROM t ORDER BY 2 LIMIT 1",
    "SELECT a FROM t ORDER BY 0 LIMIT 1",
)
refused(
    "SELECT /*+ NONSENSE(t) */ a FROM t",
    "SELECT a FROM t /*+ NONSENSE('x' = '1') */",
)
refused(
    "SELECT NULL",
    "SELECT a, NULL FROM t",
    "VALUES (NULL)",
    "SELECT 1 + NULL",
    "SELECT UPPER(NULL)",
    "SELECT COALESCE(NULL, a) FROM t",
)
refused(
    "SELECT CASE WHEN a > 1 THEN NULL END FROM t",
    "SELECT CASE WHEN a > 1 THEN NULL ELSE a END FROM t",
    "SELECT a = NULL FROM t",
)
refused(
    "SELECT a FROM t WHERE 1",
    "SELECT a FROM t WHERE b",
    "SELECT a FROM t WHERE a IN ()",
    "SELECT a FROM t WHERE a IN (SELECT c FROM u)",
)
refused(
    "SELECT a FROM t UNION ALL SELECT c FROM u",
    "SELECT a FROM t UNION SELECT a, c FROM u",
    "SELECT t.a FROM t JOIN u ON t.a",
)
refused(
    "SELECT COUNT() FROM t",
    "SELECT COUNT(a, b) FROM t",
    "SELECT COUNT(DISTINCT *) FROM t",
    "SELECT SUM(b) FROM t",
    "SELECT SUM(*) FROM t",
)
refused(
    "SELECT UPPER(b) FILTER (WHERE a > 1) FROM t",
    "SELECT UPPER(DISTINCT b) FROM t",
    "SELECT a || b FROM t",
    "SELECT d - d FROM t",
)
refused(
    "SELECT a FROM t WHERE a != 1",
    "SELECT a FROM t WHERE a == 1",
    "SELECT 99999999999999999999",
    "SELECT MOD(1e0, 2)",
    "SELECT b + b FROM t",
)
refused(
    "WITH x AS (SELECT a, a FROM t) SELECT 1 FROM x",
    "WITH x (p, q) AS (SELECT a FROM t) SELECT 1 FROM x",
    "VALUES (1, 2), (3)",
)
hop = "TABLE(HOP(TABLE e, DESCRIPTOR(s), INTERVAL '3' MINUTE, INTERVAL '10' MINUTE))"
refused(f"SELECT COUNT(*) FROM {hop} GROUP BY window_start, window_end", f"SELECT * FROM {hop}")
