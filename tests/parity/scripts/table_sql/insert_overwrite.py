import os

from pyflink.table import EnvironmentSettings, Schema, TableDescriptor, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
folder = os.path.abspath("out")
for name, columns in (("whole", "n INT, s STRING) "), ("parts", "n INT, d STRING, h INT) PARTITIONED BY (d, h) ")):
    options = f"'connector' = 'filesystem', 'path' = '{folder}/{name}', 'format' = 'csv'"
    env.execute_sql(f"CREATE TABLE {name} ({columns} WITH ({options})")


def show(text):
    env.execute_sql(text).wait()
    for table in ("whole", "parts"):
        with env.execute_sql(f"SELECT * FROM {table}").collect() as rows:
            print(table, sorted(tuple(row) for row in rows))


env.execute_sql("INSERT INTO whole VALUES (1, 'a'), (2, 'b')").wait()
show("INSERT INTO parts VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, 'y', 2)")
show("INSERT OVERWRITE whole SELECT n + 10, s FROM whole")
show("INSERT OVERWRITE parts VALUES (10, 'x', 1)")
show("INSERT OVERWRITE parts PARTITION (d = 'y') SELECT 20, 2")
show("INSERT OVERWRITE parts PARTITION (d = 'y', h = 1) SELECT 30")
show("INSERT OVERWRITE parts PARTITION (d = 'z', h = 7) SELECT 40")
show("INSERT OVERWRITE parts SELECT n, s, n FROM whole WHERE n > 100")
env.sql_query("SELECT 7, 'q'").execute_insert("whole", overwrite=True).wait()
show("INSERT INTO whole SELECT 8, 'r'")
schema = Schema.new_builder().column("n", "INT").column("s", "STRING").build()
named = TableDescriptor.for_connector("filesystem").schema(schema).option("path", f"{folder}/whole").format("csv")
env.sql_query("SELECT 9, 's'").insert_into(named.build(), True).execute().wait()
both = env.create_statement_set()
both.add_insert("parts", env.sql_query("SELECT 50, 'x', 1"), True).add_insert_sql(
    "INSERT OVERWRITE parts SELECT 51, 'x', 1"
)
both.execute().wait()
show("INSERT OVERWRITE whole SELECT n, s FROM whole WHERE n > 100")
env.execute_sql("CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole')")
streaming = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
streaming.create_temporary_table("whole", named.build())
for t_env, text in (
    (env, "INSERT OVERWRITE gone SELECT 1"),
    (env, "INSERT INTO parts PARTITION (n = 1) SELECT 'x', 1"),
    (streaming, "INSERT OVERWRITE whole VALUES (1, 'a')"),
):
    try:
        t_env.execute_sql(text).wait()
    except Exception:
        print("refused", text)
