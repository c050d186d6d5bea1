from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


table = env.from_elements([(1, "a"), (2, "b")], ["n", "w"])
env.create_temporary_view("v", table)
env.create_temporary_view("default_database.w", table.select(col("n") + 1))
print(env.list_views(), env.list_temporary_views(), env.list_tables(), env.list_temporary_tables())
refused(lambda: env.create_temporary_view("v", table))
env.from_path("w").execute().print()
env.sql_query("SELECT v.w, v.n FROM v WHERE n > 1").execute().print()
refused(lambda: env.drop_temporary_table("v"))
refused(lambda: env.drop_temporary_view("nothing"))
print(env.drop_temporary_view("v"), env.drop_temporary_view("w"), env.list_views())
env.execute_sql("CREATE TEMPORARY VIEW x (k) AS SELECT 1")
env.execute_sql("CREATE VIEW y AS SELECT k AS l FROM x")
print(env.list_views(), env.list_temporary_views())
env.from_path("y").execute().print()
refused(lambda: env.drop_view("x"))
refused(lambda: env.drop_view("nothing", False))
print(env.drop_view("y"), env.list_views())
