from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT ARRAY_CONTAINS(a, 2), ARRAY_POSITION(a, 2), ARRAY_REMOVE(a, 2), ARRAY_APPEND(a, 9), ARRAY_PREPEND(a, 0), ARRAY_REVERSE(a)
    FROM (VALUES (ARRAY[1, 2, 2]), (ARRAY[3, NULL]), (CAST(NULL AS ARRAY<INT>))) AS t(a)
""")
show("""
    SELECT ARRAY_DISTINCT(a), ARRAY_SORT(a), ARRAY_SORT(a, FALSE), ARRAY_SORT(a, TRUE, FALSE), ARRAY_MAX(a), ARRAY_MIN(a)
    FROM (VALUES (ARRAY[3, 1, NULL, 3]), (ARRAY[5])) AS t(a)
""")
show("""
    SELECT ARRAY_SLICE(ARRAY[1, 2, 3, 4], 2, 3), ARRAY_SLICE(ARRAY[1, 2, 3], 2), ARRAY_SLICE(ARRAY[1, 2, 3], -2, -1), ARRAY_SLICE(ARRAY[1, 2], 5, 6), ARRAY_SLICE(ARRAY[1, 2, 3], 0, 1)
""")
show("""
    SELECT ARRAY_CONCAT(ARRAY[1], ARRAY[2, 3]), ARRAY_UNION(ARRAY[1, 2, 2], ARRAY[2, 3]), ARRAY_EXCEPT(ARRAY[1, 2, 2], ARRAY[2]), ARRAY_INTERSECT(ARRAY[1, 2, 2], ARRAY[2, 4])
""")
show("""
    SELECT ARRAY_JOIN(ARRAY['a', 'b'], '-'), ARRAY_JOIN(ARRAY['a', CAST(NULL AS STRING), 'b'], ','), ARRAY_JOIN(ARRAY['a', CAST(NULL AS STRING)], ',', '?')
""")
show("""
    SELECT ARRAY_CONTAINS(ARRAY[1, NULL], CAST(NULL AS INT)), ARRAY_POSITION(ARRAY[1], 5), ARRAY_CONCAT(ARRAY[1], CAST(NULL AS ARRAY<INT>)), ARRAY_CONTAINS(ARRAY['a'], 'a')
""")
show("SELECT TYPEOF(ARRAY_CONCAT(ARRAY[1], ARRAY[2.5])), TYPEOF(ARRAY_SORT(ARRAY[1])), TYPEOF(ARRAY_MAX(ARRAY[1]))")
