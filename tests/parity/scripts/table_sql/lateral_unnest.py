from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = "(1, ARRAY['x', 'y']), (2, CAST(NULL AS ARRAY<STRING>)), (3, ARRAY['z'])"
QUERIES = [
    "SELECT id, tag FROM o LEFT JOIN UNNEST(tags) AS t (tag) ON tag > 'x'",
    "SELECT id, tag FROM o LEFT JOIN UNNEST(tags) AS t (tag) ON tag > 'x' AND tag <> 'z'",
    "SELECT x.tag FROM o, LATERAL (SELECT tag FROM UNNEST(tags) AS t (tag)) AS x",
    "SELECT id, x.tag FROM o, LATERAL (SELECT tag FROM UNNEST(o.tags) AS t (tag) WHERE tag <> 'x') AS x",
    "SELECT id, x.tag FROM o LEFT JOIN LATERAL (SELECT tag FROM UNNEST(o.tags) AS t (tag)) AS x ON TRUE",
]

for settings in (EnvironmentSettings.in_batch_mode(), EnvironmentSettings.in_streaming_mode()):
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "1")
    env.execute_sql(f"CREATE TEMPORARY VIEW o AS SELECT * FROM (VALUES {ROWS}) AS t (id, tags)")
    for query in QUERIES:
        with env.execute_sql(query).collect() as rows:
            print(query, *sorted(f"{row.get_row_kind()} {row}" for row in rows), sep="\n")
