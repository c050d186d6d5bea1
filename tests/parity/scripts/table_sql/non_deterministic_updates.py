from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("""CREATE TABLE sales (k STRING, s STRING, i INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'datagen')""")
for name, key in (("by_k", "PRIMARY KEY (k)"), ("by_k_s", "PRIMARY KEY (k, s)")):
    env.execute_sql(
        f"CREATE TABLE {name} (k STRING, s STRING, n BIGINT, {key} NOT ENFORCED) WITH ('connector' = 'blackhole')"
    )
env.execute_sql("CREATE TABLE no_key (k STRING, s STRING, n BIGINT) WITH ('connector' = 'blackhole')")
env.create_temporary_function("wild", udf(lambda x: x, result_type=DataTypes.STRING(), deterministic=False))
env.create_temporary_function("tame", udf(lambda x: x, result_type=DataTypes.STRING()))
env.create_temporary_function("many", udtf(lambda x: [x], result_types=[DataTypes.STRING()], deterministic=False))
env.create_temporary_function("parts", udtf(lambda x: [x], result_types=[DataTypes.STRING()]))

by_k = "SELECT k, MAX(s) AS s, COUNT(*) AS n FROM sales GROUP BY k"
by_k_s = "SELECT k, s, COUNT(*) AS n FROM sales GROUP BY k, s"
wild_rows = "(SELECT k, i, UUID() AS u FROM sales)"
wild = f"(SELECT k, n, UUID() AS u FROM ({by_k}))"


def first(by, order, of, count=1):
    return f"(SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS r FROM {of}) WHERE r <= {count}"


QUERIES = {}
for value in (
    "UUID()",
    *(
        f"CAST({each} AS STRING)"
        for each in (
            "NOW()",
            "CURRENT_DATE",
            "CURRENT_TIMESTAMP",
            "LOCALTIMESTAMP",
            "CURRENT_TIME",
            "CURRENT_ROW_TIMESTAMP()",
            "UNIX_TIMESTAMP()",
            "PROCTIME()",
            "RAND()",
            "RAND(1)",
            "RAND_INTEGER(3)",
        )
    ),
    "wild(s)",
    "tame(s)",
    "UPPER(s)",
):
    QUERIES[value] = f"SELECT k, {value}, n FROM ({by_k})"
    QUERIES[f"{value} of rows"] = f"SELECT k, {value}, CAST(i AS BIGINT) FROM sales"
    QUERIES[f"{value} below"] = f"SELECT k, MAX(x), COUNT(*) FROM (SELECT k, {value} AS x FROM sales) GROUP BY k"
    QUERIES[f"{value} grouped"] = f"SELECT k, MAX(x), SUM(n) FROM (SELECT k, {value} AS x, n FROM ({by_k})) GROUP BY k"
    QUERIES[f"{value} as a key"] = f"SELECT x, MAX(k), COUNT(*) FROM (SELECT k, {value} AS x FROM sales) GROUP BY x"
