from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT m['a'], m['z'], CARDINALITY(m), MAP_KEYS(m), MAP_VALUES(m), MAP_ENTRIES(m)
    FROM (VALUES (MAP['a', 1]), (MAP['b', CAST(NULL AS INT)]), (CAST(NULL AS MAP<STRING, INT>))) AS t(m)
""")
show("""
    SELECT MAP_FROM_ARRAYS(ARRAY['x'], ARRAY[1]), MAP_UNION(MAP['a', 1], MAP['a', 2]), MAP[1, 'x'], MAP['k', ARRAY[1, 2]]
""")
show("SELECT MAP_FROM_ARRAYS(ARRAY['x'], ARRAY[1, 2])")
show("""
    SELECT TYPEOF(MAP['a', 1]), TYPEOF(MAP['a', 1, 'bb', 2.5]), TYPEOF(ROW(1, 'a')), TYPEOF(MAP_ENTRIES(MAP['a', 1]))
""")
show("SELECT r.a, r.b, r FROM (SELECT CAST(ROW(1, 'x') AS ROW<a INT, b STRING>) AS r)")
show("SELECT ROW(1, ROW(2, 'x')), (1, 2) = (1, 2), ROW(1, 'a') = ROW(1, 'b')")
show("SELECT t.r.a.b FROM (SELECT CAST(ROW(ROW(5)) AS ROW<a ROW<b INT>>) AS r) AS t")
show("SELECT t.r.* FROM (SELECT CAST(ROW(1, 'x') AS ROW<a INT, b STRING>) AS r) AS t")
show("SELECT CAST(MAP['a', 1] AS MAP<STRING, STRING>), CAST(MAP['a', 1] AS STRING), CAST(ROW(1, 'x') AS STRING)")
