from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("""CREATE TABLE sales (k STRING, s STRING, i INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'datagen')""")
env.execute_sql("CREATE TABLE names (k STRING, name STRING) WITH ('connector' = 'datagen')")
KEYS = {"by_k": "k", "by_s": "s", "by_n": "n", "by_k_s": "k, s", "by_k_n": "k, n", "by_all": "k, s, n"}
for name, key in KEYS.items():
    env.execute_sql(
        f"CREATE TABLE {name} (k STRING, s STRING, n BIGINT, PRIMARY KEY ({key}) NOT ENFORCED)"
        " WITH ('connector' = 'blackhole')"
    )
env.execute_sql("CREATE TABLE no_key (k STRING, s STRING, n BIGINT) WITH ('connector' = 'blackhole')")

by_k = "SELECT k, MAX(s) AS s, COUNT(*) AS n FROM sales GROUP BY k"
by_k_s = "SELECT k, s, COUNT(*) AS n FROM sales GROUP BY k, s"
by_s = "SELECT MAX(k) AS k, s, COUNT(*) AS n FROM sales GROUP BY s"
window = "TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
QUERIES = {
    "grouped": by_k,
    "grouped by two": by_k_s,
    "grouped by another": by_s,
    "filtered": f"SELECT * FROM ({by_k}) WHERE n > 1",
    "key computed": f"SELECT k || '!', s, n FROM ({by_k})",
    "key in upper case": f"SELECT UPPER(k), s, n FROM ({by_k})",
    "key cast to itself": f"SELECT CAST(k AS STRING), s, n FROM ({by_k})",
    "key cut": f"SELECT CAST(k AS VARCHAR(1)), s, n FROM ({by_k})",
    "key by a condition": f"SELECT CASE WHEN n > 1 THEN k ELSE 'x' END, s, n FROM ({by_k})",
    "key or else": f"SELECT COALESCE(k, 'x'), s, n FROM ({by_k})",
    "columns exchanged": f"SELECT s, k, n FROM ({by_k})",
    "key twice": f"SELECT k, k, n FROM ({by_k})",
    "key left out": f"SELECT 'x', s, n FROM ({by_k})",
    "all in one": f"SELECT 'all', MAX(k), COUNT(*) FROM ({by_k})",
    "grouped again by the count": f"SELECT MAX(k), MAX(s), n FROM ({by_k_s}) GROUP BY n",
    "grouped again by one of two": f"SELECT k, MAX(s), SUM(n) FROM ({by_k_s}) GROUP BY k",
    "number as text": "SELECT CAST(i AS STRING), MAX(s), COUNT(*) FROM sales GROUP BY i",
    "number as key": "SELECT MAX(k), MAX(s), CAST(i AS BIGINT) FROM sales GROUP BY i",
    "distinct of one": "SELECT DISTINCT k, 'x', CAST(1 AS BIGINT) FROM sales",
    "distinct of two": "SELECT DISTINCT k, s, CAST(1 AS BIGINT) FROM sales",
    "constant as a group": "SELECT k, 'x', COUNT(*) FROM sales GROUP BY k, 'x'",
    "rows as they come": "SELECT k, s, CAST(i AS BIGINT) FROM sales",
    "union of all": f"{by_k} UNION ALL {by_k}",
    "union": f"{by_k} UNION {by_k}",
    "join of one key": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a JOIN ({by_k}) AS b ON a.k = b.k",
    "left join of one key": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a LEFT JOIN ({by_k}) AS b ON a.k = b.k",
    "full join of one key": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a FULL JOIN ({by_k}) AS b ON a.k = b.k",
    "join of another column": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a JOIN ({by_k}) AS b ON a.s = b.k",
    "join of a key and its part": f"SELECT a.k, b.s, a.n FROM ({by_k}) AS a JOIN ({by_k_s}) AS b ON a.k = b.k",
    "join of both columns": f"SELECT a.k, b.s, a.n FROM ({by_k_s}) AS a JOIN ({by_k_s}) AS b ON a.k = b.k AND a.s = b.s",
    "join with rows": f"SELECT a.k, name, n FROM ({by_k}) AS a JOIN names ON a.k = names.k",
    "rows joined": f"SELECT names.k, name, n FROM names LEFT JOIN ({by_k}) AS a ON a.k = names.k",
    "in": f"SELECT * FROM ({by_k}) WHERE k IN (SELECT k FROM names)",
    "not in": f"SELECT * FROM ({by_k}) WHERE k NOT IN (SELECT k FROM names)",
    "in by another column": f"SELECT * FROM ({by_k}) WHERE s IN (SELECT k FROM names)",
    "windows": f"SELECT k, MAX(s), COUNT(*) FROM {window} GROUP BY k, window_start, window_end",
    "first rows of the key": f"SELECT * FROM ({by_k}) ORDER BY k LIMIT 3",
    "some rows": f"SELECT * FROM ({by_k}) LIMIT 3",
    "of one value": f"SELECT * FROM ({by_k}) WHERE s = 'a'",
    "of one count": f"SELECT * FROM ({by_k}) WHERE n = 1",
    "of some keys": f"SELECT * FROM ({by_k_s}) WHERE s IN ('a', 'b')",
    "of keys behind another": f"SELECT * FROM ({by_k_s}) WHERE k > 'a'",
    "of equal columns": f"SELECT * FROM ({by_k_s}) WHERE k = s",
    "of no key": f"SELECT * FROM ({by_k_s}) WHERE k IS NULL",
    "of no second key": f"SELECT * FROM ({by_k_s}) WHERE s IS NULL",
    "of no key and more": f"SELECT * FROM ({by_k_s}) WHERE k IS NULL AND n > 1",
    "of no key or more": f"SELECT * FROM ({by_k_s}) WHERE k IS NULL OR n > 1",
    "of no value": f"SELECT * FROM ({by_k}) WHERE s IS NULL",
    "of a key": f"SELECT * FROM ({by_k_s}) WHERE k IS NOT NULL",
    "grouped without a key": "SELECT k, s, COUNT(*) FROM sales WHERE k IS NULL GROUP BY k, s",
    "grouped with one key": "SELECT k, s, COUNT(*) FROM sales WHERE k = 'a' GROUP BY k, s",
    "distinct of one value": "SELECT DISTINCT k, s, CAST(i AS BIGINT) FROM sales WHERE s = 'x'",
    "intersection of rows": "SELECT k, name, CAST(1 AS BIGINT) FROM names INTERSECT SELECT k, s, CAST(1 AS BIGINT) FROM sales",
    "rows but for others": f"SELECT k, s, CAST(i AS BIGINT) FROM sales EXCEPT {by_k}",
    "intersection of all": f"{by_k} INTERSECT ALL {by_k}",
    "grouped by a key and more": f"SELECT k, s, MAX(n) FROM ({by_k}) GROUP BY k, s",
    "distinct of grouped": f"SELECT DISTINCT * FROM ({by_k})",
    "some values": "SELECT * FROM (VALUES ('a', 'b', CAST(1 AS BIGINT)), ('b', 'c', CAST(2 AS BIGINT))) AS v (a, b, c)",
    "in some values": f"SELECT * FROM ({by_k}) WHERE k IN (SELECT k FROM (VALUES ('a'), ('b')) AS v (k))",
    "beside one row": f"SELECT a.k, v.name, n FROM ({by_k}) AS a CROSS JOIN (SELECT MAX(name) AS name FROM names) AS v",
    "a query as a value": f"SELECT k, (SELECT MAX(name) FROM names), n FROM ({by_k})",
    "elements": f"SELECT a.k, b.e, n FROM ({by_k}) AS a CROSS JOIN UNNEST(ARRAY['x', s]) AS b (e)",
}


def answer(text):
    try:
        env.explain_sql("INSERT INTO " + text)
        return "taken"
    except Exception as error:
        if "The query has an upsert key that differs from the primary key" in str(error):
            return "differs"
        if "ON CONFLICT clause is only allowed for upsert sinks" in str(error):
            return "not an upsert"
        return "fails"


for name, query in QUERIES.items():
    print(f"{name}:", *(f"{sink} {answer(f'{sink} {query}')}" for sink in (*KEYS, "no_key")))
for conflict in ("DEDUPLICATE", "NOTHING", "ERROR"):
    for name in ("grouped", "grouped by another", "rows as they come", "join with rows", "windows"):
        query = f"{QUERIES[name]} ON CONFLICT DO {conflict}"
        print(f"{name}, {conflict}:", *(f"{sink} {answer(f'{sink} {query}')}" for sink in ("by_k", "by_n", "no_key")))
