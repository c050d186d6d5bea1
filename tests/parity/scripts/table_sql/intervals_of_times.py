from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    """
    CREATE TEMPORARY VIEW t AS SELECT CAST(ts AS DATE) AS d, ts, CAST(ts AS TIME(0)) AS tm
    FROM (VALUES (TIMESTAMP '2020-03-04 05:06:07.123'), (TIMESTAMP '2021-12-31 23:59:59.999')) AS x (ts)
    """
)


def show(*expressions):
    env.execute_sql(f"SELECT {', '.join(expressions)} FROM t").print()


show("d + INTERVAL '1' HOUR", "d + INTERVAL '25' HOUR", "d - INTERVAL '1' SECOND", "TIMESTAMPADD(HOUR, 1, d)")
show("(d - DATE '2020-01-01') MONTH", "(d - DATE '2020-01-01') DAY", "(ts - TIMESTAMP '2020-01-31 00:00:00') MONTH")
show("(ts - TIMESTAMP '2020-01-31 00:00:00') SECOND", "(tm - TIME '01:00:00') SECOND", "HOUR(d)")
show("tm + INTERVAL '1' MONTH", "INTERVAL '3.123456' SECOND", "-INTERVAL '1' MONTH", "2 * INTERVAL '5' MONTH")
show("COALESCE(d, ts)", "COALESCE(ts, d)", "INTERVAL '1-2' YEAR TO MONTH + INTERVAL '1' YEAR")
show("UPPER(CAST(d AS CHAR(4))) || 'x'", "LPAD('a', 3, 'x') || TRIM(' b ')", "LEFT('abc', 2) || RIGHT('abc', 2)")
