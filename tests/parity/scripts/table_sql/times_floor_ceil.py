from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT TIMESTAMP '2024-02-29 23:59:58.123' AS x, DATE '2024-05-16' AS d, TIME '12:34:56' AS c
""")
show("""
    SELECT FLOOR(x TO YEAR), FLOOR(x TO QUARTER), FLOOR(x TO MONTH), FLOOR(x TO WEEK), FLOOR(x TO DAY), FLOOR(x TO HOUR), FLOOR(x TO MINUTE), FLOOR(x TO SECOND) FROM t
""")
show("""
    SELECT CEIL(x TO YEAR), CEIL(x TO QUARTER), CEIL(x TO MONTH), CEIL(x TO WEEK), CEIL(x TO DAY), CEIL(x TO HOUR), CEIL(x TO MINUTE), CEIL(x TO SECOND) FROM t
""")
show("""
    SELECT FLOOR(d TO MONTH), CEIL(d TO MONTH), FLOOR(d TO YEAR), CEIL(d TO YEAR), FLOOR(d TO WEEK), FLOOR(c TO HOUR), CEIL(c TO MINUTE) FROM t
""")
show("""
    SELECT FLOOR(TIMESTAMP '1969-12-31 23:59:59.500' TO MINUTE), CEIL(TIMESTAMP '1969-12-31 10:00:00' TO HOUR), FLOOR(x TO DECADE), FLOOR(x TO CENTURY), FLOOR(x TO MILLENNIUM) FROM t
""")
show("SELECT TYPEOF(FLOOR(x TO DAY)), TYPEOF(FLOOR(d TO MONTH)), TYPEOF(CEIL(c TO HOUR)) FROM t")
