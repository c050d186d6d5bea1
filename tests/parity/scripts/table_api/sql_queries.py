from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        made = make()
        made.print_schema() if made is not None else print("none")
    except Exception:
        print("refused")


table = env.from_elements([(1, "a")], ["n", "w"])
env.create_temporary_view("v", table)
refused(lambda: env.sql_query("SELECT n + 1, w AS x FROM v"))
refused(lambda: env.sql_query(f"SELECT * FROM {table}"))
refused(lambda: env.sql_query(f"SELECT n FROM {table.select(col('n'))}").where(col("n") > 1))
refused(lambda: env.sql_query("VALUES (1, 'a'), (2, 'bc')"))
refused(lambda: env.sql_query("CREATE TABLE t (a INT)"))
refused(lambda: env.sql_query("SELECT FROM"))
refused(lambda: env.sql_query(""))
refused(lambda: env.sql_query("SELECT 1; SELECT 2"))
refused(lambda: env.sql_query("SELECT 1 AS a;"))
refused(lambda: env.execute_sql("SELECT 1; SELECT 2"))
refused(lambda: env.from_path("v"))
refused(lambda: env.from_path("`v`"))
refused(lambda: env.from_path("default_catalog.default_database.v"))
refused(lambda: env.from_path("default_database.nothing"))
refused(lambda: env.from_path(""))
print(table, table)
print(sorted(env.list_tables())[-1], "v" in env.list_views())
