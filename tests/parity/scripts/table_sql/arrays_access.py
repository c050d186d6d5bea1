from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a[1], a[2], a[9], CARDINALITY(a), ELEMENT(ARRAY[5]), a IS NULL
    FROM (VALUES (ARRAY[1, 2, 3]), (ARRAY[4]), (CAST(NULL AS ARRAY<INT>))) AS t(a)
""")
show("""
    SELECT ARRAY[1, 2.5], ARRAY['a', 'bcd'], ARRAY[1, NULL], ARRAY[ARRAY[1], ARRAY[2, 3]], ARRAY[TRUE], ARRAY[DATE '2024-01-01']
""")
show("SELECT TYPEOF(ARRAY[1, 2.5]), TYPEOF(ARRAY['a', 'bcd']), TYPEOF(ARRAY[1, NULL]), TYPEOF(ARRAY[ROW(1, 'a')])")
show("SELECT ARRAY[1, 2][0]")
show("SELECT ARRAY[1, 2][-1]")
show("SELECT ELEMENT(ARRAY[1, 2])")
show("SELECT ARRAY[1, 2] = ARRAY[1, 2], ARRAY[1, 2] <> ARRAY[2, 1], ARRAY['a'] = ARRAY['b']")
show("""
    SELECT CAST(ARRAY[1, 2] AS ARRAY<STRING>), CAST(ARRAY[1, NULL] AS STRING), CAST(ARRAY['1', '2'] AS ARRAY<INT>)
""")
