from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE base (id INT NOT NULL, ts TIMESTAMP(3), twice AS id * 2, WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'datagen', 'rows-per-second' = '1')
""")
show("CREATE TABLE a LIKE base")
show("SHOW CREATE TABLE a")
show("""
    CREATE TABLE b (extra STRING) WITH ('number-of-rows' = '3') LIKE base (EXCLUDING GENERATED EXCLUDING WATERMARKS EXCLUDING CONSTRAINTS)
""")
show("SHOW CREATE TABLE b")
show("CREATE TABLE c WITH ('connector' = 'blackhole') LIKE base (EXCLUDING ALL)")
show("SHOW CREATE TABLE c")
show("CREATE TABLE d WITH ('rows-per-second' = '9') LIKE base (OVERWRITING OPTIONS)")
show("SHOW CREATE TABLE d")
show("CREATE TABLE e WITH ('rows-per-second' = '9') LIKE base")
show("CREATE TABLE f (id INT) LIKE base")
show("CREATE TABLE g LIKE nothing")
