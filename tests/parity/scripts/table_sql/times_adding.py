from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT TIMESTAMP '2024-01-31 10:00:00' AS x, DATE '2024-01-31' AS d, TIME '23:30:00' AS c
""")
show("""
    SELECT x + INTERVAL '1' MONTH, x - INTERVAL '1' YEAR, x + INTERVAL '1 02:03:04' DAY TO SECOND, d + INTERVAL '1' MONTH, d - INTERVAL '40' DAY, c + INTERVAL '1' HOUR FROM t
""")
show("""
    SELECT TIMESTAMPADD(MONTH, 1, x), TIMESTAMPADD(DAY, -1, d), TIMESTAMPADD(HOUR, 5, x), TIMESTAMPADD(SECOND, 90, x), TIMESTAMPADD(WEEK, 1, d), TIMESTAMPADD(QUARTER, 1, x) FROM t
""")
show("""
    SELECT TIMESTAMPDIFF(SECOND, x, x + INTERVAL '1' DAY), TIMESTAMPDIFF(MONTH, DATE '2024-01-31', DATE '2024-02-29'), TIMESTAMPDIFF(YEAR, DATE '2023-06-01', DATE '2024-05-31'),
    TIMESTAMPDIFF(DAY, x, TIMESTAMP '2024-01-30 11:00:00'), TIMESTAMPDIFF(HOUR, d, x), TIMESTAMPDIFF(WEEK, d, DATE '2024-02-29'), TIMESTAMPDIFF(QUARTER, d, DATE '2024-12-31') FROM t
""")
show("SELECT (x - TIMESTAMP '2024-01-01 00:00:00') DAY TO SECOND, (d - DATE '2023-01-01') DAY FROM t")
show("""
    SELECT x > TIMESTAMP '2024-01-01 00:00:00', x = CAST(d AS TIMESTAMP), d < DATE '2024-02-01', c > TIME '01:00:00' FROM t
""")
