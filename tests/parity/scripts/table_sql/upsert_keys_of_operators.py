from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("""CREATE TABLE sales (k STRING, s STRING, i INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'datagen')""")
env.execute_sql("""CREATE TABLE keyed (k STRING, s STRING, i INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts,
    PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'datagen')""")
KEYS = {"by_k": "k", "by_s": "s", "by_n": "n", "by_k_s": "k, s", "by_k_n": "k, n", "by_all": "k, s, n"}
for name, key in KEYS.items():
    env.execute_sql(
        f"CREATE TABLE {name} (k STRING, s STRING, n BIGINT, PRIMARY KEY ({key}) NOT ENFORCED)"
        " WITH ('connector' = 'blackhole')"
    )
env.execute_sql("CREATE TABLE no_key (k STRING, s STRING, n BIGINT) WITH ('connector' = 'blackhole')")

by_k = "SELECT k, MAX(s) AS s, COUNT(*) AS n FROM sales GROUP BY k"
by_k_s = "SELECT k, s, COUNT(*) AS n FROM sales GROUP BY k, s"


def numbered(by, order, of="sales", top="<= 2", more=""):
    return f"(SELECT *, ROW_NUMBER() OVER ({f'PARTITION BY {by}' if by else ''} ORDER BY {order}) AS r FROM {of}) WHERE r {top}{more}"


