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
    file.write(
        '{"a": 1, "b": "x", "c": 1.5}\n'
        '{"a": "2", "b": 5, "d": true}\n'
        '{"a": null}\n'
        "{}\n"
        "[1]\n"
        "not json\n"
        '{"a": 7, "b": {"n": [1]}}\n'
        '{"c": "1e3"}\n'
    )
show(f"""
    CREATE TABLE t (a BIGINT, b STRING, c DOUBLE) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'json', 'json.ignore-parse-errors' = 'true')
""")
show("SELECT * FROM t WHERE a IS NULL OR a <> 1")
show(f"""
    CREATE TABLE u (a BIGINT, b STRING, c DOUBLE) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'json', 'json.fail-on-missing-field' = 'true')
""")
show("SELECT * FROM u")
