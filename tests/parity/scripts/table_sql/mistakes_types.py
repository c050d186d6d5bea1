from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT 1 + 'a'")
show("SELECT UPPER(1)")
show("SELECT SUM('a') FROM (VALUES (1)) AS t(a)")
show("SELECT a FROM (VALUES (1)) AS t(a) WHERE a")
show("SELECT a FROM (VALUES (1)) AS t(a) GROUP BY b")
show("SELECT a, COUNT(*) FROM (VALUES (1)) AS t(a)")
show("SELECT * FROM (VALUES (1), (2, 3)) AS t(a)")
show("SELECT * FROM (VALUES (1)) AS t(a, b)")
show("SELECT CASE WHEN 1 THEN 2 END")
show("SELECT DATE '2024-13-01'")
show("SELECT TIMESTAMP '2024-01-01'")
show("SELECT INTERVAL 'x' DAY")
show("SELECT COUNT(SUM(a)) FROM (VALUES (1)) AS t(a)")
show("SELECT EXTRACT(FORTNIGHT FROM DATE '2024-01-01')")
show("SELECT SUBSTRING('a')")
show("SELECT a.b FROM (VALUES (1)) AS t(a)")
show("SELECT ARRAY[1, 'a']")
show("SELECT MAP['a']")
show("SELECT x FROM (VALUES (1)) AS t(a), (VALUES (1)) AS u(a) WHERE a = 1")
show("SELECT 1 FROM")
show("SELECT")
show("FROM t")
show("SELECT 1 1")
