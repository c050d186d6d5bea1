from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT id, x FROM (VALUES (1, ARRAY[1, 2]), (2, ARRAY[3])) AS t(id, a) CROSS JOIN UNNEST(a) AS u(x)")
show("SELECT id, k, v FROM (VALUES (1, MAP['a', 5])) AS t(id, m), UNNEST(m) AS u(k, v)")
show("""
    SELECT id, x FROM (VALUES (1, ARRAY[1, NULL]), (2, CAST(NULL AS ARRAY<INT>))) AS t(id, a) LEFT JOIN UNNEST(a) AS u(x) ON TRUE
""")
show("""
    SELECT id, a, b FROM (VALUES (1, ARRAY[ROW(1, 'x'), ROW(2, 'y')])) AS t(id, r) CROSS JOIN UNNEST(r) AS u(a, b)
""")
show("SELECT x FROM UNNEST(ARRAY[3, 4]) AS u(x)")
