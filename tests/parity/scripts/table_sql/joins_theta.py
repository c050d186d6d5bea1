from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW a AS SELECT * FROM (VALUES (1, 'x'), (2, 'y'), (4, 'z')) AS v(n, l)")
show("CREATE TEMPORARY VIEW b AS SELECT * FROM (VALUES (2, 'p'), (3, 'q')) AS v(m, r)")
show("SELECT l, r FROM a JOIN b ON n < m ORDER BY l, r")
show("SELECT l, r FROM a LEFT JOIN b ON n > m ORDER BY l, r")
show("SELECT l, r FROM a JOIN b ON n = m OR n + 1 = m ORDER BY l, r")
show("SELECT l, r FROM a LEFT JOIN b ON n = m WHERE r IS NULL ORDER BY l")
