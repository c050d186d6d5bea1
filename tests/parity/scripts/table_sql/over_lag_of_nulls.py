from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("""
    CREATE TEMPORARY VIEW e AS SELECT * FROM (VALUES
        (1, 'a', 5, 'p'), (2, 'a', CAST(NULL AS INT), CAST(NULL AS STRING)), (3, 'a', 1, 'q'),
        (4, 'b', CAST(NULL AS INT), CAST(NULL AS STRING)), (5, 'b', 7, 'r'), (6, 'b', CAST(NULL AS INT), 's'),
        (CAST(NULL AS INT), CAST(NULL AS STRING), 9, 'z')
    ) AS e (id, k, v, t)
""")
with env.execute_sql("""
    SELECT id, LAG(v, 1, id) OVER w, LAG(t, 1, k) OVER w, LAG(v, 1, CAST(id AS BIGINT)) OVER w,
        LAG(v, 1, CAST(id AS DOUBLE) / 2) OVER w, LAG(t, 1, id) OVER w, LAG(id, 1, 1.7) OVER w, LAG(id, 1, v) OVER w,
        LEAD(v, 1, id) OVER w, LEAD(t, 1, k) OVER w, LEAD(id, 2, 1.7) OVER w
    FROM e WINDOW w AS (PARTITION BY k ORDER BY id)
""").collect() as rows:
    print(*sorted(map(str, rows)), sep="\n")
