import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


with open("in.csv", "w") as file:
    file.write("1,1704067200000\n2,1704067205500\n3,1704067201000\n")
show(f"""
    CREATE TABLE t (id INT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
env.get_config().set("table.local-time-zone", "Europe/Berlin")
show("SELECT * FROM t")
show("""
    SELECT window_start, window_end, window_time, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end, window_time
""")
show("SELECT id, PROCTIME() IS NOT NULL AS p FROM t")
