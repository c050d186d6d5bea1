from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT CAST(ARRAY[1, NULL, 3] AS ARRAY<STRING>), CAST(MAP['a', '1'] AS MAP<STRING, INT>), CAST(ROW(1, '2') AS ROW<x STRING, y INT>), CAST(ARRAY[ARRAY[1]] AS ARRAY<ARRAY<DOUBLE>>)
""")
show("""
    SELECT CAST(ARRAY['a', CAST(NULL AS STRING)] AS STRING), CAST(MAP['k', 1.5] AS STRING), CAST(ROW(TRUE, DATE '2024-01-01', 'x') AS STRING), CAST(ARRAY[ROW(1, 'y')] AS STRING)
""")
show("SELECT CAST(ROW(1, 2) AS ROW<x INT>)")
show("SELECT CAST(ARRAY[1] AS INT)")
show("SELECT CAST('[1]' AS ARRAY<INT>)")
show("SELECT TRY_CAST(ARRAY['1', 'x'] AS ARRAY<INT>)")