QUERIES |= {
    "condition of rows": "SELECT k, s, CAST(i AS BIGINT) FROM sales WHERE RAND() > 0.5",
    "condition": f"SELECT k, s, n FROM ({by_k}) WHERE n > RAND()",
    "condition below": "SELECT k, MAX(s), COUNT(*) FROM sales WHERE RAND() > 0.5 GROUP BY k",
    "condition by a column": f"SELECT k, s, n FROM (SELECT k, s, n, UUID() AS u FROM ({by_k})) WHERE u <> 'a'",
    "unused": f"SELECT k, s, n FROM (SELECT k, s, n, UUID() AS u FROM ({by_k}))",
    "key": f"SELECT UUID(), s, n FROM ({by_k})",
    "key and value": f"SELECT k || UUID(), s, n FROM ({by_k})",
    "joined rows": f"SELECT a.k, b.u, a.n FROM ({by_k}) a JOIN {wild_rows} b ON a.k = b.k",
    "joined": f"SELECT a.k, b.u, b.n FROM ({by_k}) a JOIN {wild} b ON a.k = b.k",
    "joined by": f"SELECT a.k, b.u, b.n FROM ({by_k}) a JOIN {wild} b ON a.k = b.u",
    "condition of a join": f"SELECT a.k, b.s, a.n FROM ({by_k}) a JOIN ({by_k}) b ON a.k = b.k AND a.n + RAND() > b.n",
    "condition of joined rows": "SELECT a.k, b.s, CAST(a.i AS BIGINT) FROM sales a JOIN sales b ON a.k = b.k AND a.i + RAND() > b.i",
    "left join of rows": f"SELECT a.k, a.u, CAST(a.i AS BIGINT) FROM {wild_rows} a LEFT JOIN sales b ON a.k = b.k",
    "after a left join": "SELECT a.k, UUID(), CAST(a.i AS BIGINT) FROM sales a LEFT JOIN sales b ON a.k = b.k",
    "first rows": f"SELECT k, u, r FROM {first('k', 'i DESC', wild_rows, 2)}",
    "first rows by": f"SELECT k, u, r FROM {first('k', 'u DESC', wild_rows, 2)}",
    "first of changes": f"SELECT k, u, r FROM {first('k', 'n DESC', f'(SELECT k, n, UUID() AS u FROM ({by_k_s}))', 2)}",
    "after first rows": f"SELECT k, UUID(), r FROM {first('k', 'i DESC', 'sales', 2)}",
    "after last row": f"SELECT k, UUID(), CAST(i AS BIGINT) FROM {first('k', 'ts DESC', 'sales')}",
    "last row by the clock": f"SELECT k, s, CAST(i AS BIGINT) FROM {first('k', 'pt DESC', 'sales')}",
    "last row grouped": f"SELECT k, MAX(s), COUNT(*) FROM {first('k', 'pt DESC', 'sales')} GROUP BY k",
    "some": f"SELECT k, UUID(), n FROM ({by_k}) LIMIT 3",
    "union": f"SELECT k, UUID(), n FROM ({by_k}) UNION ALL {by_k_s}",
    "distinct": f"SELECT DISTINCT k, UUID(), n FROM ({by_k})",
    "distinct rows": "SELECT DISTINCT k, UUID(), CAST(i AS BIGINT) FROM sales",
    "table function of rows": "SELECT a.k, b.x, CAST(a.i AS BIGINT) FROM sales a, LATERAL TABLE(many(s)) AS b (x)",
    "table function": f"SELECT a.k, b.x, n FROM ({by_k}) a, LATERAL TABLE(many(s)) AS b (x)",
    "tame table function": f"SELECT a.k, b.x, n FROM ({by_k}) a, LATERAL TABLE(parts(s)) AS b (x)",
    "table function grouped": f"SELECT a.k, MAX(b.x), SUM(n) FROM ({by_k}) a, LATERAL TABLE(many(s)) AS b (x) GROUP BY a.k",
    "grouped twice": f"SELECT k, MAX(s), SUM(n) FROM (SELECT k, UUID() AS s, n FROM ({by_k_s})) GROUP BY k",
    "grouped twice, unused": f"SELECT k, 'a', SUM(n) FROM (SELECT k, UUID() AS s, n FROM ({by_k_s})) GROUP BY k",
    "filter of an aggregate": f"SELECT k, 'a', SUM(n) FILTER (WHERE RAND() > 0.5) FROM ({by_k_s}) GROUP BY k",
    "over": f"SELECT k, u, SUM(n) OVER (PARTITION BY k ORDER BY n) FROM {wild}",
}


def answer(text):
    try:
        return "materialized" if "upsertMaterialize=[true]" in env.explain_sql(text) else "taken"
    except Exception as error:
        said = str(error)
        for known in (
            "The query has an upsert key that differs from the primary key",
            "can not satisfy the determinism requirement",
            "There exists non deterministic function",
        ):
            if known in said:
                return {"The": "differs", "can": "refused", "There": "refused"}[known.split()[0]]
        return "fails"


for strategy in ("TRY_RESOLVE", "IGNORE"):
    env.get_config().set("table.optimizer.non-deterministic-update.strategy", strategy)
    for name, query in QUERIES.items():
        if strategy == "TRY_RESOLVE" or name.split()[0] in ("UUID()", "condition", "joined", "table"):
            sinks = (f"{sink} {answer(f'INSERT INTO {sink} {query}')}" for sink in ("by_k", "by_k_s", "no_key"))
            print(strategy, f"{name}:", answer(query), *sinks)
