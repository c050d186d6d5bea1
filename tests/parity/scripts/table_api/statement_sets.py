# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE TABLE first_sink (n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'one')")
env.execute_sql("CREATE TABLE second_sink (w STRING) WITH ('connector' = 'blackhole')")
table = env.from_elements([(1, "a"), (2, "b")], ["n", "w"])
env.create_temporary_view("v", table)


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


statements = env.create_statement_set()
print(statements.add_insert("first_sink", table.select(col("n"))) is statements)
statements.add_insert_sql("INSERT INTO second_sink SELECT w FROM v")
result = statements.execute()
result.wait()
result.print()
print(sorted(result.get_table_schema().get_field_names()))
refused(lambda: env.create_statement_set().execute())
refused(lambda: env.create_statement_set().add_insert_sql("SELECT 1"))
refused(lambda: env.create_statement_set().add_insert("nothing", table).execute())
refused(lambda: env.create_statement_set().add_insert_sql("INSERT INTO first_sink SELECT w FROM v").execute())
