import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


folder = tempfile.mkdtemp()
with open(os.path.join(folder, "rows.csv"), "w") as file:
    file.write("2024-01-01 00:00:01,a,1\n2024-01-01 00:00:09,a,2\n2024-01-01 00:00:11,b,4\n2024-01-01 00:00:12,a,8\n")
env.execute_sql(f"""
    CREATE TABLE clicks (ts TIMESTAMP(3), who STRING, n INT, WATERMARK FOR ts AS ts)
    WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv')
""")
env.execute_sql("""
    SELECT window_start, window_end, who, SUM(n) AS s
    FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))
    GROUP BY window_start, window_end, who ORDER BY window_start, who
""").print()
env.execute_sql("""
    SELECT window_start, window_end, COUNT(*) AS c
    FROM TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))
    GROUP BY window_start, window_end ORDER BY window_start
""").print()
