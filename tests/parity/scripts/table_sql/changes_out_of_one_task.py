# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "4")
rows = ", ".join(f"('{'abcad'[i % 5]}', {i})" for i in range(10))
env.execute_sql(f"CREATE TEMPORARY VIEW sales AS SELECT * FROM (VALUES {rows}) AS v (w, i)")
all_in_one = "SELECT 'all' AS w, COUNT(*) AS n FROM sales"
QUERIES = {
    "all": all_in_one,
    "upper": f"SELECT UPPER(w), n FROM ({all_in_one})",
    "some": f"SELECT * FROM ({all_in_one}) WHERE n > 3",
    "max": "SELECT MAX(w), MAX(i) FROM sales",
    "top": "SELECT w, CAST(i AS BIGINT) FROM sales ORDER BY i DESC LIMIT 2",
    "pair": f"SELECT a.w, b.n FROM ({all_in_one}) AS a CROSS JOIN (VALUES (7)) AS b (n)",
    "value": "SELECT w, n FROM (SELECT 'x' AS w, (SELECT MAX(i) FROM sales) AS n)",
    "each": f"SELECT e, n FROM ({all_in_one}) CROSS JOIN UNNEST(ARRAY[w]) AS u (e)",
    "two": f"SELECT * FROM ({all_in_one}) UNION ALL SELECT 'max', CAST(MAX(i) AS BIGINT) FROM sales",
}
for name in QUERIES:
    env.execute_sql(
        f"CREATE TABLE {name}_ (w STRING, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = '{name}')"
    )
statements = env.create_statement_set()
for name, query in QUERIES.items():
    statements.add_insert_sql(f"INSERT INTO {name}_ {query}")
statements.execute().wait()
for key in ("", ", PRIMARY KEY (w) NOT ENFORCED"):
    env.execute_sql("DROP TABLE IF EXISTS in_two")
    env.execute_sql(
        f"CREATE TABLE in_two (w STRING, n BIGINT{key}) WITH ('connector' = 'print', 'print-identifier' = 'two tasks',"
        " 'sink.parallelism' = '2')"
    )
    try:
        env.explain_sql(f"INSERT INTO in_two {all_in_one}")
        print("planned", key)
    except Exception as error:
        print("refused", key, "primary key" in str(error))
