from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
PAIR = "SELECT CAST(ROW(1, 2) AS ROW<a INT, b INT>) AS f"
DEEP = "SELECT CAST(ROW(ROW(1)) AS ROW<a ROW<c INT>>) AS f"
LISTS = "SELECT ARRAY[CAST(ROW(1, 2) AS ROW<a INT, b INT>)] AS f, MAP['k', CAST(ROW(1, 2) AS ROW<a INT, b INT>)] AS m"
QUERIES = [
    f"SELECT (v.f).a, (v.f).b FROM ({PAIR}) AS v",
    f"SELECT v.f.a, f.a, (f).a, v.f FROM ({PAIR}) AS v",
    f"SELECT (v.f).a + 1, v.f.a FROM ({PAIR}) AS v",
    f"SELECT (v.f).a.c, ((v.f).a).c, v.f.a.c FROM ({DEEP}) AS v",
    f"SELECT CAST(f AS ROW<x INT, y INT>).x, (CAST(f AS ROW<x INT, y INT>)).x FROM ({PAIR}) AS v",
    f"SELECT f[1], f[1].a, (f[1]).a FROM ({LISTS}) AS v",
    f"SELECT m['k'].a, (m['k']).a FROM ({LISTS}) AS v",
    f"SELECT f.* FROM ({PAIR}) AS v",
    f"SELECT (f).a AS z, (f).b FROM ({PAIR}) AS v",
    f"SELECT MAX((v.f).a), MIN(v.f.a) FROM ({PAIR}) AS v",
    f"SELECT DISTINCT (v.f).a FROM ({PAIR}) AS v",
]
for query in QUERIES:
    try:
        table = env.sql_query(query)
        print(query, table.get_schema().get_field_names())
        with table.execute().collect() as rows:
            print(*rows)
    except Exception:
        print(query, "fails")
