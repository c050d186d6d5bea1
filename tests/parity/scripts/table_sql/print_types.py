from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE p (a ARRAY<INT>, b MAP<STRING, INT>, c ROW<x INT, y STRING>, d BYTES, e DECIMAL(5, 2), g DOUBLE, h FLOAT, i TIMESTAMP(3), j DATE, k TIME, l BOOLEAN, m CHAR(5)) WITH ('connector' = 'print')
""")
env.execute_sql("""
    INSERT INTO p SELECT ARRAY[1, NULL], MAP['k', 1], CAST(ROW(1, 'x') AS ROW<x INT, y STRING>), X'0aff', 1.50, 1e20, CAST(1.1 AS FLOAT), TIMESTAMP '2024-01-01 01:02:03', DATE '2024-01-01', TIME '01:02:03', TRUE, 'abc'
""").wait()
show("""
    CREATE TABLE q (a TINYINT, b TIMESTAMP_LTZ(3), e MULTISET<STRING>, g TIMESTAMP(6)) WITH ('connector' = 'print')
""")
env.get_config().set("table.local-time-zone", "UTC")
env.execute_sql("""
    INSERT INTO q SELECT CAST(1 AS TINYINT), TO_TIMESTAMP_LTZ(1500, 3), COLLECT(x), CAST('2024-01-01 01:02:03.123456' AS TIMESTAMP(6)) FROM (VALUES ('m')) AS t(x)
""").wait()
