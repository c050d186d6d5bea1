from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE t (a TINYINT, b SMALLINT NOT NULL, c INTEGER, d BIGINT, e FLOAT, f DOUBLE PRECISION, g DECIMAL, h NUMERIC(5), i CHAR(3), j CHAR, k VARCHAR(9),
    l STRING, m BINARY(2), n VARBINARY(5), o BYTES, oo BINARY, ooo VARBINARY, jj VARCHAR, p DATE, q TIME, r TIME(3), s TIMESTAMP, u TIMESTAMP(3) WITHOUT TIME ZONE, v TIMESTAMP_LTZ(3), w TIMESTAMP WITH LOCAL TIME ZONE,
    x BOOLEAN) WITH ('connector' = 'blackhole')
""")
show("DESCRIBE t")
show("""
    CREATE TABLE u (a ARRAY<INT>, b INT ARRAY, c MAP<STRING, INT NOT NULL>, d MULTISET<STRING>, e ROW<x INT, y STRING NOT NULL>, f ROW(x INT COMMENT 'c'), g INTERVAL DAY TO SECOND(3), h INTERVAL YEAR TO MONTH,
    i ARRAY<ROW<a INT>> NOT NULL) WITH ('connector' = 'blackhole')
""")
show("DESCRIBE u")
show("SHOW CREATE TABLE u")
show("CREATE TABLE w (a NOTHING) WITH ('connector' = 'blackhole')")
show("CREATE TABLE w (a INT, a STRING) WITH ('connector' = 'blackhole')")
