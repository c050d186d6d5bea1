import os

from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, current_watermark

os.makedirs("in")
with open("in/rows.csv", "w") as file:
    file.write("1,2024-01-01 00:00:01\n2,2024-01-01 00:00:05\n3,2024-01-01 00:00:03\n")
TIMED = "n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
FILES = f"'connector' = 'filesystem', 'path' = '{os.path.abspath('in')}', 'format' = 'csv'"
QUERIES = [
    "SELECT n, CURRENT_WATERMARK(n) FROM t",
    "SELECT n, CURRENT_WATERMARK() FROM t",
    "SELECT n, CURRENT_WATERMARK(ts, ts) FROM t",
    "SELECT n, CURRENT_WATERMARK(CAST(ts AS STRING)) FROM t",
    "SELECT n, CURRENT_WATERMARK(TIMESTAMP '2024-01-01 00:00:00') FROM t",
    "SELECT n, CURRENT_WATERMARK(ts) FROM t",
    "SELECT n FROM t WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)",
]


def shown(name, make):
    try:
        make().execute().print()
    except Exception as error:
        print(name, "fails and names the function:", "CURRENT_WATERMARK" in str(error))


for mode, settings in (
    ("batch", EnvironmentSettings.in_batch_mode()),
    ("streaming", EnvironmentSettings.in_streaming_mode()),
):
    t_env = TableEnvironment.create(settings)
    t_env.get_config().set("parallelism.default", "1")
    t_env.execute_sql(f"CREATE TABLE t ({TIMED}) WITH ({FILES})")
    for query in QUERIES:
        shown(f"{mode}: {query}", lambda env=t_env, query=query: env.sql_query(query))
    shown(f"{mode}: by name", lambda env=t_env: env.from_path("t").select(col("n"), current_watermark(col("ts"))))
