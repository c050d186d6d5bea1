from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")

rows = "(VALUES (3, 'c'), (1, 'a'), (2, 'b'), (5, 'e')) AS t(n, s)"
env.execute_sql(f"SELECT * FROM {rows} ORDER BY n").print()
env.execute_sql(f"SELECT * FROM {rows} ORDER BY n DESC LIMIT 2").print()
env.execute_sql(f"SELECT s FROM {rows} ORDER BY n LIMIT 2 OFFSET 1").print()
env.execute_sql(f"SELECT s FROM {rows} WHERE n IN (1, 5) OR s LIKE 'c%' ORDER BY s").print()
