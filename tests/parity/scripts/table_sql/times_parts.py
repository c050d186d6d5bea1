from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT TIMESTAMP '2024-02-29 23:59:58.123456' AS x, DATE '1969-12-31' AS d, TIME '12:34:56' AS c
""")
show("""
    SELECT EXTRACT(YEAR FROM x), EXTRACT(QUARTER FROM x), EXTRACT(MONTH FROM x), EXTRACT(WEEK FROM x), EXTRACT(DAY FROM x), EXTRACT(DOY FROM x), EXTRACT(DOW FROM x), EXTRACT(ISODOW FROM x) FROM t
""")
show("""
    SELECT EXTRACT(HOUR FROM x), EXTRACT(MINUTE FROM x), EXTRACT(SECOND FROM x), EXTRACT(MILLISECOND FROM x), EXTRACT(EPOCH FROM x), EXTRACT(CENTURY FROM x), EXTRACT(DECADE FROM x), EXTRACT(MILLENNIUM FROM x) FROM t
""")
show("""
    SELECT YEAR(d), QUARTER(d), MONTH(d), WEEK(d), DAYOFYEAR(d), DAYOFMONTH(d), DAYOFWEEK(d), EXTRACT(EPOCH FROM d), EXTRACT(ISOYEAR FROM d) FROM t
""")
show("""
    SELECT HOUR(x), MINUTE(x), SECOND(x), HOUR(c), MINUTE(c), SECOND(c), EXTRACT(HOUR FROM c), TYPEOF(YEAR(d)) FROM t
""")
show("SELECT EXTRACT(MICROSECOND FROM x), EXTRACT(NANOSECOND FROM x) FROM t")
show("""
    SELECT EXTRACT(DAY FROM INTERVAL '2 03:04:05' DAY TO SECOND), EXTRACT(HOUR FROM INTERVAL '2 03' DAY TO HOUR), EXTRACT(MONTH FROM INTERVAL '1-6' YEAR TO MONTH)
""")
