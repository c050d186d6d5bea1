import os

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, StreamTableEnvironment
from pyflink.table.expressions import call_sql, col, current_watermark, lit
from pyflink.table.udf import udf

os.makedirs("in")
with open("in/rows.csv", "w") as file:
    for n, second in enumerate((1, 5, 3, 5, 10, 2, 20, 12)):
        file.write(f"{n},{'ab'[n % 2]},2024-01-01 00:00:{second:02}\n")
FILES = f"'connector' = 'filesystem', 'path' = '{os.path.abspath('in')}', 'format' = 'csv'"
COLUMNS = "n INT, k STRING, ts TIMESTAMP(3)"
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
t_env = StreamTableEnvironment.create(env)
t_env.get_config().set("table.local-time-zone", "Asia/Tokyo")


def made(name, watermark, columns=COLUMNS):
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}, WATERMARK FOR {watermark}) WITH ({FILES})")


made("plain", "ts AS ts")
made("late", "ts AS ts - INTERVAL '2' SECOND")
made("hourly", "ts AS ts - INTERVAL '1' HOUR")
made("shifting", "ts AS CASE WHEN n = 1 THEN CAST(NULL AS TIMESTAMP(3)) ELSE ts - n * INTERVAL '1' SECOND END")
made("zoned", "z AS z - INTERVAL '1' SECOND", f"{COLUMNS}, z AS CAST(ts AS TIMESTAMP_LTZ(3))")
made("fine", "z AS z", f"{COLUMNS}, z AS CAST(ts AS TIMESTAMP(3))")


def show(name, make):
    try:
        table = make()
        schema = table.get_schema()
        print(
            name,
            [(f, str(t)) for f, t in zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)],
        )
        table.execute().print()
    except Exception as error:
        print(name, "fails and names the function:", "CURRENT_WATERMARK" in str(error))


def sql(text):
    show(text, lambda: t_env.sql_query(text))


for name in ("plain", "late", "hourly", "shifting"):
    sql(f"SELECT n, ts, CURRENT_WATERMARK(ts) AS w FROM {name}")
sql("SELECT n, CURRENT_WATERMARK(z) AS w FROM zoned")
sql("SELECT n, CURRENT_WATERMARK(z) AS w, CURRENT_WATERMARK(z) AS v FROM fine")
sql("SELECT n, COALESCE(CURRENT_WATERMARK(ts), TIMESTAMP '1970-01-01 00:00:00') AS w FROM plain")
sql("SELECT n FROM late WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)")
sql("SELECT n FROM late WHERE ts <= CURRENT_WATERMARK(ts)")
sql("SELECT n, w FROM (SELECT n, CURRENT_WATERMARK(ts) AS w FROM plain) WHERE w IS NOT NULL")
sql("SELECT n, CAST(CURRENT_WATERMARK(ts) AS STRING) AS w FROM (SELECT n, ts FROM plain WHERE n > 1)")
sql("SELECT n, TIMESTAMPDIFF(SECOND, CURRENT_WATERMARK(ts), ts) AS behind FROM plain")
sql("SELECT k, MAX(CURRENT_WATERMARK(ts)) AS w FROM plain GROUP BY k")
sql(
    "SELECT k, COUNT(*) AS c, CURRENT_WATERMARK(window_time) AS w FROM TUMBLE(TABLE plain, DESCRIPTOR(ts), INTERVAL '5' SECOND) GROUP BY k, window_start, window_end, window_time"
)
sql(
    "SELECT n, window_start, CURRENT_WATERMARK(window_time) AS w FROM TUMBLE(TABLE plain, DESCRIPTOR(ts), INTERVAL '5' SECOND)"
)
sql("SELECT n, CURRENT_WATERMARK(ts) AS w FROM plain UNION ALL SELECT n, CURRENT_WATERMARK(ts) FROM plain WHERE FALSE")
sql("SELECT CURRENT_WATERMARK(ts) FROM (VALUES (TIMESTAMP '2024-01-01 00:00:00')) AS v(ts)")
sql("SELECT k, CURRENT_WATERMARK(ts) FROM plain GROUP BY k")
show("by name", lambda: t_env.from_path("plain").select(col("n"), current_watermark(col("ts")).alias("w")))
show("in a filter", lambda: t_env.from_path("late").filter(col("ts") <= current_watermark(col("ts"))).select(col("n")))
show("call_sql", lambda: t_env.from_path("plain").select(col("n"), call_sql("CURRENT_WATERMARK(ts)").alias("w")))
late = udf(lambda ts, w: None if w is None else (ts - w).total_seconds(), result_type=DataTypes.DOUBLE())
show(
    "for a function",
    lambda: t_env.from_path("plain").select(col("n"), late(col("ts"), current_watermark(col("ts"))).alias("w")),
)
show("of a constant", lambda: t_env.from_path("plain").select(current_watermark(lit(1))))
print(current_watermark(col("ts")))
