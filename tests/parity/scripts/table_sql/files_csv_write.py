import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show(f"""
    CREATE TABLE t (a INT, b STRING, c DOUBLE, d DECIMAL(5, 2), e DATE, g TIMESTAMP(3), h BOOLEAN, i ARRAY<INT>) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("out")}', 'format' = 'csv')
""")
env.execute_sql("""
    INSERT INTO t VALUES (1, 'plain', 1.5, 2.50, DATE '2024-01-01', TIMESTAMP '2024-01-01 01:02:03.5', TRUE, ARRAY[1, 2]),
    (2, 'with, comma', 1e10, -0.01, DATE '1969-12-31', TIMESTAMP '2024-01-01 00:00:00', FALSE, ARRAY[3]),
    (3, 'with "quote"', CAST(0 AS DOUBLE), 0.00, DATE '0001-01-01', TIMESTAMP '9999-12-31 23:59:59.999', TRUE, ARRAY[1]),
    (5, 'a text of more than 24 letters', 5.0, 100.00, DATE '2024-05-05', TIMESTAMP '2024-05-05 05:05:05', FALSE, ARRAY[5])
""").wait()
show("SELECT * FROM t")
