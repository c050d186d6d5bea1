from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    "CREATE TEMPORARY VIEW t AS "
    "SELECT * FROM (VALUES (1, 'a', CAST(NULL AS INT)), (2, 'b', 3), (3, 'a', 3)) AS v(a, b, c)"
)
for condition in (
    "ROW(a, c) = ROW(1, c)", "ROW(a, c) <> ROW(1, c)", "(a, c) = (1, c)", "(a, b) = (1, 'a')", "ROW(a, c) = ROW(2, c)",
    "(a, c) IN ((1, 3), (2, 3))", "(a, c) NOT IN ((1, 3), (2, 3))", "ROW(a, ROW(b, c)) = ROW(a, ROW(b, c))",
    "ROW(a, c) IS NOT DISTINCT FROM ROW(1, c)", "NOT (a, c) = (1, c)", "(a, b, c) = (2, 'b', 3)",
):  # fmt: skip
    with env.execute_sql(f"SELECT a, {condition} FROM t").collect() as rows:
        print(condition, sorted(repr(list(row)) for row in rows), flush=True)
for text in ("10:20:30.1239", "10:20:30.1235", "10:20:30.9999", "10:20:30.12345678", "10:20:30.5"):
    for precision in (0, 3):
        time = f"CAST('{text}' AS TIME({precision}))"
        with env.execute_sql(f"SELECT {time}, CAST({time} AS STRING)").collect() as rows:
            print(time, [repr(list(row)) for row in rows], flush=True)
