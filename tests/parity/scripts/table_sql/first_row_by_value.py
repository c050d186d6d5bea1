import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "rows"), "w") as file:
    for k, v in [("a", 3), ("b", 2), ("a", 1), ("a", 2), ("b", 0)]:
        file.write(json.dumps({"k": k, "v": v}) + "\n")
t_env.execute_sql(
    f"CREATE TABLE e (k STRING, v INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
)
FIRST = "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM e) WHERE rn = 1"
for query in (FIRST, f"SELECT COUNT(*), SUM(v) FROM ({FIRST})"):
    print(query)
    with t_env.execute_sql(query).collect() as rows:
        print(*(f"{row.get_row_kind()} {row}" for row in rows), sep="\n")
