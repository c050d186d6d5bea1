from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW a AS SELECT * FROM (VALUES (1, 'x'), (2, 'y'), (3, 'z')) AS v(n, l)")
show("CREATE TEMPORARY VIEW b AS SELECT * FROM (VALUES (2), (3)) AS v(m)")
show("SELECT l FROM a WHERE n IN (SELECT m FROM b) ORDER BY l")
show("SELECT l FROM a WHERE EXISTS (SELECT 1 FROM b WHERE m > 2) ORDER BY l")
show("SELECT l FROM a WHERE n > (SELECT MIN(m) FROM b)")
show("SELECT l FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE m > 100) AND n < 3 ORDER BY l")
show("SELECT l, (SELECT MAX(m) FROM b) AS top FROM a ORDER BY l")
