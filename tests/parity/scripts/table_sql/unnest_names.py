from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")

CITIES = "(VALUES (1, ARRAY['a', 'b']), (2, ARRAY['c'])) AS v (id, cities)"
ROWS = "(VALUES (1, ARRAY[ROW(1, 'x'), CAST(NULL AS ROW<a INT, b STRING>)])) AS v (id, items)"
ONES = "(VALUES (1, ARRAY[ROW(7), CAST(NULL AS ROW<a INT>)])) AS v (id, items)"


def show(query):
    print(query, flush=True)
    try:
        env.execute_sql(query).print()
    except Exception:
        print("fails", flush=True)


for query in (
    f"SELECT id, city FROM {CITIES} CROSS JOIN UNNEST(cities) AS city",
    f"SELECT id, city FROM {CITIES}, UNNEST(cities) city",
    f"SELECT id, city.city FROM {CITIES} CROSS JOIN UNNEST(cities) AS city",
    f"SELECT * FROM {CITIES} CROSS JOIN UNNEST(cities) AS city",
    f"SELECT id, UPPER(city) AS big FROM {CITIES} CROSS JOIN UNNEST(cities) AS city WHERE city <> 'a'",
    f"SELECT id, f0 FROM {CITIES} CROSS JOIN UNNEST(cities) AS city",
    f"SELECT id, cities FROM {CITIES} CROSS JOIN UNNEST(cities) AS cities",
    f"SELECT * FROM {CITIES} CROSS JOIN UNNEST(cities)",
    f"SELECT * FROM {CITIES} CROSS JOIN UNNEST(cities) WITH ORDINALITY AS city",
    "SELECT * FROM UNNEST(ARRAY[1, 2]) AS n",
    "SELECT n + 1 AS m FROM UNNEST(ARRAY[1, 2]) AS n",
    f"SELECT id, item FROM {ONES} CROSS JOIN UNNEST(items) AS item",
    f"SELECT * FROM {ONES} CROSS JOIN UNNEST(items) AS item",
    f"SELECT id, item.a FROM {ROWS} CROSS JOIN UNNEST(items) AS item",
    f"SELECT * FROM {ROWS} CROSS JOIN UNNEST(items) AS item",
    f"SELECT id, a, b FROM {ROWS} CROSS JOIN UNNEST(items) AS u (a, b)",
    f"SELECT id, a, b FROM {ROWS} LEFT JOIN UNNEST(items) AS u (a, b) ON TRUE",
    "SELECT id, a FROM (VALUES (1, ARRAY[CAST(NULL AS ROW<a INT>)])) AS v (id, r) LEFT JOIN UNNEST(r) AS u (a) ON TRUE",
    "SELECT id, a FROM (VALUES (1, ARRAY[1, CAST(NULL AS INT)])) AS v (id, r) CROSS JOIN UNNEST(r) AS u (a)",
    "SELECT id, a FROM (VALUES (1, CAST(NULL AS ARRAY<INT>))) AS v (id, r) LEFT JOIN UNNEST(r) AS u (a) ON TRUE",
    "SELECT k, v FROM (VALUES (1, MAP['a', 1, 'b', CAST(NULL AS INT)])) AS t (id, m) CROSS JOIN UNNEST(m) AS u (k, v)",
):
    show(query)