SUM = "CAST(SUM(i) OVER (PARTITION BY k ORDER BY {}) AS BIGINT)"
window = "TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
last = "(SELECT k, s, i, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM sales) WHERE r = 1)"
env.execute_sql(f"CREATE TEMPORARY VIEW newest AS {last[1:-1]}")
c = "CAST(i AS BIGINT)"
QUERIES = {
    "last row": f"SELECT k, s, {c} FROM {numbered('k', 'ts DESC', top='= 1')}",
    "first row": f"SELECT k, s, {c} FROM {numbered('k', 'ts', top='= 1')}",
    "last row by the clock": f"SELECT k, s, {c} FROM {numbered('k', 'pt DESC', top='= 1')}",
    "first row by the clock": f"SELECT k, s, {c} FROM {numbered('k', 'pt', top='= 1')}",
    "first two by the clock": f"SELECT k, s, {c} FROM {numbered('k', 'pt')}",
    "last row of two": f"SELECT k, s, {c} FROM {numbered('k, s', 'ts DESC', top='= 1')}",
    "most": f"SELECT k, s, {c} FROM {numbered('k', 'i DESC', top='= 1')}",
    "two most": f"SELECT k, s, {c} FROM {numbered('k', 'i DESC')}",
    "two most with number": f"SELECT k, s, r FROM {numbered('k', 'i DESC')}",
    "one most with number": f"SELECT k, s, r FROM {numbered('k', 'i DESC', top='= 1')}",
    "second most": f"SELECT k, s, {c} FROM {numbered('k', 'i DESC', top='= 2')}",
    "most of all": f"SELECT k, s, r FROM {numbered('', 'i DESC', top='<= 3')}",
    "one of all": f"SELECT k, s, r FROM {numbered('', 'i DESC', top='<= 1')}",
    "most of groups": f"SELECT k, s, n FROM {numbered('k', 'n DESC', f'({by_k_s})')}",
    "most of groups by another": f"SELECT k, s, n FROM {numbered('s', 'n DESC', f'({by_k})')}",
    "most of groups in all": f"SELECT k, s, n FROM {numbered('', 'n DESC', f'({by_k})')}",
    "most of groups with number": f"SELECT k, s, r FROM {numbered('', 'n DESC', f'({by_k})')}",
    "most of groups, order by key": f"SELECT k, s, n FROM {numbered('n', 'k', f'({by_k})')}",
    "last of last": f"SELECT k, s, {c} FROM {numbered('s', 'ts DESC', 'newest', '= 1')}",
    "rank of a keyed table": f"SELECT k, s, {c} FROM {numbered('s', 'i', 'keyed')}",
    "keyed table": f"SELECT k, s, {c} FROM keyed",
    "keyed table joined": f"SELECT a.k, b.s, n FROM ({by_k}) AS a JOIN keyed AS b ON a.k = b.k",
    "rows with keyed": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM sales AS a LEFT JOIN keyed AS b ON a.k = b.k",
    "over": f"SELECT k, s, {SUM.format('ts')} FROM sales",
    "over changes": "SELECT k, s, SUM(n) OVER (PARTITION BY k ORDER BY n) FROM (" + by_k + ")",
    "over changes by another": "SELECT k, s, SUM(n) OVER (PARTITION BY s ORDER BY n) FROM (" + by_k + ")",
    "over changes with key": "SELECT k, s, SUM(n) OVER (PARTITION BY k ORDER BY n) FROM (" + by_k_s + ")",
    "over a keyed table": f"SELECT k, s, {SUM.format('ts')} FROM keyed",
    "as of a time": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM sales AS a JOIN newest FOR SYSTEM_TIME AS OF a.ts AS b ON a.k = b.k",
    "keyed as of a time": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM keyed AS a LEFT JOIN newest FOR SYSTEM_TIME AS OF a.ts AS b ON a.k = b.k",
    "window join": f"SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM (SELECT * FROM {window}) AS a JOIN (SELECT * FROM {window}) AS b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end",
    "window top": f"SELECT k, s, {c} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY i) AS r FROM {window}) WHERE r <= 1",
    "grouped windows of a key": f"SELECT k, CAST(window_start AS STRING), COUNT(*) FROM {window} GROUP BY k, window_start, window_end",
    "windows grouped again": f"SELECT k, MAX(s), SUM(n) FROM (SELECT k, MAX(s) AS s, COUNT(*) AS n FROM {window} GROUP BY k, window_start, window_end) GROUP BY k",
    "interval join": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM sales AS a JOIN sales AS b ON a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' MINUTE",
    "interval join of keyed": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM keyed AS a JOIN keyed AS b ON a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' MINUTE",
    "patterns": "SELECT k, CAST(a AS STRING), CAST(b AS BIGINT) FROM sales MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.i AS a, B.i AS b ONE ROW PER MATCH PATTERN (A B) DEFINE B AS B.i > A.i) AS m",
    "grouping sets": "SELECT k, s, COUNT(*) FROM sales GROUP BY GROUPING SETS ((k), (s))",
    "rollup": "SELECT k, s, COUNT(*) FROM sales GROUP BY ROLLUP (k, s)",
    "union of two groups": f"({by_k}) UNION ALL (SELECT s, k, n FROM ({by_k_s}))",
    "scalar beside": f"SELECT k, s, (SELECT MAX(n) FROM ({by_k}) AS b WHERE b.k = a.k) FROM ({by_k}) AS a",
    "exists": f"SELECT * FROM ({by_k}) AS a WHERE EXISTS (SELECT * FROM sales AS b WHERE a.k = b.k AND a.n < b.i)",
    "group window": "SELECT k, MAX(s), COUNT(*) FROM sales GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE)",
    "session": "SELECT k, MAX(s), COUNT(*) FROM TABLE(SESSION(TABLE sales PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end",
    "constants": "SELECT 'a', 'b', CAST(1 AS BIGINT)",
    "one count": "SELECT 'a', 'b', COUNT(*) FROM sales",
    "key and a function of it": f"SELECT k, UPPER(k), n FROM ({by_k})",
    "key as text and back": "SELECT CAST(CAST(i AS BIGINT) AS STRING), 'x', COUNT(*) FROM sales GROUP BY i",
    "three joins": f"SELECT a.k, b.s, c.n FROM ({by_k}) AS a JOIN ({by_k}) AS b ON a.k = b.k JOIN ({by_k}) AS c ON b.k = c.k",
    "right join": f"SELECT b.k, a.s, a.n FROM ({by_k}) AS a RIGHT JOIN ({by_k}) AS b ON a.k = b.k",
    "cross": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a, ({by_k_s}) AS b",
    "cross with count": f"SELECT a.k, a.s, b.n FROM ({by_k}) AS a, (SELECT COUNT(*) AS n FROM sales) AS b",
    "lateral": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a, LATERAL (SELECT MAX(s) AS s FROM sales WHERE sales.k = a.k) AS b",
}


def answer(text):
    try:
        said = env.explain_sql("INSERT INTO " + text)
        return "materialized" if "upsertMaterialize=[true]" in said else "taken"
    except Exception as error:
        if "The query has an upsert key that differs from the primary key" in str(error):
            return "differs"
        if "ON CONFLICT clause is only allowed for upsert sinks" in str(error):
            return "not an upsert"
        return "fails"


for name, query in QUERIES.items():
    print(f"{name}:", *(f"{sink} {answer(f'{sink} {query}')}" for sink in (*KEYS, "no_key")))
