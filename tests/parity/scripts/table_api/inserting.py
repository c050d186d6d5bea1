from pyflink.table import EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE TABLE t (n BIGINT, w STRING) WITH ('connector' = 'print')")
table = env.from_elements([(1, "a"), (2, "b")], ["n", "w"])
result = table.execute_insert("t")
result.wait()
print(result.get_result_kind(), result.get_table_schema())
print(result.get_job_client() is not None)
table.insert_into("t").execute().wait()
schema = Schema.new_builder().column("x", "BIGINT").column("y", "STRING").build()
table.execute_insert(TableDescriptor.for_connector("print").schema(schema).build()).wait()
pipeline = table.where(col("n") > 1).insert_into("t")
pipeline.execute().wait(60000)
env.execute_sql("INSERT INTO t VALUES (7, 'x')").print()


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


refused(lambda: table.execute_insert("nothing"))
refused(lambda: table.select(col("n")).execute_insert("t"))
refused(lambda: table.select(col("w"), col("n")).execute_insert("t"))
