from pyflink.table import EnvironmentSettings, TableEnvironment

batch = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
streaming = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
for env in (batch, streaming):
    env.get_config().set("parallelism.default", "1")
    env.execute_sql("""
        CREATE TEMPORARY VIEW t AS
        SELECT * FROM (VALUES (1, 'a', 10), (2, 'a', 30), (3, 'b', 20), (4, 'b', 20), (5, 'c', 7), (6, 'a', 5)) AS t (id, k, v)
    """)


def show(env, text):
    print(text)
    try:
        with env.execute_sql(text).collect() as rows:
            print(*sorted(f"{row.get_row_kind()} {row}" for row in rows), sep="\n")
    except Exception:
        print("fails")


for text in [
    "SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1",
    "SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS n FROM t QUALIFY n <= 2",
    "SELECT id FROM t WINDOW w AS (PARTITION BY k ORDER BY id) QUALIFY ROW_NUMBER() OVER w = 1",
    "SELECT id AS k FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1",
    "SELECT DISTINCT k FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) <= 2",
    "SELECT id FROM (SELECT * FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1) WHERE id > 1",
    "SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1 UNION ALL SELECT 9",
    "SELECT id FROM t QUALIFY id > 1",
]:
    show(batch, text)
    show(streaming, text)
for text in [
    "SELECT id, k FROM t WHERE v > 5 QUALIFY RANK() OVER (PARTITION BY k ORDER BY v DESC) = 1",
    "SELECT id, SUM(v) OVER (PARTITION BY k) AS s FROM t QUALIFY SUM(v) OVER (PARTITION BY k) > 40",
    "SELECT id FROM t QUALIFY COUNT(*) OVER (PARTITION BY k) > 1 ORDER BY id DESC LIMIT 2",
    "SELECT id FROM t QUALIFY LAG(v) OVER (PARTITION BY k ORDER BY id) IS NULL",
]:
    show(batch, text)
