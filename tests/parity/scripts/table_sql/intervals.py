from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT INTERVAL '1' DAY, INTERVAL '90' MINUTE, INTERVAL '1 02:03:04.567' DAY TO SECOND, INTERVAL '2-3' YEAR TO MONTH, INTERVAL -'5' HOUR, INTERVAL '10' YEAR
""")
show("""
    SELECT INTERVAL '1' DAY + INTERVAL '2' HOUR, INTERVAL '1' DAY * 3, 2 * INTERVAL '1' MONTH, -INTERVAL '1' DAY, INTERVAL '1' YEAR - INTERVAL '1' MONTH
""")
show("SELECT INTERVAL '1' DAY > INTERVAL '23' HOUR, INTERVAL '12' MONTH = INTERVAL '1' YEAR, INTERVAL '1' DAY / 2")
show("SELECT CAST(INTERVAL '5' DAY AS BIGINT), CAST(INTERVAL '5' MONTH AS INT), CAST(5 AS INTERVAL DAY)")
show("""
    SELECT (DATE '2024-01-01', DATE '2024-02-01') OVERLAPS (DATE '2024-01-15', DATE '2024-03-01'), (DATE '2024-01-01', INTERVAL '1' DAY) OVERLAPS (DATE '2024-01-03', INTERVAL '1' DAY)
""")
