import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


with open("in.csv", "w") as file:
    file.write("1,a\n2,b\n")
show(f"""
    CREATE TABLE t (a INT, b STRING, name STRING NOT NULL METADATA FROM 'file.name' VIRTUAL, size BIGINT METADATA FROM 'file.size' VIRTUAL) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
show("SELECT a, name, size FROM t ORDER BY a")
show("DESCRIBE t")
show("SELECT b FROM t /*+ OPTIONS('csv.field-delimiter' = ';') */ WHERE a IS NULL")
