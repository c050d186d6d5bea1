from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE p (a INT, b STRING NOT NULL) WITH ('connector' = 'print')")
show("EXPLAIN INSERT INTO p VALUES (1)")
show("EXPLAIN INSERT INTO p VALUES (1, 'a', 2)")
show("EXPLAIN INSERT INTO p VALUES ('x', 'a')")
show("EXPLAIN INSERT INTO p (a) VALUES (1)")
show("EXPLAIN INSERT INTO p (nothing) VALUES (1)")
show("EXPLAIN INSERT INTO nothing VALUES (1)")
show("EXPLAIN INSERT INTO p (a, a) VALUES (1, 2)")
show("EXPLAIN INSERT INTO p SELECT 1, TRUE")
